/* command: any program as a kernel. A unit is a line of a list, or a number of a range, and a command line
 * with replacement strings, as in GNU parallel.
 *
 * Nobody knows what a line costs, so the runtime learns it. An entry starts one program after the other: each
 * thread of a rank's CPU is a PU of its own. A line that fails is run again in another pass, after all
 * others, which are not. A rank on which it has failed declines it, and so it is left for the next pass: that
 * costs a millisecond, and after some passes any rank runs it.
 *
 * It is weak where a program takes less than a millisecond: that is what its start costs. */
#include <stdio.h>
#include <string.h>

#include "ending.h"
#include "entry.h"
#include "lines.h"

static const struct plb_option options[] = {
    {"run", PLB_TEXT, NULL, 0, 0, NULL,
     "the command, with {} {#} {.} {/} {//} {/.} {1} {%} {gpu}; not given: each line is a command"},
    {"run_gpu", PLB_TEXT, NULL, 0, 0, NULL, "the command for GPUs; CPUs run `run`"},
    {"per_gpu", PLB_TEXT, "1", 0, 0, NULL,
     "programs at a time on each GPU; auto: the number with the highest throughput"},
    {"lines", PLB_INPUT_FILE, NULL, 0, 0, NULL, "a file with one unit per line; - is standard input"},
    {"range", PLB_TEXT, NULL, 0, 0, NULL, "numbers instead of lines: FIRST-LAST, or FIRST-LAST:STEP"},
    {"arguments", PLB_TEXT, NULL, 0, 0, NULL,
     "the lines themselves, as words of a shell; ::: combines two lists"},
    {"colsep", PLB_TEXT, NULL, 0, 0, NULL,
     "a regular expression that separates the columns {1} {2} ... of a line"},
    {"max_args", PLB_INT, "1", 1, 1000000, NULL, "takes N lines at a time, as {1} {2} ..."},
    {"tag", PLB_FLAG, "no", 0, 0, NULL, "prints the input line and a tab before each line of its output"},
    {"cost", PLB_TEXT, NULL, 0, 0, NULL,
     "cost of a line: size (bytes of the file that it names), or column:N; expensive lines start first"},
    {"cost_from", PLB_INPUT_FILE, NULL, 0, 0, NULL, "costs from the times in the joblog of an earlier run"},
    {"folder", PLB_TEXT, NULL, 0, 0, NULL, "working folder of the programs; default: that of the rank"},
    {"env", PLB_TEXT, NULL, 0, 0, NULL,
     "variables to add to their environment: NAME=VALUE, separated by blanks"},
    {"timeout", PLB_DURATION, "0", 0, 1e9, NULL,
     "time limit of a program, after which it is killed and its line has failed; 0: none"},
    {"retries", PLB_INT, NULL, 1, 1000, NULL,
     "how often a failing line is run in all; default: 1, or 2 with a server or a form for GPUs"},
    {"serve", PLB_TEXT, NULL, 0, 0, NULL,
     "a server instead of a program: started once per slot, it reads lines and answers each"},
    {"serve_gpu", PLB_TEXT, NULL, 0, 0, NULL, "the server for GPUs; CPUs run `serve`"},
    {"answer_end", PLB_TEXT, NULL, 0, 0, NULL,
     "the line that ends each answer of a server; default: an answer is one line"},
    {"serve_batch", PLB_FLAG, "no", 0, 0, NULL,
     "sends a server all lines of a task at once, after a line with their number"},
    {"grace", PLB_DURATION, "10s", 0, 1e9, NULL, "time for a server to end after the end of its input"},
    {"start", PLB_DURATION, "10m", 0, 1e9, NULL,
     "time for a server to start, added to timeout for its first answer"},
    {"null", PLB_FLAG, "no", 0, 0, NULL, "lines, and answers of servers, end with NUL instead of a newline"},
    {"stdout", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where standard output of all lines goes"},
    {"stderr", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where standard error of all lines goes"},
    {"keep_order", PLB_FLAG, "no", 0, 0, NULL,
     "prints outputs in the order of the lines; no: each as soon as its line has ended"},
    {"halt", PLB_TEXT, "never", 0, 0, NULL,
     "when to end early, as in GNU parallel: soon or now, with fail=N, success=N or done=N (N or N%)"},
    {"joblog", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "a log of when and how each line ran, in the format of GNU parallel"},
    {0},
};

/* -------------------------------------------------------------------- rank 0 */

/* How often a line is run at most. One on which a server ends may be innocent, and one that fails on a GPU
 * may do well on a CPU. */
static int64_t retries_of(const struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    bool twice = s->spec->serves || (s->spec->has[ON_CPU] && s->spec->has[ON_GPU]);
    return plb_app_given(app, "retries") ? plb_app_int(app, "retries") : twice ? 2 : 1;
}

static void declare(struct plb_app *app, struct state *s, const struct command_input *input)
{
    bool told = input->costs != NULL;
    s->unknown = -1.0;
    const struct plb_data buffers[] = {
        [TEXT] = {.name = "lines", .mode = PLB_REPLICATE, .data = input->text, .bytes = input->bytes},
        [PLACES] = {.name = "places",
                    .mode = PLB_REPLICATE,
                    .data = input->places,
                    .bytes = (size_t)s->units * sizeof *input->places},
        [SPEC] = {.name = "command", .mode = PLB_REPLICATE, .data = input->spec, .bytes = input->spec_bytes},
        [TODO] = {.name = "to do", .mode = PLB_REPLICATE, .data = s->todo, .bytes = (size_t)s->units},
        [WHERE] = {.name = "where",
                   .mode = PLB_REPLICATE,
                   .data = s->where,
                   .bytes = (size_t)s->units * sizeof *s->where},
        [COSTS] = {.name = "costs",
                   .mode = PLB_REPLICATE,
                   .data = told ? input->costs : &s->unknown,
                   .bytes = (told ? (size_t)s->units : 1) * sizeof s->unknown},
        [OUTCOME] = {.name = "outcomes", .mode = PLB_OUTPUT, .data = s->now, .unit_bytes = sizeof *s->now},
        [OUT] = {.name = "stdout", .mode = PLB_RECORDS},
        [ERR] = {.name = "stderr", .mode = PLB_RECORDS},
        [LOG] = {.name = "joblog", .mode = PLB_RECORDS},
    };
    for (int i = TEXT; i <= LOG; i++)
        plb_app_data(app, &buffers[i]);
    if (told) {
        plb_app_unit_costs(app, input->costs);
        plb_app_order_records(app, input->order);
    }
}

static void name_outputs(struct plb_app *app)
{
    if (plb_app_given(app, "stdout"))
        plb_app_save_records(app, plb_app_text(app, "stdout"), OUT, NULL);
    if (plb_app_given(app, "stderr"))
        plb_app_save_records(app, plb_app_text(app, "stderr"), ERR, NULL);
    plb_app_stream_records(app, plb_app_flag(app, "keep_order"));
    if (plb_app_given(app, "joblog"))
        plb_app_save_log(app, plb_app_text(app, "joblog"), LOG,
                         "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct command_input input;
    plb_app_set_state(app, s);
    if (command_read_input(app, &input) != PLB_OK)
        return PLB_EINPUT;
    s->units = input.units;
    s->text = input.text;
    s->places = input.places;
    s->spec = input.spec;
    s->costs = input.costs;
    s->order = input.order;
    s->todo = plb_app_alloc_array(app, s->units, sizeof *s->todo);
    s->now = plb_app_alloc_array(app, s->units, sizeof *s->now);
    s->where = plb_app_alloc_array(app, s->units, sizeof *s->where);
    s->past = plb_app_alloc_array(app, s->units, sizeof *s->past);
    s->counted = plb_app_alloc_array(app, s->units, sizeof *s->counted);
    if (!command_halt_read(plb_app_text(app, "halt"), &s->halt))
        return plb_app_error(app,
                             "command.halt = %s: expected never, or soon or now with fail=N, success=N or "
                             "done=N, such as now,fail=1 or soon,fail=10%%",
                             plb_app_text(app, "halt"));
    s->spec->halt = s->halt;
    if (plb_app_dry_run(app))
        command_print_all(s);
    else
        command_forecast(app, s);
    memset(s->todo, ANYWHERE | (retries_of(app) > 1 ? 0 : LAST), (size_t)s->units);
    plb_app_units(app, s->units);
    plb_app_keep(app, s->past, (size_t)s->units * sizeof *s->past);
    declare(app, s, &input);
    name_outputs(app);
    return PLB_OK;
}

/* Enters what the pass has told. A run that goes on by its journal has other processes than before. */
static void add_pass(struct state *s)
{
    bool idle = true, known = s->processes.n > 0;
    for (int64_t u = 0; u < s->units; u++) {
        const struct command_outcome *now = &s->now[u];
        bool asked = s->todo[u] != NOTHING;
        if (asked && (has_run(now) || now->exit == NO_TIME))
            command_processes_add(&s->processes, now->where);
        idle &= !asked || !has_run(now);
        if (!known)
            command_past_go_on(&s->past[u]);
    }
    for (int64_t u = 0; u < s->units; u++)
        if (s->todo[u] != NOTHING)
            command_past_add(&s->past[u], &s->now[u], &s->processes, idle);
}

/* Lines that have failed are run again, while they have tries left. */
static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    int64_t retries = retries_of(app);
    (void)pass;
    if (!s->halted)
        add_pass(s);
    for (int64_t u = 0; u < s->units && !s->halted; u++) {
        s->todo[u] = command_past_todo(&s->past[u], retries, &s->processes);
        s->where[u] = s->past[u].last.where;
        *again |= s->todo[u] != NOTHING;
    }
    if (*again) {
        plb_app_phase(app, 1);
        plb_app_replace(app, TODO);
        plb_app_replace(app, WHERE);
    }
    return *again ? PLB_OK : command_tell(app); /* outputs know by that whether there will be more */
}

static void end_early(struct plb_app *app, struct state *s, int64_t unit)
{
    char text[FAILURE];
    s->halted = true;
    if (s->halt.why != ON_FAIL) {
        plb_app_halt(app, s->halt.at_once, NULL);
        return;
    }
    command_describe_failure(s, unit, &s->now[unit], text);
    snprintf(s->why, sizeof s->why,
             "%lld of %lld lines %s failed, which ends the run (--halt); the last is %s",
             (long long)s->failed, (long long)s->units, s->failed == 1 ? "has" : "have", text);
    plb_app_halt(app, s->halt.at_once, "%s", s->why);
}

/* Lines that the last run has not begun are run first: they belong to the pass that goes on. One for which
 * there was nothing to do in that pass costs nothing again, and so no journal needs to keep that. */
static bool redo(const struct plb_app *app, int64_t unit)
{
    const struct state *s = plb_app_state(app);
    return s->todo[unit] == NOTHING || !has_run(&s->now[unit]);
}

/* A line that failed begins again as if it had never been run. */
static bool retry(struct plb_app *app, int64_t unit)
{
    struct state *s = plb_app_state(app);
    if (!has_failed(command_last_of(s, unit)))
        return false;
    s->past[unit] = (struct command_past){.tries = 0};
    s->now[unit] = (struct command_outcome){.exit = DECLINED};
    s->todo[unit] = (uint8_t)(ANYWHERE | (retries_of(app) > 1 ? 0 : LAST));
    s->where[unit] = 0;
    return true;
}

/* Counts lines that have ended, for --halt. */
static void heard(struct plb_app *app, int64_t first, int64_t count)
{
    struct state *s = plb_app_state(app);
    for (int64_t u = first; u < first + count && s->halt.wanted; u++) {
        bool failed = has_failed(&s->now[u]), ended = !failed || (s->todo[u] & LAST) != 0;
        if (s->todo[u] == NOTHING || !has_run(&s->now[u]) || s->counted[u] || !ended)
            continue;
        s->counted[u] = true;
        s->failed += failed;
        s->succeeded += !failed;
        if (!command_halt_now(&s->halt, s->units, s->failed, s->succeeded))
            continue;
        end_early(app, s, u);
        s->halt.wanted = false;
    }
}

static const struct plb_phase phases[] = {
    {.name = "run", .cpu = command_entry}, {.name = "again", .cpu = command_entry}, {0}};

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "command",
    PLB_KERNEL_HEAD,
    .unit = "lines",
    .summary = "any program, run once for each line of a list, as GNU parallel does",
    .options = options,
    .phases = phases,
    .setup = setup,
    .next = next,
    .finish = command_tell,
    .heard = heard,
    .redo = redo,
    .retry = retry,
    .once = true,
    .single = true,
};
/* clang-format on */
