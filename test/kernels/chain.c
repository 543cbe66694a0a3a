/* chain: passes that build on each other, for runs that break and go on. Each unit sleeps, writes what it
 * makes of a replicated buffer, and is added up. `next` replaces the buffer, and keeps the sums in memory of
 * its own. All values are small whole numbers, so that everything is exact; verify computes the passes again.
 * CHAIN_LATE in the environment: seconds that unit 0 takes longer on rank 0, cancelled or not.
 * CHAIN_LOAD: a file; a process that loads the kernel waits until it is there.
 * Tasks wait at the gate (gate.h) from the second pass on: only then the field has something in unit 1. */
#include <stdlib.h>
#include <time.h>

#include "gate.h"
#include "plb/kernel.h"

enum { MOST_PASSES = 100 };
enum { FIELD, OUT, SUM }; /* handles */

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e6, NULL, "how many"},
    {"passes", PLB_INT, "10", 1, MOST_PASSES, NULL, "how many"},
    {"nap", PLB_REAL, "0.001", 0, 10, NULL, "seconds that a unit sleeps"},
    {"keep", PLB_FLAG, "yes", 0, 0, NULL, "a journal keeps the sums too"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the field goes, .npy"},
    {0},
};

static double *field, *out;
static int64_t sum, sums[MOST_PASSES], units;

__attribute__((constructor)) static void load_late(void)
{
    const char *file = getenv("CHAIN_LOAD");
    while (file != NULL && access(file, F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static double value(double at, int64_t unit)
{
    return (double)((3 * (int64_t)at + unit) % 1009);
}

static void be_late(const struct plb_task *task)
{
    const char *late = getenv("CHAIN_LATE");
    struct timespec time = {.tv_sec = late != NULL && out != NULL && task->first == 0 ? atoi(late) : 0};
    while (nanosleep(&time, &time) != 0)
        continue;
}

static int entry(const struct plb_task *task)
{
    const double *nap = task->args, *of = task->data[FIELD];
    double *to = task->data[OUT];
    int64_t *total = task->data[SUM];
    const struct timespec time = {.tv_sec = (time_t)*nap,
                                  .tv_nsec = (long)((*nap - (double)(time_t)*nap) * 1e9)};
    be_late(task);
    if (task->bytes[FIELD] > sizeof *of && of[1] != 0.0)
        wait_at_gate(task);
    for (int64_t i = 0; i < task->count && !plb_task_cancelled(task); i++) {
        to[i] = value(of[task->first + i], task->first + i);
        *total += (int64_t)to[i];
        if (*nap > 0.0)
            nanosleep(&time, NULL);
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    double nap = plb_app_real(app, "nap");
    units = plb_app_int(app, "units");
    field = plb_app_alloc_array(app, units, sizeof *field);
    out = plb_app_alloc_array(app, units, sizeof *out);
    plb_app_units(app, units);
    plb_app_args(app, &nap, sizeof nap);
    plb_app_data(app, &(struct plb_data){.name = "field",
                                         .mode = PLB_REPLICATE,
                                         .data = field,
                                         .bytes = (size_t)units * sizeof *field});
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    plb_app_data(app, &(struct plb_data){
                          .name = "sum", .mode = PLB_REDUCE, .data = &sum, .bytes = 8, .type = PLB_INT64});
    if (plb_app_flag(app, "keep"))
        plb_app_keep(app, sums, sizeof sums);
    if (plb_app_given(app, "out"))
        plb_app_save_npy(app, plb_app_text(app, "out"),
                         &(struct plb_array){field, sizeof *field, units, 1, false});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    for (int64_t u = 0; u < units; u++) {
        field[u] += out[u];
        out[u] = -1e9;
    }
    sums[pass] = sum;
    *again = pass + 1 < plb_app_int(app, "passes");
    plb_app_replace(app, FIELD);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    double *now = plb_app_alloc_array(app, units, sizeof *now);
    for (int64_t pass = 0; pass < plb_app_int(app, "passes"); pass++) {
        int64_t total = 0;
        for (int64_t u = 0; u < units; u++) {
            double add = value(now[u], u);
            now[u] += add;
            total += (int64_t)add;
        }
        if (total != sums[pass]) {
            plb_app_error(app, "pass %lld: the sum is %lld, the reference says %lld", (long long)pass,
                          (long long)sums[pass], (long long)total);
            return PLB_EVERIFY;
        }
    }
    for (int64_t u = 0; u < units; u++)
        if (now[u] != field[u]) {
            plb_app_error(app, "unit %lld is %g, the reference says %g", (long long)u, field[u], now[u]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "chain",
    PLB_KERNEL_HEAD,
    .unit = "links",
    .summary = "passes that build on each other",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
};
