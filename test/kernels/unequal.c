/* unequal: units that sleep for very unlike times, and a kernel without costs. With costly = clustered the
 * last third of the units is costly, as rows of a picture may be. With costly = rare one unit in fifty is,
 * with costly = one a single one at two thirds. */
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "300", 1, 1e6, NULL, "units of the job"},
    {"costly", PLB_TEXT, "clustered", 0, 0, "clustered|rare|none|one",
     "which units take longer than the others"},
    {"us", PLB_INT, "50", 0, 1e6, NULL, "microseconds that a cheap unit sleeps"},
    {"times", PLB_INT, "40", 1, 1e6, NULL, "a costly one sleeps this many times as long"},
    {0},
};

/* On every rank. */
struct law {
    int64_t units, us, times;
    int costly; /* the place of the option's value among its choices */
};

static int doze(const struct plb_task *task)
{
    const struct law *law = task->args;
    int64_t us = 0;
    for (int64_t i = task->first; i < task->first + task->count; i++) {
        bool costly = law->costly == 0 ? 3 * i >= 2 * law->units
                    : law->costly == 1 ? i % 50 == 49
                                       : law->costly == 3 && i == 2 * law->units / 3;
        us += costly ? law->times * law->us : law->us;
    }
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&t, NULL);
    return 0;
}

static int setup(struct plb_app *app)
{
    struct law law = {plb_app_int(app, "units"), plb_app_int(app, "us"), plb_app_int(app, "times"),
                      plb_app_choice(app, "costly")};
    plb_app_units(app, law.units);
    plb_app_args(app, &law, sizeof law);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "unequal",
    PLB_KERNEL_HEAD,
    .unit = "naps",
    .summary = "sleeps for unlike times, and has no costs",
    .options = options,
    .cpu = doze,
    .setup = setup,
};
