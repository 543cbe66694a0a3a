/* A server: a program that is started once and reads lines. It writes one answer for each, in their order.
 *
 * A line, and a line of an answer, ends with `separator`. An answer is one line, or all lines up to one that
 * is `end`, which is not a part of it. Output of the server is taken while lines are still on their way
 * to it: neither waits for the other, however long lines and answers are. A server belongs to the
 * thread that has started it, and ends with it. */
#ifndef COMMAND_SERVER_H
#define COMMAND_SERVER_H

#include "child.h"
#include "template.h"

struct command_server {
    char separator;
    const char *end; /* NULL: an answer is one line; borrowed */
    pid_t pid;       /* 0: it does not run */
    int pidfd, in, out, err;
    _Atomic pid_t *place;
    struct command_text to, from; /* lines that it has not taken; what it has written */
    size_t sent, taken;           /* of these: bytes that are behind us */
    off_t heard;                  /* bytes of its standard error that are behind us */
    int64_t answers;              /* since its start */
};

enum command_heard {
    COMMAND_ANSWER,
    COMMAND_ENDED,     /* the server has ended before, or closed its standard output */
    COMMAND_LATE,      /* the seconds are over */
    COMMAND_CANCELLED, /* nobody wants the answer any more */
};

/* Starts the server. It has these members alone: separator, end. False: *reason, an errno, says why not. */
bool command_server_start(struct command_server *server, const struct command_child *child, int *reason);

/* Puts bytes on their way to the server. */
void command_server_send(struct command_server *server, const char *bytes, size_t n);

/* Waits for the next answer, at most so many seconds; 0: any. *answer is valid until the next call. */
enum command_heard command_server_answer(struct command_server *server, double most,
                                         struct command_progress *progress, const char **answer, size_t *n);

/* Whether the server has written more than what it was asked for, when no answer is awaited. */
bool command_server_chatters(struct command_server *server);

/* Appends what the server has written to its standard error since the last call. */
void command_server_errors(struct command_server *server, struct command_text *text);

/* Ends the server: it gets end-of-file, SIGTERM `grace` seconds later, and SIGKILL a second after that. 0: it
 * gets SIGTERM at once; below 0: SIGKILL. Its process group ends too. *exit and *signal: as in a joblog. */
void command_server_end(struct command_server *server, double grace, int *exit, int *signal);

#endif
