/* sleeper: each unit sleeps a millisecond. For looking at what a node does while its PUs need nothing
 * from it. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "milliseconds of sleep in all"},
    {0},
};

static int doze(const struct plb_task *task)
{
    struct timespec t = {.tv_sec = task->count / 1000, .tv_nsec = task->count % 1000 * 1000000};
    nanosleep(&t, NULL);
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
