/* A kernel that crashes in the way its option `way` names, where unit 500 is. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "plb/kernel.h"

enum { UNITS = 1000 };

/* Choices of `way`, in their order. */
enum way { NONE, SEGV, BUS, FPE, ILL, ABRT, STACK, THREAD, GANG, QUIT, SETUP, COST, VERIFY, SETUP_QUIT };

static const struct plb_option options[] = {
    {"way", PLB_TEXT, "none", 0, 0,
     "none|segv|bus|fpe|ill|abrt|stack|thread|gang|quit|setup|cost|verify|setup_quit", "how it crashes"},
    {0},
};

static double y[UNITS];

/* Writes where nothing can be written. */
static void *overrun(void *unused)
{
    static int *volatile nowhere;
    *nowhere = 1;
    return unused;
}

/* Several threads overrun at the same time, as those of a loop do. */
enum { THREADS = 4 };

static void *overrun_together(void *barrier)
{
    pthread_barrier_wait(barrier);
    return overrun(NULL);
}

static void gang(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, overrun_together, &barrier) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static int deeper(volatile char *above)
{
    volatile char room[4096];
    room[0] = *above;
    if (room[0] == 0) /* it never is; the compiler cannot know */
        return 0;
    return deeper(room) + room[0];
}

static void crash(enum way way)
{
    volatile char top = 1;
    pthread_t thread;
    switch (way) {
    case SEGV: overrun(NULL); break;
    case BUS: raise(SIGBUS); break;
    case FPE: raise(SIGFPE); break;
    case ILL: raise(SIGILL); break;
    case ABRT: abort();
    case STACK: deeper(&top); break;
    case QUIT: exit(3);
    case THREAD:
        if (pthread_create(&thread, NULL, overrun, NULL) == 0)
            pthread_join(thread, NULL);
        break;
    case GANG: gang(); break;
    default: break;
    }
}

static int entry(const struct plb_task *task)
{
    double *out = task->data[0];
    if (task->first <= 500 && 500 < task->first + task->count)
        crash(*(const enum way *)task->args);
    for (int64_t i = 0; i < task->count; i++)
        out[i] = (double)(task->first + i);
    return 0;
}

static enum way way(const struct plb_app *app)
{
    return (enum way)plb_app_choice(app, "way");
}

static int setup(struct plb_app *app)
{
    enum way chosen = way(app);
    if (chosen == SETUP)
        overrun(NULL);
    if (chosen == SETUP_QUIT)
        exit(3);
    plb_app_units(app, UNITS);
    plb_app_args(app, &chosen, sizeof chosen);
    plb_app_data(app,
                 &(struct plb_data){.name = "y", .mode = PLB_OUTPUT, .data = y, .unit_bytes = sizeof *y});
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)first;
    if (way(app) == COST)
        overrun(NULL);
    return (double)count;
}

static int verify(struct plb_app *app)
{
    if (way(app) == VERIFY)
        overrun(NULL);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "crasher",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .cost = cost,
    .verify = verify,
};
