/* Copies and sets: what is wrong with them is found at the call, which is where the mistake was made.
 *
 * When they run (CUDA runtime API, "API synchronization behavior"):
 * - cudaMemcpyAsync between device and pinned memory, and between devices: late.
 * - From pageable host memory it "might be synchronous": CUDA may read the source at the call, or later.
 *   It is read late: code that reuses or frees the source before the copy is known to be done is wrong,
 *   and only shows so. Code that is right with a late read is right with an early one.
 * - To pageable host memory it might be synchronous too, and with pageable=late it is not. By default the
 *   call returns when the copy is done, as CUDA has it in practice.
 * - From host to host: done at return.
 * - cudaMemcpy goes through stream 0. From pageable memory it returns once the source is staged: that the
 *   device has it is known to stream 0 alone, a non-blocking stream does not wait for it. From pinned
 *   memory and to the host it returns when done; between devices it does not wait.
 * - cudaMemset of device memory does not wait. */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum side { DEVICE_SIDE, PINNED_SIDE, PAGEABLE_SIDE };

struct copy {
    void *target;
    const void *source;
    size_t bytes;
    enum side to, from;
    int to_device, from_device; /* of device sides */
};

static enum side host_side(const void *start, size_t bytes, bool written)
{
    const struct fake_block *b = fake_block_touching(start, bytes);
    if (b == NULL)
        return PAGEABLE_SIDE;
    if (b->kind == FAKE_DEVICE)
        fake_finding("wrong direction: device memory where the host's is wanted", "%zu bytes at %p", bytes,
                     start);
    if (!fake_block_contains(b, start, bytes))
        fake_finding("host range only partly in a pinned or registered one", "%zu bytes at %p, %zu at %p",
                     bytes, start, b->bytes, (void *)b->start);
    if (written && b->kind == FAKE_REGISTERED && (b->flags & cudaHostRegisterReadOnly))
        fake_finding("copy to host memory registered as read-only", "%zu bytes at %p", bytes, start);
    return PINNED_SIDE;
}

static bool is_device(const void *start, size_t bytes)
{
    const struct fake_block *b = fake_block_touching(start, bytes);
    return b != NULL && b->kind == FAKE_DEVICE;
}

static bool to_is_device(const struct copy *c, enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
        || (kind == cudaMemcpyDefault && is_device(c->target, c->bytes));
}

static bool from_is_device(const struct copy *c, enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
        || (kind == cudaMemcpyDefault && is_device(c->source, c->bytes));
}

/* CUDA leaves undefined what is found here. A copy between devices goes with a stream of either; else the
 * stream has to be of the memory's device, since nobody means anything else. */
static void check_copy(struct copy *c, enum cudaMemcpyKind kind, int device)
{
    if (to_is_device(c, kind)) {
        c->to = DEVICE_SIDE;
        c->to_device = fake_memory_check(c->target, c->bytes);
    } else {
        c->to = host_side(c->target, c->bytes, true);
        c->to_device = -1;
    }
    if (from_is_device(c, kind)) {
        c->from = DEVICE_SIDE;
        c->from_device = fake_memory_check(c->source, c->bytes);
    } else {
        c->from = host_side(c->source, c->bytes, false);
        c->from_device = -1;
    }
    if ((c->to == DEVICE_SIDE || c->from == DEVICE_SIDE) && c->to_device != device
        && c->from_device != device)
        fake_finding("copy in a stream of another device than its memory",
                     "stream of device %d, memory of %d", device,
                     c->to == DEVICE_SIDE ? c->to_device : c->from_device);
    const uintptr_t to = (uintptr_t)c->target, from = (uintptr_t)c->source;
    if (to < from + c->bytes && from < to + c->bytes)
        fake_finding("copy between overlapping areas", "%zu bytes from %p to %p", c->bytes, c->source,
                     c->target);
    if (c->to == PAGEABLE_SIDE || c->from == PAGEABLE_SIDE)
        fake.counts.pageable_bytes += c->bytes;
    else if (c->to == PINNED_SIDE || c->from == PINNED_SIDE)
        fake.counts.pinned_bytes += c->bytes;
}

