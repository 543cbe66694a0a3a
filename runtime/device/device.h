/* Devices: what executes tasks. One file per kind of PU; a conformance test runs over all of them.
 *
 * A device belongs to the thread that opened it, which makes all calls. Copies and launches may be
 * asynchronous: they happen in the order they were asked for and are complete after `wait`. A device
 * with host_memory works in the caller's buffers and is never asked to allocate or copy. */
#ifndef PLB_DEVICE_DEVICE_H
#define PLB_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "plb/kernel.h"

struct plb_device; /* each kind's own */

struct plb_device_config {
    int threads;                /* a CPU's; 1 for an emulated PU */
    bool own_memory;            /* emulated: a memory of its own, as a GPU has */
    double slowdown;            /* emulated: wall seconds per CPU second, 1 or more */
    double copy_bandwidth;      /* emulated: bytes/s; may be infinite */
    double copy_latency;        /* emulated: seconds per copy */
};

/* Seconds since the last wait. */
struct plb_device_times {
    double execute_s;           /* kernels */
    double transfer_s;          /* copies */
};

struct plb_device_ops {
    const char *name;
    /* PLB_OK with *device set, or PLB_EFAILED and a sentence. Called in the device's thread. */
    int (*open)(const struct plb_device_config *config, struct plb_device **device, struct plb_error *err);
    void (*close)(struct plb_device *device);
    bool (*host_memory)(const struct plb_device *device);

    /* Device memory, aligned to 64 bytes; NULL where there is none left. */
    void *(*alloc)(struct plb_device *device, size_t bytes);
    void (*free)(struct plb_device *device, void *memory);
    int (*copy_in)(struct plb_device *device, void *to, const void *from_host, size_t bytes);
    int (*copy_out)(struct plb_device *device, void *to_host, const void *from, size_t bytes);

    /* Runs the phase's entry for this kind of device on data in device memory. The entry's result
     * comes back from here or from wait: 0, or what the kernel failed with. */
    int (*launch)(struct plb_device *device, const struct plb_phase *phase, const struct plb_task *task);
    int (*wait)(struct plb_device *device, struct plb_device_times *times);
};

extern const struct plb_device_ops plb_device_cpu;
extern const struct plb_device_ops plb_device_emulated;

#endif
