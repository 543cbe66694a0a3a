/* Reduced arrays that stay at their nodes, and go along a tree when the pass is over. Part of the master.
 *
 * In the pass each node folds its results into one set of arrays. Their units count with the DONE. The
 * arrays wait at the node until it hears whether the result counted (TAKEN), so that units which two nodes
 * have executed are in one set alone. The master notes which units each set has.
 *
 * When all units are accepted, the master pairs nodes that are ready, node 0 among them. One of a pair hands
 * its set to the other (HAND). That one folds it and says so (FOLDED), and is ready again. So nobody needs a
 * table of the tree, and nobody waits for one late node. The last set goes to node 0.
 *
 * A node that has given its set keeps it until the next pass. So a loss takes the node's own units alone: a
 * node that gave it a set is ready again, and gives that to another one. Where a node is lost while it gives,
 * the taker is asked (DROP). Units that are lost are executed again, in a pass of these units alone.
 *
 * Cost: as a set of ranges for each node; a loss looks at all nodes. Not thread-safe. */
#ifndef PLB_CORE_PLACE_SETS_H
#define PLB_CORE_PLACE_SETS_H

#include "core/message/message.h"

struct plb_sets_counts {
    int64_t stayed;       /* results that counted, and whose arrays stayed */
    int64_t handed, to_0; /* sets that were folded at another node; of these: at node 0 */
    int64_t again;        /* sets that were ready again since their taker was lost */
    int64_t dropped;      /* sets whose node was lost before they had come */
    int64_t lost;         /* units whose arrays were lost */
    int64_t repairs;      /* passes that made them again */
};

struct plb_sets;

struct plb_sets *plb_sets_new(int n_nodes);
void plb_sets_free(struct plb_sets *sets);

/* A pass begins: no node has anything. */
void plb_sets_begin(struct plb_sets *sets);

/* A DONE whose arrays stay at its node. counts: its units were new. The node is told. */
void plb_sets_reported(struct plb_sets *sets, const struct plb_message *done, bool counts,
                       struct plb_outbox *out);

/* All units of the pass are accepted: the sets go along the tree. */
void plb_sets_start(struct plb_sets *sets, int pass, struct plb_outbox *out);

/* The one receiver of FOLDED. False: nobody waits for it. */
bool plb_sets_folded(struct plb_sets *sets, const struct plb_message *message, struct plb_outbox *out);

/* A node other than 0 is lost, and its own results where no other node has them. */
void plb_sets_lose(struct plb_sets *sets, int node, struct plb_outbox *out);

/* Whether the sets go along the tree now, and whether node 0 has all that are not lost. */
bool plb_sets_on(const struct plb_sets *sets);
bool plb_sets_over(const struct plb_sets *sets);

/* Units whose arrays are lost in this pass. */
const struct plb_rangeset *plb_sets_lacking(const struct plb_sets *sets);

struct plb_sets_counts *plb_sets_counts(struct plb_sets *sets);

#endif
