/* A device with memory of its own that executes work only when a call needs it. So a task that does not wait
 * for another one's copies finds none. Its entry adds to each unit its neighbours and a list. */
#ifndef TEST_LATE_DEVICE_H
#define TEST_LATE_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/driver.h"

enum { OPS = 64, LANES = 3, PIECES = 16 };
enum { IN, OUT, OFFSETS, LIST }; /* handles */

struct op {
    void *to;
    const void *from;
    size_t bytes;
    struct plb_task task; /* first of all; data NULL: it is a copy */
    void *data[4];
    int64_t before[4], after[4];
    int follows; /* the lane whose inputs come first, or -1 */
};

struct plb_device {
    struct op at[LANES][OPS];
    int n[LANES], copied[LANES]; /* operations; those before the latest launch */
    size_t limit, taken;         /* bytes of memory */
    struct {
        char *memory;
        size_t bytes;
    } piece[PIECES]; /* of it; NULL: none */
    int follows, copies;
    bool full; /* the next launch finds no memory */
};
static struct plb_device device;

static bool writes; /* the entry changes its input */

static int late_open(const struct plb_device_config *config, struct plb_device **opened,
                     struct plb_error *err)
{
    (void)config;
    (void)err;
    memset(&device, 0, sizeof device);
    device.limit = SIZE_MAX;
    *opened = &device;
    return PLB_OK;
}
static void late_close(struct plb_device *d)
{
    assert_true(d->taken == 0);
}
static bool late_host_memory(const struct plb_device *d)
{
    (void)d;
    return false;
}
static double late_memory(const struct plb_device *d)
{
    (void)d;
    return 1e9;
}
static void *late_alloc(struct plb_device *d, size_t bytes)
{
    if (bytes > d->limit - d->taken)
        return NULL;
    char *memory = plb_alloc_unset(bytes + 256), *aligned = memory + 256 - (uintptr_t)memory % 256;
    memset(memory, 0xee, bytes + 256);
    memcpy(aligned - 8, &bytes, 8);
    memcpy(aligned - 16, &memory, 8);
    d->taken += bytes;
    int k = 0;
    while (d->piece[k].memory != NULL)
        assert_true(++k < PIECES);
    d->piece[k].memory = aligned;
    d->piece[k].bytes = bytes;
    return aligned;
}
static void late_free(struct plb_device *d, void *aligned)
{
    size_t bytes;
    char *memory;
    memcpy(&bytes, (char *)aligned - 8, 8);
    memcpy(&memory, (char *)aligned - 16, 8);
    d->taken -= bytes;
    for (int k = 0; k < PIECES; k++)
        if (d->piece[k].memory == aligned)
            d->piece[k].memory = NULL;
    free(memory);
}

/* Whether so many bytes are in one piece of the device's memory. */
static bool is_there(const struct plb_device *d, const void *data, size_t bytes)
{
    const uintptr_t at = (uintptr_t)data;
    for (int k = 0; k < PIECES; k++)
        if (d->piece[k].memory != NULL && at >= (uintptr_t)d->piece[k].memory
            && at + bytes <= (uintptr_t)d->piece[k].memory + d->piece[k].bytes)
            return true;
    return false;
}

/* Runs the first operations of a lane. */
static void run(struct plb_device *d, int lane, int n)
{
    for (int k = 0; k < n; k++) {
        struct op op = d->at[lane][k];
        d->at[lane][k] = (struct op){.follows = -1};
        if (op.follows >= 0)
            run(d, op.follows, d->copied[op.follows]);
        if (op.bytes > 0)
            memcpy(op.to, op.from, op.bytes);
        if (op.task.count == 0)
            continue;
        const double *x = op.data[IN];
        const int32_t *l = op.data[LIST];
        double *y = op.data[OUT];
        const int64_t *o = (const int64_t *)op.data[OFFSETS] + op.task.first;
        for (int64_t i = 0; i < op.task.count; i++) {
            y[i] = x[i] + (i > -op.before[IN] ? x[i - 1] : 0.0)
                 + (i + 1 < op.task.count + op.after[IN] ? x[i + 1] : 0.0);
            for (int64_t e = o[i] - o[0]; e < o[i + 1] - o[0]; e++)
                y[i] += l[e];
        }
        if (writes)
            ((double *)op.data[IN])[0] = 77.0;
    }
}

static struct op *add(struct plb_device *d, int lane)
{
    assert_true(d->n[lane] < OPS);
    struct op *op = &d->at[lane][d->n[lane]++];
    *op = (struct op){.follows = -1};
    return op;
}
static int late_copy(struct plb_device *d, int lane, void *to, const void *from, size_t bytes)
{
    struct op *op = add(d, lane);
    d->copies++;
    op->to = to;
    op->from = from;
    op->bytes = bytes;
    return 0;
}
static int late_follow(struct plb_device *d, int lane, int other)
{
    d->follows++;
    add(d, lane)->follows = other;
    return 0;
}
static int late_launch(struct plb_device *d, int lane, const struct plb_phase *phase,
                       const struct plb_task *task)
{
    (void)phase;
    if (d->full) {
        d->full = false;
        return PLB_DEVICE_FULL;
    }
    d->copied[lane] = d->n[lane];
    struct op *op = add(d, lane);
    op->task = *task;
    memcpy(op->data, task->data, sizeof op->data);
    memcpy(op->before, task->before, sizeof op->before);
    memcpy(op->after, task->after, sizeof op->after);
    assert_true(is_there(d, task->data[IN], task->bytes[IN]));
    assert_true(is_there(d, task->data[OUT], task->bytes[OUT]) && (uintptr_t)task->data[OUT] % 64 == 0);
    assert_true((uintptr_t)task->data[IN] % 64 == 0 && (uintptr_t)task->data[LIST] % sizeof(int32_t) == 0);
    return 0;
}
static int late_sync(struct plb_device *d, int lane)
{
    run(d, lane, d->n[lane]);
    return 0;
}
static int late_wait(struct plb_device *d, int lane, struct plb_device_times *times)
{
    late_sync(d, lane);
    d->n[lane] = d->copied[lane] = 0;
    if (times != NULL)
        *times = (struct plb_device_times){0};
    return 0;
}
static int no_entry(const struct plb_task *task)
{
    (void)task;
    return 0;
}
static plb_entry_fn late_entry(const struct plb_phase *phase)
{
    (void)phase;
    return no_entry;
}

#define LATE \
    .lanes = LANES, .open = late_open, .close = late_close, .host_memory = late_host_memory, \
    .memory = late_memory, .alloc = late_alloc, .free = late_free, .copy_in = late_copy, \
    .copy_out = late_copy, .launch = late_launch, .sync = late_sync, .wait = late_wait
static const struct plb_device_driver late = {.entry = late_entry,
                                              .ops = {LATE, .follow = late_follow, .copy_within = late_copy}},
                                      outside = {.entry = late_entry, .ops = {LATE, .follow = late_follow}},
                                      alone = {.entry = late_entry, .ops = {LATE}};

#endif
