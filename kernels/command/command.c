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

#include "input.h"

/* Passes in which ranks may decline a line that has failed there. More: a run on one rank takes longer, by
 * about a millisecond each. Fewer: a line is run again where it has failed. */
#define MOST_DECLINED 8

#define DECLINED (-2) /* the exit status of such a line */

enum { NOTHING, ANYWHERE, ELSEWHERE }; /* what is to be done with a line in a pass */
#define LAST 4                         /* and is added where it is not run again, however it ends */

static const struct plb_option options[] = {
    {"run", PLB_TEXT, NULL, 0, 0, NULL,
     "the command, with {} {line} {#} {.} {/} {//} {/.}; not given: each line is a command"},
    {"lines", PLB_INPUT_FILE, NULL, 0, 0, NULL, "a file with a unit in each line; - is standard input"},
    {"range", PLB_TEXT, NULL, 0, 0, NULL, "instead: numbers FIRST-LAST, or FIRST-LAST:STEP"},
    {"folder", PLB_TEXT, NULL, 0, 0, NULL, "the folder in which programs work; not given: that of the rank"},
    {"env", PLB_TEXT, NULL, 0, 0, NULL, "more of their environment: NAME=VALUE, several between blanks"},
    {"timeout", PLB_REAL, "0", 0, 1e9, NULL,
     "seconds after which a program is ended, and has failed; 0: none"},
    {"retries", PLB_INT, "1", 1, 1000, NULL, "how often a line that fails is run, in all"},
    {"stdout", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the standard output of all lines, in their order"},
    {"stderr", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the same of standard error"},
    {"keep_order", PLB_FLAG, "no", 0, 0, NULL,
     "outputs that are no files are in the order of the lines; no: each as soon as its line has ended"},
    {"joblog", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "when and how each line ran, as GNU parallel writes it"},
    {0},
};

/* -------------------------------------------------------------------- entry */

/* A task's programs: all that is made once for them. */
struct runner {
    const struct plb_task *task;
    const struct command_spec *spec;
    struct command_text path, host;
    uint32_t where; /* a number for this process */
    char **env;
    int n_env;
    char sequence[48];
    bool failed; /* the entry has */
};

/* Bytes of a program's output that are read at a time. Larger: more of the stack. Smaller: more calls. */
#define BLOCK 65536

/* Whether the programs do not inherit a variable: it makes a program a rank of this job, or a part of the run
 * that plbrun-mpirun waits for, or the settings have another value for it. */
static bool is_left_out(const struct runner *r, const char *variable)
{
    static const char *const ours[] = {
        "OMPI_",         "PMIX_",         "PMI_",        "PRTE_",           "PLB_STATUS_FILE=",
        "PARALLEL_SEQ=", "SLURM_PROCID=", "SLURM_STEP_", "FLUX_TASK_RANK=", "FLUX_JOB_SIZE="};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(variable, ours[i], strlen(ours[i])) == 0)
            return true;
    const char *more = command_text_of(r->spec, r->spec->env);
    for (int i = 0; i < r->spec->n_env; i++, more += strlen(more) + 1)
        if (strncmp(variable, more, strcspn(more, "=") + 1) == 0)
            return true;
    return false;
}

/* The environment of the programs: most of that of this rank, and what the settings add. NULL: no memory. */
static void make_environment(struct runner *r)
{
    int n = 0;
    for (char **e = environ; *e != NULL; e++)
        n++;
    r->env = calloc((size_t)(n + r->spec->n_env + 2), sizeof *r->env);
    if (r->env == NULL)
        return;
    for (char **e = environ; *e != NULL; e++)
        if (!is_left_out(r, *e))
            r->env[r->n_env++] = *e;
    const char *more = command_text_of(r->spec, r->spec->env);
    for (int i = 0; i < r->spec->n_env; i++, more += strlen(more) + 1)
        r->env[r->n_env++] = (char *)more;
    r->env[r->n_env++] = r->sequence;
}

/* Keeps what a program has written to a file as a part of a record; wanted: else it is not kept. Returns how
 * many bytes it has. */
static int64_t keep(struct runner *r, int buffer, int64_t unit, int fd, bool wanted)
{
    char block[BLOCK];
    int64_t size = fd >= 0 ? (int64_t)lseek(fd, 0, SEEK_END) : 0, at = 0;
    if (wanted)
        plb_task_record(r->task, buffer, unit, NULL, 0);
    while (wanted && at < size) {
        ssize_t n = pread(fd, block, sizeof block, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        plb_task_record(r->task, buffer, unit, block, (size_t)n);
        at += n;
    }
    bool lost = wanted && at != size;
    if (lost || size < 0)
        r->failed = plb_task_error(r->task, "what line %lld has written cannot be read: %s",
                                   (long long)unit + 1, strerror(errno));
    if (fd >= 0)
        close(fd);
    return size;
}

static void keep_text(const struct runner *r, int buffer, int64_t unit, const struct command_text *text)
{
    plb_task_record(r->task, buffer, unit, text->at, text->n);
}

/* The line of the joblog. */
static void log_end(struct runner *r, const struct command_line *line, const struct command_end *end,
                    int64_t bytes)
{
    char head[200];
    struct command_text text = {NULL, 0, 0};
    int n = snprintf(head, sizeof head, "%lld\t%.64s\t%.3f\t%10.3f\t0\t%lld\t%d\t%d\t",
                     (long long)line->number, r->host.at, end->began, end->took, (long long)bytes, end->exit,
                     end->signal);
    command_add(&text, head, (size_t)n);
    command_describe(r->spec, line, &text);
    command_add(&text, "\n", 1);
    keep_text(r, LOG, line->number - 1, &text);
    free(text.at);
}

/* Runs one line. Its outputs are kept where it is not run again: then they may be printed at once. False
 * where nobody wants it any more. */
static bool run_line(struct runner *r, const struct command_line *line, bool last,
                     struct command_outcome *outcome)
{
    struct command_words words = {{NULL, 0, 0}, NULL, 0};
    struct command_end end = {.out = -1, .err = -1, .exit = 127, .reason = ENOENT};
    const struct command_spec *spec = r->spec;
    const char *folder = spec->folder > 0 ? command_text_of(spec, spec->folder) : NULL;
    command_make(spec, line, folder, &r->path, &words);
    snprintf(r->sequence, sizeof r->sequence, "PARALLEL_SEQ=%lld", (long long)line->number);
    struct command_child child = {words.argv, r->env, r->path.at, folder, spec->timeout, r->task};
    if (r->path.n > 0)
        command_run(&child, &end);
    last |= end.exit == 0 && end.signal == 0;
    int64_t unit = line->number - 1, bytes = keep(r, OUT, unit, end.out, last);
    keep(r, ERR, unit, end.err, last);
    if (end.reason != 0 && last) {
        char text[400];
        int n = snprintf(text, sizeof text, "plbrun: line %lld on %.64s: %.100s: %.100s\n",
                         (long long)line->number, r->host.at, words.argv[0], strerror(end.reason));
        plb_task_record(r->task, ERR, unit, text, (size_t)n);
    }
    log_end(r, line, &end, bytes);
    *outcome = (struct command_outcome){end.exit, end.signal, r->where};
    command_words_fini(&words);
    return !end.cancelled;
}

/* A number for a process of the run. Two that have the same one by chance do no harm. */
static uint32_t number_of(const char *host)
{
    uint32_t hash = 2166136261u ^ (uint32_t)getpid();
    for (; *host != '\0'; host++)
        hash = (hash ^ (unsigned char)*host) * 16777619u;
    return hash;
}

static int entry(const struct plb_task *task)
{
    char host[65] = "?";
    struct runner r = {.task = task, .spec = task->data[SPEC]};
    struct command_outcome *outcomes = task->data[OUTCOME];
    const uint8_t *todo = (const uint8_t *)task->data[TODO] + task->first;
    const uint32_t *where = (const uint32_t *)task->data[WHERE] + task->first;
    bool goes_on = true, declines = false;
    gethostname(host, sizeof host - 1);
    command_add(&r.host, host, strlen(host));
    r.where = number_of(host);
    make_environment(&r);
    if (r.env == NULL)
        r.failed = plb_task_error(task, "there is no memory for the environment of programs");
    for (int64_t i = 0; i < task->count && goes_on && !r.failed; i++) {
        struct command_line line = command_line_of(task->data[TEXT], task->data[PLACES], task->first + i);
        int what = todo[i] & ~LAST;
        bool declined = what == ELSEWHERE && where[i] == r.where;
        declines |= declined;
        if (declined)
            outcomes[i].exit = DECLINED;
        else if (what != NOTHING)
            goes_on = run_line(&r, &line, (todo[i] & LAST) != 0, &outcomes[i]) && !plb_task_cancelled(task);
    }
    if (declines) /* others may be quicker now */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    free(r.env);
    free(r.path.at);
    free(r.host.at);
    return r.failed ? 1 : 0;
}

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
    memset(s->todo, ANYWHERE | (plb_app_int(app, "retries") > 1 ? 0 : LAST), (size_t)s->units);
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
    int64_t retries = plb_app_int(app, "retries");
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
    command_describe(s->spec, &line, &command);
    if (last->exit < 0)
        snprintf(how, sizeof how, "its time was over (command.timeout)");
    else if (last->signal != 0)
        snprintf(how, sizeof how, "signal %d (%s)", last->signal, strsignal(last->signal));
    else
        snprintf(how, sizeof how, "exit status %d", last->exit);
    plb_app_failed(app, "%lld of %lld lines failed, the first is line %lld: %.200s: %s", (long long)failed,
                   (long long)s->units, (long long)first + 1, command.at, how);
    free(command.at);
    return PLB_OK;
}

static const struct plb_phase phases[] = {
    {.name = "run", .cpu = entry}, {.name = "again", .cpu = entry}, {0}};

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
