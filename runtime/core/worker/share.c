/* Shares by measured rates, or by powers where nothing is measured. */
#include "core/worker/share.h"

#include <math.h>

#include "core/work/migration.h"

/* A PU that is slower than a neighbour by this factor takes half its share from it, since a large part could
 * outlast the run; it may come again. Larger: more PUs come twice. Smaller: a slow PU may end last. Set by
 * the demo. */
#define MUCH_SLOWER 0.1

double plb_neighbours_share(const struct plb_sharer *own, const struct plb_sharer *other, double queued,
                            bool by_power)
{
    double rate = plb_pu_rate(own->rate), others = plb_pu_rate(other->rate);
    if (by_power || (rate == 0.0 && others == 0.0))
        return plb_migration_share(queued, own->power, other->power);
    if (rate == 0.0)
        return 0.0; /* its first task will tell how slow it is; its power may be far from true */
    if (others == 0.0)
        return plb_migration_share(queued, own->power, other->power);
    if ((double)own->rate->least / PLB_STARTS / rate > queued / others)
        return 0.0; /* the neighbour ends all of it before this PU has started */
    double x = plb_migration_share(queued, rate, others);
    return rate < MUCH_SLOWER * others && x > 1.0 ? fmax(0.5 * x, 1.0) : x;
}
