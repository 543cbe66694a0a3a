/* Both ways to run lines share this: environment, joblog, and which lines of a task are to be run. */
#include "entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "forecast.h"
#include "lines.h"

/* Seconds that a slot waits which has left lines to others, doubled so often at most where these are slots of
 * the other form. Larger: the last lines end later. Smaller: a line that fails in one form is run by it
 * again, although the other form would do. */
#define ROOM 1e-3
#define MOST_IDLE 7

/* Whether the programs do not inherit a variable: it makes a program a rank of this job, or a part of the run
 * that plbrun-mpirun waits for, or the settings have another value for it. */
static bool is_left_out(const struct command_lines *r, const char *variable, int n_own)
{
    static const char *const ours[] = {
        "OMPI_",         "PMIX_",         "PMI_",        "PRTE_",           "PLB_STATUS_FILE=",
        "PARALLEL_SEQ=", "SLURM_PROCID=", "SLURM_STEP_", "FLUX_TASK_RANK=", "FLUX_JOB_SIZE="};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(variable, ours[i], strlen(ours[i])) == 0)
            return true;
    for (int i = 0; i < n_own; i++)
        if (strncmp(variable, r->own[i], strcspn(r->own[i], "=") + 1) == 0)
            return true;
    const char *more = command_text_of(r->spec, r->spec->env);
    for (int i = 0; i < r->spec->n_env; i++, more += strlen(more) + 1)
        if (strncmp(variable, more, strcspn(more, "=") + 1) == 0)
            return true;
    return false;
}

/* Tells a program of its slot: the GPU that it may use, of which AMD's HIP sees one, number 0; that
 * there is none for a CPU's form; and how many threads, unless somebody has said so already. Returns how many
 * variables. */
static int make_own(struct command_lines *r)
{
    const struct plb_task *task = r->task;
    int n = 0;
    if (r->form == ON_GPU) {
        snprintf(r->own[n++], sizeof *r->own, "CUDA_VISIBLE_DEVICES=%.64s", task->gpu);
        snprintf(r->own[n++], sizeof *r->own, "ROCR_VISIBLE_DEVICES=%.64s", task->gpu);
        snprintf(r->own[n++], sizeof *r->own, "HIP_VISIBLE_DEVICES=0");
        snprintf(r->own[n++], sizeof *r->own, "ZE_AFFINITY_MASK=%.64s", task->gpu);
    } else if (r->spec->has[ON_GPU]) { /* else it would take one from those whose turn it is */
        snprintf(r->own[n++], sizeof *r->own, "CUDA_VISIBLE_DEVICES=");
        snprintf(r->own[n++], sizeof *r->own, "HIP_VISIBLE_DEVICES=-1");
    }
    if (getenv("OMP_NUM_THREADS") == NULL)
        snprintf(r->own[n++], sizeof *r->own, "OMP_NUM_THREADS=%d", task->cores);
    return n;
}

/* The environment of the programs: most of that of this rank, and what the settings add. NULL: no memory. */
static void make_environment(struct command_lines *r)
{
    int n = 0, n_own = make_own(r);
    for (char **e = environ; *e != NULL; e++)
        n++;
    r->env = calloc((size_t)(n + n_own + r->spec->n_env + 2), sizeof *r->env);
    if (r->env == NULL)
        return;
    for (char **e = environ; *e != NULL; e++)
        if (!is_left_out(r, *e, n_own))
            r->env[r->n_env++] = *e;
    for (int i = 0; i < n_own; i++)
        if (!is_left_out(r, r->own[i], 0)) /* the settings say otherwise */
            r->env[r->n_env++] = r->own[i];
    const char *more = command_text_of(r->spec, r->spec->env);
    for (int i = 0; i < r->spec->n_env; i++, more += strlen(more) + 1)
        r->env[r->n_env++] = (char *)more;
    if (!r->spec->serves)
        r->env[r->n_env++] = r->sequence;
}

void command_log(struct command_lines *r, const struct command_line *line, const struct command_end *end,
                 int64_t sent, int64_t received)
{
    char head[220];
    struct command_text text = {NULL, 0, 0};
    int n = snprintf(head, sizeof head, "%lld\t%.64s\t%.3f\t%10.3f\t%lld\t%lld\t%d\t%d\t",
                     (long long)line->number, r->host.at, end->began, end->took, (long long)sent,
                     (long long)received, end->exit, end->signal);
    command_add(&text, head, (size_t)n);
    command_describe(r->spec, r->form, line, &text);
    for (char *c = text.at + n; *c != '\0'; c++) /* one line, whatever it has */
        *c = *c == '\n' ? ' ' : *c;
    command_add(&text, "\n", 1);
    plb_task_record(r->task, LOG, line->unit, text.at, text.n);
    free(text.at);
}

struct command_line command_line_at(const struct command_lines *r, int64_t unit)
{
    const struct plb_task *task = r->task;
    struct command_line line = command_line_of(task->data[TEXT], task->data[PLACES], task->first + unit);
    line.slot = task->slot;
    line.gpu = task->gpu;
    return line;
}

double command_cost(const struct command_lines *r, const struct command_line *line)
{
    const double *costs = r->task->data[COSTS];
    return costs[0] >= 0.0 ? costs[line->unit] : 1.0;
}

/* Whether a line would not end before the time of the run is over, as far as one can say. */
static bool refuses(const struct command_lines *r, const struct command_line *line,
                    struct command_outcome *outcome)
{
    double left = r->task->until - command_seconds(), expected;
    if (!isfinite(left))
        return false;
    bool told = *(const double *)r->task->data[COSTS] >= 0.0;
    double chance = command_chance_here(r->form, told, r->spec->seconds, command_cost(r, line), left,
                                        &expected);
    if (chance >= COMMAND_LEAST_CHANCE)
        return false;
    *outcome = (struct command_outcome){NO_TIME,        0, r->where, (float)fmax(left, 0.0), (float)chance,
                                        (float)expected};
    return true;
}

