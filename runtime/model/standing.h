/* Standing shares: how a pass is shared out before it begins, where nothing that is heard during the pass
 * could change much. Pure functions; thread-safe.
 *
 * All PUs end together after T seconds, by their estimates: T = (X + sum of rate * start) / sum of rate. A PU
 * may be late by its spread of that. A report may wait for as long as the shortest task of a large block:
 * where no PU is late by more, the pass is over before anybody could be told to help. Then the shares stand.
 *
 * The shares of the last pass stay as they are while they end about as early: data would move for nothing.
 * Where they end later, they still stay until all that was lost by that is as much as a move costs. Lost is
 * what others would have won, which follow the best shares of each pass slowly: noise that goes up and down
 * loses nothing. The cost is learned: how much longer passes last in which shares have moved. Shares that
 * would be late by more than a report may wait move at once.
 *
 * Before the first shares memory may have been prepared for a guess. It is taken where the estimates, which
 * are of few tasks, do not clearly contradict it: alike PUs get their guess, and nothing moves.
 *
 * No share is more than a few times what its PU has done in a pass: a task of one unit tells little. Others
 * get the rest. While that limits a share it grows at once, whatever moving costs.
 *
 * Cost: O(n). Weak where units cost other amounts than is told. */
#ifndef PLB_MODEL_STANDING_H
#define PLB_MODEL_STANDING_H

#include <stdbool.h>

#include "model/estimate.h"

struct plb_standing {
    double longest_s;    /* of a task: a pass that lasts longer is shared out while it goes on */
    double late_s;       /* by which a PU may be late, at most */
    bool free;           /* no data moves with the units */
    const double *guess; /* work, by PU, for which memory is there; NULL: none is anywhere */
};

/* The shares of the latest pass that stood. */
struct plb_shares {
    double *x;         /* work, by PU; zeros before the first one */
    double *better;    /* the same: where they would move */
    double lost_s;     /* seconds that were lost since they have moved, as they were not the better ones */
    double moving;     /* the cost of a move, as a multiple of the pass */
    double expected_s; /* of that pass */
    bool moved;        /* before it */
    double *most;      /* work, by PU: the most that it has done in a pass */
};

/* Room for so many PUs. work: 3 n zeros, borrowed. */
void plb_shares_init(struct plb_shares *shares, double *work, int n);

/* Whether a share of so much work, of n PUs that do `all`, is the first one of its size for its PU. Then
 * memory is touched for the first time, and its report tells little of later ones. */
bool plb_shares_new(const struct plb_shares *shares, int pu, double work, int n, double all);

/* The pass lasted so many seconds; infinite: others had to help. */
void plb_shares_ended(struct plb_shares *shares, double seconds);

/* Reports that tell how quick a PU is now. More: shares follow a change later. Fewer: noise moves them. */
#define PLB_RECENT 3

/* Reports of which the one that waited least for its inputs tells what copies take. More: a slower link is
 * seen later. Fewer: waits move shares. Of the halos of a stencil on three ranks half came 0.6 ms late. */
#define PLB_COPIES 8

/* Scales an estimate by the median of what the last reports took of the time that it foretells, without
 * waits for other PUs. An estimate forgets slowly that tasks were long when memory was touched for the first
 * time. n: 1 to PLB_COPIES. */
void plb_standing_follow(struct plb_estimate *estimate, const struct plb_sample *last, int n);

/* Shares `work` among n PUs. estimates[p] is NULL for a PU that takes no part, and becomes it for one that
 * would not end a unit of average cost. The shares of the last pass become the new ones; *due becomes when
 * all should have ended, with all that they may be late, in seconds since the pass begins. Returns false,
 * with both as they were, where the shares do not stand. */
bool plb_standing_shares(const struct plb_standing *limits, const struct plb_estimate **estimates, int n,
                         double work, struct plb_shares *shares, double *due);

#endif
