/* Devices: what executes tasks. A driver (device/driver.h) offers these operations for one kind of device.
 *
 * A device belongs to the thread that opened it. That thread makes all calls but pin, unpin and read. When it
 * has ended, another one calls free and close: what kernels keep for the thread has been released by then. A
 * device works in lanes. Operations in one lane happen in the order of the calls, and `wait` returns when all
 * of them are complete. There is no order between lanes, so the copies of one task hide behind the kernel of
 * another. A device with host_memory works in the caller's buffers and has one lane; nobody asks it to
 * allocate or copy, and its launch returns when the entry has. */
#ifndef PLB_DEVICE_DEVICE_H
#define PLB_DEVICE_DEVICE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "model/cluster_spec.h"
#include "plb/kernel.h"

/* Lanes of a device at most: one task is copied in, one is executed, one is copied out. A fourth lane would
 * only take memory. */
#define PLB_MAX_LANES 3

struct plb_device; /* each driver has its own */

/* Which device to open, and how. Plain data. */
struct plb_device_config {
    int threads;             /* for the kernel's cpu entry; 1 where another entry runs */
    int number;              /* which of the driver's devices, from 0 */
    int sharers;             /* ranks that use this device, this one included */
    int slot, cores;         /* for plb_task.slot and .cores */
    int memory_node;         /* 1 + the NUMA node that is near the device; 0: not known */
    char gpu[64];            /* for plb_task.gpu; "": it is NULL */
    bool isolated;           /* a child of this process zeroes and launches; only where the driver isolates */
    struct plb_pu_spec spec; /* what a .cluster file says of the PU; for the driver that emulates */
};

/* Seconds since the last wait. With several lanes: the time that a task adds to the device's busy time. It
 * counts from the end of the tasks waited for before, or from the task's own begin if that was later. */
struct plb_device_times {
    double execute_s;  /* kernels */
    double transfer_s; /* copies, as far as they were not hidden */
    double cpu_s;      /* of the threads of a CPU on cores; 0, as the next one, where nothing new is known */
    double waited_s;   /* of these threads, for a core that others had */
};

/* The status of a launch whose entry found no memory on the device, as tasks in other lanes may have it. */
#define PLB_DEVICE_FULL (-100)

/* The statuses of copies, zero, launch and wait are 0, or a number that the device or the kernel failed with.
 */
struct plb_device_ops {
    int lanes; /* 1 to PLB_MAX_LANES */

    /* Bytes that are copied in the time in which a copy starts. Between two parts that are to be copied so
     * many are copied again, where that saves a copy. 0: none are. */
    size_t near;

    /* Opens the device in the calling thread. PLB_OK with *device set, or PLB_EFAILED and a sentence. */
    int (*open)(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err);

    /* Closes it. Nothing is in flight, and all its memory has been freed. */
    void (*close)(struct plb_device *device);

    /* Whether kernels work in host memory. NULL: they do where there is no alloc. */
    bool (*host_memory)(const struct plb_device *device);

    /* Bytes that a job may use on the device. NULL: no limit is known. Needed with `read`: where there is no
     * limit, rank 0 takes the results of its own PUs to be in host memory. */
    double (*memory)(const struct plb_device *device);

    /* Device memory, aligned to 64 bytes; NULL where there is not enough left. free may wait for all
     * lanes. */
    void *(*alloc)(struct plb_device *device, size_t bytes);
    void (*free)(struct plb_device *device, void *memory);

    /* Locks whole pages of host memory, so that copies run at full speed and need no waiting; unpin comes
     * before the memory is freed. Pages that nobody has touched come from the NUMA node near the device. Any
     * thread may call them. pin returns NULL; or why it has failed, in static storage: the same copies then
     * take longer, and there is nothing to unpin. Both may be NULL. */
    const char *(*pin)(const struct plb_device *device, void *memory, size_t bytes);
    void (*unpin)(void *memory);

    /* Has what is enqueued in a lane from now on begin when the inputs of the task in the lane `other`, which
     * was launched, have been copied in. NULL: the device cannot. */
    int (*follow)(struct plb_device *device, int lane, int other);

    /* Sets memory that the device works in to zero, in the lane's order. NULL: the host can write that
     * memory, and one thread does. */
    int (*zero)(struct plb_device *device, int lane, void *memory, size_t bytes);

    int (*copy_in)(struct plb_device *device, int lane, void *to, const void *from_host, size_t bytes);
    int (*copy_out)(struct plb_device *device, int lane, void *to_host, const void *from, size_t bytes);

    /* Copies from the device's memory beside all lanes, and returns when the bytes are there. Any thread may
     * call it, one at a time. own: the device of this driver that the caller has opened, or NULL. NULL: the
     * device cannot. */
    int (*read)(struct plb_device *device, const struct plb_device *own, void *to_host, const void *from,
                size_t bytes);

    /* Copies within the device's memory. NULL: it cannot. */
    int (*copy_within)(struct plb_device *device, int lane, void *to, const void *from, size_t bytes);

    /* Runs the driver's entry of the phase on data in device memory. launch or wait returns the entry's
     * status. The entry may look at task->cancelled while it runs, and so may the device while it waits. */
    int (*launch)(struct plb_device *device, int lane, const struct plb_phase *phase,
                  const struct plb_task *task);

    /* A phase whose entry does as little as one can, to measure what a start costs: it is launched without
     * units and without buffers (device/empty_task.h). Without a name: a start costs an unknown time. */
    struct plb_phase empty;

    /* Whether a wait for the lane would return at once. NULL: always, as launches are calls. Needed with
     * several lanes. */
    bool (*done)(struct plb_device *device, int lane);

    /* Waits until all operations in the lane are complete; what follows there still belongs to its task, and
     * so does the time. NULL: the copies and the launch of the device are complete when they return. */
    int (*sync)(struct plb_device *device, int lane);

    /* Ends the lane's task. times == NULL: it was no task, and its time counts for none. */
    int (*wait)(struct plb_device *device, int lane, struct plb_device_times *times);

    /* Describes the last failure, "" where the kernel itself returned the status. May be NULL: the device has
     * no failures of its own. */
    const char *(*failure)(const struct plb_device *device);
};

/* Whether its kernels work in host memory, and its bytes, with the defaults of above. */
static inline bool plb_device_on_host(const struct plb_device_ops *ops, const struct plb_device *device)
{
    return ops->host_memory != NULL ? ops->host_memory(device) : ops->alloc == NULL;
}

static inline double plb_device_memory(const struct plb_device_ops *ops, const struct plb_device *device)
{
    return ops->memory != NULL ? ops->memory(device) : (double)INFINITY;
}

#endif
