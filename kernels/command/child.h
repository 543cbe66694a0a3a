/* One program, from its start to its end. */
#ifndef COMMAND_CHILD_H
#define COMMAND_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct command_progress;

/* Seconds between SIGTERM and SIGKILL where the time is over. Larger: a program that does not listen keeps
 * its core. Smaller: one that tidies up is cut off. */
#define COMMAND_TERM 1.0

/* Seconds between two looks whether anybody wants the result still. Larger: cores are lost to what nobody
 * wants. Smaller: a thread wakes for nothing. */
#define COMMAND_LOOK 0.05

double command_seconds(void); /* of a clock that nobody sets */
double command_time(void);    /* seconds since 1970 */

struct command_child {
    char *const *argv, *const *env;
    const char *path;                  /* of the program */
    const char *folder;                /* that it works in; NULL: that of this process */
    double limit;                      /* seconds that it may take; 0: any */
    struct command_progress *progress; /* of its task, whose cancellation ends it */
};

struct command_end {
    int exit, signal; /* as in a joblog: exit is -1 where the time was over */
    int reason;       /* errno, where the program could not be started; then exit is 127, or 126 */
    bool cancelled;
    double began, took; /* seconds since 1970; seconds */
    int out, err;       /* files with what it has written; to be closed; -1: there is none */
};

/* Starts a program with these standard descriptors: it is the leader of a process group, which it enters in
 * `place` (guard.h), and ends with the thread that calls. -1: *failure, an errno, says why not. */
pid_t command_start(const struct command_child *child, const int fds[3], _Atomic pid_t *place, int *failure);

/* Starts a program and waits for its end. Its standard input is empty. It is the leader of a process group,
 * and ends with the thread that calls. Any thread may call it. */
void command_run(const struct command_child *child, struct command_end *end);

#endif
