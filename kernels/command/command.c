/* command: any program as a kernel. A unit is a line of a list, or a number of a range, and a command line
 * with replacement strings, as in GNU parallel.
 *
 * Nobody knows what a line costs, so the runtime learns it. An entry starts one program after the other: each
 * thread of a rank's CPU is a PU of its own. A line that fails is run again in another pass, after all
 * others, which are not. A rank on which it has failed declines it, and so it is left for the next pass: that
 * costs a millisecond, and after some passes any rank runs it.
 *
 * It is weak where a program takes less than a millisecond: that is what its start costs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "entry.h"
#include "lines.h"

/* Passes in which ranks may decline a line that has failed there. More: a run on one rank takes longer, by
 * about a millisecond each. Fewer: a line is run again where it has failed. */
#define MOST_DECLINED 8

static const struct plb_option options[] = {
    {"run", PLB_TEXT, NULL, 0, 0, NULL,
     "the command, with {} {line} {#} {.} {/} {//} {/.}; not given: each line is a command"},
    {"lines", PLB_INPUT_FILE, NULL, 0, 0, NULL, "a file with a unit in each line; - is standard input"},
    {"range", PLB_TEXT, NULL, 0, 0, NULL, "instead: numbers FIRST-LAST, or FIRST-LAST:STEP"},
    {"folder", PLB_TEXT, NULL, 0, 0, NULL, "the folder in which programs work; not given: that of the rank"},
    {"env", PLB_TEXT, NULL, 0, 0, NULL, "more of their environment: NAME=VALUE, several between blanks"},
    {"timeout", PLB_DURATION, "0", 0, 1e9, NULL,
     "time after which a program is ended, and has failed; 0: none"},
    {"retries", PLB_INT, NULL, 1, 1000, NULL,
     "how often a line that fails is run, in all; not given: once, and with a server twice"},
    {"serve", PLB_TEXT, NULL, 0, 0, NULL,
     "instead of run: a server, started once per slot, that reads lines and writes an answer for each"},
    {"answer_end", PLB_TEXT, NULL, 0, 0, NULL,
     "the line with which a server ends each answer; not given: an answer is one line"},
    {"serve_batch", PLB_FLAG, "no", 0, 0, NULL,
     "a server gets as many lines at once as there are in a task, and their number in a line before"},
    {"grace", PLB_DURATION, "10s", 0, 1e9, NULL, "time that a server has to end after the end of its input"},
    {"start", PLB_DURATION, "10m", 0, 1e9, NULL,
     "time that a server has to start, which is added to timeout for its first answer"},
    {"null", PLB_FLAG, "no", 0, 0, NULL,
     "lines end with NUL instead of a newline, and answers of servers too"},
    {"stdout", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the standard output of all lines, in their order"},
    {"stderr", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the same of standard error"},
    {"keep_order", PLB_FLAG, "no", 0, 0, NULL,
     "outputs that are no files are in the order of the lines; no: each as soon as its line has ended"},
    {"joblog", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "when and how each line ran, as GNU parallel writes it"},
    {0},
};

/* -------------------------------------------------------------------- rank 0 */

/* The past of a line: how it ended last, how often it ran, and in how many passes it was declined since. */
struct past {
    struct command_outcome last;
    int32_t tries, declined;
};

struct state {
    int64_t units;
    uint8_t *todo;               /* for each line */
    uint32_t *where;             /* it ran last */
    struct command_outcome *now; /* of the pass */
    struct past *past;
    const char *text;
    const struct command_place *places;
    struct command_spec *spec;
};

/* How often a line is run at most. One on which a server ends may be innocent. */
static int64_t retries_of(const struct plb_app *app)
{
    return plb_app_given(app, "retries")      ? plb_app_int(app, "retries")
         : plb_app_text(app, "serve") != NULL ? 2
                                              : 1;
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
    s->todo = plb_app_alloc_array(app, s->units, sizeof *s->todo);
    s->now = plb_app_alloc_array(app, s->units, sizeof *s->now);
    s->where = plb_app_alloc_array(app, s->units, sizeof *s->where);
    s->past = plb_app_alloc_array(app, s->units, sizeof *s->past);
    memset(s->todo, ANYWHERE | (retries_of(app) > 1 ? 0 : LAST), (size_t)s->units);
    plb_app_units(app, s->units);
    plb_app_keep(app, s->past, (size_t)s->units * sizeof *s->past);
    const struct plb_data buffers[] = {
        [TEXT] = {.name = "lines", .mode = PLB_REPLICATE, .data = input.text, .bytes = input.bytes},
        [PLACES] = {.name = "places",
                    .mode = PLB_REPLICATE,
                    .data = input.places,
                    .bytes = (size_t)s->units * sizeof *input.places},
        [SPEC] = {.name = "command", .mode = PLB_REPLICATE, .data = input.spec, .bytes = input.spec_bytes},
        [TODO] = {.name = "to do", .mode = PLB_REPLICATE, .data = s->todo, .bytes = (size_t)s->units},
        [WHERE] = {.name = "where",
                   .mode = PLB_REPLICATE,
                   .data = s->where,
                   .bytes = (size_t)s->units * sizeof *s->where},
        [OUTCOME] = {.name = "outcomes", .mode = PLB_OUTPUT, .data = s->now, .unit_bytes = sizeof *s->now},
        [OUT] = {.name = "stdout", .mode = PLB_RECORDS},
        [ERR] = {.name = "stderr", .mode = PLB_RECORDS},
        [LOG] = {.name = "joblog", .mode = PLB_RECORDS},
    };
    for (int i = TEXT; i <= LOG; i++)
        plb_app_data(app, &buffers[i]);
    if (plb_app_given(app, "stdout"))
        plb_app_save_records(app, plb_app_text(app, "stdout"), OUT, NULL);
    if (plb_app_given(app, "stderr"))
        plb_app_save_records(app, plb_app_text(app, "stderr"), ERR, NULL);
    plb_app_stream_records(app, plb_app_flag(app, "keep_order"));
    if (plb_app_given(app, "joblog"))
        plb_app_save_log(app, plb_app_text(app, "joblog"), LOG,
                         "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n");
    return PLB_OK;
}

static bool has_failed(const struct command_outcome *outcome)
{
    return outcome->exit != 0 || outcome->signal != 0;
}

/* Lines that have failed are run again, while they have tries left. */
static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    int64_t retries = retries_of(app);
    (void)pass;
    for (int64_t u = 0; u < s->units; u++) {
        struct past *past = &s->past[u];
        bool ran = s->todo[u] != NOTHING && s->now[u].exit != DECLINED;
        if (ran)
            *past = (struct past){s->now[u], past->tries + 1, 0};
        else if (s->todo[u] != NOTHING)
            past->declined++;
        bool wanted = has_failed(&past->last) && past->tries < retries;
        s->todo[u] = !wanted ? NOTHING : past->declined < MOST_DECLINED ? ELSEWHERE : ANYWHERE;
        s->todo[u] |= wanted && past->tries + 1 == retries ? LAST : 0;
        s->where[u] = past->last.where;
        *again |= wanted;
    }
    if (*again) {
        plb_app_phase(app, 1);
        plb_app_replace(app, TODO);
        plb_app_replace(app, WHERE);
    }
    return PLB_OK;
}

static int finish(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    int64_t failed = 0, first = 0;
    char how[80];
    for (int64_t u = s->units - 1; u >= 0; u--)
        if (has_failed(&s->past[u].last)) {
            failed++;
            first = u;
        }
    if (failed == 0)
        return PLB_OK;
    const struct command_outcome *last = &s->past[first].last;
    struct command_line line = command_line_of(s->text, s->places, first);
    struct command_text command = {NULL, 0, 0};
    const char *server = s->spec->serves ? "its server ended with " : "";
    command_describe(s->spec, &line, &command);
    if (last->exit < 0)
        snprintf(how, sizeof how, "its time was over (command.timeout)");
    else if (last->signal != 0)
        snprintf(how, sizeof how, "%ssignal %d (%s)", server, last->signal, strsignal(last->signal));
    else
        snprintf(how, sizeof how, "%sexit status %d", server, last->exit);
    plb_app_failed(app, "%lld of %lld lines failed, the first is line %lld: %.200s: %s", (long long)failed,
                   (long long)s->units, (long long)first + 1, command.at, how);
    free(command.at);
    return PLB_OK;
}

static const struct plb_phase phases[] = {
    {.name = "run", .cpu = command_entry}, {.name = "again", .cpu = command_entry}, {0}};

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "command",
    PLB_KERNEL_HEAD,
    .unit = "lines",
    .summary = "any program, once for each line of a list, as GNU parallel runs it",
    .options = options,
    .phases = phases,
    .setup = setup,
    .next = next,
    .finish = finish,
    .once = true,
    .single = true,
};
/* clang-format on */
