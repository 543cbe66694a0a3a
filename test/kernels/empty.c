/* A kernel that does nothing, to see what a task costs: `work` nanoseconds per unit, spinning as a CPU does
 * or asleep as whoever waits for a GPU. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000000", 1, 1e15, NULL, "how many"},
    {"work", PLB_REAL, "0", 0, 1e12, NULL, "nanoseconds per unit"},
    {"asleep", PLB_FLAG, "no", 0, 0, NULL, "sleep instead of spinning"},
    {0},
};

struct work {
    double nanoseconds;
    bool asleep;
};

static int run(const struct plb_task *task)
{
    const struct work *work = task->args;
    double all = work->nanoseconds * (double)task->count;
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
    struct work work = {plb_app_real(app, "work"), plb_app_flag(app, "asleep")};
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &work, sizeof work);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "empty",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "nothing, or a given time",
    .options = options,
    .cpu = run,
    .setup = setup,
};
