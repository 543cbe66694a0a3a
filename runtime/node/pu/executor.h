/* The executor: runs tasks on one device.
 *
 * Buffers have places in the device's memory, and each lane has memory for the rest
 * (node/pu/device_places.h). It copies inputs in, launches the kernel, and copies results out. Where the
 * device works in host memory only the launch is left, and copies of parts that are not aligned. An executor
 * belongs to the thread that opened it.
 */
#ifndef PLB_NODE_PU_EXECUTOR_H
#define PLB_NODE_PU_EXECUTOR_H

#include "app/dataset.h"
#include "app/phase.h"
#include "app/task_report.h"
#include "device/driver.h"
#include "node/memory/arena.h"
#include "node/pu/device_places.h"
#include "node/pu/isolated.h"

struct plb_executor {
    const struct plb_device_driver *driver;
    const struct plb_device_ops *ops; /* the driver's */
    struct plb_device *device;
    const struct plb_dataset *set;
    struct plb_device_places places; /* its locks are set after open; those of inputs are opened, or not */
    struct plb_task_limit limit;     /* of the PU's tasks; set after open. Zeroed: tasks are of any size */
    struct plb_renewal renewal;      /* after open: all is new */
    struct plb_device_config config;
    int64_t may_stay; /* mask of outputs that need not be copied to the host; set before each submit, */
    int64_t stayed;   /* and those of the latest task that were not */
    double until;     /* for plb_task.until; set after open */
    struct plb_task_reporter reporter; /* for plb_task.reporter; the same */
    int64_t reported;   /* units of the latest task that its entry has reported: they are behind us */
    int64_t until_unit; /* its units from here on are those of others, who write them; 0: none are */
    bool on_host;
    bool guards_inputs;        /* looks whether entries change them; set after open */
    double room;               /* bytes of the device's memory that the replicated buffers leave */
    void *host[PLB_MAX_DATA];  /* the dataset's buffers, as they were when it last looked */
    void *aside[PLB_MAX_DATA]; /* host memory for parts that begin where they are not aligned */
    size_t aside_bytes[PLB_MAX_DATA];
    plb_entry_fn warm[PLB_MAX_LANES][PLB_MAX_PHASES]; /* entries that have run in the lane */
    bool full;                                        /* the last submit found no device memory */
    char failure[80];                                 /* of the executor's own; "": ask the device */
    char why[PLB_TASK_WHY];                           /* what the entry said that failed last */
    int32_t cancelled[PLB_MAX_LANES]; /* nobody wants the lane's task any more; any thread may set it */
    bool shares;                      /* tasks are isolated: memory for their buffers is shared memory */
    struct plb_isolated isolated;     /* with a child: tasks run there, and the flags are there, too */
};

/* Opens the device for a dataset, which is borrowed. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_executor_open(struct plb_executor *executor, const struct plb_device_driver *driver,
                      const struct plb_device_config *config, const struct plb_dataset *set,
                      struct plb_error *err);
void plb_executor_close(struct plb_executor *executor); /* nothing is in flight */

/* Takes over what is new, and where the dataset has its buffers now. Replicated ones are elsewhere after they
 * were replaced while a task was in flight. The caller sees to it that the dataset does not change
 * meanwhile. */
void plb_executor_follow(struct plb_executor *executor, struct plb_renewal *renewal);

/* Then: the device gets what is new (node/pu/device_places.h). Nothing is in flight. PLB_OK, or PLB_EFAILED
 * and a sentence. */
int plb_executor_renew(struct plb_executor *executor, struct plb_error *err);

/* Runs unit 0 once in each of the first `lanes` lanes, and drops the result. The first call in a lane may
 * load libraries and create handles. Without this call, submit runs one unit of the first task in the lane,
 * whose time does not count as work; or none where the task has few. Nothing is in flight. Returns 0, or the
 * status that the device failed with. A device with one lane runs nothing. */
int plb_executor_warm_up(struct plb_executor *executor, const struct plb_phase *phase, int lanes);

/* Starts a task in a lane where nothing is in flight. buffers[i]: where buffer i of the range is on the host,
 * or NULL: in its place in the whole buffer. The buffers stay valid until the wait. Returns 0, or the status
 * that the kernel or the device failed with: then nothing is in flight in the lane. */
int plb_executor_submit(struct plb_executor *executor, int lane, const struct plb_phase *phase,
                        struct plb_range range, void *const *buffers);

/* Threads of the PU's thread that may copy results: those of its tasks. 1 where these run in a child, which
 * alone starts such threads. */
static inline int plb_executor_copiers(const struct plb_executor *e)
{
    return e->isolated.child != NULL || e->config.threads < 1 ? 1 : e->config.threads;
}

/* Host memory for buffers of tasks, of any contents, which an isolated task shares. old: NULL, or such memory
 * that has `had` bytes and grows. Free: plb_shared_free. Any thread may call it. */
void *plb_executor_grow(const struct plb_executor *executor, void *old, size_t had, size_t bytes);

/* Tells the lane's task whether anybody wants its results. Any thread may call it. The owner calls it with
 * false before it starts a task. */
void plb_executor_cancel(struct plb_executor *executor, int lane, bool cancelled);

/* Whether the lane's task has ended; waiting for it. wait returns the same status as submit. Where inputs are
 * guarded it looks whether an entry has changed some in the device's own memory, which later tasks would
 * read. That costs a copy of them, in the time of the task. It returns 1 then, and executor->why says which.
 * A task that nobody wants may see new ones on the host. */
bool plb_executor_done(struct plb_executor *executor, int lane);
int plb_executor_wait(struct plb_executor *executor, int lane, struct plb_device_times *times);

/* Describes the last failure; "" where the kernel itself returned the status. */
const char *plb_executor_failure(const struct plb_executor *executor);

#endif
