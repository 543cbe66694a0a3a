/* sums: a large reduced array of whole numbers, which has each unit once or the result is wrong. Its fold can
 * last long where it folds arrays of several units, so that a test finds a rank while it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e8, NULL, "how many"},
    {"entries", PLB_INT, "100000", 1, 1e8, NULL, "of the array, 8 bytes each"},
    {"passes", PLB_INT, "2", 1, 1000, NULL, "how many"},
    {"nap", PLB_REAL, "0", 0, 1, NULL, "seconds of sleep per unit"},
    {"fold_nap", PLB_REAL, "0", 0, 10, NULL, "seconds of sleep in a fold of two sets"},
    {"labels", PLB_FLAG, "no", 0, 0, NULL, "each unit has an output, which stays where it is computed"},
    {0},
};

struct args {
    int64_t entries, labels;
    double nap, fold_nap;
};

static int64_t *sums, *labels;

static int64_t entry_of(int64_t unit, int64_t entries)
{
    return 1 + (int64_t)(plb_random_bits(3, (uint64_t)unit) % (uint64_t)(entries - 1));
}

static void sleep_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0.0)
        nanosleep(&t, NULL);
}

/* Entry 0 counts units. */
static int entry(const struct plb_task *task)
{
    const struct args *args = task->args;
    int64_t *array = task->data[0], *own = args->labels ? task->data[1] : NULL;
    wait_at_gate(task);
    for (int64_t u = task->first; u < task->first + task->count; u++) {
        array[0]++;
        if (args->entries > 1)
            array[entry_of(u, args->entries)] += u + 1;
        if (own != NULL)
            own[u - task->first] = 7 * u;
    }
    sleep_for(args->nap * (double)task->count);
    return 0;
}

static void fold(const struct plb_folding *folding)
{
    const struct args *args = folding->args;
    int64_t *into = folding->into;
    const int64_t *from = folding->from;
    if (args->fold_nap > 0.0 && into[0] > 0 && from[0] > 0) {
        fputs("a fold begins\n", stderr);
        sleep_for(args->fold_nap);
    }
    for (int64_t i = 0; i < args->entries; i++)
        into[i] += from[i];
}

static int setup(struct plb_app *app)
{
    struct args args = {plb_app_int(app, "entries"), plb_app_flag(app, "labels"), plb_app_real(app, "nap"),
                        plb_app_real(app, "fold_nap")};
    int64_t units = plb_app_int(app, "units");
    plb_app_units(app, units);
    plb_app_args(app, &args, sizeof args);
    sums = plb_app_alloc(app, (size_t)args.entries * sizeof *sums);
    plb_app_data(app, &(struct plb_data){.name = "sums",
                                         .mode = PLB_REDUCE,
                                         .data = sums,
                                         .bytes = (size_t)args.entries * sizeof *sums,
                                         .op = args.fold_nap > 0.0 ? PLB_OWN_FOLD : PLB_SUM,
                                         .type = PLB_INT64});
    if (!plb_app_flag(app, "labels"))
        return PLB_OK;
    labels = plb_app_alloc(app, (size_t)units * sizeof *labels);
    plb_app_data(app, &(struct plb_data){.name = "labels",
                                         .mode = PLB_OUTPUT,
                                         .data = labels,
                                         .unit_bytes = sizeof *labels,
                                         .stays = true});
    return PLB_OK;
}

/* Whether all arrays have what they should. Called after each pass. */
static bool right(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units"), entries = plb_app_int(app, "entries");
    int64_t *expected = calloc((size_t)entries, sizeof *expected);
    bool same = expected != NULL;
    for (int64_t u = 0; u < units && same; u++) {
        expected[0]++;
        if (entries > 1)
            expected[entry_of(u, entries)] += u + 1;
    }
    same = same && memcmp(expected, sums, (size_t)entries * sizeof *sums) == 0;
    free(expected);
    return same;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    *again = pass + 1 < plb_app_int(app, "passes");
    return right(app) ? PLB_OK : plb_app_error(app, "the sums of pass %d are wrong", (int)pass);
}

static int verify(struct plb_app *app)
{
    bool same = right(app);
    for (int64_t u = 0; u < plb_app_int(app, "units") && labels != NULL; u++)
        same = same && labels[u] == 7 * u;
    if (same)
        return PLB_OK;
    plb_app_error(app, "the sums or labels are wrong");
    return PLB_EVERIFY;
}

const struct plb_kernel plb_kernel = {
    .name = "sums",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .summary = "a large reduced array",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
    .fold = fold,
};
