/* Results that are inputs of the next pass, and which node has which of them. Part of the master.
 *
 * A node keeps what it reports of such an output. Two nodes may execute a unit, and on unlike PUs their
 * results may differ in the last bits. So a node may only use those that count: they are, bit by bit, what
 * rank 0 has received and made the input of all others. The master notes whose result of a unit it accepts,
 * and tells each node at the begin of the next pass (COUNTED). A node that hears nothing pulls from rank 0.
 *
 * Where tasks are audited nobody is told: a third result may take the place of the one that counted.
 * Cost: as a set of ranges for each node. Not thread-safe. */
#ifndef PLB_CORE_FEEDS_H
#define PLB_CORE_FEEDS_H

#include "core/ledger.h"

struct plb_feeds;

/* audits: tasks may be audited. */
struct plb_feeds *plb_feeds_new(int n_nodes, bool audits);
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

#endif
