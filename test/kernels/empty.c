/* A kernel that does nothing, to see what a task costs: `work` nanoseconds per unit, spinning as a CPU does
 * or asleep as whoever waits for a GPU. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000000", 1, 1e15, NULL, "how many"},
    {"work", PLB_REAL, "0", 0, 1e12, NULL, "nanoseconds per unit"},
    {"asleep", PLB_FLAG, "no", 0, 0, NULL, "sleep instead of spinning"},
    {"reduce", PLB_FLAG, "no", 0, 0, NULL, "units are counted in a reduced array"},
    {0},
};

struct work {
    double nanoseconds;
    bool asleep, reduce;
};

static int64_t counted;

static int run(const struct plb_task *task)
{
    const struct work *work = task->args;
    double all = work->nanoseconds * (double)task->count;
    if (work->reduce)
        *(int64_t *)task->data[0] += task->count;
    if (all <= 0.0)
        return 0;
    struct timespec t = {(time_t)(all * 1e-9), (long)(all - 1e9 * (double)(time_t)(all * 1e-9))};
    if (work->asleep)
        return nanosleep(&t, NULL);
    clock_gettime(CLOCK_MONOTONIC, &t);
    double end = (double)t.tv_sec * 1e9 + (double)t.tv_nsec + all;
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while ((double)t.tv_sec * 1e9 + (double)t.tv_nsec < end);
    return 0;
}

static int setup(struct plb_app *app)
{
    struct work work = {plb_app_real(app, "work"), plb_app_flag(app, "asleep"), plb_app_flag(app, "reduce")};
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &work, sizeof work);
    if (work.reduce)
        plb_app_data(app, &(struct plb_data){.name = "counted",
                                             .mode = PLB_REDUCE,
                                             .data = &counted,
                                             .bytes = sizeof counted,
                                             .type = PLB_INT64});
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    if (!plb_app_flag(app, "reduce") || counted == units)
        return PLB_OK;
    plb_app_error(app, "%lld units were counted, and there are %lld", (long long)counted, (long long)units);
    return PLB_EVERIFY;
}

const struct plb_kernel plb_kernel = {
    .name = "empty",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "nothing, or a given time",
    .options = options,
    .cpu = run,
    .setup = setup,
    .verify = verify,
};
