/* The balancer API: all that the author of a balancing policy sees.
 *
 * A balancer is one file in balancers/ that defines
 *
 *     const struct plb_balancer plb_balancer_<file name> = { PLB_BALANCER_HEAD, .name = ..., ... };
 *
 * The build collects every file of that folder; nothing else is edited. Or it is a shared object that defines
 * `const struct plb_balancer plb_balancer`, and the user names its path. A balancer is a
 * deterministic function of its inputs: no clock, threads, MPI or CUDA. One in balancers/ may
 * call the pure functions of model/ (curves and solver). Calls never overlap.
 *
 * The master asks the policy what a PU gets next (`grant`), and tells it what happened (`done`,
 * `block_end`, `lost`). A run may have 10,000 PUs and many more blocks. So no call goes through all
 * PUs, except `init` and those rare calls that decide for all PUs, such as a solve. Keep counts
 * and sums in the state instead; `living` and `idle` in the view are kept by the master.
 *
 * Amounts of work are in units of average cost: a kernel that declares no cost has unit i costing
 * 1, else a unit counts by its share of the mean. plbrun rounds a grant to whole units, at least one;
 * it rounds down where units cost unlike amounts. Times are in seconds. */
#ifndef PLB_BALANCER_H
#define PLB_BALANCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plb/option.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLB_BALANCER_ABI 3u

enum plb_pu_kind { PLB_CPU, PLB_GPU, PLB_ACCELERATOR };

/* The share of a PU in the best fixed distribution, where a simulation knows it. */
struct plb_ideal {
    double work;
    int blocks; /* to grant it in, at least 1 */
};

/* A PU's report of finished tasks: `tasks` tasks of work/tasks each took these seconds on average.
 * Anything measured may be zero, and after a fault even NaN: a balancer survives that. */
struct plb_sample {
    double work;       /* of one task */
    double execute_s;  /* of one task: the kernel itself (F_p) */
    double transfer_s; /* of one task: moving data, as far as it was not hidden (G_p) */
    int64_t tasks;     /* how many tasks the report covers */
    double time;       /* when the report reached the master */
    bool block_end;    /* it finishes a block that was granted to this PU */
};

/* The belief about a PU's times: the curve, its spread, what a start costs, and how long the PU was
 * watched (model/belief.h). Before the first report it is a prior: the PU's power, at the rate that other PUs
 * have shown. */
struct plb_belief;

/* How quick a PU is: its start cost, its rate, and how sure these are (model/estimate.h). */
struct plb_estimate;

struct plb_pu {
    int node; /* MPI rank */
    enum plb_pu_kind kind;
    const char *name;
    double power;    /* computing power as given, or 1; only ratios matter */
    double grain;    /* most work in one of its tasks: a larger block is cut; may be infinite */
    bool lost;       /* gone, or never usable: never asked, owed nothing */
    int outstanding; /* blocks granted and not finished: 0, 1 or 2 */
    double granted;  /* work granted in this pass, as rounded, less what a loss took back of it */
    double done;     /* work finished in this pass of what was granted to it; others may have
                        executed it */
    const struct plb_sample *samples; /* of this phase, in all passes so far; most recent last */
    int n_samples;                    /* at most PLB_MAX_SAMPLES */
    int from_profile;                 /* the first so many of them are a profile, from an earlier run */
    const struct plb_ideal *ideal;    /* simulation only: its part in the optimum; else NULL */

    const struct plb_estimate *estimate; /* in this phase, by its reports; lasts as long as the view */

    /* For a balancer that asks for beliefs; else NULL and zeros. */
    const struct plb_belief *belief; /* in this phase; lasts as long as the view */
    double begun; /* when it began what it does now: at its latest report, the end of its block, or a grant */
    double end;   /* when it is expected to have done what was granted to it; `begun` where that is nothing */
};

#define PLB_MAX_SAMPLES 128

/* The balancer's account to the master: counts, a time for the report, and one request. */
struct plb_balancer_stats {
    int64_t solves;     /* systems solved */
    int64_t fits;       /* curves fitted, through four samples at least; a simulation takes the master's
                           time for each */
    double profile_end; /* time at which training ended; 0 where there was none */
    bool ask_again;     /* those told PLB_WAIT shall be asked: see there */
    double rest_s;      /* that the rest of the pass was expected to take, at the latest solve; 0: unknown */
};

struct plb_view {
    double now;       /* seconds since the pass began */
    double total;     /* work of the pass, without what an earlier run has done; see cost_spread */
    double remaining; /* work not granted; a loss adds to it, at the time and perhaps later */
    double next;      /* work of the unit that is granted next: no grant is smaller */
    int64_t units;    /* whole units of the pass; total equals it until work is counted anew */
    int n_pus;        /* lost ones included */
    int living;       /* PUs that are not lost */
    bool backups;     /* near the end, idle PUs execute late units a second time, so that one unit on a
                         PU that is far too slow costs little */
    int idle;         /* of these, PUs with no block outstanding: idle == living where nothing
                         at all is outstanding */
    const struct plb_pu *pus;
    struct plb_balancer_stats *stats;

