/* The tasks that a device may be executing, by lane. The node's lock guards them. */
#ifndef PLB_NODE_PU_RUNNING_H
#define PLB_NODE_PU_RUNNING_H

#include "core/worker/queue.h"
#include "device/device.h"

struct plb_running {
    bool runs;
    bool in_place; /* it writes outputs to where rank 0 gathers them */
    bool told;     /* that nobody wants its results: from then on they may be anything */
    bool lost;     /* it hangs, and its PU was given up: the worker has it no more */
    bool killed;   /* it hangs, and its child process was killed */
    double kill_s; /* seconds of its age then */
    int64_t step;  /* of its PU, when it began */
    struct plb_slice task;
};

/* Seconds in which a PU has had a task, in any lane. */
struct plb_busy {
    int tasks;             /* that it has now */
    double since, seconds; /* since: plb_now() when it got the first of them; seconds: without these */
};

void plb_busy_begin(struct plb_busy *busy);
double plb_busy_seconds(const struct plb_busy *busy, double now);

/* A task has ended. */
void plb_running_end(struct plb_running *running, struct plb_busy *busy);

/* Whether a task runs that writes outputs of some of these units in place, and its range. */
bool plb_running_writes(const struct plb_running running[PLB_MAX_LANES], struct plb_range range,
                        struct plb_range *task);

/* Whether a task of a pass from `from` to `until` - 1 runs; hangs: one that was lost counts, too. */
bool plb_running_works(const struct plb_running running[PLB_MAX_LANES], int from, int until, bool hangs);

/* The task that has run longest, which the PU's thread waits for; NULL: none runs. */
const struct plb_running *plb_running_oldest(const struct plb_running running[PLB_MAX_LANES]);

/* Whether the device executes nothing but what nobody wants, in all of its lanes. */
bool plb_running_only_unwanted(const struct plb_running running[PLB_MAX_LANES], int lanes);

#endif
