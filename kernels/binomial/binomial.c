/* binomial: prices of European and American options on a binomial tree; float64.
 *
 * A unit is an option. It costs steps (steps + 1) / 2 nodes for 56 bytes in and 8 out, so a CPU is limited by
 * arithmetic. Options are priced in groups of 8, one in each lane of a vector; a task of fewer has lanes
 * that do nothing of use. Results are the same in every run on CPUs of one kind. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contracts.h"
#include "tree.h"

enum { CONTRACTS, PRICES }; /* handles, in order of declaration; the same as in binomial.cu */

#define NO_MEMORY 1 /* an entry's answer */

/* Of the logarithm of how far prices on the tree are apart. Larger: they overflow. Smaller: real contracts on
 * long trees are refused. */
#define MOST_REACH 200.0

/* American options that verify prices again by a direct loop. More: verify takes longer. */
#define RECOMPUTED 8

struct state {
    struct plb_array contracts, prices;
    struct tree_args args;
};

static const struct plb_option options[] = {
    CONTRACT_OPTIONS,
    {"prices", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the prices go, .npy; not written by default"},
    {"exercise", PLB_TEXT, "american", 0, 0, "european|american", "when the holder may exercise the option"},
    {"steps", PLB_INT, "1001", 1, 100000, NULL, "steps of the tree"},
    {"tree", PLB_TEXT, "crr", 0, 0, "crr|leisen-reimer",
     "the tree of Cox, Ross and Rubinstein, or of Leisen and Reimer, which needs fewer, odd steps"},
    {0},
};

static int price(const struct plb_task *task)
{
    const struct tree_args *args = task->args;
    const double *contracts = task->data[CONTRACTS];
    double *prices = task->data[PRICES];
    const size_t bytes = (size_t)tree_room(args) * sizeof(double);
    int failed = 0;
#pragma omp parallel num_threads(task->threads) reduction(| : failed)
    {
        void *room = aligned_alloc(64, bytes);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < task->count; i += LANES)
            if (room != NULL && !plb_task_cancelled(task))
                tree_price(task, contracts + i * CONTRACT_COLUMNS,
                           task->count - i < LANES ? task->count - i : LANES, room, prices + i);
        failed = room == NULL ? NO_MEMORY : 0;
        free(room);
    }
    return failed;
}

/* Whether each contract has a tree of so many steps. */
static int check_trees(struct plb_app *app, const struct state *s)
{
    const struct tree_args *args = &s->args;
    if (args->kind == LEISEN_REIMER && args->steps % 2 == 0)
        return plb_app_error(app, "steps = %lld, but tree = leisen-reimer needs an odd number; say %lld",
                             (long long)args->steps, (long long)args->steps + 1);
    for (int64_t i = 0; s->contracts.data != NULL && i < s->contracts.rows; i++) {
        const double *c = (const double *)s->contracts.data + i * CONTRACT_COLUMNS;
        const struct branch b = tree_branch(args, c);
        if (!(b.chance > 0.0 && b.chance < 1.0))
            return plb_app_error(app,
                                 "option %lld: %lld steps are too few for rate - dividend = %g with "
                                 "volatility %g: a rise would have a probability of %g; set more steps",
                                 (long long)i + 1, (long long)args->steps, c[RATE] - c[DIVIDEND],
                                 c[VOLATILITY], b.chance);
        if (!(b.growth > 0.0 && b.growth * (double)args->steps <= 2.0 * MOST_REACH
              && fabs(b.base) * (double)args->steps <= MOST_REACH))
            return plb_app_error(app,
                                 "option %lld: on %lld steps with volatility %g over %g years prices would "
                                 "differ by more than a factor of e^%g; set fewer steps",
                                 (long long)i + 1, (long long)args->steps, c[VOLATILITY], c[TIME],
                                 2.0 * MOST_REACH);
    }
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (contracts_read(app, &s->contracts) != PLB_OK)
        return PLB_EINPUT;
    s->args = (struct tree_args){plb_app_int(app, "steps"), plb_app_choice(app, "tree"),
                                 plb_app_choice(app, "exercise")};
    if (check_trees(app, s) != PLB_OK)
        return PLB_EINPUT;
    s->prices = (struct plb_array){NULL, sizeof(double), s->contracts.rows, 1, false};
    if (!plb_app_simulated(app))
        s->prices.data = plb_app_alloc_array(app, s->prices.rows, sizeof(double));
    plb_app_units(app, s->prices.rows);
    plb_app_multiple(app, LANES);
    plb_app_args(app, &s->args, sizeof s->args);
    const struct plb_data buffers[] = {
        [CONTRACTS] = {.name = "contracts",
                       .mode = PLB_PARTITION,
                       .data = s->contracts.data,
                       .unit_bytes = CONTRACT_COLUMNS * sizeof(double)},
        [PRICES] = {.name = "prices",
                    .mode = PLB_OUTPUT,
                    .data = s->prices.data,
                    .unit_bytes = sizeof(double)},
    };
    for (int i = CONTRACTS; i <= PRICES; i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "prices"))
        plb_app_save_npy(app, plb_app_text(app, "prices"), &s->prices);
    return PLB_OK;
}

