/* The call of a kernel that the calling thread is in: for sentences about a crash (host/crash.h). */
#ifndef PLB_BASE_CRASH_CALL_H
#define PLB_BASE_CRASH_CALL_H

#include <stdint.h>

/* The call that a thread is in. It lasts until plb_crash_leave, and only its thread changes it. Strings are
 * static. */
struct plb_crash_call {
    const char *kernel, *unit; /* as the kernel names itself and its units */
    int pu;                    /* number on this rank */
    const char *entry;         /* the phase that runs; NULL: nothing of the kernel's */
    int64_t first, count;      /* units */
    void *stack, *earlier;     /* for handlers: this thread's, and the one that it had before */
};

/* The calling thread begins a task of a phase; has ended it. Costs a few stores. Nothing in a thread
 * without one. */
void plb_crash_begin(const char *entry, int64_t first, int64_t count);
void plb_crash_end(void);

/* The call of the calling thread; NULL: it makes none. Sets it, or none. */
struct plb_crash_call *plb_crash_own(void);
void plb_crash_set_own(struct plb_crash_call *call);

#endif
