/* The map: as told, as the pass before has left it, and as the reports of this one correct it. */
#include "core/measure/learned_cost.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/fit.h"

/* A map is looked at again when this part of the reports is new. Larger: it is older. Smaller: it costs more
 * of the master's time. */
#define NEW 0.125

/* Of the scatter about told costs, what the map of the pass before may leave at most, else costs are others
 * in every pass. Larger: it is kept although it is wrong. Smaller: noise drops it. */
#define BETTER 1.25

/* The largest doubt, as a relative deviation. Larger: blocks are smaller where costs change. Smaller: they
 * last longer than was foretold. */
#define MOST_DOUBT 0.5

/* Places at which the field is asked at most. More: time. Fewer: a coarser map. */
#define CELLS 2048

/* Buckets of a map at most, where units were told to be equal: four for each report that is kept. More: each
 * pass begins later, by 100 us with 65,536 of them. Fewer: the time of a few units is not kept for them. */
#define MOST_BUCKETS 16384

struct plb_learned_cost {
    const struct plb_cost_map *told;
    struct plb_cost_map base;  /* as told, or as known from the pass before */
    struct plb_cost_map map;   /* base, corrected */
    double *known, *corrected; /* their prefix sums; NULL: not yet */
    double *spare;             /* those of the base before, whose memory the next one gets */
    bool learns;
    struct plb_costs_seen seen; /* beside the base */
    int looked_at;              /* reports that there were at the last look */
    int passes;                 /* that have taught something */
};

struct plb_learned_cost *plb_learned_cost_new(const struct plb_cost_map *told, int n_pus, bool learns)
{
    struct plb_learned_cost *l = plb_alloc(sizeof *l);
    l->told = told;
    l->map = l->base = *told;
    l->learns = learns && told->units > 1;
    l->seen.units = told->units;
    l->seen.n_pus = n_pus;
    return l;
}

void plb_learned_cost_free(struct plb_learned_cost *l)
{
    if (l == NULL)
        return;
    plb_costs_seen_fini(&l->seen);
    free(l->known);
    free(l->spare);
    free(l->corrected);
    free(l);
}

const struct plb_cost_map *plb_learned_cost_map(const struct plb_learned_cost *l)
{
    return &l->map;
}

