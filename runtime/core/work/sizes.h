/* How many bytes a range of units needs: what bounds a task on the PU that executes it.
 *
 * Units may be unequal (PLB_PARTITION_INDEXED): then a range's bytes come from the offsets, not from a mean.
 * Pure functions; thread-safe. */
#ifndef PLB_CORE_WORK_SIZES_H
#define PLB_CORE_WORK_SIZES_H

#include "core/message/message.h"
#include "model/optimum.h"

#define PLB_MAX_INDEXED 16

struct plb_sizes {
    double replicated_bytes; /* held by every PU all the time */
    double task_bytes;       /* of a task, however many units it has: its reduced arrays */
    double halo_bytes;       /* of the units around those of a task; in the middle of the job */
    int64_t before, after;   /* the most of these units of one buffer */
    double unit_bytes;       /* of a unit, where all are equal: its inputs and outputs */
    int64_t stride;          /* tasks begin at multiples of so many units where they can; 0: anywhere */
    int64_t multiple;        /* tasks are whole multiples of so many units where they can; 0 or 1: any */
    int64_t chunk;           /* a task has at least so many units; 0 or 1: any */
    int n_indexed;
    struct {
        const int64_t *offsets; /* units + 1 of them; borrowed */
        double element_bytes;
    } indexed[PLB_MAX_INDEXED];
};

/* Of an application without data. */
extern const struct plb_sizes plb_no_sizes;

/* The limits of one PU's tasks. */
struct plb_task_limit {
    int64_t units; /* as the user wants it; INT64_MAX: no wish */
    double bytes;  /* of inputs with their halo, outputs and reduced arrays; may be infinite */
};

/* Bytes of the task [first, first + count), with the halo of one in the middle of the job. */
double plb_sizes_bytes(const struct plb_sizes *sizes, struct plb_range range);

/* The most units from `first` on, at most `count`, that stay within the limit; at least 1. */
int64_t plb_sizes_fit(const struct plb_sizes *sizes, const struct plb_task_limit *limit,
                      struct plb_range range);

/* Bytes of the largest task of a single unit, or chunk, among `units` units. O(units) where units are
 * unequal. */
double plb_sizes_largest(const struct plb_sizes *sizes, int64_t units);

/* Whether a PU's memory holds the replicated data and the bytes of three tasks of the largest unit. */
bool plb_sizes_has_room(const struct plb_sizes *sizes, double memory, double largest);

/* Seconds that rank 0's link probably needs for the reduced arrays of one result of each of so many nodes. No
 * sizes: 0. */
double plb_sizes_arrays_seconds(const struct plb_sizes *sizes, int n_nodes);

/* Seconds that a node needs to fold the reduced arrays of one result: what a result costs where they stay at
 * their nodes. */
double plb_sizes_fold_seconds(const struct plb_sizes *sizes);

/* Whether reduced arrays go along a tree of so many nodes at less cost than to node 0 each. */
bool plb_sizes_fold(const struct plb_sizes *sizes, int n_nodes);

/* Bytes of a task beside those of its units: reduced arrays and halo. */
double plb_sizes_beside(const struct plb_sizes *sizes);

/* Bytes of a unit in the mean, without those. */
double plb_sizes_mean(const struct plb_sizes *sizes, int64_t units);

/* The limit of a PU's tasks: the user's `grain` (0: no wish), a third of the memory that replicated data
 * leaves, and what the PU copies best at a time, or has in its cache (pu->task_bytes; a CPU: at most
 * `pulled_bytes`), else `pulled_bytes` on nodes other than 0 (0: any). */
struct plb_task_limit plb_task_limit(const struct plb_sizes *sizes, const struct plb_pu_info *pu,
                                     double grain, double pulled_bytes);

#endif