/* A number for a process of the run. Two that have the same one by chance do no harm. */
static uint32_t number_of(const char *host)
{
    uint32_t hash = 2166136261u ^ (uint32_t)getpid();
    for (; *host != '\0'; host++)
        hash = (hash ^ (unsigned char)*host) * 16777619u;
    return hash;
}

/* Whether this process leaves a line that has failed to others. */
static bool declines(const struct command_lines *r, int what, uint32_t where)
{
    return what == OTHER_FORM ? (where & 1u) == (uint32_t)r->form : what == ELSEWHERE && where == r->where;
}

/* Runs a line. False: nobody wants it any more, or those that follow. */
static bool run_one(struct command_lines *r, const struct command_line *line, uint8_t todo,
                    struct command_outcome *outcome)
{
    int64_t lines = (int64_t)(r->task->bytes[PLACES] / sizeof(struct command_place));
    command_progress_begun(&r->progress, line->unit - r->task->first + 1);
    if (!command_run_line(r, line, (todo & LAST) != 0, outcome))
        return false;
    if (!has_failed(outcome) || (todo & LAST) != 0)
        command_halt_ended(&r->spec->halt, lines, line->unit, has_failed(outcome));
    command_progress_ended(&r->progress, line->unit - r->task->first + 1);
    return command_progress_goes_on(&r->progress);
}

/* A GPU's slot has a core, so it runs the form for CPUs of a line that has failed on a GPU. Left to CPUs it
 * might come back again and again, since a slot that leaves lines to others looks quick. */
static bool run_on_core(struct command_lines *r, const struct command_line *line, uint8_t todo,
                        struct command_outcome *outcome)
{
    struct command_lines other = *r;
    struct command_line without = *line;
    without.gpu = NULL;
    other.form = ON_CPU;
    other.where = r->where & ~1u;
    other.n_env = 0;
    make_environment(&other);
    bool goes_on = false;
    if (other.env == NULL)
        other.failed = plb_task_error(r->task, "no memory for the environment of programs");
    else
        goes_on = refuses(&other, &without, outcome) || run_one(&other, &without, todo, outcome);
    free(other.env);
    r->path = other.path;
    r->progress = other.progress;
    r->failed = other.failed;
    r->ran |= other.ran;
    return goes_on;
}

/* Runs the lines of the task that are to be run. Returns whether one was left to others. */
static bool run_lines(struct command_lines *r)
{
    const struct plb_task *task = r->task;
    struct command_outcome *outcomes = task->data[OUTCOME];
    const uint8_t *todo = (const uint8_t *)task->data[TODO] + task->first;
    const uint32_t *where = (const uint32_t *)task->data[WHERE] + task->first;
    int64_t *served = r->spec->serves ? calloc((size_t)task->count, sizeof *served) : NULL, n = 0;
    bool goes_on = true, left = false, on_core = r->form == ON_GPU && r->spec->has[ON_CPU] && served == NULL;
    for (int64_t i = 0; i < r->progress.count && goes_on && r->failed == 0; i++) {
        struct command_line line = command_line_at(r, i);
        int what = todo[i] & ~LAST;
        if (what == NOTHING)
            continue;
        bool fails = declines(r, what, where[i]);
        r->yields |= fails && !on_core && what == OTHER_FORM;
        if ((fails && !on_core) || command_halt_leaves(line.unit))
            outcomes[i].exit = DECLINED;
        else if (fails)
            goes_on = run_on_core(r, &line, todo[i], &outcomes[i]);
        else if (!refuses(r, &line, &outcomes[i]) && served != NULL)
            served[n++] = i;
        else if (outcomes[i].exit != NO_TIME)
            goes_on = run_one(r, &line, todo[i], &outcomes[i]);
        left |= outcomes[i].exit == DECLINED || outcomes[i].exit == NO_TIME;
    }
    if (n > 0)
        command_serve_lines(r, served, n);
    free(served);
    return left;
}

/* Lines were left to others, who may be quicker now. Where they are left to the other form, a slot that runs
 * nothing looks so quick that it would get all of them again. So it waits for longer each time. */
static void make_room(const struct command_lines *r)
{
    static _Thread_local int idle; /* tasks of this slot in a row of which it has run nothing */
    idle = !r->yields || r->progress.ended > 0 ? 0 : idle < MOST_IDLE ? idle + 1 : idle;
    double until = command_seconds() + ROOM * (1 << idle);
    do
        nanosleep(&(struct timespec){0, (long)(1e9 * ROOM)}, NULL);
    while (command_seconds() < until && !plb_task_cancelled(r->task));
}

int command_entry(const struct plb_task *task)
{
    char host[65] = "?";
    struct command_lines r = {.task = task,
                              .spec = task->data[SPEC],
                              .progress = {task, .count = task->count, .since = command_seconds()}};
    gethostname(host, sizeof host - 1);
    command_add(&r.host, host, strlen(host));
    r.form = task->gpu != NULL && r.spec->has[ON_GPU] ? ON_GPU : ON_CPU;
    r.where = (number_of(host) & ~1u) | (uint32_t)r.form;
    make_environment(&r);
    if (r.env == NULL)
        r.failed = plb_task_error(task, "no memory for the environment of programs");
    else if (!r.spec->has[r.form])
        r.failed = plb_task_leave(task, "there is no command for CPUs (command.run)");
    if (run_lines(&r))
        make_room(&r);
    free(r.env);
    free(r.path.at);
    free(r.host.at);
    return r.failed;
}
