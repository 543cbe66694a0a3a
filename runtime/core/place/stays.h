/* Results that stay at the nodes that computed them. Part of the master.
 *
 * Some outputs are read after the last pass alone. In a pass of several nobody knows whether it is the last
 * one. So a DONE may leave such results at its node, and the master notes which node has which units. When no
 * further pass follows, it asks for them (FETCH), a few ranges of a node at a time. The node sends them
 * (FROM). Results of lost nodes are lacking, and those that a node does not have after all. Others execute
 * these units again, in a pass of these units alone, and send their results as if nothing stayed.
 *
 * Cost: as a set of ranges for each node. Not thread-safe. */
#ifndef PLB_CORE_PLACE_STAYS_H
#define PLB_CORE_PLACE_STAYS_H

#include "core/ledger/ledger.h"

struct plb_stays_counts {
    int64_t kept, gathered, lost; /* units: of DONEs whose results stayed; sent in the end; lost */
    int64_t asked_lost;           /* nodes that were lost while they were asked */
};

struct plb_stays;

/* buffers: mask of the outputs that stay. */
struct plb_stays *plb_stays_new(int n_nodes, int64_t buffers);
void plb_stays_free(struct plb_stays *stays);

/* A pass begins: results of the last one are not wanted any more. on: those of this one stay. */
void plb_stays_begin(struct plb_stays *stays, bool on);

/* The outputs that stay in this pass, as a mask. */
int64_t plb_stays_buffers(const struct plb_stays *stays);

/* A DONE of this pass, before the ledger accepts it: those of its units that are new are where it says.
 * whole: results count whole or not at all. */
void plb_stays_reported(struct plb_stays *stays, const struct plb_ledger *ledger,
                        const struct plb_message *done, bool whole);

/* A node is lost, and what it had with it. */
void plb_stays_lose(struct plb_stays *stays, int node);

/* Units of this pass were made again, and their results have come. */
void plb_stays_repaired(struct plb_stays *stays, struct plb_range range);

/* The last pass is over: asks for what stayed. */
void plb_stays_gather(struct plb_stays *stays, int pass, struct plb_outbox *out);

/* Whether a FROM answers a question that is open. */
bool plb_stays_awaits(const struct plb_stays *stays, const struct plb_message *from);

/* The one receiver of FROM, whose results are there. Asks for more. */
void plb_stays_receive(struct plb_stays *stays, const struct plb_message *from, struct plb_outbox *out);

/* Whether results are still at other nodes. */
bool plb_stays_any(const struct plb_stays *stays);

/* Units whose results nobody has. */
const struct plb_rangeset *plb_stays_lacking(const struct plb_stays *stays);

const struct plb_stays_counts *plb_stays_counts(const struct plb_stays *stays);

#endif
