/* Results that are inputs of the next pass, and which node has which of them. Part of the master.
 *
 * A node keeps what it reports of such an output. Two nodes may execute a unit, and on unlike PUs their
 * results may differ in the last bits. So a node may only use those that count: they are, bit by bit, what
 * rank 0 has received and made the input of all others. The master notes whose result of a unit it accepts,
 * and tells each node at the begin of the next pass (COUNTED). A node that hears nothing pulls from rank 0.
 *
 * Such results may stay where they are: no copy of them goes to rank 0. Then the master knows which node has
 * which units of the inputs, and asks it to send them to others (FETCH). Those of a lost node are gone,
 * and the passes since rank 0 had all of them must be made again (rank0/back.h).
 *
 * Where tasks are audited nobody is told: a third result may take the place of the one that counted.
 * Cost: as a set of ranges for each node. Not thread-safe. */
#ifndef PLB_CORE_PLACE_FEEDS_H
#define PLB_CORE_PLACE_FEEDS_H

#include "core/ledger/ledger.h"

struct plb_feeds;

/* audits: tasks may be audited. stay: mask of the outputs whose results stay at their nodes, all that feed
 * inputs; 0: rank 0 gets them. */
struct plb_feeds *plb_feeds_new(int n_nodes, bool audits, int64_t stay);
void plb_feeds_free(struct plb_feeds *feeds);

/* Which results are inputs of the pass that begins next, or may be of a later one. Copied. */
void plb_feeds_name(struct plb_feeds *feeds, const struct plb_feed *named, int n);

/* Writes them into a PASS. joins: that of a node which has come in this pass. */
void plb_feeds_write(const struct plb_feeds *feeds, struct plb_pass *begin, bool joins);

/* A pass begins with this PASS, which stands in the outbox already: tells the living nodes which of their
 * results counted. */
void plb_feeds_begin(struct plb_feeds *feeds, const struct plb_ledger *ledger, const struct plb_pass *begin,
                     int pass, struct plb_outbox *out);

/* A DONE of this pass, before the ledger accepts it: those of its units that are new count. whole: results
 * count whole or not at all. */
void plb_feeds_reported(struct plb_feeds *feeds, const struct plb_ledger *ledger,
                        const struct plb_message *done, bool whole);

/* The node that has the inputs of the first units of a range, and these units; 0: rank 0 has them. */
int plb_feeds_owner(const struct plb_feeds *feeds, struct plb_range range, struct plb_range *part);

/* A node is lost, and what it had. */
void plb_feeds_lose(struct plb_feeds *feeds, int node);

/* Whether inputs, or results that become inputs, are lost. */
bool plb_feeds_broken(const struct plb_feeds *feeds);

/* Rank 0 has all inputs of the next pass: nothing of any node counts. */
void plb_feeds_restart(struct plb_feeds *feeds);

#endif
