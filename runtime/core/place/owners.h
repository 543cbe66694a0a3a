/* Which node has which results, and which inputs, of units. Part of the master.
 *
 * Results of a pass go to rank 0, but for two kinds. Those that nobody reads before the last pass has ended
 * stay at the node that has computed them. And an output may be an input of the next pass: then the node
 * keeps what it reports of it. Such results may stay, too: no copy of them goes to rank 0, and in the next
 * pass the node alone has these inputs.
 *
 * Two nodes may execute a unit, and on unlike PUs their results may differ in the last bits. So one result
 * counts: the one that the ledger accepts. The master notes its node and PU, before the ledger accepts it. At
 * the begin of the next pass it tells each node which results of each of its PUs counted, and are inputs now
 * (COUNTED): they are, bit by bit, those of all others. A node that hears nothing fetches these inputs. Where
 * tasks are audited nobody is told: a third result may take the place of the one that counted.
 *
 * When results are wanted, the master asks for them (FETCH), a few ranges of a node at a time, and the node
 * sends them (FROM). Results of lost nodes are lacking, and those that a node does not have after all: others
 * execute these units again, in a pass of these units alone. Inputs of a lost node are gone, and the passes
 * since rank 0 had all of them are executed again (rank0/rank0_redo.h).
 *
 * Cost: as a set of ranges for each node. Not thread-safe. */
#ifndef PLB_CORE_PLACE_OWNERS_H
#define PLB_CORE_PLACE_OWNERS_H

#include "core/ledger/ledger.h"

struct plb_owners_counts {
    int64_t kept, gathered, lost; /* units: of DONEs whose results stayed; sent in the end; lost */
    int64_t asked_lost;           /* nodes that were lost while they were asked */
};

struct plb_owners_config {
    int n_nodes;
    int64_t stays;   /* mask of the outputs that stay; 0: rank 0 gets all */
    bool feeds_stay; /* these are all that feed inputs, and no others */
    bool audits;     /* tasks may be audited */
    int64_t most;    /* units that a node is asked for at a time, at most; 0: any number */
};

struct plb_owners;

struct plb_owners *plb_owners_new(const struct plb_owners_config *config);
void plb_owners_free(struct plb_owners *owners);

/* Which results are inputs of the pass that begins next, or may be of a later one. Copied. */
void plb_owners_feed(struct plb_owners *owners, const struct plb_feed *feeds, int n);

/* Writes them into a PASS. joins: that of a node which has come in this pass. */
void plb_owners_write(const struct plb_owners *owners, struct plb_pass *begin, bool joins);

/* A pass begins with this PASS, which stands in the outbox already: results of the last one are not wanted
 * any more. Tells the living nodes which of theirs are inputs now. */
void plb_owners_begin(struct plb_owners *owners, const struct plb_ledger *ledger,
                      const struct plb_pass *begin, int pass, struct plb_outbox *out);

/* The outputs that stay in this pass, as a mask. */
int64_t plb_owners_staying(const struct plb_owners *owners);

/* A DONE of this pass, before the ledger accepts it: those of its units that are new count. whole: results
 * count whole or not at all. */
void plb_owners_reported(struct plb_owners *owners, const struct plb_ledger *ledger,
                         const struct plb_message *done, bool whole);

/* The units whose result, which feeds an input, came from this PU; NULL: none. Until the next pass begins. */
const struct plb_rangeset *plb_owners_counted(const struct plb_owners *owners, int node, int pu);

/* Those inputs of a mask that the same nodes have as the first one of it. A pass may feed some inputs alone:
 * the others stay where they are. */
int64_t plb_owners_together(const struct plb_owners *owners, int64_t inputs);

/* The node that has these inputs of the first units of a range, and these units; 0: rank 0 has them. */
int plb_owners_of(const struct plb_owners *owners, int64_t inputs, struct plb_range range,
                  struct plb_range *part);

/* Whether the pass that runs began with new results in all inputs that are fed, of which each node knows its
 * own alone. */
bool plb_owners_fresh(const struct plb_owners *owners);

/* A node is lost, and what it had. */
void plb_owners_lose(struct plb_owners *owners, int node);

/* Whether inputs, or results that become inputs, are lost. Then the pass is given up: rank 0 has all inputs
 * of the next one, and nothing of any node counts. */
bool plb_owners_broken(const struct plb_owners *owners);
void plb_owners_restart(struct plb_owners *owners);

/* Units of this pass were executed again, and their results have come. */
void plb_owners_repaired(struct plb_owners *owners, struct plb_range range);

/* The pass is over: asks for what stayed. last: no pass follows, so that inputs which are lost from now on
 * break nothing. */
void plb_owners_gather(struct plb_owners *owners, int pass, bool last, struct plb_outbox *out);

/* Whether a FROM answers a question that is open. When its results are there, it is received, and more asked
 * for. */
bool plb_owners_awaits(const struct plb_owners *owners, const struct plb_message *from);
void plb_owners_receive(struct plb_owners *owners, const struct plb_message *from, struct plb_outbox *out);

/* Whether results are still at other nodes. */
bool plb_owners_any(const struct plb_owners *owners);

/* Units whose results nobody has. */
const struct plb_rangeset *plb_owners_lacking(const struct plb_owners *owners);

const struct plb_owners_counts *plb_owners_counts(const struct plb_owners *owners);

#endif
