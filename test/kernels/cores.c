/* Says on which cores its functions run. An entry fails where its process's first thread, which talks to the
 * other ranks, may run elsewhere; `next` fails where it may not run wherever `setup` might. */
#include "plb/kernel.h"

#include <sched.h>
#include <unistd.h>

static cpu_set_t all;

static int run(const struct plb_task *task)
{
    cpu_set_t own, first;
    (void)task;
    if (sched_getaffinity(0, sizeof own, &own) != 0 || sched_getaffinity(getpid(), sizeof first, &first) != 0)
        return 1;
    return !CPU_EQUAL(&own, &first);
}

static int setup(struct plb_app *app)
{
    plb_app_units(app, 100);
    return sched_getaffinity(0, sizeof all, &all) == 0 ? PLB_OK : PLB_EFAILED;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    cpu_set_t now;
    (void)app;
    *again = pass < 2;
    return sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all) ? PLB_OK : PLB_EFAILED;
}

const struct plb_kernel plb_kernel = {
    .name = "cores",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "says on which cores its functions run",
    .cpu = run,
    .setup = setup,
    .next = next,
};
