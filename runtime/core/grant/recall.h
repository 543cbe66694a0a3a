/* Recalls: while units are left to grant, work that a PU has queued moves to a PU that its balancer lets
 * wait, where that PU would end it, its start included, long before the other one would begin it. Part of the
 * agenda.
 *
 * Looked at after a report: of the PU that reported, and of the one that it has helped. Cost: O(1) where
 * nobody waits, else a fit for some PUs that wait. Not thread-safe. */
#ifndef PLB_CORE_GRANT_RECALL_H
#define PLB_CORE_GRANT_RECALL_H

#include "core/grant/balancer_view.h"
#include "core/grant/waiting_list.h"

struct plb_recalls {
    struct plb_balancer_view *seen;         /* borrowed, as all of these */
    const struct plb_waiting_list *waiting; /* PUs that the balancer lets wait */
    const struct plb_pu_info *infos;
    double task_s; /* seconds of a task at most */
    int *victims;  /* by PU: whose units it has been promised and not reported, or -1 */
};

void plb_recalls_init(struct plb_recalls *recalls, struct plb_balancer_view *seen,
                      const struct plb_waiting_list *waiting, const struct plb_pu_info *infos, double task_s);
void plb_recalls_fini(struct plb_recalls *recalls);
void plb_recalls_begin(struct plb_recalls *recalls); /* a pass begins */

/* PU `pu` has reported, the balancer has been asked, and units are left to grant. Adds RECALLs. */
void plb_recalls_reported(struct plb_recalls *recalls, int pu, int pass, struct plb_outbox *out);

/* The most work that a PU of this model takes off the back of a queue that lasts `queued` work at `rate` per
 * second: it takes at most half the time until the queue's PU would reach it. 0: nothing. */
double plb_recall_work(const struct plb_model *thief, double queued, double rate);

#endif
