/* sleeper: each unit sleeps a millisecond. For looking at what a node does while its PUs need nothing
 * from it. A task that nobody wants any more wakes up, and says so with `tell`. With `out` unit u also writes
 * u + 1. Where the variable PLB_TEST_LATE is set, half a second passes until the kernel is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "milliseconds of sleep in all"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the numbers of the units go, .npy"},
    {"tell", PLB_FLAG, "no", 0, 0, NULL, "a task that is cancelled says so"},
    {0},
};

__attribute__((constructor)) static void be_late(void)
{
    if (getenv("PLB_TEST_LATE") != NULL)
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
}

struct habits {
    bool writes, tells;
};

static int doze(const struct plb_task *task)
{
    const struct timespec unit = {.tv_nsec = 1000000};
    const struct habits *habits = task->args;
    struct timespec end;
    wait_at_gate(task);
    clock_gettime(CLOCK_MONOTONIC, &end);
    for (int64_t i = 0; i < task->count && !plb_task_cancelled(task); i++) {
        end.tv_nsec += unit.tv_nsec;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        if (habits->writes)
            ((double *)task->data[0])[i] = (double)(task->first + i + 1);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
    }
    if (habits->tells && plb_task_cancelled(task))
        fputs("sleeper: cancelled\n", stderr);
    return 0;
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    struct habits habits = {plb_app_given(app, "out"), plb_app_flag(app, "tell")};
    plb_app_units(app, units);
    plb_app_args(app, &habits, sizeof habits);
    if (!habits.writes)
        return PLB_OK;
    double *out = plb_app_alloc_array(app, units, sizeof *out);
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    plb_app_save_npy(app, plb_app_text(app, "out"), &(struct plb_array){out, sizeof *out, units, 1, false});
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
