/* The state of a check while it runs: for this folder alone. */
#ifndef PLB_CHECK_STATE_H
#define PLB_CHECK_STATE_H

#include "app/dataset.h"
#include "check/findings.h"
#include "check/guards.h"
#include "check/trial.h"
#include "job/job.h"

#define PLB_CHECK_RANKS 3

/* How a task is tried. */
struct plb_check_way {
    int rank;
    bool at_end;           /* its buffers stand at the end of their pages */
    unsigned char pattern; /* beside buffers, and in outputs that the kernel promises to write */
    int threads;           /* that the entry may use */
};

/* A pass as one order of tasks gives it. */
struct plb_check_order {
    struct plb_check_way way; /* but for the rank */
    int ranks;                /* 1 or PLB_CHECK_RANKS */
    struct plb_range *tasks;  /* owned */
    int n, capacity;
    bool whole; /* all tasks have given results */
    void *
        results[PLB_MAX_DATA]; /* OUTPUT: of all units; REDUCE: folded; RECORDS: a checksum per unit. Owned */
    double magnitude[PLB_MAX_DATA]; /* of what was folded, for its rounding */
};

struct plb_check {
    struct plb_job job;
    struct plb_dataset set; /* as rank 0 describes it */
    struct plb_findings findings;
    struct plb_guards guards;
    struct plb_guarded replicated[2][PLB_MAX_DATA]; /* at the begin and at the end of their pages */
    size_t guarded;                                 /* of `guards`, by these */
    struct plb_trial *rank[PLB_CHECK_RANKS];        /* ranks but 0 have been forked before setup */
    struct plb_phase phase;                         /* of the pass */
    struct plb_check_order order[2];                /* one rank, and three */
    uint64_t drawn;                                 /* random numbers */
    int64_t tasks, folds, costs;                    /* tried */
    int passes;
};

/* The next random number, from 0 to below n. */
static inline int64_t plb_check_draw(struct plb_check *c, int64_t n)
{
    return (int64_t)(plb_random_real(c->job.seed, c->drawn++) * (double)n);
}

#endif
