/* timed: each unit uses a given CPU time, equal for all units or not, and touches no memory. So a .cluster
 * file says exactly how long a task lasts, emulated as well as simulated: its rate is 1 / slowdown. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "how many"},
    {"work", PLB_REAL, "1e-5", 0, 1e9, NULL, "CPU seconds of a unit, in the mean"},
    {"ramp", PLB_REAL, "0", 0, 1, NULL,
     "the first unit costs so much less than the mean, the last so much more"},
    {0},
};

struct work {
    double units, seconds, ramp;
};

static struct work work_of(const struct plb_app *app)
{
    return (struct work){(double)plb_app_int(app, "units"), plb_app_real(app, "work"),
                         plb_app_real(app, "ramp")};
}

/* CPU seconds of a range: its units' costs are on a line. */
static double seconds(const struct work *w, int64_t first, int64_t count)
{
    double middle = (2.0 * (double)first + (double)count) / w->units - 1.0; /* -1 to 1 */
    return w->seconds * (double)count * (1.0 + w->ramp * middle);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int spin(const struct plb_task *task)
{
    double end = now() + seconds(task->args, task->first, task->count);
    while (now() < end)
        continue;
    return 0;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    struct work work = work_of(app);
    return seconds(&work, first, count);
}

static int setup(struct plb_app *app)
{
    struct work work = work_of(app);
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &work, sizeof work);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "timed",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "uses a given CPU time",
    .options = options,
    .cpu = spin,
    .setup = setup,
    .cost = cost,
};
