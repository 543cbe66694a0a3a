/* An entry that writes only some of its units, others in the second pass. The rest must be zero: neither what
 * setup put there, nor what another task or pass has left. It fails where a part is not aligned, or MPI
 * has ended when results are verified and written. */
#include <dlfcn.h>

#include "plb/kernel.h"

enum { UNITS = 50000, PASSES = 2 };

static double *y;
static int64_t *pass_number;
static int64_t wrong;

static bool is_written(int64_t pass, int64_t u)
{
    return (u + pass) % 3 == 0;
}

static int entry(const struct plb_task *task)
{
    const int64_t *pass = task->data[0];
    double *out = task->data[1];
    if ((uintptr_t)out % 64 != 0)
        return 9;
    for (int64_t i = 0; i < task->count; i++)
        if (is_written(*pass, task->first + i))
            out[i] = (double)(task->first + i + 1);
    return 0;
}

static int setup(struct plb_app *app)
{
    y = plb_app_alloc(app, UNITS * sizeof *y);
    pass_number = plb_app_alloc(app, sizeof *pass_number);
    *pass_number = 0;
    wrong = 0;
    for (int64_t u = 0; u < UNITS; u++)
        y[u] = -1.0;
    plb_app_units(app, UNITS);
    plb_app_data(
        app, &(struct plb_data){
                 .name = "pass", .mode = PLB_REPLICATE, .data = pass_number, .bytes = sizeof *pass_number});
    plb_app_data(app,
                 &(struct plb_data){.name = "y", .mode = PLB_OUTPUT, .data = y, .unit_bytes = sizeof *y});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    for (int64_t u = 0; u < UNITS; u++)
        wrong += y[u] != (is_written(pass, u) ? (double)(u + 1) : 0.0);
    *pass_number = pass + 1;
    plb_app_replace(app, 0);
    *again = pass + 1 < PASSES;
    return PLB_OK;
}

/* Rank 0 verifies and writes while MPI is there: some sites end a job whose MPI has ended. */
static int look_for_mpi(struct plb_app *app)
{
    int ended = 0, (*finalized)(int *);
    *(void **)&finalized = dlsym(RTLD_DEFAULT, "MPI_Finalized");
    return finalized == NULL || finalized(&ended) != 0 || ended ? plb_app_error(app, "MPI has ended")
                                                                : PLB_OK;
}

static int verify(struct plb_app *app)
{
    if (look_for_mpi(app) != PLB_OK)
        return PLB_EINPUT;
    if (wrong == 0)
        return PLB_OK;
    plb_app_error(app, "%lld units of %d in %d passes are wrong", (long long)wrong, UNITS, PASSES);
    return PLB_EVERIFY;
}

const struct plb_kernel plb_kernel = {
    .name = "leaves",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
    .finish = look_for_mpi,
};
