/* The set of reduced arrays that a node keeps in a pass, and those that other nodes hand over to it
 * (core/place/sets.h).
 *
 * On rank 0 the set is the job's own arrays. A set that was handed over stays as it is until the next pass:
 * if its taker is lost, it is handed to another one. Folds are the communication thread's, as rank 0's are.
 * Communication thread only. */
#ifndef PLB_NODE_MEMORY_OWN_SET_H
#define PLB_NODE_MEMORY_OWN_SET_H

#include "node/memory/node_config.h"

/* The tag of sets: behind those of slots, and of what rank 0 fetches. */
#define PLB_SET_TAG 31998

struct plb_own_set;

/* The config's dataset is borrowed. NULL: it has no reduced arrays. The other calls take that, too. */
struct plb_own_set *plb_own_set_new(const struct plb_node_config *config);
void plb_own_set_free(struct plb_own_set *set); /* nothing is on its way */

/* A pass begins: the set is empty, but on rank 0. */
void plb_own_set_begin(struct plb_own_set *set, const struct plb_message *pass);

/* Whether the arrays of results of this pass stay here. */
bool plb_own_set_folds(const struct plb_own_set *set, int pass);

/* A result of this node counts: arrays[i] is that of buffer i. */
void plb_own_set_add(struct plb_own_set *set, void *const *arrays, struct plb_outbox *out);

/* HAND, ARRAYS and DROP. False: the message was dropped. */
bool plb_own_set_hear(struct plb_own_set *set, const struct plb_message *message, struct plb_outbox *out);

/* Folds the sets that have come. True where there were any. */
bool plb_own_set_step(struct plb_own_set *set, struct plb_outbox *out);

#endif
