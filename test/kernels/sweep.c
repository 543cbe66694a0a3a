/* sweep: units of unlike costs that nobody is told, in no order: as a sweep over parameters, or a list of
 * commands. law = pareto: heavy-tailed costs. law = long: a few units cost `times` as much as the others. A
 * unit computes, or sleeps. */
#include <math.h>
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "2000", 1, 1e9, NULL, "how many"},
    {"law", PLB_TEXT, "pareto", 0, 0, "pareto|long", "what they cost"},
    {"seconds", PLB_REAL, "5e-4", 0, 1e6, NULL, "of the cheapest unit"},
    {"sleep", PLB_FLAG, "no", 0, 0, NULL, "units sleep; no: they compute"},
    {"shape", PLB_REAL, "1.3", 0.1, 100, NULL, "pareto: smaller is more unequal"},
    {"times", PLB_REAL, "60", 1, 1e6, NULL, "long: so much longer; pareto: no unit costs more"},
    {"long", PLB_INT, "2", 0, 1e9, NULL, "long: how many are long, spread evenly"},
    {"seed", PLB_INT, "1", 0, 9e15, NULL, "pareto: of the costs"},
    {0},
};

/* On every rank. */
struct law {
    int64_t units, seed, longs;
    double seconds, shape, times;
    int pareto, sleeps;
};

static double seconds_of(const struct law *law, int64_t unit)
{
    if (law->pareto) {
        double u = plb_random_real((uint64_t)law->seed, (uint64_t)unit);
        return law->seconds * fmin(pow(1.0 - u, -1.0 / law->shape), law->times);
    }
    bool is_long = (unit + 1) * law->longs / law->units > unit * law->longs / law->units;
    return is_long ? law->seconds * law->times : law->seconds;
}

static void spin(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + seconds;
    while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < end)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}

static void doze(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    nanosleep(&t, NULL);
}

static int compute(const struct plb_task *task)
{
    const struct law *law = task->args;
#pragma omp parallel for schedule(dynamic) num_threads(task->threads)
    for (int64_t i = task->first; i < task->first + task->count; i++)
        (law->sleeps ? doze : spin)(seconds_of(law, i));
    return 0;
}

static int setup(struct plb_app *app)
{
    struct law law = {.units = plb_app_int(app, "units"),
                      .seed = plb_app_int(app, "seed"),
                      .longs = plb_app_int(app, "long"),
                      .seconds = plb_app_real(app, "seconds"),
                      .shape = plb_app_real(app, "shape"),
                      .times = plb_app_real(app, "times"),
                      .pareto = plb_app_choice(app, "law") == 0,
                      .sleeps = plb_app_flag(app, "sleep")};
    plb_app_units(app, law.units);
    plb_app_args(app, &law, sizeof law);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "sweep",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "units of unlike costs that nobody is told",
    .options = options,
    .cpu = compute,
    .setup = setup,
};
