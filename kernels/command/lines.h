/* The lines of a task: by a program for each (run.c), or by a server that reads them (serve.c). */
#ifndef COMMAND_LINES_H
#define COMMAND_LINES_H

#include "input.h"
#include "progress.h"

#define DECLINED (-2) /* the exit status of a line that a rank leaves to others */
#define NO_TIME (-3)  /* and of one that would not end before the time of the run is over */

static inline bool has_run(const struct command_outcome *outcome)
{
    return outcome->exit != DECLINED && outcome->exit != NO_TIME;
}

static inline bool has_failed(const struct command_outcome *outcome)
{
    return has_run(outcome) && (outcome->exit != 0 || outcome->signal != 0);
}

/* Where a line is run in a pass. ELSEWHERE: in another process than that in which it has failed; OTHER_FORM:
 * in a slot of the other form. */
enum { NOTHING, ANYWHERE, ELSEWHERE, OTHER_FORM };
#define LAST 4 /* is added where it is not run again, however it ends */

/* A task's programs: all that is made once for them. */
struct command_lines {
    const struct plb_task *task;
    const struct command_spec *spec;
    struct command_text path, host;
    int form;       /* ON_CPU or ON_GPU */
    uint32_t where; /* a number for this process; its last bit is the form */
    char **env;
    int n_env;
    char sequence[48], own[5][100]; /* variables */
    bool ran;                       /* a line of the task has been run */
    bool yields;                    /* one was left to the other form, since it has failed in this one */
    struct command_progress progress;
    int failed; /* what the entry returns */
};

/* Line `unit` of the task, from 0. */
struct command_line command_line_at(const struct command_lines *r, int64_t unit);

/* The cost of a line, as far as it is told; else 1. */
double command_cost(const struct command_lines *r, const struct command_line *line);

/* Runs one line, and keeps its outputs where it is not run again: then they may be printed at once. False
 * where nobody wants it any more. */
bool command_run_line(struct command_lines *r, const struct command_line *line, bool last,
                      struct command_outcome *outcome);

/* Serves n lines of the task, as command_run_line does each. The thread keeps its server for its next task;
 * when the thread ends, so does the server, with --grace. */
bool command_serve_lines(struct command_lines *r, const int64_t *units, int64_t n);

/* The line of the joblog. */
void command_log(struct command_lines *r, const struct command_line *line, const struct command_end *end,
                 int64_t sent, int64_t received);

#endif
