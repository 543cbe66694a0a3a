/* Devices: what executes tasks. One file per kind of PU; a conformance test runs over all of them.
 *
 * A device belongs to the thread that opened it, which makes all calls but pin and unpin. It
 * works in lanes: what is asked for in one lane happens in that order and is complete after `wait`;
 * between lanes there is no order, so that one task's copies hide behind another's kernel. A device with
 * host_memory works in the caller's buffers, has one lane, and is never asked to allocate or copy. */
#ifndef PLB_DEVICE_DEVICE_H
#define PLB_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plb/kernel.h"

#define PLB_MAX_LANES 3         /* one task copied in, one executed, one copied out */

struct plb_device; /* each kind's own */

struct plb_device_config {
    int threads;                /* a CPU's; 1 for an emulated PU */
    bool own_memory;            /* emulated: a memory of its own, as a GPU has */
    double slowdown;            /* emulated: wall seconds per CPU second, 1 or more */
    double copy_bandwidth;      /* emulated: bytes/s; may be infinite */
    double copy_latency;        /* emulated: seconds per copy */
    int gpu;                    /* cuda: which of plb_cuda_count */
    int sharers;                /* cuda: ranks that use this GPU, this one included */
};

/* Seconds since the last wait. With several lanes, what a task adds to the device's time: from where the
 * tasks waited for before it had ended, or from its own begin if that was later. */
struct plb_device_times {
    double execute_s;           /* kernels */
    double transfer_s;          /* copies, as far as they were not hidden */
};

struct plb_device_ops {
    const char *name;
    int lanes;                  /* 1 to PLB_MAX_LANES */
    /* PLB_OK with *device set, or PLB_EFAILED and a sentence. Called in the device's thread. */
    int (*open)(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err);
    void (*close)(struct plb_device *device); /* nothing is in flight, all its memory has been freed */
    bool (*host_memory)(const struct plb_device *device);
    double (*memory)(const struct plb_device *device); /* bytes that a job may take; infinite where not known */

    /* Device memory, aligned to 64 bytes; NULL where there is none left. free may wait for all lanes. */
    void *(*alloc)(struct plb_device *device, size_t bytes);
    void (*free)(struct plb_device *device, void *memory);

    /* Locks host memory of whole pages for copies at full speed that need no waiting, and unlocks it before
     * it is freed. In any thread. Only a hint, which may fail: the same copies then take longer. Both may be
     * NULL. */
    void (*pin)(const struct plb_device *device, void *memory, size_t bytes);
    void (*unpin)(void *memory);

    int (*copy_in)(struct plb_device *device, int lane, void *to, const void *from_host, size_t bytes);
    int (*copy_out)(struct plb_device *device, int lane, void *to_host, const void *from, size_t bytes);

    /* Runs the phase's entry for this kind of device on data in device memory. The entry's result
     * comes back from here or from wait: 0, or what the kernel failed with. */
    int (*launch)(struct plb_device *device, int lane, const struct plb_phase *phase, const struct plb_task *task);
    bool (*done)(struct plb_device *device, int lane); /* a wait would return at once */
    int (*wait)(struct plb_device *device, int lane, struct plb_device_times *times);
    /* What the last call that failed failed with, "" where the status was the kernel's own. May be NULL. */
    const char *(*failure)(const struct plb_device *device);
};

extern const struct plb_device_ops plb_device_cpu;
extern const struct plb_device_ops plb_device_emulated;
extern const struct plb_device_ops plb_device_cuda;

#endif
