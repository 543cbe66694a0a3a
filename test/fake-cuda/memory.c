/* Memory of the fake: blocks of devices, pinned host memory and registered ranges, in one list.
 *
 * Device memory is exactly as long as asked for and from the host's allocator, so that the address
 * sanitizer sees a host function that runs over its end. A cost: calls search the list. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

/* As float or double a NaN, as an integer -1: what is computed from memory nobody wrote shows. */
enum { POISON = 0xff, ALIGNMENT = 256, PAGE = 4096 };

size_t fake_charged(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

struct fake_block *fake_block_touching(const void *start, size_t bytes)
{
    for (struct fake_block *b = fake.blocks; b != NULL; b = b->next)
        if (overlap(b->start, b->bytes, start, bytes))
            return b;
    return NULL;
}

bool fake_block_contains(const struct fake_block *block, const void *start, size_t bytes)
{
    uintptr_t first = (uintptr_t)block->start, at = (uintptr_t)start;
    return at >= first && bytes <= block->bytes && at - first <= block->bytes - bytes;
}

int fake_memory_check(const void *start, size_t bytes)
{
    const struct fake_block *b = fake_block_touching(start, bytes);
    if (b == NULL)
        fake_finding("device side outside every live allocation", "%zu bytes at %p", bytes, start);
    if (b->kind != FAKE_DEVICE)
        fake_finding("wrong direction: host memory where a device's is wanted", "%zu bytes at %p", bytes,
                     start);
    if (b->leaving)
        fake_finding("device memory used after it was freed in a stream", "%zu bytes at %p", bytes, start);
    if (!fake_block_contains(b, start, bytes))
        fake_finding("device side not inside its allocation", "%zu bytes at %p of %zu at %p", bytes, start,
                     b->bytes, (void *)b->start);
    return b->device;
}

void cudaFakeOperand(const char *call, const void *start, size_t bytes)
{
    cudaError_t status = fake_enter(call);
    if (status == cudaSuccess && bytes > 0)
        fake_memory_check(start, bytes);
    fake_leave(status);
}

struct fake_block *fake_block_add(void *start, size_t bytes, enum fake_block_kind kind, int device)
{
    struct fake_block *b = malloc(sizeof *b);
    if (b == NULL)
        fake_finding("the host has no memory left", "%zu bytes", sizeof *b);
    *b = (struct fake_block){
        .next = fake.blocks, .start = start, .bytes = bytes, .kind = kind, .device = device};
    fake.blocks = b;
    return b;
}

void fake_count_used(size_t used)
{
    struct fake_counts *c = &fake.counts;
    c->most_used = used > c->most_used ? used : c->most_used;
}

static void count_malloc(size_t used)
{
    fake.counts.mallocs++;
    fake.counts.malloc_after = fake.counts.kernels;
    fake_count_used(used);
}

static void count_lock(size_t bytes)
{
    struct fake_counts *c = &fake.counts;
    c->locks++;
    c->lock_after = c->kernels;
    c->locked += bytes;
    c->most_locked = c->locked > c->most_locked ? c->locked : c->most_locked;
}

struct fake_block *fake_block_find(const void *start, enum fake_block_kind kind)
{
    for (struct fake_block *b = fake.blocks; b != NULL; b = b->next)
        if (b->start == start && b->kind == kind)
            return b;
    return NULL;
}

static void remove_block(struct fake_block *block)
{
    struct fake_block **at = &fake.blocks;
    while (*at != block)
        at = &(*at)->next;
    *at = block->next;
    free(block);
}

void *fake_poisoned(size_t alignment, size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, alignment, bytes) != 0)
        return NULL;
    return memset(p, POISON, bytes);
}

void fake_block_free(struct fake_block *block)
{
    struct fake_device *d = &fake.devices[block->device];
    *(block->pooled ? &d->pool_used : &d->used) -= fake_charged(block->bytes);
    memset(block->start, POISON, block->bytes);
    free(block->start);
    remove_block(block);
}

static cudaError_t allocate_device(void **out, size_t bytes)
{
    struct fake_device *d = &fake.devices[fake_current()];
    if (out == NULL)
        return cudaErrorInvalidValue;
    if (bytes > fake.config.memory || fake_charged(bytes) > fake.config.memory - d->used)
        return cudaErrorMemoryAllocation;
    void *p = bytes > 0 ? fake_poisoned(ALIGNMENT, bytes) : NULL; /* nothing is at 0, as CUDA has it */
    if (bytes > 0 && p == NULL)
        return cudaErrorMemoryAllocation;
    if (p != NULL)
        fake_block_add(p, bytes, FAKE_DEVICE, fake_current());
    d->used += fake_charged(bytes);
    count_malloc(d->used);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t status = fake_enter_device("cudaMalloc");
    return fake_leave(status == cudaSuccess ? allocate_device(out, bytes) : status);
}

/* Synchronises the device, but no other one that copies from the block: that is undefined. The block is given
 * back before an error is returned, as CUDA's own note says of errors from earlier work: the call itself has
 * happened. */
