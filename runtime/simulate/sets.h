/* The sets of reduced arrays of simulated nodes (core/place/sets.h): which units each one has. The arrays
 * themselves do not exist, so a set that has a unit twice, or lacks one, is found here alone. */
#ifndef PLB_SIMULATE_SETS_H
#define PLB_SIMULATE_SETS_H

#include "simulate/simulation.h"

struct plb_virtual_sets;

struct plb_virtual_sets *plb_virtual_sets_new(const struct plb_simulation *in);
void plb_virtual_sets_free(struct plb_virtual_sets *sets);

/* A pass begins on node 0. again: it makes units of the last one again. */
void plb_virtual_sets_start(struct plb_virtual_sets *sets, int pass, bool again);

/* Another node hears PASS. */
void plb_virtual_sets_begin(struct plb_virtual_sets *sets, int node, const struct plb_pass *begin);

/* A message leaves a node: marks a DONE whose arrays stay. Returns how many bytes fewer travel with it, or
 * with a negative sign how many more; and how long the node takes before it leaves. */
double plb_virtual_sets_send(struct plb_virtual_sets *sets, struct plb_message *message, double *seconds);

/* A message to a node that is in this pass, or to node 0. False: it is about something else. */
bool plb_virtual_sets_hear(struct plb_virtual_sets *sets, const struct plb_message *message, int pass,
                           struct plb_outbox *out);

/* So many units of a DONE are accepted. */
void plb_virtual_sets_accepted(struct plb_virtual_sets *sets, const struct plb_message *done, int64_t fresh);

/* The pass is over: whether node 0 has the arrays of each unit once. Else fails with a sentence. */
int plb_virtual_sets_check(const struct plb_virtual_sets *sets, struct plb_error *err);

#endif
