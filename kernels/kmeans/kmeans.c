/* kmeans: clusters of points by Lloyd's algorithm; float64, and float32 points are compared in float64.
 *
 * A unit is a point. A pass finds the nearest centroid of each point, and the sum and number of each
 * cluster's points; then rank 0 moves the centroids. So points stay where they are, and from pass to pass
 * only centroids and sums travel. Labels stay at the nodes until the end. It costs 3 flops for each
 * coordinate of each centroid.
 *
 * It stops as scikit-learn's KMeans does: no centroid has moved; or the squares of the ways add up to no more
 * than `tolerance` times the mean variance of a coordinate, and then one more pass gives the labels of the
 * last centroids. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lloyd.h"

enum { POINTS, CENTROIDS, SUMS, LABELS }; /* handles; LABELS where they are wanted */

/* Parts that the points of a task are cut into, so that threads have sums of their own. The parts depend on
 * the number of points alone, and not on threads: so do the sums. */
#define MOST_PARTS 64
#define POINTS_PER_SUM 8 /* a part has this many times as many points as clusters: else sums are the work */

/* A journal keeps these. */
struct progress {
    double threshold; /* centroids that have moved less are at their end */
    int64_t moves, filled;
    int32_t last, converged;
};

struct state {
    struct points points;
    double *centroids, *before, *sums, *history; /* before: the centroids of the pass before */
    int32_t *labels;
    int64_t passes;
    double tolerance;
    struct progress *progress;
};