cudaError_t cudaFree(void *start)
{
    cudaError_t status = fake_enter("cudaFree");
    if (start == NULL)
        return fake_leave(status == cudaSuccess ? fake.devices[fake_current()].sticky : status);
    if (status == cudaErrorNoDevice)
        return fake_leave(status);
    struct fake_block *b = fake_block_find(start, FAKE_DEVICE);
    if (b == NULL)
        fake_finding("free of what is not a live device allocation", "%p", start);
    cudaError_t earlier = fake_run_device(b->device);
    if (fake_block_find(start, FAKE_DEVICE) != b)
        fake_finding("free of what another thread freed meanwhile", "%p", start);
    if (fake_pending(b))
        fake_finding("device memory freed that unfinished work uses", "%zu bytes at %p", b->bytes, start);
    fake_block_free(b);
    return fake_leave(status == cudaSuccess ? earlier : status);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudaError_t status = fake_enter_device("cudaMemGetInfo");
    if (status == cudaSuccess && (free_bytes == NULL || total == NULL))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        *total = fake.config.memory;
        *free_bytes = fake.config.memory - fake.config.others - fake.devices[fake_current()].used;
    }
    return fake_leave(status);
}

static cudaError_t allocate_host(void **out, size_t bytes, unsigned flags)
{
    if (out == NULL
        || (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)))
        return cudaErrorInvalidValue;
    void *p = bytes > 0 ? fake_poisoned(PAGE, bytes) : NULL;
    if (bytes > 0 && p == NULL)
        return cudaErrorMemoryAllocation;
    if (p != NULL)
        fake_block_add(p, bytes, FAKE_PINNED, fake_current());
    count_lock(bytes);
    *out = p;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t status = fake_enter_device("cudaHostAlloc");
    return fake_leave(status == cudaSuccess ? allocate_host(out, bytes, flags) : status);
}

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    cudaError_t status = fake_enter_device("cudaMallocHost");
    return fake_leave(status == cudaSuccess ? allocate_host(out, bytes, 0) : status);
}

/* Neither cudaFreeHost nor cudaHostUnregister is documented to wait, so work that still uses the memory
 * is a finding. After a sticky error no more can be asked of the program than that it asked. */
static cudaError_t release_host(struct fake_block *b)
{
    struct fake_device *d = &fake.devices[b->device];
    if (d->sticky != cudaSuccess)
        fake_run_device(b->device);
    else if (fake_pending(b))
        fake_finding("host memory given back that unfinished work uses", "%zu bytes at %p", b->bytes,
                     (void *)b->start);
    cudaError_t sticky = d->sticky;
    fake.counts.locked -= b->bytes;
    if (b->kind == FAKE_PINNED)
        free(b->start);
    remove_block(b);
    return sticky;
}

cudaError_t cudaFreeHost(void *start)
{
    cudaError_t status = fake_enter("cudaFreeHost");
    if (start == NULL || status == cudaErrorNoDevice)
        return fake_leave(status);
    struct fake_block *b = fake_block_find(start, FAKE_PINNED);
    if (b == NULL)
        fake_finding("free of what is not live pinned memory", "%p", start);
    cudaError_t earlier = release_host(b);
    return fake_leave(status == cudaSuccess ? earlier : status);
}

static cudaError_t register_range(void *start, size_t bytes, unsigned flags)
{
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (start == NULL || bytes == 0 || (flags & ~known))
        return cudaErrorInvalidValue;
    if (!fake.config.pin)
        return cudaErrorNotSupported;
    if (fake_block_touching(start, bytes) != NULL)
        return cudaErrorHostMemoryAlreadyRegistered;
    fake_block_add(start, bytes, FAKE_REGISTERED, fake_current())->flags = flags;
    count_lock(bytes);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *start, size_t bytes, unsigned flags)
{
    cudaError_t status = fake_enter_device("cudaHostRegister");
    return fake_leave(status == cudaSuccess ? register_range(start, bytes, flags) : status);
}

cudaError_t cudaHostUnregister(void *start)
{
    cudaError_t status = fake_enter("cudaHostUnregister");
    if (status == cudaErrorNoDevice)
        return fake_leave(status);
    struct fake_block *b = fake_block_find(start, FAKE_REGISTERED);
    if (b == NULL)
        return fake_leave(status == cudaSuccess ? cudaErrorHostMemoryNotRegistered : status);
    cudaError_t earlier = release_host(b);
    return fake_leave(status == cudaSuccess ? earlier : status);
}

int fake_memory_leaks(void)
{
    static const char *const what[] = {"device memory never freed", "pinned host memory never freed",
                                       "host memory never unregistered"};
    int kinds = 0;
    for (int kind = FAKE_DEVICE; kind <= FAKE_REGISTERED; kind++) {
        size_t count = 0, bytes = 0;
        for (const struct fake_block *b = fake.blocks; b != NULL; b = b->next)
            if ((int)b->kind == kind && !b->leaving) {
                count++;
                bytes += b->bytes;
            }
        if (count > 0) {
            fprintf(stderr, "fake cuda: %s (at exit, %zu blocks, %zu bytes)\n", what[kind], count, bytes);
            kinds++;
        }
    }
    return kinds;
}

void fake_memory_print_counts(void)
{
    const struct fake_counts *c = &fake.counts;
    fprintf(
        stderr,
        "counted: %llu kernels; %llu cudaMalloc, the last after %llu kernels, at most %zu bytes; %llu locks, "
        "the last after %llu kernels, at most %zu bytes; the pool grew %llu times; %llu bytes copied "
        "pageable, "
        "%llu pinned, %llu between devices\n",
        (unsigned long long)c->kernels, (unsigned long long)c->mallocs, (unsigned long long)c->malloc_after,
        c->most_used, (unsigned long long)c->locks, (unsigned long long)c->lock_after, c->most_locked,
        (unsigned long long)c->pool_growths, (unsigned long long)c->pageable_bytes,
        (unsigned long long)c->pinned_bytes, (unsigned long long)c->peer_bytes);
}

void fake_memory_free(void)
{
    while (fake.blocks != NULL)
        remove_block(fake.blocks);
}
