/* Stream-ordered memory: one pool for each device. Memory is there when the call returns, and is given back
 * when the stream comes to the free.
 *
 * Of the pool only bytes are modelled, not where holes are. Beyond its threshold, 0 at first, it gives what
 * nobody has back to the device at each synchronisation ("on the next call to stream, event or context
 * synchronize", cudaMemPoolAttrReleaseThreshold). So a task that takes memory from it makes it grow again. */
#include <string.h>

#include "fake.h"

enum { ALIGNMENT = 256 };

struct CUmemPoolHandle_st {
    int device;
};
static struct CUmemPoolHandle_st pools[FAKE_DEVICES];

static cudaError_t allocate(void **out, size_t bytes, int device)
{
    struct fake_device *d = &fake.devices[device];
    if (out == NULL || bytes == 0)
        return cudaErrorInvalidValue;
    if (bytes > fake.config.memory)
        return cudaErrorMemoryAllocation;
    const size_t needed = d->pool_used + fake_charged(bytes);
    const size_t more = needed > d->pool_held ? needed - d->pool_held : 0;
    void *p = more <= fake.config.memory - d->used ? fake_poisoned(ALIGNMENT, bytes) : NULL;
    if (p == NULL)
        return cudaErrorMemoryAllocation;
    fake.counts.pool_growths += more > 0;
    d->used += more;
    d->pool_held += more;
    d->pool_used = needed;
    fake_count_used(d->used);
    fake_block_add(p, bytes, FAKE_DEVICE, device)->pooled = true;
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream)
{
    cudaError_t status = fake_enter_device("cudaMallocAsync");
    if (status != cudaSuccess)
        return fake_leave(status);
    const int device = fake_stream(stream)->device;
    status = fake.devices[device].sticky;
    return fake_leave(status == cudaSuccess ? allocate(out, bytes, device) : status);
}

void fake_pool_free(void *start)
{
    fake_block_free(fake_block_find(start, FAKE_DEVICE));
}

/* After a sticky error nothing runs that could give it back later. */
cudaError_t cudaFreeAsync(void *start, cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaFreeAsync");
    if (status == cudaErrorNoDevice || start == NULL)
        return fake_leave(status == cudaSuccess ? cudaErrorInvalidValue : status);
    struct CUstream_st *s = fake_stream(stream);
    struct fake_block *b = fake_block_find(start, FAKE_DEVICE);
    if (b == NULL || b->leaving)
        fake_finding("free of what is not a live device allocation", "%p", start);
    if (b->device != s->device)
        fake_finding("free in a stream of another device", "stream of device %d, memory of %d", s->device,
                     b->device);
    const cudaError_t sticky = fake.devices[s->device].sticky;
    if (sticky != cudaSuccess) {
        fake_block_free(b);
        return fake_leave(sticky);
    }
    b->leaving = true;
    fake_enqueue(s, FAKE_FREE)->target = start;
    return fake_leave(status);
}

static void shrink(struct fake_device *d, size_t keep)
{
    if (keep < d->pool_used)
        keep = d->pool_used;
    if (d->pool_held > keep) {
        d->used -= d->pool_held - keep;
        d->pool_held = keep;
    }
}

void fake_pool_synchronised(int device)
{
    shrink(&fake.devices[device], fake.devices[device].pool_threshold);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    cudaError_t status = fake_enter("cudaDeviceGetDefaultMemPool");
    if (status == cudaSuccess && pool == NULL)
        status = cudaErrorInvalidValue;
    else if (status == cudaSuccess && (device < 0 || device >= fake.config.devices))
        status = cudaErrorInvalidDevice;
    else if (status == cudaSuccess) {
        pools[device].device = device;
        *pool = &pools[device];
    }
    return fake_leave(status);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    cudaError_t status = fake_enter("cudaMemPoolSetAttribute");
    if (status == cudaSuccess && (pool == NULL || value == NULL))
        status = cudaErrorInvalidValue;
    if (status != cudaSuccess)
        return fake_leave(status);
    if (attr != cudaMemPoolAttrReleaseThreshold)
        fake_finding("attribute of a pool that is not modelled", "number %d", (int)attr);
    uint64_t threshold;
    memcpy(&threshold, value, sizeof threshold);
    fake.devices[pool->device].pool_threshold = threshold < SIZE_MAX ? (size_t)threshold : SIZE_MAX;
    return fake_leave(cudaSuccess);
}

/* The pool keeps at least so many bytes. */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    cudaError_t status = fake_enter("cudaMemPoolTrimTo");
    if (status == cudaSuccess && pool == NULL)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        shrink(&fake.devices[pool->device], keep);
    return fake_leave(status);
}
