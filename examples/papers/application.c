/* Cost models of two applications of the PLB-HeC (2015) and PLB-HAC (2019) papers, for --simulate.
 *
 * Built twice, with APPLICATION = GRN or K_MEANS; the other applications are kernels/matmul and
 * kernels/blackscholes. A model declares units and data of the application's sizes and says how many
 * operations a unit is; the rate.NAME of hostfiles/plb-*.cluster are in the same operations. The papers
 * give sizes but neither samples nor clusters: the defaults are our choice, such that the largest
 * size lasts half a minute to a minute on the full clusters. Weak where an application synchronises in
 * between, as k-means does after each iteration: the model is one pass. */
#include "plb/kernel.h"

#define GRN 1
#define K_MEANS 2

#if APPLICATION == GRN

/* Inference of gene regulatory networks by exhaustive search (Borelli, de Camargo, Martins, Rozante
 * 2013). A unit is a target gene, tried with every set of `predictors` genes: each sample of a set is
 * predictors + 1 look-ups, as many steps of an index, and one count; each cell of a set's table is one
 * term of the conditional entropy. With pairs all targets are the papers' O(n^3), some two months at
 * 140000 genes on the simulated clusters; single predictors, the default, last about a minute. */
#define NAME "grn"
#define UNIT "genes"
#define SUMMARY "cost model: gene regulatory networks, the best predictors of each gene"
#define LEVELS 3.0 /* of the discretised expression: lower, unchanged, higher */
#define TERM 4.0   /* operations of one term p log p with the logarithm from a table */

static const struct plb_option options[] = {
    {"genes", PLB_INT, "60000", 3, 1e9, NULL, "targets and candidates; 60000 to 140000 in the papers"},
    {"samples", PLB_INT, "500", 2, 1e9, NULL, "expression levels known of each gene"},
    {"predictors", PLB_INT, "1", 1, 3, NULL, "genes in a predictor set"},
    {0},
};

static double unit_cost(const struct plb_app *app)
{
    double genes = (double)plb_app_int(app, "genes"), sets = 1.0, cells = LEVELS;
    int64_t predictors = plb_app_int(app, "predictors");
    for (int64_t i = 0; i < predictors; i++) {
        sets *= (genes - (double)i) / (double)(i + 1);
        cells *= LEVELS;
    }
    double sample = 2.0 * (double)(predictors + 1) + 2.0;
    return sets * (sample * (double)plb_app_int(app, "samples") + TERM * cells);
}

/* A byte per gene and sample; back come the best set and its criterion. */
static void declare(struct plb_app *app)
{
    int64_t genes = plb_app_int(app, "genes");
    plb_app_units(app, genes);
    plb_app_data(app, &(struct plb_data){.name = "expression",
                                         .mode = PLB_REPLICATE,
                                         .bytes = (size_t)genes * (size_t)plb_app_int(app, "samples")});
    plb_app_data(app, &(struct plb_data){.name = "best",
                                         .mode = PLB_OUTPUT,
                                         .unit_bytes = 4 * (size_t)plb_app_int(app, "predictors") + 4});
}

#elif APPLICATION == K_MEANS

/* k-means clustering by Lloyd's iterations. A unit is a point: its distance to every centre, with a
 * subtraction, a multiplication and an addition per dimension. With few clusters a point is read for
 * few operations and memory bounds the rate; the rate.k-means of the cluster files hold for the 4 of the
 * default. `iterations` counts those of all restarts. */
#define NAME "k-means"
#define UNIT "points"
#define SUMMARY "cost model: k-means clustering, all iterations in one pass"
#define TERM 3.0 /* operations per dimension of a distance */

static const struct plb_option options[] = {
    {"points", PLB_INT, "10000", 1, 1e12, NULL, "points to cluster; up to 500000 in the paper"},
    {"dimensions", PLB_INT, "1024", 1, 1e9, NULL, "coordinates of a point"},
    {"clusters", PLB_INT, "4", 1, 1e6, NULL, "centres"},
    {"iterations", PLB_INT, "10000", 1, 1e12, NULL, "times that every point is assigned, over all restarts"},
    {0},
};

static double unit_cost(const struct plb_app *app)
{
    return TERM * (double)plb_app_int(app, "dimensions") * (double)plb_app_int(app, "clusters")
         * (double)plb_app_int(app, "iterations");
}

/* Points and centres in float32; back come each point's cluster, and per cluster the sum and count. */
static void declare(struct plb_app *app)
{
    size_t dimensions = (size_t)plb_app_int(app, "dimensions");
    size_t clusters = (size_t)plb_app_int(app, "clusters");
    plb_app_units(app, plb_app_int(app, "points"));
    plb_app_data(app, &(struct plb_data){.name = "centres",
                                         .mode = PLB_REPLICATE,
                                         .bytes = clusters * dimensions * sizeof(float)});
    plb_app_data(app, &(struct plb_data){
                          .name = "points", .mode = PLB_PARTITION, .unit_bytes = dimensions * sizeof(float)});
    plb_app_data(app,
                 &(struct plb_data){.name = "clusters", .mode = PLB_OUTPUT, .unit_bytes = sizeof(int32_t)});
    plb_app_data(app, &(struct plb_data){.name = "sums",
                                         .mode = PLB_REDUCE,
                                         .op = PLB_SUM,
                                         .type = PLB_FLOAT64,
                                         .bytes = clusters * (dimensions + 1) * sizeof(double)});
}

#else
#error "APPLICATION must be GRN or K_MEANS"
#endif

static int setup(struct plb_app *app)
{
    if (!plb_app_simulated(app))
        return plb_app_error(app, NAME
                             " is a cost model, which computes nothing; run it with --simulate FILE.cluster");
    declare(app);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)first;
    return unit_cost(app) * (double)count;
}

/* Every kernel has an entry; setup lets nobody come here. */
static int compute(const struct plb_task *task)
{
    (void)task;
    return 1;
}

const struct plb_kernel plb_kernel = {
    .name = NAME,
    PLB_KERNEL_HEAD,
    .unit = UNIT,
    .summary = SUMMARY,
    .options = options,
    .cpu = compute,
    .setup = setup,
    .cost = cost,
};
