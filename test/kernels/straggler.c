/* straggler: units sleep, and one PU is late once: it sleeps long in one of its tasks, or never returns from
 * it. The results are whole numbers, so that they are exactly right or wrong. Built with PASSES there are
 * several passes; each doubles what is added to the results, in a buffer that is replaced. Built with TOLD
 * the cost of units is known. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "200", 1, 1e9, NULL, "how many"},
    {"nap", PLB_REAL, "2", 0, 1e9, NULL, "milliseconds that a unit sleeps"},
    {"rank", PLB_INT, "1", 0, 1e9, NULL, "of the PU that is late"},
    {"pu", PLB_INT, "0", 0, 1e9, NULL, "which of the rank's PUs, in the order of their first tasks"},
    {"after", PLB_INT, "10", 0, 1e9, NULL, "units that it executes before"},
    {"late", PLB_REAL, "1000", 0, 1e9, NULL, "milliseconds that it sleeps then"},
    {"hangs", PLB_FLAG, "no", 0, 0, NULL, "it sleeps for ever, and does not ask whether it is cancelled"},
    {"tell", PLB_FLAG, "no", 0, 0, NULL, "it says so"},
    {"deaf", PLB_FLAG, "no", 0, 0, NULL,
     "nor does it while it is late, and then it writes what is wrong where others may have results"},
    {"reduce", PLB_FLAG, "no", 0, 0, NULL, "units are summed up, too"},
#ifdef PASSES
    {"passes", PLB_INT, "3", 1, 1e9, NULL, "how many"},
#endif
    {0},
};

enum { ADDED, IN, OUT, SUM };

struct habits {
    double nap, late;
    int64_t rank, pu, after;
    bool hangs, tells, deaf, reduce;
};

/* Rank 0's. */
struct state {
    int64_t units, passes, added, *in, *out, *sum;
};

static atomic_int n_threads;
static _Thread_local int thread = -1;
static _Thread_local int64_t executed;

static void nap(double milliseconds)
{
    struct timespec t = {.tv_sec = (time_t)(milliseconds * 1e-3)};
    t.tv_nsec = (long)(milliseconds * 1e6 - (double)t.tv_sec * 1e9);
    nanosleep(&t, NULL);
}

static int my_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank != NULL ? atoi(rank) : 0;
}

/* The behaviour of the late PU in the task in which it is late. */
static void be_late(const struct plb_task *task, const struct habits *habits)
{
    if (habits->tells)
        fputs("straggler: late\n", stderr);
    while (habits->hangs)
        nap(1000.0);
    for (double slept = 0.0; slept < habits->late && (habits->deaf || !plb_task_cancelled(task));
         slept += 1.0)
        nap(1.0);
    for (int64_t i = 0; i < task->count && habits->deaf && plb_task_cancelled(task); i++)
        ((int64_t *)task->data[OUT])[i] = -2;
}

static int execute(const struct plb_task *task)
{
    const struct habits *habits = task->args;
    const int64_t *added = task->data[ADDED], *in = task->data[IN];
    int64_t *out = task->data[OUT];
    thread = thread < 0 ? atomic_fetch_add(&n_threads, 1) : thread;
    for (int64_t i = 0; i < task->count; i++)
        out[i] = -1; /* as an entry may write what is not the result yet */
    int64_t before = executed;
    executed += task->count;
    if (before <= habits->after && executed > habits->after && my_rank() == habits->rank
        && thread == habits->pu)
        be_late(task, habits);
    if (plb_task_cancelled(task))
        return 1; /* with half of its outputs: nobody wants them */
    nap(habits->nap * (double)task->count);
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 3 * in[i] + *added;
    for (int64_t i = 0; i < task->count && habits->reduce; i++)
        *(int64_t *)task->data[SUM] += out[i];
    return 0;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct habits habits = {
        plb_app_real(app, "nap"),  plb_app_real(app, "late"), plb_app_int(app, "rank"),
        plb_app_int(app, "pu"),    plb_app_int(app, "after"), plb_app_flag(app, "hangs"),
        plb_app_flag(app, "tell"), plb_app_flag(app, "deaf"), plb_app_flag(app, "reduce")};
    *s = (struct state){.units = plb_app_int(app, "units"), .passes = 1, .added = 1};
#ifdef PASSES
    s->passes = plb_app_int(app, "passes");
#endif
    s->in = plb_app_alloc_array(app, s->units, sizeof *s->in);
    s->out = plb_app_alloc_array(app, s->units, sizeof *s->out);
    s->sum = plb_app_alloc(app, sizeof *s->sum);
    for (int64_t i = 0; i < s->units; i++)
        s->in[i] = i;
    plb_app_set_state(app, s);
    plb_app_units(app, s->units);
    plb_app_args(app, &habits, sizeof habits);
    plb_app_data(app,
                 &(struct plb_data){
                     .name = "added", .mode = PLB_REPLICATE, .data = &s->added, .bytes = sizeof s->added});
    plb_app_data(app, &(struct plb_data){
                          .name = "in", .mode = PLB_PARTITION, .data = s->in, .unit_bytes = sizeof *s->in});
    plb_app_data(app, &(struct plb_data){
                          .name = "out", .mode = PLB_OUTPUT, .data = s->out, .unit_bytes = sizeof *s->out});
    if (habits.reduce)
        plb_app_data(app, &(struct plb_data){.name = "sum",
                                             .mode = PLB_REDUCE,
                                             .data = s->sum,
                                             .bytes = sizeof *s->sum,
                                             .op = PLB_SUM,
                                             .type = PLB_INT64});
    return PLB_OK;
}

/* PLB_OK where the results of the pass are right. */
static int check(struct plb_app *app, int64_t pass)
{
    const struct state *s = plb_app_state(app);
    int64_t sum = 0;
    for (int64_t i = 0; i < s->units; i++) {
        int64_t right = 3 * i + s->added;
        sum += right;
        if (s->out[i] != right)
            return plb_app_error(app, "unit %lld is %lld after pass %lld, and should be %lld", (long long)i,
                                 (long long)s->out[i], (long long)pass, (long long)right);
    }
    if (plb_app_flag(app, "reduce") && *s->sum != sum)
        return plb_app_error(app, "the sum is %lld after pass %lld, and should be %lld", (long long)*s->sum,
                             (long long)pass, (long long)sum);
    return PLB_OK;
}

#ifdef PASSES
static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    if (check(app, pass) != PLB_OK)
        return PLB_EINPUT;
    *again = pass + 1 < s->passes;
    if (*again) {
        s->added *= 2;
        plb_app_replace(app, ADDED);
    }
    return PLB_OK;
}
#endif

#ifdef TOLD
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)app;
    (void)first;
    return (double)count;
}
#endif

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    return check(app, s->passes - 1) == PLB_OK ? PLB_OK : PLB_EVERIFY;
}

const struct plb_kernel plb_kernel = {
    .name = "straggler",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "one PU is late",
    .options = options,
    .cpu = execute,
    .setup = setup,
#ifdef TOLD
    .cost = cost,
#endif
#ifdef PASSES
    .next = next,
#endif
    .verify = verify,
};
