/* Every data mode, in two passes with other weights in the second. All values are small whole numbers,
 * so that sums are exact in any order, and verify computes them from the formulas, not from buffers. */
#include "plb/kernel.h"

enum { WEIGHTS = 8, PARTS = 3, REDUCED = 2, PASSES = 2 };
/* Handles. From REDUCTIONS on: sum, min and max of float64, then of int64. */
enum { WEIGHT, X, OFFSETS, V, Y, REDUCTIONS };

static const struct plb_option options[] = {{"units", PLB_INT, "3000", 1, 1e6, NULL, "how many"}, {0}};

struct result {
    double *y;               /* two per unit */
    double real[3][REDUCED]; /* sum, min, max, of even and of odd units */
    int64_t whole[3][REDUCED];
};

static int64_t units;
static double *weight, *x, *y, real[3][REDUCED];
static int64_t *offsets, whole[3][REDUCED], shift = 100;
static int32_t *v;
static struct result kept[PASSES];

static double weight_of(int pass, int64_t u)
{
    return (double)(pass == 0 ? u % WEIGHTS + 1 : 40 - 3 * (u % WEIGHTS));
}
static double x_of(int64_t u, int part)
{
    return (double)((7 * u + 3 * part) % 11 - 5);
}
/* Of V: some units have nothing. */
static int64_t length_of(int64_t u)
{
    return u % 5;
}
static int32_t v_of(int64_t u, int64_t e)
{
    return (int32_t)((u + 13 * e) % 17 - 8);
}

static int entry(const struct plb_task *task)
{
    const double *w = task->data[WEIGHT], *in = task->data[X];
    const int64_t *at = (const int64_t *)task->data[OFFSETS] + task->first, *plus = task->args;
    const int32_t *list = task->data[V];
    double *out = task->data[Y], *reals[3];
    int64_t *wholes[3];
    for (int k = 0; k < 3; k++) {
        reals[k] = task->data[REDUCTIONS + k];
        wholes[k] = task->data[REDUCTIONS + 3 + k];
    }
    for (int64_t i = 0; i < task->count; i++) {
        int64_t u = task->first + i, sum = 0;
        int odd = (int)(u % REDUCED);
        for (int64_t e = at[i] - at[0]; e < at[i + 1] - at[0]; e++)
            sum += list[e];
        double value = w[u % WEIGHTS] * (in[PARTS * i] + in[PARTS * i + 1] + in[PARTS * i + 2])
                     + (double)*plus;
        out[2 * i] = value;
        out[2 * i + 1] = (double)sum;
        reals[0][odd] += value;
        reals[1][odd] = value < reals[1][odd] ? value : reals[1][odd];
        reals[2][odd] = value > reals[2][odd] ? value : reals[2][odd];
        wholes[0][odd] += sum;
        wholes[1][odd] = sum < wholes[1][odd] ? sum : wholes[1][odd];
        wholes[2][odd] = sum > wholes[2][odd] ? sum : wholes[2][odd];
    }
    return 0;
}

static void fill(struct plb_app *app)
{
    weight = plb_app_alloc_array(app, WEIGHTS, sizeof *weight);
    x = plb_app_alloc_array(app, units, PARTS * sizeof *x);
    y = plb_app_alloc_array(app, units, 2 * sizeof *y);
    offsets = plb_app_alloc_array(app, units + 1, sizeof *offsets);
    v = plb_app_alloc_array(app, units, 4 * sizeof *v);
    for (int i = 0; i < WEIGHTS; i++)
        weight[i] = weight_of(0, i);
    for (int64_t u = 0; u < units; u++) {
        for (int part = 0; part < PARTS; part++)
            x[PARTS * u + part] = x_of(u, part);
        offsets[u + 1] = offsets[u] + length_of(u);
        for (int64_t e = 0; e < length_of(u); e++)
            v[offsets[u] + e] = v_of(u, e);
    }
    for (int p = 0; p < PASSES; p++)
        kept[p].y = plb_app_alloc_array(app, units, 2 * sizeof *y);
}

