/* sleeper: each unit sleeps a millisecond. For looking at what a node does while its PUs need nothing
 * from it. A task that nobody wants any more wakes up. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "milliseconds of sleep in all"},
    {0},
};

static int doze(const struct plb_task *task)
{
    const struct timespec unit = {.tv_nsec = 1000000};
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    for (int64_t i = 0; i < task->count && !plb_task_cancelled(task); i++) {
        end.tv_nsec += unit.tv_nsec;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    plb_app_units(app, plb_app_int(app, "units"));
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "sleeper",
    PLB_KERNEL_HEAD,
    .unit = "naps",
    .summary = "sleeps",
    .options = options,
    .cpu = doze,
    .setup = setup,
};
