/* Inputs and results that other ranks get out of this rank's mirror: those that this rank has computed, and
 * that no other one has (core/place/feeds.h).
 *
 * Inputs of a pass may still be on their way to a task that nobody wants when the next one begins. Then
 * nobody writes to their place in that pass. Communication thread only. */
#ifndef PLB_NODE_MEMORY_LEND_H
#define PLB_NODE_MEMORY_LEND_H

#include "node/memory/mirror.h"
#include "node/memory/node_config.h"

struct plb_lent;

/* A zeroed struct is empty. */
struct plb_lends {
    struct plb_lent *first; /* inputs on their way */
    int turn, pending;      /* of results: the next tag; transfers */
};

void plb_lends_fini(struct plb_lends *lends);

/* LEND: sends inputs to another rank. False: they have no place here. */
bool plb_lend(struct plb_lends *lends, const struct plb_mirror *mirror, const struct plb_node_config *config,
              const struct plb_message *message);

/* Adds the units of inputs that are on their way. */
void plb_lends_under_way(struct plb_lends *lends, struct plb_rangeset *units);

/* GATHER: answers as plb_keep_answer does, with results in the mirror. */
void plb_lend_results(struct plb_lends *lends, const struct plb_mirror *mirror,
                      const struct plb_node_config *config, int tag, const struct plb_message *gather,
                      struct plb_outbox *out);

#endif
