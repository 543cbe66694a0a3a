/* opencl, where plbrun is built without OpenCL's headers: there are no such devices. */
#include "device/driver.h"
#include "device/opencl/options.h"

static plb_entry_fn opencl_entry(const struct plb_phase *phase)
{
    return phase->opencl;
}

static int opencl_count(const char **why)
{
    if (why != NULL)
        *why = "no OpenCL device is used: plbrun was built without OpenCL's headers";
    return 0;
}

const struct plb_device_driver plb_device_opencl = {
    .name = "opencl",
    .kind = PLB_GPU,
    .object = "opencl",
    .options = options,
    .entry = opencl_entry,
    .count = opencl_count,
    .ops = {.lanes = 1},
};
