/* Both ways to run lines share this: environment, joblog, and which lines of a task are to be run. */
#include "entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"

/* Whether the programs do not inherit a variable: it makes a program a rank of this job, or a part of the run
 * that plbrun-mpirun waits for, or the settings have another value for it. */
static bool is_left_out(const struct command_lines *r, const char *variable)
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
static void make_environment(struct command_lines *r)
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
    command_describe(r->spec, line, &text);
    for (char *c = text.at + n; *c != '\0'; c++) /* one line, whatever it has */
        *c = *c == '\n' ? ' ' : *c;
    command_add(&text, "\n", 1);
    plb_task_record(r->task, LOG, line->number - 1, text.at, text.n);
    free(text.at);
}

/* A number for a process of the run. Two that have the same one by chance do no harm. */
static uint32_t number_of(const char *host)
{
    uint32_t hash = 2166136261u ^ (uint32_t)getpid();
    for (; *host != '\0'; host++)
        hash = (hash ^ (unsigned char)*host) * 16777619u;
    return hash;
}

/* Runs the lines of the task that are to be run. Returns whether one was declined. */
static bool run_lines(struct command_lines *r)
{
    const struct plb_task *task = r->task;
    struct command_outcome *outcomes = task->data[OUTCOME];
    const uint8_t *todo = (const uint8_t *)task->data[TODO] + task->first;
    const uint32_t *where = (const uint32_t *)task->data[WHERE] + task->first;
    int64_t *served = r->spec->serves ? calloc((size_t)task->count, sizeof *served) : NULL, n = 0;
    bool goes_on = true, declines = false;
    for (int64_t i = 0; i < task->count && goes_on && r->failed == 0; i++) {
        struct command_line line = command_line_of(task->data[TEXT], task->data[PLACES], task->first + i);
        int what = todo[i] & ~LAST;
        bool declined = what == ELSEWHERE && where[i] == r->where;
        declines |= declined;
        if (declined)
            outcomes[i].exit = DECLINED;
        else if (what != NOTHING && served != NULL)
            served[n++] = i;
        else if (what != NOTHING)
            goes_on = command_run_line(r, &line, (todo[i] & LAST) != 0, &outcomes[i])
                   && !plb_task_cancelled(task);
    }
    if (n > 0)
        command_serve_lines(r, served, n);
    free(served);
    return declines;
}

int command_entry(const struct plb_task *task)
{
    char host[65] = "?";
    struct command_lines r = {.task = task, .spec = task->data[SPEC]};
    gethostname(host, sizeof host - 1);
    command_add(&r.host, host, strlen(host));
    r.where = number_of(host);
    make_environment(&r);
    if (r.env == NULL)
        r.failed = plb_task_error(task, "there is no memory for the environment of programs");
    if (run_lines(&r)) /* others may be quicker now */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    free(r.env);
    free(r.path.at);
    free(r.host.at);
    return r.failed;
}
