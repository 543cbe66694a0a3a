/* A kernel with a list of phases that is empty. */
#include "plb/kernel.h"

static int setup(struct plb_app *app)
{
    plb_app_units(app, 10);
    return PLB_OK;
}

static const struct plb_phase phases[] = {{0}};

const struct plb_kernel plb_kernel = {
    .name = "phase_none", PLB_KERNEL_HEAD, .unit = "things", .phases = phases, .setup = setup};
