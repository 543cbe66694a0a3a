/* heat: a rod whose cells exchange heat with their neighbours, step by step. Each pass is a step: its results
 * are the input of the next one, with a halo of one cell. With `whole` the temperatures are replicated, as
 * the positions of an N-body job are. verify makes all steps in one loop, and compares bit by bit. Tasks wait
 * at the gate (gate.h) from the second pass on. */
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"cells", PLB_INT, "20000", 1, 1e9, NULL, "of the rod"},
    {"passes", PLB_INT, "20", 1, 100000, NULL, "steps"},
    {"whole", PLB_FLAG, "no", 0, 0, NULL, "each rank has all temperatures"},
    {"named", PLB_FLAG, "no", 0, 0, NULL, "setup says that results are going to be inputs"},
    {"every", PLB_INT, "1", 1, 1000, NULL, "results become inputs after each of so many passes"},
    {"stays", PLB_FLAG, "no", 0, 0, NULL, "the results stay where they are"},
    {"gather", PLB_INT, "0", 0, 1000, NULL, "next looks at the results of each pass of so many; 0: of none"},
    {"from", PLB_INT, "2", -1e9, 1e9, NULL, "handle of the results"},
    {"to", PLB_INT, "0", -1e9, 1e9, NULL, "handle of the input"},
    {"unlike", PLB_FLAG, "no", 0, 0, NULL,
     "a GPU's results are other ones; next looks at those of each pass"},
    {"sums", PLB_FLAG, "no", 0, 0, NULL, "cells are counted; next looks at the count of each pass"},
    {"gate", PLB_TEXT, NULL, 0, 0, NULL, "the last call of next waits for this file"},
    {"nap", PLB_REAL, "0", 0, 10, NULL, "seconds of a task"},
    {0},
};

enum { NOW, RATE, THEN, COUNT };

struct state {
    int64_t cells, passes, every, gather;
    bool stays, unlike;
    double *now, *rate, *then, *begin;
    int64_t *count; /* NULL: none is wanted */
};

struct args {
    int64_t cells;
    double nap;
    int64_t unlike, sums; /* 8 bytes: padding would not be the same in two runs */
};

#define UNLIKE 0.25 /* what a GPU's result is larger by */

/* A step of one cell; at: its place. Both ends are closed. */
__attribute__((noinline)) static double step(const double *at, double rate, bool first, bool last)
{
    double left = first ? at[0] : at[-1], right = last ? at[0] : at[1];
    return at[0] + rate * (left - 2.0 * at[0] + right);
}

static double begin_of(int64_t cell)
{
    return plb_random_real(5, (uint64_t)cell);
}

static int entry(const struct plb_task *task)
{
    const struct args *args = task->args;
    const double *now = task->data[NOW], *rate = task->data[RATE];
    double *then = task->data[THEN];
    bool whole = task->bytes[NOW] != task->bytes[RATE];
    struct timespec nap = {.tv_sec = (time_t)args->nap, .tv_nsec = (long)(args->nap * 1e9) % 1000000000};
    now += whole ? task->first : 0;
    if (now[0] != begin_of(task->first))
        wait_at_gate(task);
    nanosleep(&nap, NULL);
    for (int64_t i = 0; i < task->count; i++) {
        int64_t cell = task->first + i;
        then[i] = step(now + i, rate[i], cell == 0, cell == args->cells - 1);
    }
    if (args->sums)
        *(int64_t *)task->data[COUNT] += task->count;
    return 0;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct args args = {plb_app_int(app, "cells"), plb_app_real(app, "nap"), plb_app_flag(app, "unlike"),
                        plb_app_flag(app, "sums")};
    bool whole = plb_app_flag(app, "whole");
    int64_t n = s->cells = args.cells;
    s->passes = plb_app_int(app, "passes");
    s->every = plb_app_int(app, "every");
    s->stays = plb_app_flag(app, "stays");
    s->unlike = args.unlike;
    s->gather = plb_app_int(app, "gather");
    s->now = plb_app_alloc_array(app, n, sizeof *s->now);
    s->rate = plb_app_alloc_array(app, n, sizeof *s->rate);
    s->then = plb_app_alloc_array(app, n, sizeof *s->then);
    s->begin = plb_app_alloc_array(app, n, sizeof *s->begin);
    for (int64_t i = 0; i < n; i++) {
        s->now[i] = s->begin[i] = begin_of(i);
        s->rate[i] = 0.1 + 0.3 * plb_random_real(3, (uint64_t)i);
    }
    plb_app_set_state(app, s);
    plb_app_units(app, n);
    plb_app_args(app, &args, sizeof args);
    struct plb_data now = {.name = "now", .mode = PLB_PARTITION, .data = s->now, .unit_bytes = 8};
    now.before = now.after = 1;
    if (whole)
        now = (struct plb_data){
            .name = "now", .mode = PLB_REPLICATE, .data = s->now, .bytes = (size_t)n * sizeof *s->now};
    plb_app_data(app, &now);
    plb_app_data(app,
                 &(struct plb_data){
                     .name = "rate", .mode = PLB_PARTITION, .data = s->rate, .unit_bytes = sizeof *s->rate});
    plb_app_data(app, &(struct plb_data){.name = "then",
                                         .mode = PLB_OUTPUT,
                                         .data = s->then,
                                         .unit_bytes = sizeof *s->then,
                                         .stays = s->stays});
    s->count = args.sums ? plb_app_alloc(app, sizeof *s->count) : NULL;
    if (args.sums)
        plb_app_data(app, &(struct plb_data){.name = "count",
                                             .mode = PLB_REDUCE,
                                             .data = s->count,
                                             .bytes = sizeof *s->count,
                                             .op = PLB_SUM,
                                             .type = PLB_INT64});
    if (plb_app_flag(app, "named"))
        plb_app_feed(app, THEN, NOW);
    if (s->gather == 1)
        plb_app_gather(app, THEN);
    return PLB_OK;
}

