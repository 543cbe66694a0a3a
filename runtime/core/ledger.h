/* The ledger: who has which unit of a pass. One map from ranges of units to free, held or accepted.
 *
 * - free: nobody works on it.
 * - held: part of a block that was granted to a PU. A node has it: the PU's own, or one that it was moved to.
 *   `hop` counts the moves. A higher hop is younger, so MOVED messages may arrive in any order.
 * - accepted: its result has been taken. It stays accepted until the next pass.
 *
 * Invariants; plb_ledger_check tells the first that does not hold:
 * - 1. The entries cover the units [0, units) in order, without gap or overlap, and none is empty.
 * - 2. Two neighbours differ; else they would be one entry.
 * - 3. The numbers of free, held and accepted units are the sums over the entries.
 * - 4. A held entry names an open block. A block is open while it has held units; `pending` is their number.
 * - 5. A held entry's node and its giver are not lost.
 * - 6. The front is the first free entry: none lies before it, and it ends where that ends.
 * - 7. The work that a node has left is the work of the entries that it holds.
 * Further, by construction: an accepted unit changes no more, and a unit is accepted once.
 *
 * Why a unit cannot be forgotten. Some node has each held unit: the one in the entry, or one that a later
 * MOVED names (the giver sends GIFT and MOVED in one step). When a node is lost, all that it holds becomes
 * free, and also what it gave away last: its GIFT may be lost although its MOVED has arrived. A MOVED that
 * names a lost thief frees. A MOVED that a dead giver did not get out changes nothing: the giver still holds
 * in the map, and its loss frees. So a unit is executed again rather than lost, and accepted once.
 *
 * Cost: O(log n) in the n entries for grant, accept and move; O(n) for a loss. Not thread-safe. */
#ifndef PLB_CORE_LEDGER_H
#define PLB_CORE_LEDGER_H

#include <stdbool.h>

#include "core/cost.h"
#include "core/message.h"
#include "core/open_blocks.h"

struct plb_ledger;

struct plb_ledger *plb_ledger_new(int n_pus, int n_nodes);
void plb_ledger_free(struct plb_ledger *ledger);

/* A pass begins: all units of the map are free. The map is borrowed until the next pass. Lost nodes stay
 * lost. */
void plb_ledger_begin(struct plb_ledger *ledger, const struct plb_cost_map *costs);

/* The first free range; count = 0 where there is none. */
struct plb_range plb_ledger_front(const struct plb_ledger *ledger);

/* Grants the first `count` units of the front to a PU of a node as a new block, whose number it returns. The
 * PU has fewer than PLB_BLOCKS_AHEAD open blocks, and the front has that many units. */
int64_t plb_ledger_grant(struct plb_ledger *ledger, int pu, int node, int64_t count);

/* How many units of a range are not accepted yet. */
int64_t plb_ledger_open_units(const struct plb_ledger *ledger, struct plb_range range);

/* A result has been taken. Returns how many units are accepted now for the first time. */
int64_t plb_ledger_accept(struct plb_ledger *ledger, struct plb_range range);

/* A result of this block was dropped: what the block still holds of the range becomes free. Returns those
 * units. */
int64_t plb_ledger_drop(struct plb_ledger *ledger, struct plb_range range, int64_t block);

/* A node has given units to another. Units that are free or accepted by now, or moved by a higher hop, stay
 * as they are; units moved to a lost node become free. Returns how many units the map changed. */
int64_t plb_ledger_move(struct plb_ledger *ledger, const struct plb_gift *gift, int giver, int thief);

/* A node is lost: what it holds, and what it gave away last, becomes free. Returns those units. */
int64_t plb_ledger_lose(struct plb_ledger *ledger, int node);

/* What the last grant, accept, drop, move or lose did to blocks, one entry per block. Valid until the next
 * one. */
const struct plb_block_change *plb_ledger_changes(const struct plb_ledger *ledger, int *n);

/* Counts and sums. */
int64_t plb_ledger_free_units(const struct plb_ledger *ledger);
int64_t plb_ledger_held_units(const struct plb_ledger *ledger);
int64_t plb_ledger_accepted_units(const struct plb_ledger *ledger);
double plb_ledger_free_work(const struct plb_ledger *ledger);
double plb_ledger_left(const struct plb_ledger *ledger, int node); /* work that a node holds */
bool plb_ledger_lost(const struct plb_ledger *ledger, int node);
int plb_ledger_open_blocks(const struct plb_ledger *ledger, int pu);

/* NULL, or the invariant that does not hold. O(entries). */
const char *plb_ledger_check(const struct plb_ledger *ledger);

#endif
