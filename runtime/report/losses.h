/* Where the time of a run went. Without any loss all PUs would compute from the first moment to the last,
 * each at the rate at which it computed: the ideal. Each second in which a PU does something else takes the
 * run as much longer as its part in the rate of all PUs. So the losses add up to the makespan less the ideal,
 * exactly:
 *
 *     makespan − ideal = Σ r_p / R · (makespan − computing_p),  ideal = Σ r_p · computing_p / R,  R = Σ r_p
 *
 * The efficiencies are those of TALP (Lopez et al. 2021), with PUs that count by their rates:
 * parallel efficiency = ideal / makespan = load balance × communication efficiency.
 *
 * Weak where units cost unlike amounts that are unknown: rates then reflect units. */
#ifndef PLB_REPORT_LOSSES_H
#define PLB_REPORT_LOSSES_H

#include "report/report.h"
#include "report/trace.h"

/* The kinds, in the order in which a page shows them. */
enum plb_loss_kind {
    PLB_LOST_TO_STARTS,    /* of tasks */
    PLB_LOST_TO_TRAINING,  /* waits until every PU had a curve */
    PLB_LOST_TO_IMBALANCE, /* waits at the end of a pass, for more than one task or for a share */
    PLB_LOST_TO_COPIES,    /* of inputs and results, not hidden */
    PLB_LOST_TO_LOCKS,     /* of pages, for these copies, not hidden */
    PLB_LOST_TO_MASTER,    /* waits for work while the master solved, as far as a trace tells */
    PLB_LOST_TO_WAITS,     /* for work, while others had some */
    PLB_LOST_TO_TAIL,      /* waits at the end of a pass while its last task ran */
    PLB_LOST_TO_TWICE,     /* units that were executed a second time */
    PLB_LOST_TO_FAILURES,  /* the time after PUs have failed */
};

/* Computes the members of a report that are derived by this file, from the others and from the settings.
 * Thread-safe. Cost: O(PUs squared) where PUs had nothing to do, else O(PUs). */
void plb_losses_account(struct plb_report *report);

/* Sets the members of PUs that a trace tells; to call before. Cost: O(n log n) of its events. */
void plb_losses_trace(struct plb_report *report, const struct plb_trace *trace);

/* Whether tasks took about the same time whatever their size: nobody knows the rates and the ideal then. */
bool plb_losses_only_starts(const struct plb_report *report);

/* The kind of which the run lost most. */
enum plb_loss_kind plb_losses_largest(const struct plb_report *report);

#endif
