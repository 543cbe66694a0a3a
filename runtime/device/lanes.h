/* Lanes of a device that queues tasks: which stamps (events) are whose, and what they say about time.
 *
 * A task leaves four stamps behind in its lane: begun, copied (its inputs are there), executed and ended.
 * Tasks of two lanes may overlap. So the time of a task counts from the end of the task before it, or of one
 * that it overtook; the sum over all tasks is the time that the device was busy. A driver has a set of stamps
 * for each lane, and one for the task that ended last. */
#ifndef PLB_DEVICE_LANES_H
#define PLB_DEVICE_LANES_H

#include <math.h>
#include <stdbool.h>

#include "device/device.h"

/* For plb_device_ops.near of a GPU. Larger: more bytes are copied in vain. Smaller: more copies. A copy takes
 * about 5 us to start, as long as so many bytes over PCIe 4. */
#define PLB_GPU_NEAR ((size_t)64 << 10)

#define PLB_NO_STAMPS (-1)
#define PLB_LANE_STAMPS (PLB_MAX_LANES + 1)

struct plb_lanes {
    int of[PLB_MAX_LANES], last; /* indices of stamps, or PLB_NO_STAMPS */
};

static inline void plb_lanes_init(struct plb_lanes *lanes)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        lanes->of[lane] = PLB_NO_STAMPS;
    lanes->last = PLB_NO_STAMPS;
}

/* Stamps that no lane has, nor the task that ended last: there are some where a lane is empty. */
static inline int plb_lanes_unused(const struct plb_lanes *lanes)
{
    bool taken[PLB_LANE_STAMPS] = {false};
    int at = 0;
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (lanes->of[lane] != PLB_NO_STAMPS)
            taken[lanes->of[lane]] = true;
    if (lanes->last != PLB_NO_STAMPS)
        taken[lanes->last] = true;
    while (taken[at])
        at++;
    return at;
}

/* Takes the task out of its lane. Returns its stamps, or PLB_NO_STAMPS. */
static inline int plb_lanes_take(struct plb_lanes *lanes, int lane)
{
    int at = lanes->of[lane];
    lanes->of[lane] = PLB_NO_STAMPS;
    return at;
}

/* Seconds between the stamps of a task, and since those of the task that ended last. */
struct plb_lane_spans {
    double total;       /* from begun to ended */
    double since_ended; /* from the last task's ended to ended; infinite without one, negative if overtaken */
    double execute;     /* from copied to executed; 0: it was not launched */
    double since_executed; /* from the last task's executed to executed; infinite without one */
};

/* The time of a task. One that had not overtaken another is the last now. A wait for no task must leave the
 * last one as it is: a task in another lane that ended before the wait would lose its time. */
static inline struct plb_device_times plb_lanes_times(struct plb_lanes *lanes, int at,
                                                      const struct plb_lane_spans *spans)
{
    double total = fmax(fmin(spans->total, spans->since_ended), 0.0);
    double execute = fmax(fmin(spans->execute, spans->since_executed), 0.0);
    execute = fmin(execute, total);
    if (spans->since_ended >= 0.0)
        lanes->last = at;
    return (struct plb_device_times){.transfer_s = total - execute, .execute_s = execute};
}

#endif
