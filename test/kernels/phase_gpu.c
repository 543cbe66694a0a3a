/* A kernel of two phases, of which the second is for GPUs alone. */
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

static const struct plb_phase phases[] = {
    {.name = "good", .cpu = entry}, {.name = "gpu", .cuda = entry}, {0}};

const struct plb_kernel plb_kernel = {
    .name = "phase_gpu", PLB_KERNEL_HEAD, .unit = "things", .phases = phases, .setup = setup};
