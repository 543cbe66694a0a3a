/* A kernel for GPUs alone, whose entry is in gpu_only.cuda.so (test/fake-cuda/gpu_only.c). */
#include "plb/kernel.h"

static double result[4096];

static int setup(struct plb_app *app)
{
    plb_app_units(app, 4096);
    plb_app_data(app,
                 &(struct plb_data){
                     .name = "result", .mode = PLB_OUTPUT, .data = result, .unit_bytes = sizeof *result});
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    for (int i = 0; i < 4096; i++)
        if (result[i] != 3.0 * i) {
            plb_app_error(app, "result %d is %g", i, result[i]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

PLB_CUDA_ENTRY(gpu_only_cuda);

const struct plb_kernel plb_kernel = {.name = "gpu_only",
                                      PLB_KERNEL_HEAD,
                                      .unit = "things",
                                      .cuda = gpu_only_cuda,
                                      .setup = setup,
                                      .verify = verify};
