/* filer: y = 2 x + z for numbers in files. With `memory` the same numbers are in rank 0's memory. A task
 * waits at the gate of tests. */
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"x", PLB_INPUT_FILE, NULL, 0, 0, NULL, "what is doubled, .npy"},
    {"z", PLB_INPUT_FILE, NULL, 0, 0, NULL, "one number, raw; replicated"},
    {"offset", PLB_INT, "0", -100, 1e9, NULL, "of the number in z, in bytes"},
    {"y", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the result, .npy"},
    {"raw", PLB_FLAG, "no", 0, 0, NULL, "the result is no .npy, but bytes"},
    {"width", PLB_INT, "512", 1, 1e9, NULL, "numbers of a unit"},
    {"more", PLB_INT, "0", 0, 1e9, NULL, "units beyond those of x"},
    {"memory", PLB_FLAG, "no", 0, 0, NULL, "x and y are in memory"},
    {"liar", PLB_INT, "-1", -1, 1e9, NULL, "the rank that computes wrongly"},
    {"spoils", PLB_FLAG, "no", 0, 0, NULL, "an entry writes to its input"},
    {0},
};

enum { X, Z, Y };

struct habits {
    int64_t width, liar;
    bool spoils;
};

struct state {
    int64_t n;
    double *x, *z, *y;
};

static int execute(const struct plb_task *task)
{
    const struct habits *habits = task->args;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    double *x = task->data[X], lie = rank != NULL && atoi(rank) == habits->liar;
    const double *z = task->data[Z];
    double *y = task->data[Y];
    wait_at_gate(task);
    if (habits->spoils)
        x[0] = 0.0;
    for (int64_t i = 0; i < task->count * habits->width; i++)
        y[i] = 2.0 * x[i] + *z + lie;
    return 0;
}

/* x and y: files, or memory that is read and saved. */
static int open_files(struct plb_app *app, struct state *s)
{
    bool memory = plb_app_flag(app, "memory"), raw = plb_app_flag(app, "raw");
    struct plb_data_file x = {.path = plb_app_text(app, "x"), .type = "<f8"};
    struct plb_data_file z = {
        .path = plb_app_text(app, "z"), .offset = plb_app_int(app, "offset"), .bytes = 8};
    struct plb_data_file y = {.path = plb_app_text(app, "y"), .type = raw ? NULL : "<f8", .result = true};
    struct plb_array in = {NULL, sizeof(double), 0, 0, false};
    if (plb_app_file(app, &z) != PLB_OK
        || (memory ? plb_read_npy(app, x.path, PLB_ROW_MAJOR, &in) : plb_app_file(app, &x)) != PLB_OK)
        return PLB_EINPUT;
    s->n = memory ? in.rows * in.columns : x.rows * x.columns;
    y.rows = s->n;
    y.columns = 1;
    y.bytes = raw ? (size_t)s->n * sizeof(double) : 0;
    if (!memory && plb_app_file(app, &y) != PLB_OK)
        return PLB_EINPUT;
    s->x = memory ? in.data : x.data;
    s->z = z.data;
    s->y = memory ? plb_app_alloc_array(app, s->n, sizeof(double)) : y.data;
    in.data = s->y;
    if (memory)
        plb_app_save_npy(app, y.path, &in);
    return PLB_OK;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct habits habits = {plb_app_int(app, "width"), plb_app_int(app, "liar"), plb_app_flag(app, "spoils")};
    size_t unit = (size_t)habits.width * sizeof(double);
    plb_app_set_state(app, s);
    plb_app_args(app, &habits, sizeof habits);
    if (open_files(app, s) != PLB_OK)
        return PLB_EINPUT;
    plb_app_units(app, s->n / habits.width + plb_app_int(app, "more"));
    plb_app_data(app,
                 &(struct plb_data){.name = "x", .mode = PLB_PARTITION, .data = s->x, .unit_bytes = unit});
    plb_app_data(app, &(struct plb_data){.name = "z", .mode = PLB_REPLICATE, .data = s->z, .bytes = 8});
    plb_app_data(app, &(struct plb_data){.name = "y", .mode = PLB_OUTPUT, .data = s->y, .unit_bytes = unit});
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    for (int64_t i = 0; i < s->n; i++)
        if (s->y[i] != 2.0 * s->x[i] + *s->z) {
            plb_app_error(app, "y[%lld] is wrong", (long long)i);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "filer",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "buffers that are files",
    .options = options,
    .cpu = execute,
    .setup = setup,
    .verify = verify,
};
