/* A process that tries a kernel's entry and fold, so that a mistake ends it and not plbrun. One that was
 * forked before the kernel's setup is as another rank: it has nothing of setup's but what the task brings.
 *
 * The parent writes a request, whose buffers are in guarded memory that both share. Not thread-safe. */
#ifndef PLB_CHECK_TRIAL_H
#define PLB_CHECK_TRIAL_H

#include "app/application.h"
#include "check/guards.h"
#include "host/child.h"

struct plb_trial_request {
    bool folds;             /* a call of the kernel's fold, and no task */
    struct plb_phase phase; /* whose cpu entry is called */
    struct plb_task task;   /* its pointers are set by plb_trial_call */
    int n;                  /* buffers */
    void *data[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    int64_t before[PLB_MAX_DATA], after[PLB_MAX_DATA];
    struct plb_guarded placed[PLB_MAX_DATA];
    uint32_t *records[PLB_MAX_DATA]; /* the answer's place for a checksum of each unit's record; else NULL */
    struct plb_folding folding;
    _Alignas(64) unsigned char args[PLB_MAX_ARGS];
    size_t args_bytes;
};

/* How a call has ended. */
struct plb_trial_end {
    enum { PLB_TRIED, PLB_TRIED_CRASHED, PLB_TRIED_EXITED, PLB_TRIED_NEVER } how;
    int status;          /* that was returned, or given to exit */
    int signal;          /* of a crash; 0: of nobody knows what */
    const char *address; /* that it used, where that is known */
    bool writes;         /* and wrote to */
    int threads;         /* that the process has afterwards */
    char why[PLB_TASK_WHY];
};

struct plb_trial;

/* Nothing is forked yet. Guards and kernel are borrowed. */
struct plb_trial *plb_trial_new(const struct plb_guards *guards, const struct plb_kernel *kernel);
void plb_trial_free(struct plb_trial *trial); /* NULL: nothing */

/* Forks the process, which then has this one's memory as it is now. PLB_OK, or PLB_EFAILED and a sentence.
 * The calling thread has never used OpenMP: the child could not. */
int plb_trial_fork(struct plb_trial *trial, struct plb_error *err);

/* Where the next request is to be written. */
struct plb_trial_request *plb_trial_next(struct plb_trial *trial);

/* Has it done. NEVER, with a sentence: no process could be started. */
void plb_trial_call(struct plb_trial *trial, struct plb_trial_end *end, struct plb_error *err);

#endif
