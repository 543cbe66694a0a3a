/* rod: numbers along a line that mix with their neighbours, pass by pass; for checking what passes promise on
 * GPUs. Results are the inputs of the next pass, with a halo of one unit, and may stay. Two phases take
 * turns: one adds a table, the other subtracts it. Between passes one number of the table is replaced.
 *
 * Factors are powers of two, so that CPUs and GPUs compute the same bits. */
#include <string.h>

#include "plb/kernel.h"

enum { NOW, TABLE, THEN }; /* handles */
enum { NUMBERS = 1024 };   /* of the table */

static const struct plb_option options[] = {
    {"cells", PLB_INT, "100000", 1, 1e12, NULL, "how many"},
    {"passes", PLB_INT, "10", 1, 1e6, NULL, "how many"},
    {"stays", PLB_FLAG, "no", 0, 0, NULL, "results stay where they are computed"},
    {0},
};

static double *now, *then, *table;
static int64_t cells, passes;

static double begin_of(int64_t cell)
{
    return (double)(cell * 7 % 1013);
}

static double mix(const double *at, int64_t cell, double more)
{
    double left = cell == 0 ? at[0] : at[-1], right = cell == cells - 1 ? at[0] : at[1];
    return 0.5 * at[0] + 0.25 * (left + right) + more;
}

static void step(double sign, const double *from, const double *numbers, int64_t first, int64_t count,
                 double *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = mix(from + i, first + i, sign * numbers[(first + i) % NUMBERS]);
}

static int add(const struct plb_task *task)
{
    cells = *(const int64_t *)task->args;
    step(1.0, task->data[NOW], task->data[TABLE], task->first, task->count, task->data[THEN]);
    return 0;
}

static int subtract(const struct plb_task *task)
{
    cells = *(const int64_t *)task->args;
    step(-1.0, task->data[NOW], task->data[TABLE], task->first, task->count, task->data[THEN]);
    return 0;
}

static int setup(struct plb_app *app)
{
    cells = plb_app_int(app, "cells");
    passes = plb_app_int(app, "passes");
    now = plb_app_alloc_array(app, cells, sizeof *now);
    then = plb_app_alloc_array(app, cells, sizeof *then);
    table = plb_app_alloc_array(app, NUMBERS, sizeof *table);
    for (int64_t i = 0; i < cells; i++)
        now[i] = begin_of(i);
    plb_app_units(app, cells);
    plb_app_args(app, &cells, sizeof cells);
    plb_app_data(app, &(struct plb_data){.name = "now",
                                         .mode = PLB_PARTITION,
                                         .data = now,
                                         .unit_bytes = sizeof *now,
                                         .before = 1,
                                         .after = 1});
    plb_app_data(
        app, &(struct plb_data){
                 .name = "table", .mode = PLB_REPLICATE, .data = table, .bytes = NUMBERS * sizeof *table});
    plb_app_data(app, &(struct plb_data){.name = "then",
                                         .mode = PLB_OUTPUT,
                                         .data = then,
                                         .unit_bytes = sizeof *then,
                                         .stays = plb_app_flag(app, "stays")});
    plb_app_feed(app, THEN, NOW);
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    *again = pass + 1 < passes;
    table[pass % NUMBERS] += 1.0;
    plb_app_replace_part(app, TABLE, (size_t)(pass % NUMBERS) * sizeof *table, sizeof *table);
    plb_app_phase(app, (int)((pass + 1) % 2));
    plb_app_feed(app, THEN, NOW);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    double *a = plb_app_alloc_array(app, cells, sizeof *a), *b = plb_app_alloc_array(app, cells, sizeof *b);
    double numbers[NUMBERS] = {0.0};
    for (int64_t i = 0; i < cells; i++)
        a[i] = begin_of(i);
    for (int64_t pass = 0; pass < passes; pass++) {
        step(pass % 2 == 0 ? 1.0 : -1.0, a, numbers, 0, cells, b);
        numbers[pass % NUMBERS] += 1.0;
        memcpy(a, b, (size_t)cells * sizeof *a);
    }
    for (int64_t i = 0; i < cells; i++)
        if (then[i] != b[i]) {
            plb_app_error(app, "cell %lld is %.17g, the reference says %.17g", (long long)i, then[i], b[i]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

PLB_CUDA_ENTRY(rod_add_cuda);
PLB_CUDA_ENTRY(rod_subtract_cuda);

static const struct plb_phase phases[] = {
    {.name = "add", .cpu = add, .cuda = rod_add_cuda},
    {.name = "subtract", .cpu = subtract, .cuda = rod_subtract_cuda},
    {.name = NULL},
};

const struct plb_kernel plb_kernel = {
    .name = "rod",
    PLB_KERNEL_HEAD,
    .unit = "cells",
    .options = options,
    .phases = phases,
    .setup = setup,
    .next = next,
    .verify = verify,
    .writes_all = true,
};
