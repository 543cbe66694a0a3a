/* Prefix sums of cost over buckets of units. */
#include "core/work/cost.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "model/rounding.h"

#define MAX_BUCKETS 65536

int plb_cost_map_init(struct plb_cost_map *map, int64_t units, plb_cost_fn cost, const void *context,
                      struct plb_error *err)
{
    *map = (struct plb_cost_map){.units = units, .per_work = 1.0, .told = cost != NULL};
    if (cost == NULL)
        return PLB_OK;
    map->bucket = (units + MAX_BUCKETS - 1) / MAX_BUCKETS;
    map->n = (units + map->bucket - 1) / map->bucket;
    map->prefix = plb_alloc((size_t)(map->n + 1) * sizeof *map->prefix);
    double least = INFINITY, most = 0.0;
    for (int64_t b = 0; b < map->n; b++) {
        int64_t first = b * map->bucket;
        int64_t count = first + map->bucket <= units ? map->bucket : units - first;
        double c = cost(context, first, count);
        if (!isfinite(c) || c < 0.0) {
            char range[PLB_RANGE_TEXT];
            plb_cost_map_fini(map);
            return plb_fail(err, PLB_EINPUT,
                            "the kernel's cost of %s is %g; a cost is finite and not negative",
                            plb_range_print(first, count, "units", range), c);
        }
        map->prefix[b + 1] = map->prefix[b] + c;
        least = fmin(least, c / (double)count);
        most = fmax(most, c / (double)count);
    }
    double total = map->prefix[map->n];
    if (total > 0.0)
        map->per_work = total / (double)units;
    for (int64_t b = 0; b <= map->n; b++)
        map->prefix[b] /= map->per_work;
    if (!(total > 0.0) || most - least <= PLB_ROUNDING * most) {
        free(map->prefix);
        map->prefix = NULL;
    }
    return PLB_OK;
}

void plb_cost_map_fini(struct plb_cost_map *map)
{
    free(map->prefix);
    *map = (struct plb_cost_map){0};
}

/* Work before `unit`, straight between the ends of its bucket. */
static double before(const struct plb_cost_map *map, int64_t unit)
{
    int64_t b = unit / map->bucket, first = b * map->bucket;
    if (b >= map->n)
        return map->prefix[map->n];
    int64_t length = first + map->bucket <= map->units ? map->bucket : map->units - first;
    double inside = (double)(unit - first) / (double)length;
    return map->prefix[b] + inside * (map->prefix[b + 1] - map->prefix[b]);
}

double plb_cost_work_unlike(const struct plb_cost_map *map, int64_t first, int64_t count)
{
    return before(map, first + count) - before(map, first);
}

int64_t plb_cost_whole(const struct plb_cost_map *map, int64_t first, int64_t limit, int64_t units)
{
    int64_t chunk = map->chunk, most = first + limit;
    if (chunk < 2)
        return units;
    int64_t end = (first + (units > 1 ? units : 1) - 1) / chunk * chunk + chunk;
    end = end < map->units ? end : map->units;
    end = end <= most ? end : most / chunk * chunk;
    return end > first ? end - first : 0;
}

int64_t plb_cost_units_unlike(const struct plb_cost_map *map, int64_t first, int64_t limit, double work)
{
    double start = before(map, first), goal = start + work;
    int64_t low = 1, high = limit; /* the smallest count that reaches the goal, or the limit */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (before(map, first + middle) < goal)
            low = middle + 1;
        else
            high = middle;
    }
    bool shorter = low > 1 && goal - before(map, first + low - 1) < before(map, first + low) - goal;
    return shorter ? low - 1 : low;
}

double plb_cost_largest(const struct plb_cost_map *map)
{
    double most = 0.0;
    if (map->prefix == NULL)
        return 1.0 / (double)map->units;
    if (map->bucket == 1)
        for (int64_t i = 0; i < map->n; i++)
            most = map->prefix[i + 1] - map->prefix[i] > most ? map->prefix[i + 1] - map->prefix[i] : most;
    return most / map->prefix[map->n];
}
