/* The job of a random cluster, for --simulate: `make bench-random BENCH_RANDOM=1234` writes a conf file for
 * it. test/support/random_law.h says what the laws are. It computes nothing. */
#include "../support/random_law.h"

#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e9, NULL, "units of the job"},
    {"law", PLB_TEXT, "equal", 0, 0, LAW_CHOICES, "what units cost"},
    {"width", PLB_REAL, "1", 1, 1e6, NULL, "how unequal they are, as the law has it"},
    {"seed", PLB_INT, "0", 0, 9e15, NULL, "of the law's random numbers"},
    {"told", PLB_FLAG, "yes", 0, 0, NULL, "balancers hear what units cost; no: that all cost the same"},
    {"input", PLB_INT, "0", 0, 1e15, NULL, "input bytes of a unit"},
    {"replicated", PLB_INT, "0", 0, 1e15, NULL, "bytes of data that every task needs"},
    {"output", PLB_INT, "0", 0, 1e15, NULL, "output bytes of a unit"},
    {0},
};

static int setup(struct plb_app *app)
{
    size_t input = (size_t)plb_app_int(app, "input"), output = (size_t)plb_app_int(app, "output"),
           replicated = (size_t)plb_app_int(app, "replicated");
    if (!plb_app_simulated(app))
        return plb_app_error(app, "random is a cost model, which computes nothing; run it with --simulate "
                                  "FILE.cluster");
    plb_app_units(app, plb_app_int(app, "units"));
    if (replicated > 0)
        plb_app_data(app, &(struct plb_data){.name = "replicated", .bytes = replicated});
    if (input > 0)
        plb_app_data(app, &(struct plb_data){.name = "input", .mode = PLB_PARTITION, .unit_bytes = input});
    if (output > 0)
        plb_app_data(app, &(struct plb_data){.name = "output", .mode = PLB_OUTPUT, .unit_bytes = output});
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    struct law law = {.kind = (enum law_kind)plb_app_choice(app, "law"),
                      .seed = (uint64_t)plb_app_int(app, "seed"),
                      .units = plb_app_int(app, "units"),
                      .width = plb_app_real(app, "width")};
    if (!plb_app_flag(app, "told"))
        law.kind = LAW_EQUAL;
    return law_sum(&law, first, count);
}

static int compute(const struct plb_task *task)
{
    (void)task;
    return 1;
}

const struct plb_kernel plb_kernel = {
    .name = "random",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "cost model: the job of a random cluster",
    .options = options,
    .cpu = compute,
    .setup = setup,
    .cost = cost,
};
