/* The work that PUs have done, for the report. Part of the master. O(1) per report. Not thread-safe. */
#ifndef PLB_CORE_LEDGER_TOTALS_H
#define PLB_CORE_LEDGER_TOTALS_H

#include "core/ledger/ledger.h"

/* The work of a PU in all passes so far. */
struct plb_pu_totals {
    int64_t units, blocks, tasks;
    int64_t in_vain;               /* units executed after others had done them */
    int64_t stolen_in, stolen_out; /* units executed for another PU, and by another one */
    double execute_s, transfer_s;
    double cpu_s, waited_s;        /* of its threads on cores, and for some; zeros: not known */
    int64_t copied_in, copied_out; /* bytes to and from its own memory */
    double locking_s;              /* that its thread locked pages for these copies */
    double latest;                 /* when its latest report came, on the clock of the master */
    double imbalance_s, tail_s;    /* waited at the ends of passes; see plb_totals_end_pass */
    double others_waited_s;        /* that others waited so for it: their seconds added up */
    double longest_s;              /* of its longest report, most often a task */
    struct plb_range longest;      /* its units */
    double training_s;             /* of the training, in which it executed nothing that it had reported */
    char failure[80];              /* why it is used no more; "" where it is */
};

/* Adds what a DONE of PU `pu` says, after the ledger has accepted `fresh` units of it. Arrays by PU. Returns
 * how many units were granted to a PU of another node; 0 for a copy. */
int64_t plb_totals_count(struct plb_pu_totals *totals, const struct plb_pu_info *infos,
                         const struct plb_ledger *ledger, int pu, const struct plb_done *done, int64_t fresh);

/* A pass that began at `began` has ended now, with this report of PU `last`. The time since
 * a PU's own latest report is the pass's tail as far as the last task ran, and imbalance before that. Arrays
 * by PU. */
void plb_totals_end_pass(struct plb_pu_totals *totals, int n, int last, const struct plb_done *done,
                         double began, double now);

/* The training has ended, `seconds` after the first pass began. */
void plb_totals_end_training(struct plb_pu_totals *totals, int n, double seconds);

/* A PU is used no more, for this reason. False: that was known. */
bool plb_totals_fail(struct plb_pu_totals *totals, const char *why);

/* The PUs of a rank that is lost are used no more. n: PUs of the run. */
void plb_totals_lose(struct plb_pu_totals *totals, const struct plb_pu_info *infos, int n, int node);

#endif
