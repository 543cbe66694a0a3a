/* blackscholes: price and greeks of European options, by the formula or by Monte Carlo; float64.
 *
 * A unit is an option. Options are independent, so they are split, and cost the same. By the formula an
 * option is 56 bytes in and 48 out for about 300 flops: on another node the network decides. By Monte Carlo
 * its cost is its paths.
 *
 * Results are the same in every run on CPUs, whatever the split and the instruction set: see elementary.h and
 * paths.c. A GPU rounds differently. */
#include <math.h>
#include <string.h>

#include "contracts.h"
#include "prices.h"
#include "reference.h"

enum { CONTRACTS, RESULTS }; /* handles, in order of declaration; the same as in blackscholes.cu */
enum { CLOSED, MONTECARLO }; /* the option `method` */

/* Options of a Monte Carlo job that verify computes again path by path. More: verify takes longer. */
#define RECOMPUTED 8

struct state {
    struct plb_array contracts, results;
    struct price_args args;
};

static const struct plb_option options[] = {
    CONTRACT_OPTIONS,
    {"results", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where price, delta, gamma, vega, theta, rho and, by montecarlo, the standard error of the price go, "
     ".npy; nowhere where not given"},
    {"method", PLB_TEXT, "closed", 0, 0, "closed|montecarlo", "the formula, or the mean of simulated paths"},
    {"paths", PLB_INT, "100000", 2, 1e12, NULL, "montecarlo: paths of each option"},
    {0},
};

static int64_t width(const struct price_args *args)
{
    return args->paths > 0 ? RESULT_COLUMNS : GREEKS;
}

static int price(const struct plb_task *task)
{
    const struct price_args *args = task->args;
    const double *contracts = task->data[CONTRACTS];
    double *results = task->data[RESULTS];
    if (args->paths > 0) {
#pragma omp parallel for schedule(dynamic) num_threads(task->threads)
        for (int64_t i = 0; i < task->count; i++)
            if (!plb_task_cancelled(task))
                price_paths(args, task->first + i, contracts + i * CONTRACT_COLUMNS,
                            results + i * RESULT_COLUMNS);
        return 0;
    }
#pragma omp parallel for num_threads(task->threads)
    for (int64_t i = 0; i < task->count; i += AT_ONCE)
        price_closed(contracts + i * CONTRACT_COLUMNS, task->count - i < AT_ONCE ? task->count - i : AT_ONCE,
                     results + i * GREEKS);
    return 0;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (contracts_read(app, &s->contracts) != PLB_OK)
        return PLB_EINPUT;
    memset(&s->args, 0, sizeof s->args);
    s->args.paths = plb_app_choice(app, "method") == MONTECARLO ? plb_app_int(app, "paths") : 0;
    s->args.seed = (uint64_t)plb_app_int(app, "seed");
    const int64_t n = s->contracts.rows, columns = width(&s->args);
    s->results = (struct plb_array){NULL, sizeof(double), n, columns, false};
    if (!plb_app_simulated(app))
        s->results.data = plb_app_alloc_array(app, n, (size_t)columns * sizeof(double));
    plb_app_units(app, n);
    plb_app_args(app, &s->args, sizeof s->args);
    if (s->args.paths == 0)
        plb_app_multiple(app, AT_ONCE);
    const struct plb_data buffers[] = {
        [CONTRACTS] = {.name = "contracts",
                       .mode = PLB_PARTITION,
                       .data = s->contracts.data,
                       .unit_bytes = CONTRACT_COLUMNS * sizeof(double)},
        [RESULTS] = {.name = "results",
                     .mode = PLB_OUTPUT,
                     .data = s->results.data,
                     .unit_bytes = (size_t)columns * sizeof(double)},
    };
    for (int i = CONTRACTS; i <= RESULTS; i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "results"))
        plb_app_save_npy(app, plb_app_text(app, "results"), &s->results);
    return PLB_OK;
}

/* Operations, where an elementary function counts as one: a path has the logarithm, root and cosine of a
 * normal number, an exponential, and the sums. These are the operations of rate.blackscholes in
 * hostfiles/plb-*. */