double plb_learned_cost_doubt(const struct plb_learned_cost *l, int64_t unit)
{
    double at = ((double)unit + 0.5) / (double)l->told->units;
    int low = 0, high = l->seen.n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->seen.seen[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return fmin(sqrt(plb_costs_at(&l->seen, at, low).variance), MOST_DOUBT);
}

/* Gives a map a table of its own. */
static void make_table(struct plb_cost_map *map, const struct plb_cost_map *like, double **prefix)
{
    *map = *like;
    map->bucket = like->prefix != NULL ? like->bucket : (like->units + MOST_BUCKETS - 1) / MOST_BUCKETS;
    map->n = (map->units + map->bucket - 1) / map->bucket;
    if (*prefix == NULL)
        *prefix = plb_alloc((size_t)(map->n + 1) * sizeof **prefix);
    map->prefix = *prefix;
}

/* Work of a bucket, by a map that has the same buckets, or none. A pass begins with all of them, and
 * plb_cost_work would look for the bucket of each of their ends. */
static double bucket_work(const struct plb_cost_map *map, const struct plb_cost_map *buckets, int64_t b)
{
    int64_t left = map->units - b * buckets->bucket;
    if (map->prefix != NULL)
        return map->prefix[b + 1] - map->prefix[b];
    return (double)(left < buckets->bucket ? left : buckets->bucket);
}

/* The map is the base times what the field says of each place. Reported units stay as
 * much work as they were. */
static void correct(struct plb_learned_cost *l)
{
    double given = 0.0, now = 0.0, scale, factor = 1.0;
    int left = 0;
    for (int i = 0; i < l->seen.n; i++) {
        struct plb_range r = l->seen.reports[i].finished.range;
        given += plb_cost_work(&l->map, r.first, r.count);
        now += l->seen.reports[i].work * exp(plb_costs_at_report(&l->seen, i));
    }
    scale = given > 0.0 && now > 0.0 ? given / now : 1.0;
    make_table(&l->map, &l->base, &l->corrected);
    int64_t cell = (l->map.n + CELLS - 1) / CELLS;
    for (int64_t b = 0; b < l->map.n; b++) {
        if (b % cell == 0) {
            double at = ((double)(b * l->map.bucket) + 0.5 * (double)(l->map.bucket * cell))
                      / (double)l->map.units;
            while (left < l->seen.n && l->seen.seen[left].at <= at)
                left++;
            struct plb_estimated e = plb_costs_at(&l->seen, at, left);
            factor = scale * exp(e.mean);
        }
        l->map.prefix[b + 1] = l->map.prefix[b] + factor * bucket_work(&l->base, &l->map, b);
    }
}

/* The lessons of the pass before may not hold in this one. */
static void doubt_known(struct plb_learned_cost *l)
{
    if (l->base.prefix == l->told->prefix)
        return;
    if (plb_costs_scatter(&l->seen, &l->base) <= BETTER * plb_costs_scatter(&l->seen, l->told))
        return;
    l->base = *l->told;
    l->passes = 0;
    for (int i = 0; i < l->seen.n; i++) {
        struct plb_range r = l->seen.reports[i].finished.range;
        l->seen.reports[i].work = plb_cost_work(l->told, r.first, r.count);
    }
}

/* Returns whether the map has changed. */
static bool look(struct plb_learned_cost *l)
{
    bool corrected = l->map.prefix != l->base.prefix;
    const double *before = l->map.prefix;
    l->looked_at = l->seen.n;
    doubt_known(l);
    plb_costs_estimate(&l->seen);
    if (l->seen.field.signal > 0.0 || corrected) { /* once it is, by what is known now */
        correct(l);
        return true;
    }
    l->map = l->base;
    return l->map.prefix != before;
}

bool plb_learned_cost_add(struct plb_learned_cost *l, int pu, const struct plb_finished *finished)
{
    double work = plb_cost_work(&l->base, finished->range.first, finished->range.count);
    struct plb_cost_report report = {*finished, work, pu};
    bool tells = finished->seconds > 0.0 && isfinite(finished->seconds) && work > 0.0;
    if (!l->learns || !tells || !plb_costs_seen_add(&l->seen, &report))
        return false;
    l->looked_at = l->looked_at < l->seen.n ? l->looked_at : l->seen.n / 2; /* it may have been thinned */
    return l->seen.n >= PLB_FIELD_POINTS && l->seen.n - l->looked_at >= NEW * l->seen.n && look(l);
}

/* The map of the next pass: this one, and each unit's own time as far as it is no noise. All units together
 * are as much work as they are many: returns the factor by which that changes the measure. */
static double keep(struct plb_learned_cost *l)
{
    double part = plb_costs_own_part(&l->seen) / ++l->passes;
    if (!(part > 0.0) && !(l->seen.field.signal > 0.0))
        return 1.0;
    struct plb_cost_map known;
    make_table(&known, &l->map, &l->spare);
    double *prefix = l->spare;
    for (int64_t b = 0; b < known.n; b++)
        prefix[b + 1] = bucket_work(&l->map, &known, b);
    for (int i = 0; i < l->seen.n; i++) {
        struct plb_range r = l->seen.reports[i].finished.range;
        double factor = exp(part * plb_costs_own(&l->seen, i));
        int64_t from = (r.first + known.bucket / 2) / known.bucket;
        int64_t to = (plb_range_end(r) + known.bucket / 2) / known.bucket;
        for (int64_t b = from; b < to && b < known.n; b++)
            prefix[b + 1] *= factor;
    }
    for (int64_t b = 0; b < known.n; b++)
        prefix[b + 1] += prefix[b];
    double factor = (double)known.units / prefix[known.n];
    for (int64_t b = 1; b <= known.n; b++)
        prefix[b] *= factor;
    l->spare = l->known;
    l->known = prefix;
    l->base = known;
    return factor;
}

double plb_learned_cost_begin(struct plb_learned_cost *l)
{
    double factor = 1.0;
    if (l->seen.n >= PLB_LINE_POINTS && l->looked_at < l->seen.n)
        look(l);
    if (l->seen.n >= PLB_LINE_POINTS)
        factor = keep(l);
    l->map = l->base;
    plb_costs_seen_clear(&l->seen);
    l->looked_at = 0;
    return factor;
}
