/* The balancer API: all that the author of a balancing policy sees.
 *
 * A balancer is one file in balancers/ that defines
 *
 *     const struct plb_balancer plb_balancer_<file name> = { PLB_BALANCER_HEAD, .name = ..., ... };
 *
 * The build collects every file of that folder; nothing else is edited. A balancer is a
 * deterministic function of what it is told: no clock, threads, MPI or CUDA. It may call the pure
 * functions of model/ (curves and solver).
 *
 * Amounts of work are in units of average cost: a kernel that declares no cost has unit i costing
 * 1, else a unit counts by its share of the mean. plbrun rounds a grant to whole units (down, where
 * units cost unlike amounts), at least
 * one. Seconds everywhere. Calls never overlap. */
#ifndef PLB_BALANCER_H
#define PLB_BALANCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plb/option.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLB_BALANCER_ABI 1u

enum plb_pu_kind { PLB_CPU, PLB_GPU, PLB_ACCELERATOR };

/* What the best fixed distribution gives a PU, where a simulation knows it. */
struct plb_ideal {
    double work;
    int pieces;                 /* to grant it in, at least 1 */
};

/* A finished report of a PU: `tasks` tasks of work/tasks each took these seconds on average.
 * Anything measured may be zero, and after a fault even NaN: a balancer survives that. */
struct plb_sample {
    double work;                /* of one task */
    double execute_s;           /* of one task: the kernel itself (F_p) */
    double transfer_s;          /* of one task: moving data, as far as it was not hidden (G_p) */
    int64_t tasks;              /* how many tasks the report covers */
    double time;                /* when the report reached the master */
    bool block_end;             /* the block that the tasks belong to is finished */
};

struct plb_pu {
    int node;                   /* MPI rank */
    enum plb_pu_kind kind;
    const char *name;
    double power;               /* computing power as given, or 1; only ratios matter */
    double grain;               /* most work in one of its tasks: a larger block is cut; may be infinite */
    bool lost;                  /* gone, or never usable: never asked, owed nothing */
    int outstanding;            /* blocks granted and not finished: 0, 1 or 2 */
    double granted;             /* work granted in this pass, as rounded */
    double done;                /* work finished in this pass */
    const struct plb_sample *samples; /* of this kernel, in all passes so far; most recent last */
    int n_samples;              /* at most PLB_MAX_SAMPLES */
    int recalled;               /* the first so many of them are a profile, from an earlier run */
    const struct plb_ideal *ideal; /* simulation only: its part in the optimum; else NULL */
};

#define PLB_MAX_SAMPLES 128

/* Filled in by the balancer as it goes, for the report. */
struct plb_balancer_stats {
    int64_t solves;             /* systems solved */
    double profile_end;         /* time at which training ended; 0 where there was none */
};

struct plb_view {
    double now;                 /* seconds since the pass began */
    double total;               /* work of the pass */
    double remaining;           /* work not granted yet */
    double next;                /* work of the unit that is granted next: no grant is smaller */
    int64_t units;              /* whole units of the pass; total equals it but for rounding */
    int n_pus;
    const struct plb_pu *pus;
    struct plb_balancer_stats *stats;
};

/* The balancer's parameters as set by the user, in the order of its options table. */
struct plb_param {
    const char *name;
    double value;               /* PLB_INT, PLB_REAL, PLB_FLAG (0 or 1) */
    const char *text;           /* the value as text */
};

struct plb_balancer {
    uint32_t abi, size;         /* through PLB_BALANCER_HEAD */
    const char *name;           /* as the user types it: plb-hec */
    const char *summary;        /* one line */
    const struct plb_option *options; /* keys of [balance], ended by a NULL name; or NULL */
    bool simulation_only;       /* it looks at what only a simulation knows: plb_pu.ideal */

    /* Returns the policy's state for one pass, or NULL where there is no memory. Owned by the
     * caller until fini. `params` lasts as long as the state. */
    void *(*init)(const struct plb_view *view, const struct plb_param *params);

    /* The work PU `pu` gets next, or PLB_WAIT: a waiting PU is asked again after every event, which
     * is all that a barrier is; or PLB_WAIT_OWN, where only its own next report can change the
     * answer: that keeps the master's work per event small on thousands of PUs. A PU is asked while
     * it has fewer than two blocks outstanding and work remains; the second one waits in its queue
     * so that no PU waits for a round trip. A loss, and an end of all outstanding work, has everybody
     * asked again. While nothing at all is outstanding, some PU must be granted work. */
    double (*grant)(void *state, const struct plb_view *view, int pu);

    /* Optional: PU `pu` reported `sample`, which is also the last of its samples in the view. */
    void (*done)(void *state, const struct plb_view *view, int pu, const struct plb_sample *sample);

    /* Optional: PU `pu` is gone and its unfinished work is back in view->remaining. */
    void (*lost)(void *state, const struct plb_view *view, int pu);

    void (*fini)(void *state);
};

#define PLB_WAIT 0.0
#define PLB_WAIT_OWN (-1.0)

#define PLB_BALANCER_HEAD .abi = PLB_BALANCER_ABI, .size = sizeof(struct plb_balancer)

#ifdef __cplusplus
}
#endif

#endif
