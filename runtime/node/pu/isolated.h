/* Tasks of a PU in a child process ([run] isolate): a kernel that crashes there takes its task alone.
 *
 * The child sees inputs as they were when it was forked: at the first task of a pass, after a crash, and
 * after memory was added. It zeroes outputs, since it alone starts OpenMP's threads; then it launches.
 * Results, and inputs that arrive later, are in memory that both processes share. All else that a kernel
 * writes stays in the child, and is lost with it. */
#ifndef PLB_NODE_PU_ISOLATED_H
#define PLB_NODE_PU_ISOLATED_H

#include "device/device.h"
#include "host/child.h"

struct plb_isolated {
    struct plb_child *child; /* NULL: tasks run in this process */
    const struct plb_device_ops *ops;
    struct plb_device *device;
    int pass;                 /* of the last task; 0: there was none */
    double took;              /* seconds of launches since the last look at it, without those of forks */
    bool ended;               /* the child in the last task */
    struct plb_child_end end; /* how */
};

/* For a device whose driver isolates. The struct stays where it is. */
void plb_isolated_init(struct plb_isolated *isolated, const struct plb_device_ops *ops,
                       struct plb_device *device);
void plb_isolated_fini(struct plb_isolated *isolated); /* also where nothing was begun */

/* Where the flag is that tells a lane's task that nobody wants its results. */
int32_t *plb_isolated_cancelled(struct plb_isolated *isolated, int lane);

/* The next task is of this pass. */
void plb_isolated_enter(struct plb_isolated *isolated, int pass);

/* Zeroes the buffers of the mask (bit i: buffer i of n), and launches. Returns the status of that. Or another
 * number but 0, and `ended` is set, or `failure` describes why there is no child. */
int plb_isolated_launch(struct plb_isolated *isolated, int lane, const struct plb_phase *phase,
                        const struct plb_task *task, int n, int64_t zero, char failure[80]);

#endif
