/* Passes of k-means. Points are partitioned. Centroids are replicated, and replaced after each pass by the
 * sums and counts of their points. Coordinates are small whole numbers, so that sums are exact in any order,
 * and verify plays the passes again, one point after the other. */
#include <math.h>
#include <string.h>

#include "gate.h"
#include "plb/kernel.h"

enum { DIMENSIONS = 4, LABELS = 3 };

static const struct plb_option options[] = {
    {"points", PLB_INT, "20000", 1, 1e9, NULL, "how many"},
    {"clusters", PLB_INT, "8", 1, 1000, NULL, "how many"},
    {"passes", PLB_INT, "10", 1, 1000, NULL, "how many"},
    {"labels", PLB_FLAG, "no", 0, 0, NULL, "each point's cluster is an output"},
    {"stays", PLB_FLAG, "no", 0, 0, NULL, "labels are read after the last pass alone"},
    {"hold", PLB_INT, "-1", -1, 1e9, NULL, "the last task with this point waits for the test"},
    {"hold_pass", PLB_INT, "0", 0, 1000, NULL, "in this pass; 0: the last one"},
    {"gather", PLB_INT, "0", 0, 1000, NULL, "next looks at the labels of each pass of so many; 0: of none"},
    {"gate", PLB_TEXT, NULL, 0, 0, NULL, "the last call of next waits for this file"},
    {0},
};

struct state {
    int64_t n, k, passes, gather;
    double *points, *centroids, *sums; /* sums: coordinates of each cluster's points, and their count */
    int32_t *labels;
    int centroids_handle;
};

static int64_t nearest(const double *point, const double *centroids, int64_t k)
{
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t c = 0; c < k; c++) {
        double d = 0.0;
        for (int j = 0; j < DIMENSIONS; j++)
            d += (point[j] - centroids[c * DIMENSIONS + j]) * (point[j] - centroids[c * DIMENSIONS + j]);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}

static void add(double *sums, const double *point, int64_t cluster)
{
    double *sum = sums + cluster * (DIMENSIONS + 1);
    for (int j = 0; j < DIMENSIONS; j++)
        sum[j] += point[j];
    sum[DIMENSIONS] += 1.0;
}

/* Where no point is nearest, a centroid stays. */
static void move(double *centroids, const double *sums, int64_t k)
{
    for (int64_t c = 0; c < k; c++)
        for (int j = 0; j < DIMENSIONS; j++)
            if (sums[c * (DIMENSIONS + 1) + DIMENSIONS] > 0.0)
                centroids[c * DIMENSIONS + j] = sums[c * (DIMENSIONS + 1) + j]
                                              / sums[c * (DIMENSIONS + 1) + DIMENSIONS];
}

