/* Says on which cores its functions run. An entry fails where its process's first thread, which talks to the
 * other ranks, may run elsewhere, or still has the threads of OpenMP that `setup` has used. `next` fails
 * where it may not run wherever `setup` might. */
#include "plb/kernel.h"

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#define TEAM 3
#define PATIENCE 1000 /* ms for a thread to end */

static cpu_set_t all;
static pid_t team[TEAM]; /* of setup, which runs in rank 0's process alone; 0: none */

/* Whether the threads of setup have ended, but for the first one, which talks to the other ranks. */
static int has_ended(void)
{
    for (int i = 1, waits = 0; i < TEAM && team[i] != 0; i++)
        while (tgkill(getpid(), team[i], 0) == 0) {
            if (waits++ == PATIENCE)
                return 0;
            usleep(1000);
        }
    return 1;
}

static int run(const struct plb_task *task)
{
    cpu_set_t own, first;
    (void)task;
    if (sched_getaffinity(0, sizeof own, &own) != 0 || sched_getaffinity(getpid(), sizeof first, &first) != 0)
        return 1;
    return !CPU_EQUAL(&own, &first) || !has_ended();
}

static int setup(struct plb_app *app)
{
    plb_app_units(app, 100);
#pragma omp parallel num_threads(TEAM)
    team[omp_get_thread_num()] = gettid();
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
