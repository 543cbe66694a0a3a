/* PUs that hang in a task, as the communication thread sees them.
 *
 * It looks about ten times a second at the oldest task of each PU (core/overdue.h). It warns of one that is
 * late, and gives up a PU that hangs: then others execute its units, and its thread is left behind when the
 * run ends. Of a PU whose tasks are isolated it kills the child instead, so that one task is lost. Two PUs
 * are only spoken of. One writes outputs in place on rank 0, so that nobody else can execute the same units.
 * The other one is alone in the run. */
#ifndef PLB_NODE_PU_HUNG_H
#define PLB_NODE_PU_HUNG_H

#include "node/pu/runner.h"

/* The PUs of a node. looked: of the last look, on plb_now()'s clock; 0 before the first. */
struct plb_hung_watch {
    struct plb_runner *runners;
    int n;
    double looked;
};

/* Looks, where it is time. Takes the lock. */
void plb_hung_look(struct plb_hung_watch *watch, double now);

/* Nobody wants the task of any PU: all are cancelled. Of isolated ones the child ends, which would have to be
 * forked anew for the next pass: meanwhile each page that the parent writes would be copied for it. Under the
 * lock. */
void plb_hung_end(const struct plb_hung_watch *watch);

/* Whether a PU may be given up because it hangs: some phase tells its costs. */
bool plb_hung_may_be(const struct plb_node_config *config);

#endif
