/* Virtual task migration (Li, Liu, Zhang, Miao, Zhang and Chen, 2016): what the user may choose, and how much
 * is given. Pure arithmetic; thread-safe. */
#ifndef PLB_CORE_MIGRATION_H
#define PLB_CORE_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

enum plb_victim { PLB_MOST_REMAINING, PLB_FIRST, PLB_RANDOM };
#define PLB_VICTIM_CHOICES "most-remaining|first|random" /* as users name them, in the enum's order */

struct plb_migration {
    bool on;
    enum plb_victim victim; /* the node that an idle node asks: most-remaining, first (Li) or random */
    double threshold;       /* work; a node gives no less than this to another */
    bool by_power;          /* shares follow the given powers, as Li's do, though rates are measured */
    bool backups;           /* nodes tell the master of PUs for which nobody has work */
    uint64_t seed;          /* of random */
};

/* A PU's least task lasts this many of its start costs, so that starts cost it 1 % of its time. Larger:
 * thieves find fewer tasks. Smaller: starts cost more. The 1 % was chosen by the co-execution bench. */
#define PLB_STARTS 99.0

/* The longest and the shortest task, in seconds, that a block is cut into. Longest: larger, and a slow-down
 * is answered later; smaller, and kernels start more often. Shortest: larger, and less can move; smaller, and
 * reports and transfers cost more. While a PU's start cost is not known, its tasks may last longer; when
 * nothing is left to grant, they may be shorter. */
#define PLB_LONGEST_TASK 0.25
#define PLB_SHORTEST_TASK 5e-3

/* A task is at most this part of what its PU will probably still do in the pass. Larger: more starts.
 * Smaller: a task that has been started, and can move no more, lasts longer. */
#define PLB_TASK_PARTS 16.0

/* Seconds that a node may take to answer STEAL before the next one is asked. Larger: idle nodes wait for a
 * node that computes on all its cores. Smaller: two nodes are asked for one piece of work. */
#define PLB_PATIENCE 5e-3

/* What an idle PU or node of rate `own` gets of `queued` work at one of rate `other`: x = q · R_i / (R_i +
 * R_j), Li's equation, section 4. Less than a unit becomes a whole unit if the taker ends it before the other
 * ends its queue; else 0. */
static inline double plb_migration_share(double queued, double own, double other)
{
    double sum = own + other, x = sum > 0.0 ? queued * own / sum : 0.5 * queued;
    if (queued < 0.5)
        return 0.0;
    if (x >= 1.0)
        return x;
    return other <= queued * own ? 1.0 : 0.0;
}

#endif