/* In a pass the task of one point waits at the gate. */
static void hold(const struct plb_task *task, int64_t point, int64_t pass)
{
    static atomic_long times;
    if (point < task->first || point >= task->first + task->count || atomic_fetch_add(&times, 1) + 1 != pass)
        return;
    fputs("a pass waits at the gate\n", stderr);
    while (access(strchr(getenv("PLB_TEST_GATE"), ':') + 1, F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static int cpu(const struct plb_task *task)
{
    wait_at_gate(task);
    const int64_t *k = task->args;
    hold(task, k[2], k[3]);
    const double *points = task->data[0], *centroids = task->data[1];
    int32_t *labels = k[1] ? task->data[3] : NULL;
    for (int64_t i = 0; i < task->count; i++) {
        int64_t cluster = nearest(points + i * DIMENSIONS, centroids, *k);
        add(task->data[2], points + i * DIMENSIONS, cluster);
        if (labels != NULL)
            labels[i] = (int32_t)cluster;
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    s->n = plb_app_int(app, "points");
    s->k = plb_app_int(app, "clusters");
    s->passes = plb_app_int(app, "passes");
    s->points = plb_app_alloc_array(app, s->n * DIMENSIONS, sizeof *s->points);
    s->centroids = plb_app_alloc_array(app, s->k * DIMENSIONS, sizeof *s->centroids);
    s->sums = plb_app_alloc_array(app, s->k * (DIMENSIONS + 1), sizeof *s->sums);
    for (int64_t i = 0; i < s->n * DIMENSIONS; i++)
        s->points[i] = (double)(plb_random_bits(1, (uint64_t)i) % 1000);
    memcpy(s->centroids, s->points, (size_t)(s->k < s->n ? s->k : s->n) * DIMENSIONS * sizeof(double));
    int64_t held = plb_app_int(app, "hold_pass");
    int64_t args[] = {s->k, plb_app_flag(app, "labels"), plb_app_int(app, "hold"),
                      held > 0 ? held : s->passes};
    plb_app_units(app, s->n);
    plb_app_args(app, args, sizeof args);
    plb_app_data(app, &(struct plb_data){.name = "points",
                                         .mode = PLB_PARTITION,
                                         .data = s->points,
                                         .unit_bytes = DIMENSIONS * sizeof(double)});
    s->centroids_handle = plb_app_data(
        app, &(struct plb_data){.name = "centroids",
                                .mode = PLB_REPLICATE,
                                .data = s->centroids,
                                .bytes = (size_t)s->k * DIMENSIONS * sizeof(double)});
    plb_app_data(app, &(struct plb_data){.name = "sums",
                                         .mode = PLB_REDUCE,
                                         .data = s->sums,
                                         .bytes = (size_t)s->k * (DIMENSIONS + 1) * sizeof(double),
                                         .type = PLB_FLOAT64});
    if (!args[1])
        return PLB_OK;
    s->labels = plb_app_alloc_array(app, s->n, sizeof *s->labels);
    plb_app_data(app, &(struct plb_data){.name = "labels",
                                         .mode = PLB_OUTPUT,
                                         .data = s->labels,
                                         .unit_bytes = sizeof *s->labels,
                                         .stays = plb_app_flag(app, "stays")});
    s->gather = plb_app_int(app, "gather");
    if (s->gather == 1)
        plb_app_gather(app, LABELS);
    return PLB_OK;
}

/* Whether the labels that have been asked for are here. */
static bool right(const struct state *s)
{
    for (int64_t i = 0; i < s->n; i++)
        if (s->labels[i] != nearest(s->points + i * DIMENSIONS, s->centroids, s->k))
            return false;
    return true;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    *again = pass + 1 < s->passes;
    if (s->gather > 0 && (pass + 1) % s->gather == 0 && !right(s))
        return plb_app_error(app, "the labels of pass %lld are not here", (long long)pass);
    if (s->gather > 0 && (pass + 2) % s->gather == 0)
        plb_app_gather(app, LABELS);
    if (*again) { /* else sums stay as they are, for verify */
        move(s->centroids, s->sums, s->k);
        plb_app_replace(app, s->centroids_handle);
        return PLB_OK;
    }
    const char *gate = plb_app_text(app, "gate");
    if (gate != NULL)
        fputs("next waits at the gate\n", stderr);
    while (gate != NULL && access(gate, F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    for (int64_t i = 0; i < s->k * DIMENSIONS; i++)
        s->centroids[i] = -1.0; /* nobody should need them any more */
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    double *centroids = plb_app_alloc_array(app, s->k * DIMENSIONS, sizeof *centroids);
    size_t bytes = (size_t)s->k * (DIMENSIONS + 1) * sizeof(double);
    double *sums = plb_app_alloc(app, bytes);
    memcpy(centroids, s->points, (size_t)(s->k < s->n ? s->k : s->n) * DIMENSIONS * sizeof(double));
    for (int64_t pass = 0; pass < s->passes; pass++) {
        if (pass > 0)
            move(centroids, sums, s->k);
        memset(sums, 0, bytes);
        for (int64_t i = 0; i < s->n; i++)
            add(sums, s->points + i * DIMENSIONS, nearest(s->points + i * DIMENSIONS, centroids, s->k));
    }
    bool same = memcmp(sums, s->sums, bytes) == 0;
    for (int64_t i = 0; i < s->n && s->labels != NULL; i++)
        same = same && s->labels[i] == nearest(s->points + i * DIMENSIONS, centroids, s->k);
    if (same)
        return PLB_OK;
    plb_app_error(app, "sums or labels of the last pass are not those of the reference");
    return PLB_EVERIFY;
}

const struct plb_kernel plb_kernel = {
    .name = "kmeans",
    PLB_KERNEL_HEAD,
    .unit = "points",
    .options = options,
    .cpu = cpu,
    .setup = setup,
    .next = next,
    .verify = verify,
};