static const struct plb_option options[] = {
    {"points", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "the points: .npy of float64 or float32, n x d, or .csv, a row for each; synthetic where not given"},
    {"count", PLB_INT, "100000", 1, 1e12, NULL, "synthetic points: how many"},
    {"dimensions", PLB_INT, "16", 1, 1e6, NULL, "synthetic points: coordinates of each"},
    {"clusters", PLB_INT, "8", 1, 16777216, NULL, "how many"},
    {"start", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "the first centroids, .npy or .csv, a row for each; by k-means++ where not given"},
    {"sample", PLB_INT, "100000", 1, 1e9, NULL, "points that k-means++ chooses from, at most"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "seed of k-means++ and of synthetic points"},
    {"tolerance", PLB_REAL, "1e-4", 0, 1, NULL,
     "stop when the squared movement of all centroids, in variances of the points, is below this"},
    {"passes", PLB_INT, "300", 1, 1e6, NULL, "most moves of the centroids"},
    {"labels", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where each point's cluster goes, from 0, .npy of int32; nowhere where not given"},
    {"centroids", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the centroids go, .npy of float64"},
    {"history", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where a row for each pass goes, .npy of float64: inertia, and squared movement of the centroids"},
    {0},
};

/* Points of each part but the last one. */
static int64_t points_of_part(const struct shape *s, int64_t count)
{
    int64_t n = (count + MOST_PARTS - 1) / MOST_PARTS;
    n = n > POINTS_PER_SUM * s->clusters ? n : POINTS_PER_SUM * s->clusters;
    return (n + LANES - 1) / LANES * LANES;
}

static int assign(const struct plb_task *task)
{
    const struct shape *s = task->args;
    const int64_t each = points_of_part(s, task->count), parts = (task->count + each - 1) / each;
    const int64_t width = sums_of(s);
    const size_t row = (size_t)s->dimensions * (s->narrow ? sizeof(float) : sizeof(double));
    double *sums = task->data[SUMS];
    double *more = parts > 1 ? calloc((size_t)(parts - 1) * (size_t)width, sizeof *more) : sums;
    bool failed = more == NULL;
#pragma omp parallel num_threads(task->threads) reduction(|| : failed)
    {
        double *x = aligned_alloc(64, (size_t)s->dimensions * LANES * sizeof *x);
        failed = failed || x == NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t part = 0; part < parts; part++) {
            int64_t first = part * each, n = task->count - first < each ? task->count - first : each;
            if (!failed && !plb_task_cancelled(task))
                assign_points(s, (const char *)task->data[POINTS] + (size_t)first * row, n,
                              task->data[CENTROIDS], x, part == 0 ? sums : more + (part - 1) * width,
                              s->labels ? (int32_t *)task->data[LABELS] + first : NULL);
        }
#pragma omp for
        for (int64_t i = 0; i < width; i++)
            for (int64_t part = 1; part < parts && more != NULL; part++)
                sums[i] += more[(part - 1) * width + i];
        free(x);
    }
    if (parts > 1)
        free(more);
    return failed;
}

static void declare(struct plb_app *app, struct state *s)
{
    const struct shape *shape = &s->points.shape;
    const size_t row = (size_t)shape->dimensions * (shape->narrow ? sizeof(float) : sizeof(double));
    const struct plb_data buffers[] = {
        [POINTS] = {.name = "points", .mode = PLB_PARTITION, .data = s->points.data, .unit_bytes = row},
        [CENTROIDS] = {.name = "centroids",
                       .mode = PLB_REPLICATE,
                       .data = s->centroids,
                       .bytes = (size_t)(shape->clusters * shape->dimensions) * sizeof(double)},
        [SUMS] = {.name = "sums",
                  .mode = PLB_REDUCE,
                  .data = s->sums,
                  .bytes = (size_t)sums_of(shape) * sizeof(double),
                  .type = PLB_FLOAT64},
        [LABELS] = {.name = "labels",
                    .mode = PLB_OUTPUT,
                    .data = s->labels,
                    .unit_bytes = sizeof *s->labels,
                    .stays = true},
    };
    plb_app_units(app, s->points.n);
    plb_app_multiple(app, LANES);
    plb_app_args(app, shape, sizeof *shape);
    for (int i = POINTS; i <= (shape->labels ? LABELS : SUMS); i++)
        plb_app_data(app, &buffers[i]);
    if (shape->labels)
        plb_app_save_integers(app, plb_app_text(app, "labels"),
                              &(struct plb_array){s->labels, sizeof *s->labels, s->points.n, 1, false});
    if (plb_app_given(app, "centroids"))
        plb_app_save_npy(
            app, plb_app_text(app, "centroids"),
            &(struct plb_array){s->centroids, sizeof(double), shape->clusters, shape->dimensions, false});
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct shape *shape = &s->points.shape;
    plb_app_set_state(app, s);
    if (points_read(app, &s->points) != PLB_OK)
        return PLB_EINPUT;
    shape->labels = plb_app_given(app, "labels");
    s->passes = plb_app_int(app, "passes");
    s->tolerance = plb_app_real(app, "tolerance");
    s->progress = plb_app_alloc(app, sizeof *s->progress);
    s->centroids = plb_app_alloc_array(app, shape->clusters * shape->dimensions, sizeof *s->centroids);
    s->before = plb_app_alloc_array(app, shape->clusters * shape->dimensions, sizeof *s->before);
    s->sums = plb_app_alloc_array(app, sums_of(shape), sizeof *s->sums);
    s->history = plb_app_alloc_array(app, s->passes + 1, 2 * sizeof *s->history);
    if (shape->labels && !plb_app_simulated(app))
        s->labels = plb_app_alloc_array(app, s->points.n, sizeof *s->labels);
    plb_app_keep(app, s->progress, sizeof *s->progress);
    plb_app_keep(app, s->before, (size_t)(shape->clusters * shape->dimensions) * sizeof *s->before);
    plb_app_keep(app, s->history, (size_t)(s->passes + 1) * 2 * sizeof *s->history);
    if (!plb_app_simulated(app) && start_centroids(app, &s->points, s->centroids) != PLB_OK)
        return PLB_EINPUT;
    declare(app, s);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    (void)first;
    return (double)count * (double)(s->points.shape.clusters * s->points.shape.dimensions);
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    const struct shape *shape = &s->points.shape;
    struct progress *progress = s->progress;
    s->history[2 * pass] = s->sums[sums_of(shape) - 1];
    *again = false;
    if (progress->last)
        return PLB_OK;
    if (pass == 0)
        progress->threshold = s->tolerance * variance(&s->points, s->centroids, s->sums);
    memcpy(s->before, s->centroids, (size_t)(shape->clusters * shape->dimensions) * sizeof *s->before);
    progress->filled += fill_empty(app, &s->points, s->centroids, s->sums);
    const double shift = move_centroids(shape, s->sums, s->centroids);
    s->history[2 * pass + 1] = shift;
    progress->moves++;
    progress->converged = shift <= progress->threshold;
    *again = shift > 0.0; /* else labels and inertia are those of the centroids */
    progress->last = progress->converged || progress->moves == s->passes;
    if (*again)
        plb_app_replace(app, CENTROIDS);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    return check_end(app, &s->points, s->before, s->centroids, s->sums, s->labels);
}

static int finish(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const struct progress *progress = s->progress;
    const int64_t rows = progress->moves + (s->history[2 * progress->moves - 1] > 0.0);
    printf("kmeans: inertia %.10g after %lld moves of the centroids; %s",
           s->sums[sums_of(&s->points.shape) - 1], (long long)progress->moves,
           progress->converged ? "they have converged"
                               : "they have not converged; kmeans.passes is the limit");
    if (progress->filled > 0)
        printf("; empty clusters got the farthest point %lld times", (long long)progress->filled);
    printf("\n");
    if (!plb_app_given(app, "history"))
        return PLB_OK;
    return plb_write_npy(app, plb_app_text(app, "history"),
                         &(struct plb_array){s->history, sizeof *s->history, rows, 2, false});
}

/* Two results of the same points. Labels are equal; sums differ by the order of their terms. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const double rounding = 2.0 * (double)results->count * DBL_EPSILON;
    const float *one = results->one, *other = results->other;
    if (results->buffer == SUMS)
        return plb_app_agree_reals(results, rounding, rounding * (double)results->count * s->points.largest);
    for (int64_t i = 0; i < results->count; i++)
        if (one[i] != other[i])
            return i * (int64_t)sizeof *one;
    return PLB_SAME;
}

PLB_CUDA_ENTRY(kmeans_cuda);     /* kmeans.cu */
PLB_OPENCL_ENTRY(kmeans_opencl); /* opencl/kmeans.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "kmeans",
    PLB_KERNEL_HEAD,
    .unit = "points",
    .summary = "clusters of points by Lloyd's algorithm, split by points that stay at their nodes",
    .options = options,
    .cpu = assign,
    .cuda = kmeans_cuda,
    .opencl = kmeans_opencl,
    .setup = setup,
    .cost = cost,
    .next = next,
    .verify = verify,
    .finish = finish,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