#define PATH 20.0
#define FORMULA 60.0

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    (void)first;
    return (double)count * (s->args.paths > 0 ? PATH * (double)s->args.paths : FORMULA);
}

/* Says that a result differs; returns PLB_EVERIFY. */
static int differs(struct plb_app *app, int64_t row, int column, double got, double expected)
{
    static const char *const names[] = {"price", "delta", "gamma", "vega", "theta", "rho", "standard error"};
    plb_app_error(app, "%s of option %lld is %.17g, the reference says %.17g", names[column],
                  (long long)row + 1, got, expected);
    return PLB_EVERIFY;
}

/* The mean of the paths may be off by chance: by 8 standard errors, and by the largest payoffs over their
 * number (Bernstein's bound). The standard error that counts is that of the distribution, not of the paths
 * which were drawn: a payoff that is rare may be in none. */
static double chance(const struct state *s, const double *c)
{
    double two[CONTRACT_COLUMNS], v[GREEKS], size[GREEKS], n = (double)s->args.paths;
    double spread = c[VOLATILITY] * sqrt(c[TIME]), growth = (c[RATE] - c[DIVIDEND]) * c[TIME];
    double most = exp(-c[RATE] * c[TIME]) * (c[SPOT] * exp(growth + 4.0 * spread) + c[STRIKE]);
    memcpy(two, c, sizeof two);
    reference(two, v, size);
    double variance = c[TYPE] == PUT ? v[PRICE] * most : v[PRICE] * most * exp(spread * spread);
    return 8.0 * sqrt(variance / n) + 64.0 * most / n;
}

/* The formula is compared with libm's functions. Monte Carlo's prices are compared with the formula, and a
 * few options are computed again, path by path. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const int64_t n = s->contracts.rows, columns = width(&s->args);
    const int64_t step = n > RECOMPUTED ? n / RECOMPUTED : 1;
    for (int64_t i = 0; i < n; i++) {
        const double *c = (const double *)s->contracts.data + i * CONTRACT_COLUMNS;
        const double *got = (const double *)s->results.data + i * columns;
        double expected[RESULT_COLUMNS] = {0}, size[RESULT_COLUMNS] = {0};
        int compared = s->args.paths > 0 ? 1 : GREEKS;
        reference(c, expected, size);
        if (s->args.paths > 0)
            size[PRICE] = chance(s, c);
        if (s->args.paths > 0 && i % step == 0) {
            compared = RESULT_COLUMNS;
            reference_paths(&s->args, i, c, expected);
            for (int k = 0; k < RESULT_COLUMNS; k++)
                size[k] = 1e-9 * (fabs(expected[k]) + size[k]);
        }
        for (int k = 0; k < compared; k++)
            if (!(fabs(got[k] - expected[k]) <= size[k]))
                return differs(app, i, k, got[k], expected[k]);
    }
    return PLB_OK;
}

/* Two results of the same options: by the formula they differ by the rounding of verify, by Monte Carlo they
 * are sums over the same paths. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const int64_t columns = width(&s->args);
    for (int64_t i = 0; i < results->count; i++) {
        const double *c = (const double *)s->contracts.data + (results->first + i) * CONTRACT_COLUMNS;
        const double *one = (const double *)results->one + i * columns;
        const double *other = (const double *)results->other + i * columns;
        double value[GREEKS], size[RESULT_COLUMNS];
        reference(c, value, size);
        size[ERROR] = size[PRICE];
        for (int k = 0; k < columns; k++) {
            double slack = s->args.paths > 0 ? 1e5 * size[k] + 1e-9 * fabs(one[k]) : 2.0 * size[k];
            if (!(fabs(one[k] - other[k]) <= slack))
                return (i * columns + k) * (int64_t)sizeof *one;
        }
    }
    return PLB_SAME;
}

PLB_CUDA_ENTRY(blackscholes_cuda);     /* blackscholes.cu */
PLB_OPENCL_ENTRY(blackscholes_opencl); /* opencl/blackscholes.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "blackscholes",
    PLB_KERNEL_HEAD,
    .unit = "options",
    .summary = "price and greeks of European options, by the formula or by Monte Carlo, split by options",
    .options = options,
    .cpu = price,
    .cuda = blackscholes_cuda,
    .opencl = blackscholes_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
