/* A kernel that makes the mistake its option `fault` names: y[u] = 3 u, or not quite. */
#include <libgen.h>
#include <stdio.h>
#include <unistd.h>

#include "plb/kernel.h"

#define UNITS 1000

/* Choices of `fault`, in their order. */
enum fault {
    FAULT_NONE,
    FAULT_ENTRY,
    FAULT_UNITS,
    FAULT_SETUP,
    FAULT_SILENT,
    FAULT_FALLING,
    FAULT_NEGATIVE,
    FAULT_SHORT,
    FAULT_HANDLE,
    FAULT_MEMORY,
    FAULT_WRONG,
    FAULT_NEXT,
    FAULT_FINISH,
    FAULT_REPLACE,
    FAULT_MUTE_NEXT,
    FAULT_MUTE_VERIFY,
    FAULT_MUTE_FINISH,
    FAULT_VANISH,
    FAULT_TWICE,
    FAULT_SAYS,
    FAULT_PART,
    FAULT_NAMELESS,
    FAULT_WHOLE,
    FAULT_BOTH,
    FAULT_REPLICATED,
    FAULT_ELEMENT,
    FAULT_MODE,
    FAULT_LARGE,
};

static const struct plb_option options[] = {
    {"fault", PLB_TEXT, "none", 0, 0,
     "none|entry|units|setup|silent|falling|negative|short|handle|memory|wrong|next|finish|replace|"
     "mute_next|mute_verify|mute_finish|vanish|twice|says|part|nameless|whole|both|replicated|element|"
     "mode|large",
     "which mistake"},
    {"y", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the result goes, .npy"},
    {0},
};

static double y[UNITS];
static int64_t offsets[UNITS + 1];
static char elements[2 * UNITS];

static bool fault(const struct plb_app *app, enum fault wanted)
{
    return plb_app_choice(app, "fault") == (int)wanted;
}

/* The argument says how to fail where unit 500 is, and what to add to the right result. */
static int entry(const struct plb_task *task)
{
    const int *args = task->args;
    double *out = task->data[0];
    if (args[0] == FAULT_SAYS && task->first <= 500 && 500 < task->first + task->count)
        return plb_task_error(task, "thing %d is %s", 500, "broken") + plb_task_error(task, "not this one");
    if (args[0] && task->first <= 500 && 500 < task->first + task->count)
        return 7;
    for (int64_t i = 0; i < task->count; i++)
        out[i] = 3.0 * (double)(task->first + i) + (task->first + i == 321 ? args[1] : 0);
    return 0;
}

/* Elements split by offsets with one thing wrong. */
static void declare_indexed(struct plb_app *app)
{
    size_t bytes = fault(app, FAULT_SHORT) ? sizeof offsets - 8 : sizeof offsets;
    for (int64_t u = 0; u <= UNITS; u++)
        offsets[u] = 2 * u;
    offsets[700] = fault(app, FAULT_FALLING) ? 3 : offsets[700];
    offsets[0] = fault(app, FAULT_NEGATIVE) ? -1 : 0;
    int handle = plb_app_data(app, &(struct plb_data){.name = "offsets",
                                                      .mode = PLB_REPLICATE,
                                                      .data = offsets,
                                                      .bytes = fault(app, FAULT_REPLICATED) ? 0 : bytes,
                                                      .unit_bytes = fault(app, FAULT_REPLICATED) ? 8 : 0});
    plb_app_data(app, &(struct plb_data){.name = "elements",
                                         .mode = PLB_PARTITION_INDEXED,
                                         .data = elements,
                                         .offsets = fault(app, FAULT_HANDLE) ? 99 : handle,
                                         .element_bytes = fault(app, FAULT_ELEMENT) ? 0 : 1});
}

static int setup(struct plb_app *app)
{
    int args[2] = {fault(app, FAULT_SAYS) ? FAULT_SAYS : fault(app, FAULT_ENTRY), fault(app, FAULT_WRONG)};
    if (fault(app, FAULT_SETUP))
        return plb_app_error(app, "the moon is in the wrong phase; wait %d days", 14);
    if (fault(app, FAULT_SILENT))
        return 5;
    plb_app_units(app, fault(app, FAULT_UNITS) ? 0 : UNITS);
    plb_app_args(app, args, sizeof args);
    bool whole = fault(app, FAULT_WHOLE), both = fault(app, FAULT_BOTH);
    plb_app_data(app, &(struct plb_data){.name = fault(app, FAULT_NAMELESS) ? NULL : "y",
                                         .mode = fault(app, FAULT_MODE) ? (enum plb_data_mode)77 : PLB_OUTPUT,
                                         .data = fault(app, FAULT_MEMORY) ? NULL : y,
                                         .bytes = whole ? sizeof y
                                                : both  ? sizeof *y
                                                        : 0,
                                         .unit_bytes = whole                   ? 0
                                                     : fault(app, FAULT_LARGE) ? (size_t)1 << 40
                                                                               : sizeof *y});
    declare_indexed(app);
    for (int i = 0; plb_app_given(app, "y") && i < 1 + fault(app, FAULT_TWICE); i++)
        plb_app_save_npy(app, plb_app_text(app, "y"), &(struct plb_array){y, sizeof *y, UNITS, 1, false});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    *again = (fault(app, FAULT_REPLACE) || fault(app, FAULT_PART)) && pass == 0;
    if (fault(app, FAULT_REPLACE))
        plb_app_replace(app, 5000000);
    if (fault(app, FAULT_PART)) {
        plb_app_replace_part(app, 1, sizeof offsets - 8, 9);
        plb_app_replace_part(app, 77, 0, 8); /* another mistake: the first one is told */
    }
    if (fault(app, FAULT_MUTE_NEXT))
        return 9;
    return fault(app, FAULT_NEXT) ? plb_app_error(app, "there is no way on after pass %d", (int)pass)
                                  : PLB_OK;
}

static int verify(struct plb_app *app)
{
    if (fault(app, FAULT_MUTE_VERIFY))
        return -1;
    for (int u = 0; u < UNITS; u++)
        if (y[u] != u + u + u) {
            plb_app_error(app, "y[%d] is %g, the reference says %d", u, y[u], 3 * u);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

static int finish(struct plb_app *app)
{
    char folder[4096];
    if (fault(app, FAULT_MUTE_FINISH))
        return 4;
    if (fault(app, FAULT_FINISH))
        return plb_app_error(app, "the ink is dry");
    snprintf(folder, sizeof folder, "%s", plb_app_given(app, "y") ? plb_app_text(app, "y") : "y");
    return fault(app, FAULT_VANISH) ? rmdir(dirname(folder)) : PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "faulty",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
    .finish = finish,
};
