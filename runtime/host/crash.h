/* Says where a kernel crashed: SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT give one sentence with kernel, PU
 * and range. Then the signal takes its course, so that core dumps, debuggers and launchers see it. A kernel
 * that calls exit() gives such a sentence, too, and the process ends with status 1.
 *
 * Each thread that runs entries has a call, which says what it runs. A crash in another thread, such as one
 * that the kernel has started, names all calls that run something.
 *
 * One thread of the process may listen: a crash of a task waits a moment until that one has passed on what
 * crashed, as the last words of this rank. */
#ifndef PLB_HOST_CRASH_H
#define PLB_HOST_CRASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/crash_call.h"

/* A task that a crash was in, or may have been. */
struct plb_crash_note {
    int pu;               /* as in its call */
    int64_t first, count; /* units */
    int signal;
};

/* Takes over the five signals and exit(). Each crash is said to be of this rank. MPI warns where it finds
 * handlers: so unwatch before MPI starts, and watch again after, whatever it or its libraries have installed:
 * theirs are not called. Called by the main thread, while no other runs. */
void plb_crash_watch(int rank);
void plb_crash_unwatch(void);

/* The calling thread runs entries from now on; no longer. */
void plb_crash_enter(struct plb_crash_call *call);
void plb_crash_leave(struct plb_crash_call *call);

/* From now on the calling thread looks at plb_crash_noted often; no longer. */
void plb_crash_listen(bool on);

/* Whether a task has crashed: up to `most` that it may have been. 0: none, or nobody knows which. Costs a
 * load. Its thread waits, for half a second at most, until plb_crash_announced. */
int plb_crash_noted(struct plb_crash_note *at, int most);
void plb_crash_announced(void);

/* "SIGSEGV", "SIGKILL"; "exit" for 0; "a signal" for another one that is not taken over here. */
const char *plb_crash_signal(int number);

/* A child of this process has ended in what the calling thread has begun, by a signal or, where that is 0, by
 * exit with a status. Says so, unless the child's own handler has. */
void plb_crash_tell(int signal, int status);

/* This process is a child that the calling thread has forked: the other threads are not in it. */
void plb_crash_alone(void);

/* Whether a kernel has called exit(), and the process is about to end for it. */
bool plb_crash_exits(void);

/* The main thread calls a function of a kernel, such as "setup". function NULL: it has returned. */
void plb_crash_call(const char *kernel, const char *function);

#endif
