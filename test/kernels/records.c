/* Records of any length: unit u appends u % 7 lines "u k", and to a second buffer its number where that is
 * even. In a second pass every third unit makes another record. verify has nothing to read: a test compares
 * the files. */
#include <stdio.h>

#include "gate.h"
#include "plb/kernel.h"

enum { LINES, EVEN, OUT, PASS };

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 1, 1e7, NULL, "how many"},
    {"passes", PLB_INT, "1", 1, 2, NULL, "how many"},
    {"bytes", PLB_INT, "0", 0, 1e6, NULL, "more of each record"},
    {"lines", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the first records"},
    {"even", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the second ones"},
    {0},
};

struct args {
    int64_t bytes;
};

static int64_t pass;
static int32_t *ran;

static int entry(const struct plb_task *task)
{
    const struct args *args = task->args;
    int64_t now = *(const int64_t *)task->data[PASS];
    char text[64];
    wait_at_gate(task);
    for (int64_t i = 0; i < task->count; i++) {
        int64_t u = task->first + i;
        ((int32_t *)task->data[OUT])[i] = (int32_t)u;
        if (now > 0 && u % 3 != 0)
            continue;
        if (u % 7 == 0)
            plb_task_record(task, LINES, u, NULL, 0);
        for (int64_t k = 0; k < u % 7; k++) {
            int n = snprintf(text, sizeof text, "%lld %lld%s\n", (long long)u, (long long)k,
                             now > 0 ? "!" : "");
            plb_task_record(task, LINES, u, text, (size_t)n);
        }
        for (int64_t k = 0; k < args->bytes; k++)
            plb_task_record(task, LINES, u, k + 1 < args->bytes ? "x" : "\n", 1);
        if (u % 2 == 0)
            plb_task_record(task, EVEN, u, text, (size_t)snprintf(text, sizeof text, "%lld\n", (long long)u));
    }
    return plb_task_record(task, LINES, task->first + task->count, "", 0) == 1 ? 0 : 5;
}

static int setup(struct plb_app *app)
{
    struct args args = {plb_app_int(app, "bytes")};
    int64_t units = plb_app_int(app, "units");
    ran = plb_app_alloc_array(app, units, sizeof *ran);
    plb_app_units(app, units);
    plb_app_args(app, &args, sizeof args);
    const struct plb_data buffers[] = {
        [LINES] = {.name = "lines", .mode = PLB_RECORDS},
        [EVEN] = {.name = "even", .mode = PLB_RECORDS},
        [OUT] = {.name = "out", .mode = PLB_OUTPUT, .data = ran, .unit_bytes = sizeof *ran},
        [PASS] = {.name = "pass", .mode = PLB_REPLICATE, .data = &pass, .bytes = sizeof pass},
    };
    for (int i = LINES; i <= PASS; i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "lines"))
        plb_app_save_records(app, plb_app_text(app, "lines"), LINES, "# lines\n");
    if (plb_app_given(app, "even"))
        plb_app_save_records(app, plb_app_text(app, "even"), EVEN, NULL);
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t number, bool *again)
{
    *again = number + 1 < plb_app_int(app, "passes");
    pass = number + 1;
    plb_app_replace(app, PASS);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    for (int64_t u = 0; u < plb_app_int(app, "units"); u++)
        if (ran[u] != u) {
            plb_app_error(app, "unit %lld has no output", (long long)u);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "records",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "records of any length",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
};
/* clang-format on */