/* Makes so many steps in one loop: the input of the last one in `a`, its result in `b`. */
static void play(const struct state *s, int64_t passes, double *a, double *b)
{
    size_t bytes = (size_t)s->cells * sizeof *a;
    memcpy(a, s->begin, bytes);
    for (int64_t pass = 0; pass < passes; pass++) {
        if (pass > 0 && pass % s->every == 0)
            memcpy(a, b, bytes);
        for (int64_t i = 0; i < s->cells; i++)
            b[i] = step(a + i, s->rate[i], i == 0, i == s->cells - 1);
    }
}

static bool is_right(const struct state *s, int64_t passes)
{
    size_t bytes = (size_t)s->cells * sizeof(double);
    double *a = malloc(2 * bytes), *b = a + s->cells;
    play(s, passes, a, b);
    bool right = memcmp(b, s->then, bytes) == 0;
    free(a);
    return right;
}

/* The first cell whose result is neither that of a CPU nor of a GPU, with the results of the last pass that
 * counted; -1: there is none. */
static int64_t odd_cell(const struct state *s)
{
    for (int64_t i = 0; i < s->cells; i++) {
        const double y = step(s->begin + i, s->rate[i], i == 0, i == s->cells - 1);
        if (s->then[i] != y && s->then[i] != y + UNLIKE)
            return i;
    }
    return -1;
}

static int say_odd(struct plb_app *app, const struct state *s, int64_t pass, int64_t cell)
{
    const double y = step(s->begin + cell, s->rate[cell], cell == 0, cell == s->cells - 1);
    return plb_app_error(app, "cell %lld of pass %lld has other inputs: its result is %.17g, and not %.17g",
                         (long long)cell, (long long)pass, s->then[cell], y);
}

static void wait_in_next(const char *gate)
{
    if (gate != NULL)
        fputs("next waits at the gate\n", stderr);
    while (gate != NULL && access(gate, F_OK) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    const struct state *s = plb_app_state(app);
    *again = pass + 1 < s->passes;
    if (!*again)
        wait_in_next(plb_app_text(app, "gate"));
    if (s->count != NULL && *s->count != s->cells)
        return plb_app_error(app, "%lld cells were counted", (long long)*s->count);
    const int64_t odd = s->unlike ? odd_cell(s) : -1;
    if (odd >= 0)
        return say_odd(app, s, pass, odd);
    if (s->unlike && (pass + 1) % s->every == 0)
        memcpy(s->begin, s->then, (size_t)s->cells * sizeof *s->then);
    if (s->gather > 0 && (pass + 1) % s->gather == 0 && !s->unlike && !is_right(s, pass + 1))
        return plb_app_error(app, "the results of pass %lld are not here", (long long)pass);
    if (s->gather > 0 && (pass + 2) % s->gather == 0)
        plb_app_gather(app, THEN);
    if ((pass + 1) % s->every == 0) /* also after the last pass: nobody copies then */
        plb_app_feed(app, (int)plb_app_int(app, "from"), (int)plb_app_int(app, "to"));
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    size_t bytes = (size_t)s->cells * sizeof *s->now;
    if (s->unlike) /* next has looked */
        return PLB_OK;
    double *a = plb_app_alloc(app, bytes), *b = plb_app_alloc(app, bytes);
    play(s, s->passes, a, b);
    for (int64_t i = 0; i < s->cells; i++)
        if (b[i] != s->then[i] || (a[i] != s->now[i] && !s->stays)) { /* then rank 0 has no input */
            plb_app_error(app, "cell %lld is %g or was %g, and not %g or %g", (long long)i, s->then[i],
                          s->now[i], b[i], a[i]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

#ifdef HEARS /* heard.c */
static void heard(struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    if (first < 0 || first + count > s->cells)
        plb_app_error(app, "units behind the last one were heard of");
}
#endif

PLB_CUDA_ENTRY(heat_cuda); /* test/fake-cuda/heat.c */

const struct plb_kernel plb_kernel = {
    .name = "heat",
    PLB_KERNEL_HEAD,
    .unit = "cells",
    .summary = "a rod in which heat spreads",
    .options = options,
    .cpu = entry,
    .cuda = heat_cuda,
    .setup = setup,
    .next = next,
    .verify = verify,
#ifdef HEARS
    .heard = heard,
#endif
    .writes_all = true,
};
