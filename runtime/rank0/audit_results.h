/* The results of audits on rank 0 (core/again/audit.h): comparing them, and what follows from it.
 *
 * A result of partitioned outputs is in its place when it has been accepted, and is compared there. A reduced
 * array cannot be taken out of a sum again. So the array of a task that is audited is kept, and folded when
 * its audit is over: once, like every other. Where a third PU says that the first result was wrong, the
 * second one takes its place, or is folded instead.
 *
 * Memory: the reduced arrays of the open audits, and both results of those that differ. Communication thread
 * only. */
#ifndef PLB_RANK0_AUDIT_RESULTS_H
#define PLB_RANK0_AUDIT_RESULTS_H

#include "app/agree.h"
#include "core/master.h"

struct plb_audit_results;

struct plb_audit_results_config {
    const struct plb_dataset *set; /* rank 0's; borrowed, as all that follows */
    struct plb_app *app;
    struct plb_master *master;
    struct plb_outbox *out; /* where the master's messages go */
    double clock;           /* to add to plb_now() for the run's clock */
};

struct plb_audit_results *plb_audit_results_new(const struct plb_audit_results_config *config);
void plb_audit_results_free(struct plb_audit_results *results);

/* A result was accepted whole, and is to be folded: true where an audit of it has begun. Then its arrays are
 * kept, and folded here when that is over. */
bool plb_audit_results_keep(struct plb_audit_results *results, const struct plb_message *done,
                            void *const *arrays);

/* The data of an audit's DONE is here: arrays[i] is its part of buffer i. */
void plb_audit_results_compare(struct plb_audit_results *results, const struct plb_message *done,
                               void *const *arrays);

/* Folds the arrays of audits that are over. */
void plb_audit_results_settle(struct plb_audit_results *results);

/* The run ends: folds all that is kept, and keeps nothing from now on. */
void plb_audit_results_end(struct plb_audit_results *results);

/* Whether arrays wait to be folded: then the pass must not end. */
bool plb_audit_results_wait(const struct plb_audit_results *results);

/* Warns where audits are wanted and impossible: there is one PU, or the job has no results. */
void plb_audit_warn(double wanted, const struct plb_master *master, const struct plb_app *app);

#endif
