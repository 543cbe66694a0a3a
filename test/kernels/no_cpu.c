/* A kernel for GPUs alone; nothing else can run it. */
#include "plb/kernel.h"

static int entry(const struct plb_task *task)
{
    (void)task;
    return 0;
}

static int setup(struct plb_app *app)
{
    plb_app_units(app, 10);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "no_cpu", PLB_KERNEL_HEAD, .unit = "things", .cuda = entry, .setup = setup};
