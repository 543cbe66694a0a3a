/* The ledger: who has which unit of a pass. A unit is in one of three states:
 *
 * - free: nobody works on it. Free units are a set of ranges. Suspect units stand apart.
 * - held: part of a block that was granted to a PU. A node has it: the PU's own, or one that it was moved to.
 *   `hop` counts the moves. A higher hop is younger, so MOVED messages may arrive in any order.
 * - accepted: its result has been taken. It stays accepted until the next pass. These are all others.
 *
 * Invariants; plb_ledger_check tells the first that does not hold:
 * - 1. Free ranges, those apart and held parts are not empty, lie in [0, units), and no two overlap.
 * - 2. Free ranges stand in order and do not touch: the front is the first one, whole.
 * - 3. The numbers of free and held units are the sums over both; with those apart and the accepted ones they
 *   are all units.
 * - 4. A held part is part of one open block. A block is open while it has parts.
 * - 5. A held part's node and its giver are not lost.
 * - 6. The work that a node has left is the work of the parts that it holds.
 * - 7. No free unit is suspect, and each one apart is.
 * Further, by construction: an accepted unit changes no more, and a unit is accepted once.
 *
 * Why a unit cannot be forgotten. Some node has each held unit: the one in its part, or one that a later
 * MOVED names (the giver sends GIFT and MOVED in one step). When a node is lost, all that it holds becomes
 * free, and also what it gave away last: its GIFT may be lost although its MOVED has arrived. A MOVED that
 * names a lost thief frees. A MOVED that a dead giver did not get out changes nothing: the giver still holds
 * in the ledger, and its loss frees. So a unit is executed again rather than lost, and accepted once.
 *
 * Cost: O(1) for a grant off the front, O(free ranges) elsewhere; O(1) for a result or a move of one of the
 * block's few parts, O(n) in all n parts for a loss, and where units are not its block's. Not thread-safe. */
#ifndef PLB_CORE_LEDGER_LEDGER_H
#define PLB_CORE_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/ledger/open_blocks.h"
#include "core/ledger/regrants.h"
#include "core/message/message.h"
#include "core/work/cost.h"

/* An operation's effect on a part of a block: it accepted or freed it. */
struct plb_block_change {
    int pu;   /* that the block was granted to */
    int node; /* that had the units */
    bool freed;
    bool over; /* it was the block's last part */
    int64_t units;
    double work;
};

/* To be read through the functions below. */
struct plb_ledger {
    int n_pus, n_nodes;
    const struct plb_cost_map *costs; /* of the pass; NULL before the first */
    struct plb_rangeset free;
    struct plb_rangeset suspect; /* units of the pass, whatever became of them */
    struct plb_rangeset apart;   /* of these, those that nobody works on */
    struct plb_open_blocks held;
    double *left; /* by node */
    bool *lost;
    int64_t held_units, accepted_units;
    double free_work;
    struct plb_block_change *changes;
    int n_changes, capacity;
    struct plb_regrants regrants;
};

struct plb_ledger *plb_ledger_new(int n_pus, int n_nodes);
void plb_ledger_free(struct plb_ledger *ledger);

/* A pass begins: all units of the map are free, but for those that are accepted from the start, by an earlier
 * run; NULL: none. The map is borrowed until the next pass. Lost nodes stay lost. */
void plb_ledger_begin(struct plb_ledger *ledger, const struct plb_cost_map *costs,
                      const struct plb_rangeset *accepted);

/* Which units were granted a second time. plb_regrants_begin is to be called where a pass begins. */
static inline struct plb_regrants *plb_ledger_regrants(struct plb_ledger *ledger)
{
    return &ledger->regrants;
}

/* The numbers of the pass's map have changed: sums are recomputed. O(free ranges and parts). */
void plb_ledger_recount(struct plb_ledger *ledger);

/* The first free range; count = 0 where there is none. */
static inline struct plb_range plb_ledger_front(const struct plb_ledger *ledger)
{
    return ledger->free.n > 0 ? ledger->free.at[0] : (struct plb_range){0, 0};
}

/* Grants the first `count` units of the front to a PU of a node as a new block, whose number it returns. The
 * PU has fewer than PLB_BLOCKS_AHEAD open blocks, and the front has that many units. */
int64_t plb_ledger_grant(struct plb_ledger *ledger, int pu, int node, int64_t count);

