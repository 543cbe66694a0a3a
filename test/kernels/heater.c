/* heater: each unit sleeps a millisecond, and its PU draws watts meanwhile. The joules are added to a number
 * in a file, in microjoules, for a meter of the test's own. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "milliseconds of sleep in all"},
    {"watts", PLB_REAL, "30", 0, 1e6, NULL, "that a PU draws while it sleeps"},
    {0},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int heat(const struct plb_task *task)
{
    const struct timespec unit = {.tv_nsec = 1000000};
    const double *watts = task->args;
    int file = open("heat", O_RDWR | O_CLOEXEC);
    int64_t *sum = file < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (sum == MAP_FAILED)
        return 1;
    double since = now();
    for (int64_t i = 0; i < task->count && !plb_task_cancelled(task); i++) {
        nanosleep(&unit, NULL);
        double until = now();
        __atomic_fetch_add(sum, (int64_t)(1e6 * *watts * (until - since)), __ATOMIC_RELAXED);
        since = until;
    }
    munmap(sum, 8);
    return 0;
}

static int setup(struct plb_app *app)
{
    double watts = plb_app_real(app, "watts");
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &watts, sizeof watts);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "heater",
    PLB_KERNEL_HEAD,
    .unit = "naps",
    .summary = "sleeps, and counts joules",
    .options = options,
    .cpu = heat,
    .setup = setup,
};
