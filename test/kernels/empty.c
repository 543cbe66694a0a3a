/* A kernel that does nothing, to see what a task costs: `work` nanoseconds of spinning per unit. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000000", 1, 1e15, NULL, "how many"},
    {"work", PLB_REAL, "0", 0, 1e12, NULL, "nanoseconds of spinning per unit"},
    {0},
};

static int run(const struct plb_task *task)
{
    const double *nanoseconds = task->args;
    if (*nanoseconds <= 0.0)
        return 0;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double end = (double)t.tv_sec * 1e9 + (double)t.tv_nsec + *nanoseconds * (double)task->count;
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while ((double)t.tv_sec * 1e9 + (double)t.tv_nsec < end);
    return 0;
}

static int setup(struct plb_app *app)
{
    double work = plb_app_real(app, "work");
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &work, sizeof work);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    PLB_KERNEL_HEAD,
    .name = "empty",
    .unit = "units",
    .summary = "nothing, or a given time",
    .options = options,
    .cpu = run,
    .setup = setup,
};
