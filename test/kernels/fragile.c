/* fragile: unit u writes u + 1 and adds it to a sum, in threads of OpenMP. With `bad` a task that has one of
 * four units writes nonsense everywhere, and ends its process: unit 100 by a null pointer, 200 by abort, 300
 * by exit, 400 by a division by zero. With `once` each of them does so once: a file says that it has. Unit
 * 500 never ends with `hangs`. With `all` each task ends like that of unit 100. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "plb/kernel.h"

enum { UNITS = 600, PATH = 500 };

static const struct plb_option options[] = {
    {"bad", PLB_FLAG, "no", 0, 0, NULL, "units 100, 200, 300 and 400 end their process"},
    {"hangs", PLB_FLAG, "no", 0, 0, NULL, "unit 500 never ends"},
    {"all", PLB_FLAG, "no", 0, 0, NULL, "all units end their process"},
    {"own", PLB_FLAG, "no", 0, 0, NULL, "outputs are memory of the kernel, and not plbrun's"},
    {"once", PLB_TEXT, NULL, 0, 0, NULL, "begin of the names of files that say which unit was bad before"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where outputs and sum go, .npy"},
    {0},
};

struct habits {
    bool bad, hangs, all;
    char once[PATH];
};

static double own[UNITS + 1];

/* Whether the unit is bad now. */
static bool strikes(const struct habits *h, const struct plb_task *task, int64_t unit)
{
    char path[PATH + 30];
    if (unit < task->first || task->first + task->count <= unit)
        return false;
    if (h->once[0] == '\0')
        return true;
    snprintf(path, sizeof path, "%s.%lld", h->once, (long long)unit);
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static void end_process(int64_t unit)
{
    static int *volatile nowhere;
    volatile int zero = 0;
    switch (unit) {
    case 100: *nowhere = 1; break;
    case 200: abort();
    case 300: exit(3);
    default: zero = 7 / zero;
    }
}

static int entry(const struct plb_task *task)
{
    const struct habits *h = task->args;
    double *out = task->data[0], *sum = task->data[1], added = 0.0;
    for (int64_t unit = 100; unit <= 400 && h->bad; unit += 100)
        if (strikes(h, task, unit)) {
            for (int64_t i = 0; i < task->count; i++)
                out[i] = -1.0;
            *sum = -1e9;
            end_process(unit);
        }
    if (h->all)
        end_process(100);
    if (h->hangs && strikes(h, task, 500)) {
        fputs("a cup hangs\n", stderr);
        for (;;)
            pause();
    }
#pragma omp parallel for reduction(+ : added)
    for (int64_t i = 0; i < task->count; i++) {
        out[i] = (double)(task->first + i + 1);
        added += out[i];
    }
    *sum += added;
    return 0;
}

static int setup(struct plb_app *app)
{
    struct habits h = {plb_app_flag(app, "bad"), plb_app_flag(app, "hangs"), plb_app_flag(app, "all"), ""};
    const char *once = plb_app_text(app, "once");
    if (once != NULL)
        snprintf(h.once, sizeof h.once, "%s", once);
    double *out = plb_app_flag(app, "own") ? own : plb_app_alloc_array(app, UNITS + 1, sizeof *out);
    plb_app_units(app, UNITS);
    plb_app_args(app, &h, sizeof h);
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    plb_app_data(app, &(struct plb_data){.name = "sum",
                                         .mode = PLB_REDUCE,
                                         .data = out + UNITS,
                                         .bytes = sizeof *out,
                                         .op = PLB_SUM,
                                         .type = PLB_FLOAT64});
    if (plb_app_given(app, "out"))
        plb_app_save_npy(app, plb_app_text(app, "out"),
                         &(struct plb_array){out, sizeof *out, UNITS + 1, 1, false});
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)app;
    (void)first;
    return (double)count;
}

const struct plb_kernel plb_kernel = {
    .name = "fragile",
    PLB_KERNEL_HEAD,
    .unit = "cups",
    .summary = "breaks",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .cost = cost,
};
