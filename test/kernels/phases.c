/* Two phases over the same units, in six passes: `assign` writes, `smooth` adds up what its neighbours
 * have in a replicated buffer that is replaced after every pass. All values are small whole numbers,
 * so that everything is exact; verify plays the passes again, one unit after the other. */
#include "plb/kernel.h"

enum { ASSIGN, SMOOTH, PASSES = 6 };
enum { FIELD, TURN, OUT, SUM };           /* handles */
enum { NONE, RANGE, BELOW, ENTRY, COST }; /* choices of `fault` */

static const struct plb_option options[] = {
    {"units", PLB_INT, "2000", 1, 1e6, NULL, "how many"},
    {"start", PLB_INT, "0", -9, 99, NULL, "the phase of the first pass"},
    {"fault", PLB_TEXT, "none", 0, 0, "none|range|below|entry|cost", "which mistake"},
    {0},
};

static const int order[PASSES] = {ASSIGN, SMOOTH, SMOOTH, ASSIGN, SMOOTH, ASSIGN};

static int64_t units, turn;
static int faulty;
static double *field, *out, *kept, sum, sums[PASSES];

static double assigned(int64_t u, int64_t pass)
{
    return (double)((5 * u + 3 * pass) % 23 - 7);
}

static double smoothed(const double *of, int64_t u, int64_t n)
{
    return of[u] + 2.0 * of[(u + 1) % n] - of[(u + n - 1) % n];
}

static int assign(const struct plb_task *task)
{
    const int64_t *pass = task->data[TURN];
    double *to = task->data[OUT], *total = task->data[SUM];
    for (int64_t i = 0; i < task->count; i++)
        *total += to[i] = assigned(task->first + i, *pass);
    return 0;
}

static int smooth(const struct plb_task *task)
{
    const int64_t *args = task->args; /* units, whether to fail */
    const double *of = task->data[FIELD];
    double *to = task->data[OUT], *total = task->data[SUM];
    if (args[1] && task->first <= 500 && 500 < task->first + task->count)
        return 11;
    for (int64_t i = 0; i < task->count; i++)
        *total += to[i] = smoothed(of, task->first + i, args[0]);
    return 0;
}

static double smooth_cost(const struct plb_app *app, int64_t first, int64_t count)
{
    double work = 0.0;
    for (int64_t u = first; u < first + count; u++)
        work += (double)(1 + u % 5);
    return plb_app_choice(app, "fault") == COST ? -work : work;
}

static int setup(struct plb_app *app)
{
    units = plb_app_int(app, "units");
    faulty = plb_app_choice(app, "fault") == ENTRY;
    int64_t args[] = {units, faulty};
    field = plb_app_alloc_array(app, units, sizeof *field);
    out = plb_app_alloc_array(app, units, sizeof *out);
    kept = plb_app_alloc_array(app, units, PASSES * sizeof *kept);
    plb_app_units(app, units);
    plb_app_args(app, args, sizeof args);
    plb_app_data(app, &(struct plb_data){.name = "field",
                                         .mode = PLB_REPLICATE,
                                         .data = field,
                                         .bytes = (size_t)units * sizeof *field});
    plb_app_data(
        app, &(struct plb_data){.name = "turn", .mode = PLB_REPLICATE, .data = &turn, .bytes = sizeof turn});
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    plb_app_data(
        app, &(struct plb_data){
                 .name = "sum", .mode = PLB_REDUCE, .data = &sum, .bytes = sizeof sum, .type = PLB_FLOAT64});
    if (plb_app_int(app, "start") != 0)
        plb_app_phase(app, (int)plb_app_int(app, "start"));
    return PLB_OK;
}

/* Adds what the pass wrote to the field, and says what comes next where that is something else. */
static int next(struct plb_app *app, int64_t pass, bool *again)
{
    int fault = plb_app_choice(app, "fault");
    for (int64_t u = 0; u < units; u++) {
        kept[pass * units + u] = out[u];
        field[u] += out[u];
        out[u] = 1e9;
    }
    sums[pass] = sum;
    turn = pass + 1;
    *again = turn < PASSES;
    if (pass == 1 && fault == RANGE)
        plb_app_phase(app, 2);
    if (pass == 1 && fault == BELOW)
        plb_app_phase(app, -1);
    if (*again && order[turn] != order[pass])
        plb_app_phase(app, order[turn]);
    plb_app_replace(app, FIELD);
    plb_app_replace(app, TURN);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    double *now = plb_app_alloc_array(app, units, 2 * sizeof *now), *add = now + units;
    for (int64_t pass = 0; pass < PASSES; pass++) {
        double total = 0.0;
        for (int64_t u = 0; u < units; u++) {
            add[u] = order[pass] == ASSIGN ? assigned(u, pass) : smoothed(now, u, units);
            total += add[u];
            if (kept[pass * units + u] != add[u]) {
                plb_app_error(app, "pass %d: unit %lld is %g, the reference says %g", (int)pass, (long long)u,
                              kept[pass * units + u], add[u]);
                return PLB_EVERIFY;
            }
        }
        if (sums[pass] != total) {
            plb_app_error(app, "pass %d: the sum is %g, the reference says %g", (int)pass, sums[pass], total);
            return PLB_EVERIFY;
        }
        for (int64_t u = 0; u < units; u++)
            now[u] += add[u];
    }
    return PLB_OK;
}

static const struct plb_phase phases[] = {
    {.name = "assign", .cpu = assign},
    {.name = "smooth", .cpu = smooth, .cost = smooth_cost},
    {0},
};

const struct plb_kernel plb_kernel = {
    .name = "phases",
    PLB_KERNEL_HEAD,
    .unit = "cells",
    .options = options,
    .phases = phases,
    .setup = setup,
    .next = next,
    .verify = verify,
};
