/* One program, from its start to its end. */
#ifndef COMMAND_CHILD_H
#define COMMAND_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plb_task;

struct command_child {
    char *const *argv, *const *env;
    const char *path;            /* of the program */
    const char *folder;          /* that it works in; NULL: that of this process */
    double limit;                /* seconds that it may take; 0: any */
    const struct plb_task *task; /* whose cancellation ends it */
};

struct command_end {
    int exit, signal; /* as in a joblog: exit is -1 where the time was over */
    int reason;       /* errno, where the program could not be started; then exit is 127, or 126 */
    bool cancelled;
    double began, took; /* seconds since 1970; seconds */
    int out, err;       /* files with what it has written; to be closed; -1: there is none */
};

/* Starts a program and waits for its end. Its standard input is empty. It is the leader of a process group,
 * and ends with the thread that calls. Any thread may call it. */
void command_run(const struct command_child *child, struct command_end *end);

#endif
