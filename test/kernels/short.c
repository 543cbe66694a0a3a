/* Passes of tasks that do nothing, to see what a pass and a task that travels cost: each unit's output is the
 * sum of its input and the pass, where it has `bytes` bytes of each. */
#include "plb/kernel.h"

#include <string.h>

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "how many"},
    {"passes", PLB_INT, "1", 1, 1e6, NULL, "how many"},
    {"bytes", PLB_INT, "0", 0, 1e6, NULL, "of a unit's input and of its output; 0: there are none"},
    {"replace", PLB_FLAG, "no", 0, 0, NULL, "each pass replaces a buffer of eight bytes"},
    {0},
};

enum { IN, OUT, PASS }; /* handles */

static unsigned char *in, *out;
static int64_t pass_now;

static int run(const struct plb_task *task)
{
    const size_t *bytes = task->args;
    const unsigned char *from = *bytes > 0 ? task->data[IN] : NULL;
    unsigned char *to = *bytes > 0 ? task->data[OUT] : NULL;
    for (size_t i = 0; i < *bytes * (size_t)task->count; i++)
        to[i] = (unsigned char)(from[i] + 1);
    return 0;
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    size_t bytes = (size_t)plb_app_int(app, "bytes");
    plb_app_units(app, units);
    plb_app_args(app, &bytes, sizeof bytes);
    if (bytes > 0) {
        in = plb_app_alloc_array(app, units, bytes);
        out = plb_app_alloc_array(app, units, bytes);
        for (size_t i = 0; i < bytes * (size_t)units; i++)
            in[i] = (unsigned char)(i * 31 % 251);
        plb_app_data(
            app, &(struct plb_data){.name = "in", .mode = PLB_PARTITION, .data = in, .unit_bytes = bytes});
        plb_app_data(app,
                     &(struct plb_data){.name = "out", .mode = PLB_OUTPUT, .data = out, .unit_bytes = bytes});
    }
    if (plb_app_flag(app, "replace"))
        plb_app_data(app,
                     &(struct plb_data){
                         .name = "pass", .mode = PLB_REPLICATE, .data = &pass_now, .bytes = sizeof pass_now});
    return PLB_OK;
}

static int check(struct plb_app *app)
{
    size_t bytes = (size_t)(plb_app_int(app, "bytes") * plb_app_int(app, "units"));
    for (size_t i = 0; i < bytes; i++)
        if (out[i] != (unsigned char)(in[i] + 1)) {
            plb_app_error(app, "byte %zu of the output is %d, and not %d", i, out[i],
                          (unsigned char)(in[i] + 1));
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    int status = check(app);
    if (out != NULL)
        memset(out, 0, (size_t)(plb_app_int(app, "bytes") * plb_app_int(app, "units")));
    for (int64_t i = 0; out != NULL && i < plb_app_int(app, "bytes") * plb_app_int(app, "units"); i++)
        in[i]++;
    pass_now = pass + 1;
    *again = pass_now < plb_app_int(app, "passes");
    if (*again && plb_app_flag(app, "replace"))
        plb_app_replace(app, plb_app_int(app, "bytes") > 0 ? PASS : 0);
    return status;
}

const struct plb_kernel plb_kernel = {
    .name = "short",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "passes of tasks that do nothing",
    .options = options,
    .cpu = run,
    .setup = setup,
    .next = next,
};
