/* halts: five passes, of which the kernel ends the run in the second one, without a complaint. The pass that
 * runs may end by itself before that: either way the run has done its work. */
#include "plb/kernel.h"

static int64_t halted, pass_now;
static double *out;

static int compute(const struct plb_task *task)
{
    double *to = task->data[0];
    for (int64_t i = 0; i < task->count; i++)
        to[i] = 1.0;
    return 0;
}

static int setup(struct plb_app *app)
{
    out = plb_app_alloc_array(app, 100, sizeof *out);
    plb_app_units(app, 100);
    plb_app_data(
        app, &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = sizeof *out});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    (void)app;
    pass_now = pass + 1;
    *again = pass < 4;
    return PLB_OK;
}

/* In the last report of the second pass: the end begins when the pass is over. */
static void heard(struct plb_app *app, int64_t first, int64_t count)
{
    static int64_t units;
    (void)first;
    units += count;
    if (pass_now == 1 && units >= 200 && halted++ == 0)
        plb_app_halt(app, false, NULL);
}

const struct plb_kernel plb_kernel = {
    .name = "halts",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "ends the run in its second pass",
    .cpu = compute,
    .setup = setup,
    .next = next,
    .heard = heard,
    .once = true,
};
