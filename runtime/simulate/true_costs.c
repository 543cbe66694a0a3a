#include "simulate/true_costs.h"

#include <math.h>

#include "base/normal.h"

struct told {
    const struct plb_cost_map *map;
    double factors[PLB_COST_REGIONS];
};

/* The first unit of a region; the one after the last begins behind all units. */
static int64_t first_of(int64_t units, int region)
{
    return (units * region + PLB_COST_REGIONS - 1) / PLB_COST_REGIONS;
}

static double true_cost(const void *context, int64_t first, int64_t count)
{
    const struct told *told = context;
    int64_t units = told->map->units;
    double sum = 0.0;
    for (int64_t begin = first; begin < first + count;) {
        int region = (int)(begin * PLB_COST_REGIONS / units);
        int64_t end = first_of(units, region + 1);
        end = end < first + count ? end : first + count;
        sum += told->factors[region] * plb_cost_work(told->map, begin, end - begin) * told->map->per_work;
        begin = end;
    }
    return sum;
}

void plb_true_costs(const struct plb_cost_map *told, double error, uint64_t seed, struct plb_cost_map *map)
{
    struct told context = {.map = told};
    struct plb_error err = {.status = PLB_OK};
    for (int i = 0; i < PLB_COST_REGIONS; i++)
        context.factors[i] = exp(error * plb_random_normal(seed, (uint64_t)i));
    plb_cost_map_init(map, told->units, true_cost, &context, &err);
}
