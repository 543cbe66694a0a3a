/* burn: arithmetic and next to no data, as much per unit as asked for; for measuring how work is shared. Each
 * of a unit's 256 lanes iterates x = x a + b; the mean of the lanes comes back. A closed form tells it. */
#include <math.h>

#include "plb/kernel.h"

struct burn {
    int64_t steps;
    double a, b;
};

static const struct plb_option options[] = {
    {"units", PLB_INT, "100000", 1, 1e12, NULL, "how many"},
    {"steps", PLB_INT, "1000", 1, 1e9, NULL, "multiplications per lane of a unit"},
    {0},
};

enum { LANES = 256 };

static double *mean;
static struct burn burn;

static int entry(const struct plb_task *task)
{
    const struct burn *k = task->args;
    double *out = task->data[0];
#pragma omp parallel for num_threads(task->threads) schedule(static)
    for (int64_t u = 0; u < task->count; u++) {
        double x[LANES], sum = 0.0;
        for (int i = 0; i < LANES; i++)
            x[i] = (double)(i + (task->first + u) % 7);
        for (int64_t s = 0; s < k->steps; s++)
            for (int i = 0; i < LANES; i++)
                x[i] = x[i] * k->a + k->b;
        for (int i = 0; i < LANES; i++)
            sum += x[i];
        out[u] = sum / LANES;
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    burn = (struct burn){plb_app_int(app, "steps"), 0.5, 1.0};
    mean = plb_app_simulated(app) ? NULL : plb_app_alloc_array(app, units, sizeof *mean);
    plb_app_units(app, units);
    plb_app_args(app, &burn, sizeof burn);
    plb_app_data(app, &(struct plb_data){
                          .name = "mean", .mode = PLB_OUTPUT, .data = mean, .unit_bytes = sizeof *mean});
    return PLB_OK;
}

/* x → x / 2 + 1 goes to 2, from the start x₀ as 2 + (x₀ − 2) / 2^steps. */
static int verify(struct plb_app *app)
{
    for (int64_t u = 0; u < plb_app_int(app, "units"); u++) {
        double start = (double)(LANES - 1) / 2.0 + (double)(u % 7);
        double expected = 2.0 + ldexp(start - 2.0, burn.steps > 2000 ? -2000 : -(int)burn.steps);
        if (fabs(mean[u] - expected) > 1e-12 * (fabs(expected) + start)) {
            plb_app_error(app, "mean[%lld] is %.17g, the reference says %.17g", (long long)u, mean[u],
                          expected);
            return PLB_EVERIFY;
        }
    }
    return PLB_OK;
}

/* CPUs and GPUs add up the lanes in different orders. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    (void)app;
    return plb_app_agree_reals(results, 1e-12, 0.0);
}

PLB_CUDA_ENTRY(burn_cuda);

const struct plb_kernel plb_kernel = {
    .name = "burn",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .options = options,
    .cpu = entry,
    .cuda = burn_cuda,
    .setup = setup,
    .verify = verify,
    .agree = agree,
};
