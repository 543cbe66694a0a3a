/* Virtual task migration (Li, Liu, Zhang, Miao, Zhang and Chen, 2016): what the user may choose, and how much
 * is given. Pure arithmetic; thread-safe. */
#ifndef PLB_CORE_WORK_MIGRATION_H
#define PLB_CORE_WORK_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

enum plb_victim { PLB_MOST_REMAINING, PLB_FIRST, PLB_RANDOM, PLB_A2WS };
#define PLB_VICTIM_CHOICES "most-remaining|first|random|a2ws" /* as users name them, in the enum's order */

struct plb_migration {
    bool on;
    enum plb_victim victim; /* the node that an idle node asks: most-remaining, first (Li), random or a2ws */
    double threshold;       /* work; a node gives no less than this to another */
    double task_s;          /* seconds of a task at most, or 0: PLB_TASK_SECONDS */
    bool by_power;          /* shares follow the given powers, as Li's do, though rates are measured */
    bool backups;           /* nodes tell the master of PUs for which nobody has work */
    uint64_t seed;          /* of random */
};

/* A PU's least task lasts this many of its start costs, so that starts cost it 1 % of its time. Larger:
 * thieves find fewer tasks. Smaller: starts cost more. The 1 % was chosen by the co-execution bench. */
#define PLB_STARTS 99.0

/* Seconds of the longest task that a block is cut into, where the user does not say. Larger: a slow-down is
 * answered later. Smaller: kernels start more often. While a PU's start cost is not known, its tasks may last
 * longer. A choice: people call an answer within a second quick, and a slow-down takes two tasks. */
#define PLB_TASK_SECONDS 0.25

/* The shortest task of a block is this part of the longest one. Larger: less can move. Smaller: reports and
 * transfers cost more. 5 ms are as long as a report may wait. When nothing is left to grant, tasks may be
 * shorter. */
#define PLB_SHORTEST 0.02

/* The longest task, where a setting may be 0. */
static inline double plb_longest_task(double task_s)
{
    return task_s > 0.0 ? task_s : PLB_TASK_SECONDS;
}

/* A task is at most this part of what its PU will probably still do in the pass. Larger: more starts.
 * Smaller: a task that has been started, and can move no more, lasts longer. */
#define PLB_TASK_PARTS 16.0

/* Seconds that a node may take to answer STEAL before the next one is asked. Larger: idle nodes wait for a
 * node that computes on all its cores. Smaller: two nodes are asked for one piece of work. */
#define PLB_PATIENCE 5e-3

/* Seconds after which who waits is asked, or asks, once more where nobody has said a word; they grow by the
 * factor each time, so that a node asks late by a quarter of the time that it has waited. Larger: PUs are
 * idle for longer. Smaller: many idle nodes ask the last one that works, and the master of many PUs looks at
 * them for nothing. */
#define PLB_AGAIN_SECONDS 0.02
#define PLB_AGAIN_GROWS 1.25

/* Work, in units of average cost, of which less is no unit, but rounding. */
#define PLB_NO_UNIT 0.5

/* Who waits has units of another PU if it ends them in this part of the time that this one needs until it
 * would begin, or end, them. Larger: wrong curves send units to PUs that end them later. Smaller: PUs wait
 * while others have work, and late units last longer before somebody helps. */
#define PLB_CLEARLY 0.5

/* The share of an idle PU or node of rate `own` in the `queued` work of one of rate `other`: x = q · R_i /
 * (R_i + R_j), Li's equation, section 4. Less than a unit becomes a whole unit if the taker ends it before
 * the other ends its queue; else 0. */
static inline double plb_migration_share(double queued, double own, double other)
{
    double sum = own + other, x = sum > 0.0 ? queued * own / sum : 0.5 * queued;
    if (queued < PLB_NO_UNIT)
        return 0.0;
    if (x >= 1.0)
        return x;
    return other <= queued * own ? 1.0 : 0.0;
}

/* The load of a node: the work that it has left, and its rate in work per second; 0: not known. */
struct plb_load {
    double left, rate;
};

/* Whether node a would end after node b: it has more seconds of work left. A2WS asks by this (Fernandes et
 * al., arXiv 2401.04494); we had its idea, not its text. A node of unknown rate has told of no task yet, and
 * is taken to end last. Of two of them the one with more work does. */
static inline bool plb_ends_later(struct plb_load a, struct plb_load b)
{
    if (a.rate > 0.0 && b.rate > 0.0)
        return a.left / a.rate > b.left / b.rate;
    if (a.rate > 0.0 || b.rate > 0.0)
        return b.rate > 0.0;
    return a.left > b.left;
}

#endif
