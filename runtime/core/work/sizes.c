/* Sums of bytes over ranges. */
#include "core/work/sizes.h"

#include <math.h>

const struct plb_sizes plb_no_sizes;

/* Bytes that rank 0's link is taken to carry in a second: 1 Gbit/s. Larger: a slow network has too many
 * arrays. Smaller: on a fast one results wait without need. */
#define LINK 125e6

double plb_sizes_arrays_seconds(const struct plb_sizes *s, int n_nodes)
{
    return s != NULL ? n_nodes * s->task_bytes / LINK : 0.0;
}

/* Bytes that a node folds in a second. Larger: results are sent more often, and their folds take a core.
 * Smaller: balancers hear later. Measured: 10 MB take 5 ms. */
#define FOLD 2e9

/* Seconds that a step of the tree takes for arrays of no bytes: three messages, one behind the other. Larger:
 * small arrays all go to rank 0. Smaller: they wait for messages. */
#define STEP 1e-4

/* Seconds that the tree must save. Larger: arrays fill rank 0's link. Smaller: for a gain that nobody
 * notices, each result costs one message more. */
#define GAIN 1e-3

double plb_sizes_fold_seconds(const struct plb_sizes *s)
{
    return s != NULL ? s->task_bytes / FOLD : 0.0;
}

bool plb_sizes_fold(const struct plb_sizes *s, int n_nodes)
{
    int steps = 0;
    while ((int64_t)1 << steps < n_nodes)
        steps++;
    double step = STEP + s->task_bytes / LINK + plb_sizes_fold_seconds(s);
    return n_nodes > 1 && plb_sizes_arrays_seconds(s, n_nodes) > steps * step + GAIN;
}

double plb_sizes_beside(const struct plb_sizes *s)
{
    return s->task_bytes + s->halo_bytes;
}

double plb_sizes_bytes(const struct plb_sizes *s, struct plb_range r)
{
    double bytes = plb_sizes_beside(s) + s->unit_bytes * (double)r.count;
    for (int i = 0; i < s->n_indexed; i++) {
        const int64_t *offsets = s->indexed[i].offsets;
        bytes += s->indexed[i].element_bytes * (double)(offsets[r.first + r.count] - offsets[r.first]);
    }
    return bytes;
}

/* Bisection: the bytes of a range grow with its length. */
static int64_t fit_unequal(const struct plb_sizes *s, double bytes, int64_t first, int64_t most)
{
    int64_t fits = 1, too_many = most + 1;
    while (too_many - fits > 1) {
        int64_t middle = fits + (too_many - fits) / 2;
        if (plb_sizes_bytes(s, (struct plb_range){first, middle}) <= bytes)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

int64_t plb_sizes_fit(const struct plb_sizes *s, const struct plb_task_limit *limit, struct plb_range r)
{
    int64_t most = r.count < limit->units ? r.count : limit->units;
    if (!(limit->bytes < INFINITY) || most <= 1)
        return most > 1 ? most : 1;
    if (s->n_indexed > 0)
        return fit_unequal(s, limit->bytes, r.first, most);
    double units = s->unit_bytes > 0.0 ? (limit->bytes - plb_sizes_beside(s)) / s->unit_bytes : INFINITY;
    return units >= (double)most ? most : units >= 1.0 ? (int64_t)units : 1;
}

double plb_sizes_largest(const struct plb_sizes *s, int64_t units)
{
    int64_t least = s->chunk > 1 ? s->chunk : 1;
    double largest = plb_sizes_beside(s) + s->unit_bytes * (double)(s->chunk > units ? units : least);
    if (s->n_indexed > 0)
        for (int64_t u = 0; u < units; u += least)
            largest = fmax(largest,
                           plb_sizes_bytes(s, (struct plb_range){u, u + least < units ? least : units - u}));
    return largest;
}

bool plb_sizes_has_room(const struct plb_sizes *s, double memory, double largest)
{
    double room = memory - s->replicated_bytes;
    return room >= 0.0 && room >= PLB_TASKS_IN_MEMORY * largest;
}

double plb_sizes_mean(const struct plb_sizes *s, int64_t units)
{
    return units > 0
             ? (plb_sizes_bytes(s, (struct plb_range){0, units}) - plb_sizes_beside(s)) / (double)units
             : s->unit_bytes;
}

struct plb_task_limit plb_task_limit(const struct plb_sizes *s, const struct plb_pu_info *pu, double grain,
                                     double pulled_bytes)
{
    double wish = pu->task_bytes > 0.0 ? pu->task_bytes : pu->node != 0 ? pulled_bytes : 0.0;
    if (pu->kind == PLB_CPU && pulled_bytes > 0.0) /* a large cache makes no larger tasks */
        wish = fmin(wish, pulled_bytes);
    double room = (pu->memory - s->replicated_bytes) / PLB_TASKS_IN_MEMORY;
    return (struct plb_task_limit){.units = grain >= 1.0 && grain < 9e18 ? (int64_t)grain : INT64_MAX,
                                   .bytes = wish > 0.0 ? fmin(wish + plb_sizes_beside(s), room) : room};
}
