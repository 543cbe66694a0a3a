/* deadly: some units kill their executor, but not where the environment has DEADLY_SPARES. Unit u writes
 * u + 1, and a task takes a tenth of a millisecond for each of its units. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "units in all"},
    {"bad", PLB_TEXT, "", 0, 0, NULL, "the units that kill, with commas"},
    {"thread", PLB_FLAG, "no", 0, 0, NULL, "it is a thread of the task that crashes"},
    {"passes", PLB_INT, "1", 1, 100, NULL, "passes over the units"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the numbers of the units go, .npy"},
    {0},
};

enum { MOST = 16 };

struct habits {
    bool thread;
    int n;
    int64_t bad[MOST];
};

static void *crash(void *unused)
{
    static int *volatile nowhere;
    *nowhere = 1;
    return unused;
}

static void kill(const struct habits *habits)
{
    pthread_t thread;
    if (!habits->thread)
        crash(NULL);
    if (pthread_create(&thread, NULL, crash, NULL) == 0)
        pthread_join(thread, NULL);
}

static int entry(const struct plb_task *task)
{
    const struct habits *habits = task->args;
    const struct timespec time = {.tv_nsec = 100000 * (task->count < 1000 ? task->count : 1000)};
    for (int i = 0; i < habits->n && getenv("DEADLY_SPARES") == NULL; i++)
        if (habits->bad[i] >= task->first && habits->bad[i] < task->first + task->count)
            kill(habits);
    nanosleep(&time, NULL);
    for (int64_t i = 0; i < task->count; i++)
        ((double *)task->data[0])[i] = (double)(task->first + i + 1);
    return 0;
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    struct habits habits = {.thread = plb_app_flag(app, "thread")};
    char *at = (char *)(size_t)plb_app_text(app, "bad");
    while (*at != '\0' && habits.n < MOST) {
        habits.bad[habits.n++] = strtoll(at, &at, 10);
        at += *at == ',';
    }
    plb_app_units(app, units);
    plb_app_args(app, &habits, sizeof habits);
    double *out = plb_app_alloc_array(app, units, sizeof *out);
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    if (plb_app_given(app, "out"))
        plb_app_save_npy(app, plb_app_text(app, "out"),
                         &(struct plb_array){out, sizeof *out, units, 1, false});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    *again = pass + 1 < plb_app_int(app, "passes");
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    (void)app;
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "deadly",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "kills its executors",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
};
