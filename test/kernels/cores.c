/* Says on which cores its functions run. An entry fails where its process's first thread, which talks to the
 * other ranks, may run elsewhere, or still has the threads of OpenMP that `setup` has used. `next` fails
 * where it may not run wherever `setup` might.
 *
 * With the option `looks` = fold or agree, that function looks instead of the entry, by a region of OpenMP in
 * the first thread. `finish` fails where that had threads that may not run wherever the first thread might
 * before, or where there was none. */
#include "plb/kernel.h"

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define TEAM 3
#define PATIENCE 1000 /* ms for a thread to end */

static cpu_set_t all;        /* of the first thread, before it talks */
static struct seen {         /* in the first threads of all ranks */
    int64_t regions, narrow; /* of OpenMP; their threads that may not run everywhere */
} seen[2];                   /* by fold, by agree */
static pid_t team[TEAM];     /* of setup, which runs in rank 0's process alone; 0: none */

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

/* The kernel is loaded on every rank, before it talks to the others. */
__attribute__((constructor)) static void note_all(void)
{
    sched_getaffinity(0, sizeof all, &all);
}

static void look(struct seen *by)
{
    int narrow = 0;
    if (gettid() != getpid())
        return;
#pragma omp parallel num_threads(TEAM) reduction(+ : narrow)
    {
        cpu_set_t now;
        narrow += sched_getaffinity(0, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &all);
    }
    by->regions++;
    by->narrow += narrow;
}

static void fold(const struct plb_folding *folding)
{
    struct seen *into = folding->into;
    const struct seen *from = folding->from;
    into->regions += from->regions;
    into->narrow += from->narrow;
    look(into);
}

static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    (void)app;
    (void)results;
    look(&seen[1]);
    return PLB_SAME;
}

static int run(const struct plb_task *task)
{
    cpu_set_t own, first;
    if (task->args != NULL)
        return 0;
    if (sched_getaffinity(0, sizeof own, &own) != 0 || sched_getaffinity(getpid(), sizeof first, &first) != 0)
        return 1;
    return !CPU_EQUAL(&own, &first) || !has_ended();
}

static int setup(struct plb_app *app)
{
    static const struct seen none;
    plb_app_units(app, 100);
    if (strcmp(plb_app_text(app, "looks"), "entry") != 0) {
        plb_app_args(app, "", 1);
        plb_app_data(app, &(struct plb_data){.name = "seen",
                                             .mode = PLB_REDUCE,
                                             .data = &seen[0],
                                             .bytes = sizeof seen[0],
                                             .op = PLB_OWN_FOLD,
                                             .neutral = &none});
    }
#pragma omp parallel num_threads(TEAM)
    team[omp_get_thread_num()] = gettid();
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    cpu_set_t now;
    (void)app;
    *again = pass < 2;
    return sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all) ? PLB_OK : PLB_EFAILED;
}

static int finish(struct plb_app *app)
{
    const char *looks = plb_app_text(app, "looks");
    const struct seen *by = &seen[strcmp(looks, "agree") == 0];
    if (strcmp(looks, "entry") == 0 || (by->regions > 0 && by->narrow == 0))
        return PLB_OK;
    return plb_app_error(app, "%s: %lld regions, %lld threads that may not run everywhere", looks,
                         (long long)by->regions, (long long)by->narrow);
}

static const struct plb_option options[] = {
    {"looks", PLB_TEXT, "entry", 0, 0, "entry|fold|agree", "which function"},
    {0},
};

const struct plb_kernel plb_kernel = {
    .name = "cores",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "says on which cores its functions run",
    .options = options,
    .cpu = run,
    .setup = setup,
    .next = next,
    .finish = finish,
    .agree = agree,
    .fold = fold,
};
