/* Virtual task migration (Li, Liu, Zhang, Miao, Zhang and Chen, 2016): what is asked of whom, and how much is
 * given. Pure arithmetic; thread-safe. */
#ifndef PLB_CORE_MIGRATION_H
#define PLB_CORE_MIGRATION_H

#include <stdbool.h>
#include <stdint.h>

enum plb_victim { PLB_MOST_REMAINING, PLB_FIRST, PLB_RANDOM };
#define PLB_VICTIM_CHOICES "most-remaining|first|random" /* as users name them, in the enum's order */

#define PLB_STARTS 99.0     /* times what starting one costs is a PU's least task: the loss is 1 % */
#define PLB_PATIENCE 5e-3   /* seconds that a node which was asked may take to answer */

struct plb_migration {
    bool on;
    enum plb_victim victim;     /* whom an idle node asks: most-remaining, first (Li) or random */
    double threshold;           /* work below which nothing is given to another node */
    bool by_power;              /* R from the given powers, as Li's, though rates are measured */
    uint64_t seed;              /* of random */
};

/* What a PU or node of rate `own` that has nothing gets of `queued` work at one of rate `other`:
 * x = q_j · R_i / (R_i + R_j), Li's equation. Where that is less than a unit, a unit, if the taker is
 * through with it before the other would be with all; else 0. */
static inline double plb_migration_share(double queued, double own, double other)
{
    double sum = own + other, x = sum > 0.0 ? queued * own / sum : 0.5 * queued;
    if (x >= 1.0 || queued < 0.5)
        return queued < 0.5 ? 0.0 : x;
    return other <= queued * own ? 1.0 : 0.0;
}

#endif
