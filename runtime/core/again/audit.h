/* Audits: some tasks are executed a second time, by another PU, and the two results are compared. Part of the
 * master.
 *
 * A task is audited when its result is accepted, and only if all of its units were new. A hash of the seed,
 * the pass and the task's first unit chooses: equal seeds choose equal tasks. The second PU is one of another
 * node, or of the same node where there is no other. It is drawn in proportion to speed, so that audits slow
 * all PUs alike. A PU that needs more than twice the task's time executes only a part of its units, where
 * results can be divided.
 *
 * If the results differ, a third PU executes the units: the result with which its own agrees is right. The
 * driver compares, and the ledger knows nothing of all this: the units stay accepted. A pass is over when all
 * of its audits are.
 *
 * An audit cannot hold up the run. When the last unit of a pass is accepted, each audit gets a time. After
 * it, another PU executes the units, and the silent one gets no more audits in this pass.
 *
 * It finds PUs that compute wrongly now and then. It does not find a kernel that is wrong on every PU, nor
 * two PUs of one model that make the same mistake.
 *
 * Cost: O(tasks of the report) for each report, O(PUs) for each audit; nothing where the fraction is 0. Not
 * thread-safe. */
#ifndef PLB_CORE_AGAIN_AUDIT_H
#define PLB_CORE_AGAIN_AUDIT_H

#include "core/grant/broker.h"
#include "core/ledger/ledger.h"
#include "core/measure/history.h"
#include "core/pus/pus.h"
#include "core/work/sizes.h"

#define PLB_AUDIT_PUS 3 /* that execute the units of an audit at most */

struct plb_audits;

struct plb_audits_config {
    const struct plb_pus *pus; /* borrowed, as all that follows */
    struct plb_ledger *ledger; /* only its regrants change */
    const struct plb_broker *broker;
    const struct plb_sizes *sizes;
    struct plb_history *histories; /* n_phases of each PU, PU by PU */
    int n_phases;
    double fraction; /* of the tasks; 0: none */
    uint64_t seed;
    bool whole; /* the results of a task cannot be divided: the job reduces arrays */
};

/* The units of a task, or of a part of it. */
struct plb_audit {
    int64_t id; /* no two of a run have the same */
    struct plb_range range;
    int pus[PLB_AUDIT_PUS]; /* in the order in which they were asked; the first one's result was accepted */
    int n;                  /* of these; the last one has not answered yet */
    double seconds;         /* that the first one needed */
    double expected;        /* that the last one will probably need */
    double until;           /* it has time until then; infinite: the pass has other units to wait for */
};

/* The outcome of a comparison. */
enum plb_audit_verdict {
    PLB_AUDIT_AGREES,    /* both results are alike: the audit is over */
    PLB_AUDIT_DIFFERS,   /* they are not, and a third PU is asked */
    PLB_AUDIT_FIRST,     /* the first PU was wrong: the second one's result is to be taken; it is over */
    PLB_AUDIT_SECOND,    /* the second PU was wrong; it is over */
    PLB_AUDIT_UNDECIDED, /* they differ, and nobody knows who is wrong; it is over */
};

/* In all passes. */
struct plb_audit_counts {
    int64_t audited;     /* audits in which results were compared */
    int64_t differences; /* of these, in which they differed */
    int64_t given_up;    /* audits that no other PU could answer */
};

struct plb_audits *plb_audits_new(const struct plb_audits_config *config);
void plb_audits_free(struct plb_audits *audits);

/* How many PUs of the run there are to choose from, and on how many nodes. An audit needs two. */
int plb_audits_candidates(const struct plb_audits *audits);

/* A pass begins: audits of the one before are forgotten. */
void plb_audits_begin(struct plb_audits *audits, int pass, int phase, const struct plb_cost_map *map);

/* A PU has reported; `fresh` of the units were new. Asks for audits, by AUDIT. */
void plb_audits_reported(struct plb_audits *audits, int pu, const struct plb_done *done, int64_t fresh,
                         double now, struct plb_outbox *out);

/* Units may have been accepted without a report: they were set aside. */
void plb_audits_follow(struct plb_audits *audits, double now);

/* PUs are lost: others are asked. */
void plb_audits_lost(struct plb_audits *audits, double now, struct plb_outbox *out);

/* The executor of this audit has died with it: nobody is asked any more. */
void plb_audits_forget(struct plb_audits *audits, int64_t id);

/* When plb_audits_tick is to be called; infinite: not before something else happens. */
double plb_audits_due(const struct plb_audits *audits);
void plb_audits_tick(struct plb_audits *audits, double now, struct plb_outbox *out);

/* How many audits of the pass are not over. */
int plb_audits_open(const struct plb_audits *audits);

/* The audit that began with the result of these units; NULL: none that is open. Valid until the next call
 * that changes something, as the next one. */
const struct plb_audit *plb_audits_of(const struct plb_audits *audits, struct plb_range range);

/* The audit that a DONE brings a result for; NULL: nobody waits for it. */
const struct plb_audit *plb_audits_find(const struct plb_audits *a, const struct plb_message *m);

bool plb_audits_is_open(const struct plb_audits *audits, int64_t id);

/* The result that such a DONE brings was compared: agrees[i] says whether it is like that of audit->pus[i],
 * for all before the last one. */
enum plb_audit_verdict plb_audits_compared(struct plb_audits *audits, const struct plb_message *done,
                                           const bool agrees[PLB_AUDIT_PUS - 1], double now,
                                           struct plb_outbox *out);

/* The result that a DONE brings has arrived damaged: the same PU executes the units again. */
void plb_audits_ask_again(struct plb_audits *audits, const struct plb_message *done, double now,
                          struct plb_outbox *out);

const struct plb_audit_counts *plb_audits_counts(const struct plb_audits *audits);

/* In how many audits a PU was found wrong. */
int64_t plb_audits_wrong(const struct plb_audits *audits, int pu);

#endif
