/* faulty: unit u's result is u, but for one unit, at which a GPU does what it must not; for checking how
 * plbrun ends then. */
#include "plb/kernel.h"

struct faulty {
    int64_t bad;
};

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000000", 1, 1e12, NULL, "how many"},
    {"bad", PLB_INT, "-1", -1, 1e12, NULL, "the unit at which a GPU writes where nothing is; -1: none"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the results go, .npy; nowhere where not given"},
    {0},
};

static int entry(const struct plb_task *task)
{
    double *out = task->data[0];
    for (int64_t i = 0; i < task->count; i++)
        out[i] = (double)(task->first + i);
    return 0;
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    struct faulty faulty = {plb_app_int(app, "bad")};
    double *out = plb_app_simulated(app) ? NULL : plb_app_alloc_array(app, units, sizeof *out);
    plb_app_set_state(app, out);
    plb_app_units(app, units);
    plb_app_args(app, &faulty, sizeof faulty);
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    return PLB_OK;
}

static int finish(struct plb_app *app)
{
    const char *path = plb_app_text(app, "out");
    struct plb_array all = {plb_app_state(app), sizeof(double), plb_app_int(app, "units"), 1, false};
    return path != NULL ? plb_write_npy(app, path, &all) : PLB_OK;
}

PLB_CUDA_ENTRY(faulty_cuda);

const struct plb_kernel plb_kernel = {
    .name = "faulty",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .options = options,
    .cpu = entry,
    .cuda = faulty_cuda,
    .setup = setup,
    .finish = finish,
};
