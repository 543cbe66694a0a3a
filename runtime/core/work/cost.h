/* How much work is in a range of units: the bridge between whole units and the balancers' measure.
 *
 * Work is counted in units of average cost, so that all units together are as much work as there
 * are units. Equal costs need no table; others are a prefix sum, exact up to 65,536 units and by
 * buckets of equal length above that. Cost: O(log buckets) per question. Immutable once made, hence
 * thread-safe. */
#ifndef PLB_CORE_WORK_COST_H
#define PLB_CORE_WORK_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct plb_cost_map {
    int64_t units;
    int64_t bucket;  /* units in one bucket */
    int64_t n;       /* buckets */
    double *prefix;  /* n + 1 sums of work; NULL where every unit costs the same */
    int64_t chunk;   /* ranges begin and end at multiples of so many units, or at the last; 0: anywhere */
    int64_t stride;  /* large blocks end at multiples of so many units; 0 or 1: anywhere */
    double per_work; /* the kernel's cost of one unit of average cost */
    bool told;       /* the kernel says what units cost; else they are only taken to be equal */
};

typedef double (*plb_cost_fn)(const void *context, int64_t first, int64_t count);

/* `cost` is asked once per bucket; NULL = 1 per unit. PLB_EINPUT where it answers with something
 * that is not finite or is negative. The map is released with plb_cost_map_fini. */
int plb_cost_map_init(struct plb_cost_map *map, int64_t units, plb_cost_fn cost, const void *context,
                      struct plb_error *err);
void plb_cost_map_fini(struct plb_cost_map *map);

/* plb_cost_work, where units cost unlike amounts. */
double plb_cost_work_unlike(const struct plb_cost_map *map, int64_t first, int64_t count);

/* Work in units [first, first + count). */
static inline double plb_cost_work(const struct plb_cost_map *map, int64_t first, int64_t count)
{
    return map->prefix == NULL ? (double)count : plb_cost_work_unlike(map, first, count);
}

/* Work of all units: as many as there are units, but for what was learned of their costs. */
static inline double plb_cost_total(const struct plb_cost_map *map)
{
    return map->prefix == NULL ? (double)map->units : map->prefix[map->n];
}

/* plb_cost_units where units cost unlike amounts. */
int64_t plb_cost_units_unlike(const struct plb_cost_map *map, int64_t first, int64_t limit, double work);

/* About so many units from `first` on, at most `limit`, so that they are whole chunks: at least one, or 0
 * where none fits. As many as wanted where there are no chunks. */
int64_t plb_cost_whole(const struct plb_cost_map *map, int64_t first, int64_t limit, int64_t units);

/* The whole number of units from `first` on whose work is nearest to `work`; from 1 to `limit`. Where there
 * are chunks, as plb_cost_whole says. */
static inline int64_t plb_cost_units(const struct plb_cost_map *map, int64_t first, int64_t limit,
                                     double work)
{
    int64_t units;
    if (!(work < plb_cost_total(map)))
        units = limit;
    else if (map->prefix != NULL)
        units = plb_cost_units_unlike(map, first, limit, work);
    else
        units = (int64_t)(work + 0.5);
    units = units < 1 ? 1 : units > limit ? limit : units;
    return map->chunk < 2 ? units : plb_cost_whole(map, first, limit, units);
}

/* The largest unit's part of all work; 0 where units are too many for a table of each. */
double plb_cost_largest(const struct plb_cost_map *map);

#endif
