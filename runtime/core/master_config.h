/* The settings of the master, and its counts. */
#ifndef PLB_CORE_MASTER_CONFIG_H
#define PLB_CORE_MASTER_CONFIG_H

#include "core/message/message.h"
#include "core/work/cost.h"
#include "core/work/goal.h"
#include "core/work/migration.h"
#include "core/work/sizes.h"

/* PUs that a node which joins may have at most: PASS has a bit for each. */
#define PLB_PUS_OF_JOINER 63

struct plb_master_config {
    const struct plb_balancer *balancer;
    const struct plb_param *params; /* of the balancer; borrowed */
    int n_nodes;                    /* ranks of the run, with and without PUs, and those that may join */
    int joiners;                    /* the last so many of them are not there yet */
    int joining_pus;                /* that they may have together */
    const struct plb_sizes *sizes;  /* of the application's data; borrowed; NULL = no data */
    int64_t units;          /* of a pass, for the largest unit of `sizes`; 0 = unequal ones do not matter */
    double pulled_bytes;    /* a task whose data is pulled moves about this much; 0 = any */
    int phases;             /* of the kernel; 0 counts as 1 */
    double grain;           /* units per task at most, as the user wants it; 0 = no wish */
    double task_s;          /* seconds of a task of a large block at most, or 0: PLB_TASK_SECONDS */
    bool migration;         /* nodes are told when nothing is left to grant, and from whom to take */
    enum plb_victim victim; /* whom idle nodes ask */
    bool backups;           /* idle PUs execute late units a second time; only with migration */
    bool learn_costs;       /* the times of tasks tell what units cost (core/measure/learned_cost.h) */
    bool unscaled;          /* samples stay as measured, and count for ever (core/measure/history.h) */
    bool saves;             /* a run that is interrupted keeps its results: no task lasts for long */
    bool resident;          /* nodes keep the inputs that they have pulled, for the next pass */
    int64_t stays;          /* mask of outputs that stay where they are until the last pass has ended */
    bool feeds_stay;        /* results that feed inputs are among these, and no others */
    int64_t halos;          /* mask of the inputs whose halos travel with the grants (core/place/halos.h) */
    bool folds; /* reduced arrays may stay at their nodes until the pass is over (core/place/sets.h) */
    bool whole_results;                  /* a result counts whole or not at all: the job reduces arrays */
    const struct plb_rangeset *accepted; /* units of the first pass that an earlier run has done, not all of
                                            them; borrowed until that pass begins; NULL = none */
    double audit;  /* the part of the tasks that is executed a second time and compared */
    uint64_t seed; /* of the audits' sample */
    struct plb_goal goal;
    bool isolated; /* a task that crashes ends a child process alone, so that rank 0 may try suspect units */
};

/* Counts of messages and units, in all passes so far; tests look at them. */
struct plb_master_counts {
    int64_t gifts, moved_units;  /* gifts between nodes; units granted to another node, without copies */
    int64_t dropped;             /* messages that make no sense, or come from a lost node */
    int64_t stale;               /* reports and moves of another pass */
    int64_t twice;               /* units reported again after they had been accepted */
    int64_t partly_new;          /* results dropped since only some of their units were new (whole_results) */
    int64_t crashes;             /* of tasks, which killed their rank or a child process */
    int64_t joined, joined_late; /* nodes that came after the start; of these: nothing was left to grant */
    int64_t losses;              /* lost nodes */
};

#endif