static int setup(struct plb_app *app)
{
    units = plb_app_int(app, "units");
    fill(app);
    plb_app_units(app, units);
    plb_app_args(app, &shift, sizeof shift);
    plb_app_data(
        app, &(struct plb_data){
                 .name = "weight", .mode = PLB_REPLICATE, .data = weight, .bytes = WEIGHTS * sizeof *weight});
    plb_app_data(app, &(struct plb_data){
                          .name = "x", .mode = PLB_PARTITION, .data = x, .unit_bytes = PARTS * sizeof *x});
    plb_app_data(app, &(struct plb_data){.name = "offsets",
                                         .mode = PLB_REPLICATE,
                                         .data = offsets,
                                         .bytes = (size_t)(units + 1) * sizeof *offsets});
    plb_app_data(app, &(struct plb_data){.name = "v",
                                         .mode = PLB_PARTITION_INDEXED,
                                         .data = v,
                                         .offsets = OFFSETS,
                                         .element_bytes = sizeof *v});
    plb_app_data(app,
                 &(struct plb_data){.name = "y", .mode = PLB_OUTPUT, .data = y, .unit_bytes = 2 * sizeof *y});
    for (int k = 0; k < 6; k++)
        plb_app_data(app, &(struct plb_data){.name = "reduced",
                                             .mode = PLB_REDUCE,
                                             .data = k < 3 ? (void *)real[k] : (void *)whole[k - 3],
                                             .bytes = REDUCED * 8,
                                             .op = (enum plb_reduce_op)(k % 3),
                                             .type = k < 3 ? PLB_FLOAT64 : PLB_INT64});
    return PLB_OK;
}

/* Keeps the results of the pass, and gives the next one other weights. */
static int next(struct plb_app *app, int64_t pass, bool *again)
{
    for (int64_t i = 0; i < 2 * units; i++) {
        kept[pass].y[i] = y[i];
        y[i] = -1e9;
    }
    for (int k = 0; k < 3; k++)
        for (int odd = 0; odd < REDUCED; odd++) {
            kept[pass].real[k][odd] = real[k][odd];
            kept[pass].whole[k][odd] = whole[k][odd];
        }
    *again = pass + 1 < PASSES;
    if (!*again)
        return PLB_OK;
    for (int i = 0; i < WEIGHTS; i++)
        weight[i] = weight_of((int)pass + 1, i);
    plb_app_replace(app, WEIGHT);
    return PLB_OK;
}

static int differs(struct plb_app *app, int pass, const char *what, int64_t at, double got, double expected)
{
    plb_app_error(app, "pass %d: %s %lld is %g, the reference says %g", pass, what, (long long)at, got,
                  expected);
    return PLB_EVERIFY;
}

static int verify_pass(struct plb_app *app, int pass, const struct result *got)
{
    static const char *const reals[] = {"real sum", "real min", "real max"};
    static const char *const wholes[] = {"whole sum", "whole min", "whole max"};
    double r[3][REDUCED] = {{0, 0}, {1e300, 1e300}, {-1e300, -1e300}};
    int64_t w[3][REDUCED] = {{0, 0}, {INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (int64_t u = 0; u < units; u++) {
        int odd = (int)(u % REDUCED);
        double a = weight_of(pass, u) * (x_of(u, 0) + x_of(u, 1) + x_of(u, 2)) + 100.0;
        int64_t b = 0;
        for (int64_t e = 0; e < length_of(u); e++)
            b += v_of(u, e);
        if (got->y[2 * u] != a || got->y[2 * u + 1] != (double)b)
            return differs(app, pass, "y", u, got->y[2 * u] != a ? got->y[2 * u] : got->y[2 * u + 1],
                           got->y[2 * u] != a ? a : (double)b);
        r[0][odd] += a;
        r[1][odd] = a < r[1][odd] ? a : r[1][odd];
        r[2][odd] = a > r[2][odd] ? a : r[2][odd];
        w[0][odd] += b;
        w[1][odd] = b < w[1][odd] ? b : w[1][odd];
        w[2][odd] = b > w[2][odd] ? b : w[2][odd];
    }
    for (int k = 0; k < 3; k++)
        for (int odd = 0; odd < (units > 1 ? REDUCED : 1); odd++) {
            if (got->real[k][odd] != r[k][odd])
                return differs(app, pass, reals[k], odd, got->real[k][odd], r[k][odd]);
            if (got->whole[k][odd] != w[k][odd])
                return differs(app, pass, wholes[k], odd, (double)got->whole[k][odd], (double)w[k][odd]);
        }
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    int status = PLB_OK;
    for (int p = 0; p < PASSES && status == PLB_OK; p++)
        status = verify_pass(app, p, &kept[p]);
    return status;
}

PLB_CUDA_ENTRY(modes_cuda); /* test/fake-cuda/modes.c */

const struct plb_kernel plb_kernel = {
    .name = "modes",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .options = options,
    .cpu = entry,
    .cuda = modes_cuda,
    .setup = setup,
    .next = next,
    .verify = verify,
};