static struct fake_op *enqueue_copy(struct CUstream_st *stream, const struct copy *c)
{
    struct fake_op *op = fake_enqueue(stream, FAKE_COPY);
    op->target = c->target;
    op->source = c->source;
    op->bytes = c->bytes;
    return op;
}

static cudaError_t copy_async(struct copy *c, enum cudaMemcpyKind kind, struct CUstream_st *s)
{
    check_copy(c, kind, s->device);
    const uint64_t seq = enqueue_copy(s, c)->seq;
    const bool host_to_host = c->to != DEVICE_SIDE && c->from != DEVICE_SIDE;
    const bool to_pageable = c->to == PAGEABLE_SIDE && !fake.config.late;
    if (host_to_host || to_pageable)
        fake_run(s, seq);
    return fake.devices[s->device].sticky;
}

cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaMemcpyAsync");
    if (status != cudaSuccess)
        return fake_leave(status);
    if ((int)kind < (int)cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return fake_leave(cudaErrorInvalidMemcpyDirection);
    struct CUstream_st *s = fake_stream(stream);
    status = fake.devices[s->device].sticky;
    struct copy c = {.target = target, .source = source, .bytes = bytes};
    if (status == cudaSuccess && bytes > 0)
        status = copy_async(&c, kind, s);
    return fake_leave(status);
}

static cudaError_t copy_sync(struct copy *c, enum cudaMemcpyKind kind, struct CUstream_st *s)
{
    check_copy(c, kind, s->device);
    if (c->to == DEVICE_SIDE && c->from == PAGEABLE_SIDE) {
        fake_run(s, s->enqueued); /* "a stream sync is performed before the copy is initiated" */
        if (fake.devices[s->device].sticky != cudaSuccess)
            return fake.devices[s->device].sticky;
        void *stage = malloc(c->bytes);
        if (stage == NULL)
            fake_finding("the host has no memory left", "%zu bytes", c->bytes);
        c->source = memcpy(stage, c->source, c->bytes);
        enqueue_copy(s, c)->stage = stage;
        return cudaSuccess;
    }
    const uint64_t seq = enqueue_copy(s, c)->seq;
    if (c->to != DEVICE_SIDE || c->from != DEVICE_SIDE)
        fake_run(s, seq);
    return fake.devices[s->device].sticky;
}

cudaError_t cudaMemcpy(void *target, const void *source, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t status = fake_enter_device("cudaMemcpy");
    if (status != cudaSuccess)
        return fake_leave(status);
    if ((int)kind < (int)cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return fake_leave(cudaErrorInvalidMemcpyDirection);
    struct copy c = {.target = target, .source = source, .bytes = bytes};
    if (bytes > 0)
        status = copy_sync(&c, kind, fake_stream(NULL));
    return fake_leave(status);
}

static cudaError_t set(void *target, int value, size_t bytes, cudaStream_t stream)
{
    struct CUstream_st *s = fake_stream(stream);
    if (fake.devices[s->device].sticky != cudaSuccess || bytes == 0)
        return fake.devices[s->device].sticky;
    const int device = fake_memory_check(target, bytes);
    if (device != s->device)
        fake_finding("set in a stream of another device than its memory", "stream of device %d, memory of %d",
                     s->device, device);
    struct fake_op *op = fake_enqueue(s, FAKE_SET);
    op->target = target;
    op->value = value;
    op->bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *target, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaMemsetAsync");
    return fake_leave(status == cudaSuccess ? set(target, value, bytes, stream) : status);
}

cudaError_t cudaMemset(void *target, int value, size_t bytes)
{
    cudaError_t status = fake_enter("cudaMemset");
    return fake_leave(status == cudaSuccess ? set(target, value, bytes, NULL) : status);
}