/* Nodes of the trees. */
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    (void)first;
    return 0.5 * (double)s->args.steps * (double)(s->args.steps + 1) * (double)count;
}

static double payoff(const double *c, const struct branch *b, int64_t step, int64_t node)
{
    double price = c[SPOT] * exp((double)node * b->growth + (double)step * b->base);
    return fmax(c[TYPE] == CALL ? price - c[STRIKE] : c[STRIKE] - price, 0.0);
}

/* The European price: the mean of the payoffs by the binomial distribution. */
static double by_distribution(const struct state *s, const double *c)
{
    const struct branch b = tree_branch(&s->args, c);
    const double n = (double)s->args.steps, up = log(b.chance), down = log1p(-b.chance);
    double sum = 0.0;
    for (int64_t i = 0; i <= s->args.steps; i++) {
        double k = (double)i, ways = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
        sum += exp(ways + k * up + (n - k) * down) * payoff(c, &b, s->args.steps, i);
    }
    return exp(-c[RATE] * c[TIME]) * sum;
}

/* The American price by a direct loop. */
static double by_loop(struct plb_app *app, const struct state *s, const double *c)
{
    const struct branch b = tree_branch(&s->args, c);
    double *v = plb_app_alloc_array(app, s->args.steps + 1, sizeof *v);
    for (int64_t i = 0; i <= s->args.steps; i++)
        v[i] = payoff(c, &b, s->args.steps, i);
    for (int64_t t = s->args.steps - 1; t >= 0; t--)
        for (int64_t i = 0; i <= t; i++)
            v[i] = fmax(b.rise * v[i + 1] + b.fall * v[i], payoff(c, &b, t, i));
    return v[0];
}

/* Rounding errors of a price: one of each step, and of what the logarithms of the distribution leave. */
static double slack(const struct state *s, const double *c)
{
    double money = c[SPOT] * exp(fmax(-c[DIVIDEND] * c[TIME], 0.0))
                 + c[STRIKE] * exp(fmax(-c[RATE] * c[TIME], 0.0));
    return 64.0 * DBL_EPSILON * (double)(s->args.steps + 64) * money;
}

/* European prices are compared with the sum over the binomial distribution. American ones are at least that
 * and the payoff of exercise at once; some of them are computed again by a direct loop. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const int64_t n = s->contracts.rows, step = n > RECOMPUTED ? n / RECOMPUTED : 1;
    for (int64_t i = 0; i < n; i++) {
        const double *c = (const double *)s->contracts.data + i * CONTRACT_COLUMNS;
        const struct branch b = tree_branch(&s->args, c);
        double got = ((const double *)s->prices.data)[i];
        double tolerance = slack(s, c) * log((double)s->args.steps + 2.0);
        double expected = by_distribution(s, c);
        bool right = fabs(got - expected) <= tolerance;
        if (s->args.american) {
            expected = fmax(expected, payoff(c, &b, 0, 0));
            right = got >= expected - tolerance;
            if (right && i % step == 0) {
                expected = by_loop(app, s, c);
                right = fabs(got - expected) <= tolerance;
            }
        }
        if (!right) {
            plb_app_error(app, "the price of option %lld is %.17g, the reference says %.17g",
                          (long long)i + 1, got, expected);
            return PLB_EVERIFY;
        }
    }
    return PLB_OK;
}

static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const double *one = results->one, *other = results->other;
    for (int64_t i = 0; i < results->count; i++) {
        const double *c = (const double *)s->contracts.data + (results->first + i) * CONTRACT_COLUMNS;
        if (!(fabs(one[i] - other[i]) <= slack(s, c)))
            return i * (int64_t)sizeof *one;
    }
    return PLB_SAME;
}

PLB_CUDA_ENTRY(binomial_cuda);     /* binomial.cu */
PLB_OPENCL_ENTRY(binomial_opencl); /* opencl/binomial.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "binomial",
    PLB_KERNEL_HEAD,
    .unit = "options",
    .summary = "prices of European and American options on a binomial tree, split by options",
    .options = options,
    .cpu = price,
    .cuda = binomial_cuda,
    .opencl = binomial_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
