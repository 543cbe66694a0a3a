/* The past of each line, from pass to pass, and whether it is run again. Pure functions.
 *
 * A line is run again where it has failed, while it has tries left. One that a process has refused for want
 * of time is left to others: each process whose programs are known to end may have time for it. */
#ifndef COMMAND_PAST_H
#define COMMAND_PAST_H

#include "lines.h"

/* Processes of the run, each with the form of the command that it runs; of more than these, some count as
 * one. */
#define COMMAND_PROCESSES 64

struct command_processes {
    uint32_t at[COMMAND_PROCESSES]; /* command_outcome.where */
    int n;
};

struct command_past {
    struct command_outcome last; /* how it ended last; NO_TIME, DECLINED: it has not been begun */
    uint64_t refused;            /* processes that had no time for it, as bits */
    int32_t tries;               /* how often it ran */
    int32_t passes;              /* in which it was left to others, since it ran last */
    int32_t late;                /* the next try was refused for want of time */
};

/* Whether processes of both forms have run lines. */
bool command_processes_both(const struct command_processes *processes);

/* Notes a process. */
void command_processes_add(struct command_processes *processes, uint32_t where);

/* A pass in which the line was to be run has ended so. idle: nobody has run any line in it. */
void command_past_add(struct command_past *past, const struct command_outcome *now,
                      const struct command_processes *processes, bool idle);

/* The run has gone on by its journal: other processes than before run lines, and none of them has refused
 * this one. */
void command_past_go_on(struct command_past *past);

/* The next pass does this with the line: NOTHING, ANYWHERE, ELSEWHERE or OTHER_FORM, and LAST. */
uint8_t command_past_todo(const struct command_past *past, int64_t retries,
                          const struct command_processes *processes);

#endif