    /* Work is counted anew when the run learns that units cost other amounts than given: `total`,
     * `remaining`, and what PUs were granted and have done. Then this is how unsure the costs of the next
     * units are, as a relative deviation; else 0. */
    double cost_spread;

    /* Each block is at least one result, with reduced arrays of its own. So many seconds rank 0's link
     * probably needs for one more result of each node; 0 where there are none. Later versions of plbrun may
     * append members. */
    double result_s;
};

/* The balancer's parameters as set by the user, in the order of its options table. */
struct plb_param {
    const char *name;
    double value;     /* a number, seconds, PLB_FLAG (0 or 1); PLB_TEXT with choices: which, from 0 */
    const char *text; /* the value as text */
};

/* The basis of the sizes of a balancer's blocks: what this run measures, the PUs' given powers, or the
 * profiles of earlier runs. */
enum plb_basis { PLB_BY_MEASUREMENT, PLB_BY_POWER, PLB_BY_PROFILE };

struct plb_balancer {
    uint32_t abi, size;               /* through PLB_BALANCER_HEAD */
    const char *name;                 /* as the user types it: plb-hec */
    const char *summary;              /* one line */
    const struct plb_option *options; /* keys of [balance], ended by a NULL name; or NULL */
    bool simulation_only;             /* it looks at what only a simulation knows: plb_pu.ideal */
    bool beliefs;                     /* it looks at plb_pu.belief: a fit after each report, before `done` */
    bool stands; /* it is not asked in a pass whose shares are known well enough before it begins: each PU
                    gets what it ends in the same time, by its estimate. The view is as in any other pass. */

    /* Optional: what it goes by with these parameters; NULL = by measurement. By power: work that moves
     * between PUs is shared by their powers too. By profile: plbrun refuses a run where a PU has no profile.
     */
    enum plb_basis (*basis)(const struct plb_param *params);

    /* Returns the policy's state for one pass, or NULL where there is no memory. Owned by the
     * caller until fini. `params` lasts as long as the state. */
    void *(*init)(const struct plb_view *view, const struct plb_param *params);

    /* The work PU `pu` gets next, or PLB_WAIT or PLB_WAIT_OWN. A PU is asked while it has fewer than
     * two blocks outstanding and work remains; the second one waits in its queue so that no PU waits
     * for a round trip. While nothing at all is outstanding, some PU must be granted work. */
    double (*grant)(void *state, const struct plb_view *view, int pu);

    /* Optional: PU `pu` reported `sample`, which is also the last of its samples in the view. The tasks
     * may belong to a block of another PU, whose units were moved to this one. */
    void (*done)(void *state, const struct plb_view *view, int pu, const struct plb_sample *sample);

    /* Optional: a block granted to PU `pu` ended, but not by its own report: another PU, to which its
     * last units had been moved, reported them (that PU's `done` comes first), or a loss took them back
     * (the calls of `lost` come first). So every block that was granted ends exactly once: by a
     * sample with block_end, by a call of block_end, or by the loss of its PU. */
    void (*block_end)(void *state, const struct plb_view *view, int pu);

    /* Optional: PU `pu` is gone. Called once for each PU of a lost node. In the first of these calls
     * the view shows all of the loss already: the node's PUs are lost, and its unfinished work is
     * back in `remaining`. Units that were being moved to the node may come back later; then
     * `remaining` grows and no function is called. */
    void (*lost)(void *state, const struct plb_view *view, int pu);

    void (*fini)(void *state);
};

/* Answers of grant. A PU that was told to wait is asked again after its own next report, after the end
 * of one of its blocks, after a loss, and whenever nothing at all is outstanding. A PU told PLB_WAIT is
 * also asked when the balancer wants it: the balancer sets stats->ask_again in a call that changes what
 * others wait for (a barrier is lifted, a solve gave new sizes), and the master clears it and asks all
 * of them. Each such round costs a question per waiting PU, so it must be rare on many PUs. Where a PU
 * could not be granted anything in such a round, PLB_WAIT_OWN spares it the question. With `beliefs`, those
 * told PLB_WAIT are also asked where nobody has reported for a while, an idle PU waits, and another one is
 * late by more than twice the time of all that it holds. */
#define PLB_WAIT 0.0
#define PLB_WAIT_OWN (-1.0)

#define PLB_BALANCER_HEAD .abi = PLB_BALANCER_ABI, .size = sizeof(struct plb_balancer)

#ifdef __cplusplus
}
#endif

#endif