/* Grants free units from anywhere, as plb_ledger_grant does. And adds more of them to a block that was
 * granted just now: it gets them in non-contiguous ranges. */
int64_t plb_ledger_grant_range(struct plb_ledger *ledger, int pu, int node, struct plb_range range);
void plb_ledger_grant_more(struct plb_ledger *ledger, int64_t block, int node, struct plb_range range);

/* These units are suspect until the pass ends: free ones stand apart, and no grant of the front has them. */
void plb_ledger_suspect(struct plb_ledger *ledger, struct plb_range range);

/* Grants units that stand apart, all of them, as plb_ledger_grant does. */
int64_t plb_ledger_grant_apart(struct plb_ledger *ledger, int pu, int node, struct plb_range range);

/* Adds to a set the units of a range that are not accepted yet. O(free ranges and parts). */
void plb_ledger_open_ranges(const struct plb_ledger *ledger, struct plb_range range,
                            struct plb_rangeset *open);

/* How many units of a range are not accepted yet. They are probably of this block: then that is quick. */
int64_t plb_ledger_open_units(const struct plb_ledger *ledger, struct plb_range range, int64_t block);

/* A result has been taken; its units are probably of this block. Returns how many of them are accepted now
 * for the first time. */
int64_t plb_ledger_accept(struct plb_ledger *ledger, struct plb_range range, int64_t block);

/* A result of this block was dropped, for this reason, or there will be none: what the block still holds of
 * the range becomes free. Returns those units. */
int64_t plb_ledger_drop(struct plb_ledger *ledger, struct plb_range range, int64_t block,
                        enum plb_regrant_reason reason);

/* A node has given units to another. Units that are free or accepted by now, or moved by a higher hop, stay
 * as they are; units moved to a lost node become free. Returns how many units it moved or freed. */
int64_t plb_ledger_move(struct plb_ledger *ledger, const struct plb_gift *gift, int giver, int thief);

/* A node that counted as lost comes. */
void plb_ledger_join(struct plb_ledger *ledger, int node);

/* A node is lost: what it holds, and what it gave away last, becomes free. Returns those units. */
int64_t plb_ledger_lose(struct plb_ledger *ledger, int node);

/* The effects of the last grant, accept, drop, move or lose on parts of blocks. Valid until the next one. */
static inline const struct plb_block_change *plb_ledger_changes(const struct plb_ledger *ledger, int *n)
{
    *n = ledger->n_changes;
    return ledger->changes;
}

/* Units of one block that one node holds. */
struct plb_held {
    struct plb_range range;
    int64_t block;
    int pu;   /* that the block was granted to */
    int node; /* that has the units */
};

/* The next held range. *at: 0 at the beginning; what it means is the ledger's. False after the last one. */
bool plb_ledger_next_held(const struct plb_ledger *ledger, int64_t *at, struct plb_held *held);

/* Counts and sums. */
static inline int64_t plb_ledger_free_units(const struct plb_ledger *ledger)
{
    return ledger->free.units;
}

/* Free units that are suspect; not among plb_ledger_free_units. */
static inline const struct plb_rangeset *plb_ledger_apart(const struct plb_ledger *ledger)
{
    return &ledger->apart;
}

static inline bool plb_ledger_is_suspect(const struct plb_ledger *ledger, struct plb_range range)
{
    return plb_rangeset_overlaps(&ledger->suspect, range);
}

static inline int64_t plb_ledger_held_units(const struct plb_ledger *ledger)
{
    return ledger->held_units;
}

static inline int64_t plb_ledger_accepted_units(const struct plb_ledger *ledger)
{
    return ledger->accepted_units;
}

static inline double plb_ledger_free_work(const struct plb_ledger *ledger)
{
    return ledger->free_work;
}

/* Work that a node holds. */
static inline double plb_ledger_left(const struct plb_ledger *ledger, int node)
{
    return ledger->left[node];
}

/* Whether that is less than a unit of average cost may have. */
static inline bool plb_ledger_seems_empty(const struct plb_ledger *ledger, int node)
{
    return ledger->left[node] < 0.5;
}

static inline bool plb_ledger_lost(const struct plb_ledger *ledger, int node)
{
    return ledger->lost[node];
}

int plb_ledger_open_blocks(const struct plb_ledger *ledger, int pu);

/* NULL, or the invariant that does not hold. O(n log n) in the parts. */
const char *plb_ledger_check(const struct plb_ledger *ledger);

#endif
