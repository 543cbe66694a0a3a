/* Runs kernels that were compiled for the CPU: one block after the other, and in a block a fiber for each
 * thread.
 *
 * A thread runs until it waits at a barrier, of its block or of its warp, or ends. Then it is another one's
 * turn, at random. So a thread that reads what another one has still to write, for want of a barrier, most
 * likely finds garbage or an old value. The order follows from PLB_FAKE_CUDA's order=SEED and
 * the number of the block alone. Shared memory is as long as declared and from the host's allocator, so that
 * the address sanitizer sees a thread that runs over its end.
 *
 * It shows no races within a warp or between blocks, no order of memory accesses, nothing of how exact a
 * device's functions are, and no speed. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to go to another stack */
#include "blocks.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "fake.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define switch_begins(keep, stack, bytes) __sanitizer_start_switch_fiber(keep, stack, bytes)
#define switch_ends(keep, stack, bytes) __sanitizer_finish_switch_fiber(keep, stack, bytes)
#define stacks_end(start, bytes) __asan_unpoison_memory_region(start, bytes)
#else
#define switch_begins(keep, stack, bytes) ((void)(keep), (void)(stack), (void)(bytes))
#define switch_ends(keep, stack, bytes) ((void)(keep), (void)(stack), (void)(bytes))
#define stacks_end(start, bytes) ((void)(start), (void)(bytes))
#endif

/* As real devices have them without being asked for more. */
enum { WARP = 32, MOST_THREADS = 1024, MOST_Z = 64, MOST_GRID_YZ = 65535, MOST_SHARED = 48 << 10 };
/* Bytes of a stack: no power of two, or the tops of all stacks would lie in the same lines of the cache. */
enum { STACK = (128 << 10) + 320, VARIABLES = 16, ALIGNMENT = 256 };

struct fiber {
    jmp_buf at;
    struct cuda_fake_thread place;
    const void *stack; /* the lowest byte */
    size_t stack_bytes;
    void *sanitizer;
    const char *file; /* of the barrier it waits at */
    int line;
    bool begun, ended, of_warp; /* of_warp: that barrier is its warp's */
};

struct warp {
    unsigned left, waiting; /* threads that have not ended; of these those at a barrier of the warp */
};

struct kernel {
    const struct cuda_fake_launch *launch;
    const void *arguments;
    struct fiber *fibers, *now, host;
    ucontext_t first; /* of a fiber that begins; not in a frame that is never left */
    struct warp *warps;
    unsigned threads, *ready, *waiting;    /* that may run, the last one now; at a barrier of the block */
    unsigned n_ready, n_waiting, in_warps; /* in_warps: threads at barriers of their warps */
    int votes, voted;                      /* at the barrier that is being reached, and at the last one */
    uint64_t random;
    struct {
        const void *key;
        void *at;
        size_t bytes;
    } shared[VARIABLES];
    int n_shared;
};
static _Thread_local struct kernel *running;

/* ----------------------------------------------------------------- fibers */

static uint64_t next_random(uint64_t *state) /* splitmix64, public domain, by Sebastiano Vigna */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fiber_main(void);

static _Noreturn void begin_fiber(struct fiber *fiber)
{
    ucontext_t *first = &running->first;
    fiber->begun = true;
    getcontext(first);
    first->uc_stack.ss_sp = (void *)(uintptr_t)fiber->stack;
    first->uc_stack.ss_size = fiber->stack_bytes;
    first->uc_link = NULL;
    makecontext(first, fiber_main, 0);
    setcontext(first);
    abort();
}

static void switch_to(struct fiber *from, struct fiber *to)
{
    if (_setjmp(from->at) == 0) {
        running->now = to;
        switch_begins(&from->sanitizer, to->stack, to->stack_bytes);
        if (to->begun)
            _longjmp(to->at, 1);
        begin_fiber(to);
    }
    switch_ends(from->sanitizer, NULL, NULL);
}

/* Draws one of the threads that may run, and puts it last among them. */
static struct fiber *draw(struct kernel *k)
{
    const unsigned at = (unsigned)((next_random(&k->random) >> 32) * k->n_ready >> 32), drawn = k->ready[at];
    k->ready[at] = k->ready[k->n_ready - 1];
    k->ready[k->n_ready - 1] = drawn;
    return &k->fibers[drawn];
}

static void check_place(const struct fiber *one, const struct fiber *other)
{
    if (one->line != other->line || (one->file != other->file && strcmp(one->file, other->file) != 0))
        fake_finding("threads of a block wait at different barriers", "%s:%d and %s:%d", one->file, one->line,
                     other->file, other->line);
}

/* Lets the threads of a warp go on, once all of them that have not ended wait at its barrier. */
static void release_warp(struct kernel *k, unsigned first)
{
    struct warp *w = &k->warps[first / WARP];
    const struct fiber *one = NULL;
    if (w->waiting == 0 || w->waiting < w->left)
        return;
    for (unsigned i = first; i < first + WARP && i < k->threads; i++)
        if (!k->fibers[i].ended) {
            one = one != NULL ? one : &k->fibers[i];
            check_place(one, &k->fibers[i]);
            k->ready[k->n_ready++] = i;
        }
    k->in_warps -= w->waiting;
    w->waiting = 0;
}

/* The same for the block. */
static void release_block(struct kernel *k)
{
    for (unsigned i = 0; i < k->n_waiting; i++)
        k->ready[i] = k->waiting[i];
    k->n_ready = k->n_waiting;
    k->n_waiting = 0;
    k->voted = k->votes;
    k->votes = 0;
}

/* The fiber whose turn it is after the one that has reached a barrier or its end; the host where all have
 * ended. */
static struct fiber *next_turn(struct kernel *k)
{
    const unsigned now = k->ready[--k->n_ready];
    struct warp *w = &k->warps[now / WARP];
    if (k->now->ended) {
        w->left--;
    } else if (k->now->of_warp) {
        w->waiting++;
        k->in_warps++;
    } else {
        k->waiting[k->n_waiting++] = now;
        check_place(&k->fibers[k->waiting[0]], k->now);
    }
    release_warp(k, now / WARP * WARP);
    if (k->n_ready == 0 && k->n_waiting > 0) {
        for (unsigned i = 0; k->in_warps > 0 && i < k->threads; i++)
            if (!k->fibers[i].ended)
                check_place(&k->fibers[k->waiting[0]], &k->fibers[i]);
        release_block(k);
    }
    return k->n_ready > 0 ? draw(k) : &k->host;
}

static void leave_fiber(void)
{
    struct fiber *from = running->now, *to = next_turn(running);
    if (to != from)
        switch_to(from, to);
}

/* A fiber runs its thread of one block after the other. The first one comes from the host. */
static void fiber_main(void)
{
    const void *stack = NULL;
    size_t bytes = 0;
    switch_ends(NULL, &stack, &bytes);
    if (running->host.stack_bytes == 0) {
        running->host.stack = stack;
        running->host.stack_bytes = bytes;
    }
    for (;;) {
        running->launch->thread(running->arguments);
        running->now->ended = true;
        leave_fiber();
    }
}

const struct cuda_fake_thread *cudaFakeThread(void)
{
    return &running->now->place;
}

static void wait_at(const char *file, int line, bool of_warp)
{
    running->now->file = file;
    running->now->line = line;
    running->now->of_warp = of_warp;
    leave_fiber();
}

int cudaFakeBarrier(const char *file, int line, int vote)
{
    running->votes |= vote != 0;
    wait_at(file, line, false);
    return running->voted;
}

void cudaFakeWarpBarrier(const char *file, int line)
{
    wait_at(file, line, true);
}

/* ----------------------------------------------------------------- shared memory */

void *cudaFakeShared(const void *key, size_t bytes)
{
    struct kernel *k = running;
    size_t all = bytes;
    for (int i = 0; i < k->n_shared; i++) {
        if (k->shared[i].key == key)
            return k->shared[i].at;
        all += k->shared[i].bytes;
    }
    if (all > MOST_SHARED || k->n_shared == VARIABLES)
        fake_finding("too much shared memory", "%zu bytes, %d variables", all, k->n_shared + 1);
    void *at = fake_poisoned(ALIGNMENT, bytes);
    if (at == NULL)
        fake_finding("the host has no memory left", "%zu bytes", bytes);
    k->shared[k->n_shared].key = key;
    k->shared[k->n_shared].bytes = bytes;
    k->shared[k->n_shared++].at = at;
    return at;
}

void *cudaFakeDynamicShared(void)
{
    return cudaFakeShared(running, running->launch->shared);
}

static void free_shared(struct kernel *k)
{
    while (k->n_shared > 0)
        free(k->shared[--k->n_shared].at);
}

/* ----------------------------------------------------------------- blocks */

static void run_block(struct kernel *k, uint3 block, uint64_t number)
{
    k->random = fake.config.order + number * 0xd1342543de82ef95u;
    for (unsigned i = 0; i < k->threads; i++) {
        k->fibers[i].ended = false;
        k->fibers[i].place.block = block;
        k->ready[i] = i;
        k->warps[i / WARP] = (struct warp){.left = i % WARP + 1};
    }
    k->n_ready = k->threads;
    k->n_waiting = k->in_warps = 0;
    k->votes = 0;
    switch_to(&k->host, draw(k));
    free_shared(k);
}

static void begin(struct kernel *k, char *stacks)
{
    const dim3 size = k->launch->block;
    for (unsigned i = 0; i < k->threads; i++) {
        struct fiber *f = &k->fibers[i];
        f->stack = stacks + (size_t)i * STACK;
        f->stack_bytes = STACK;
        f->place.thread = (uint3){i % size.x, i / size.x % size.y, i / size.x / size.y};
        f->place.block_size = size;
        f->place.grid_size = k->launch->grid;
    }
}

static void CUDART_CB run_kernel(void *staged)
{
    const struct cuda_fake_launch *launch = staged;
    const dim3 grid = launch->grid;
    struct kernel k = {.launch = launch, .arguments = launch + 1, .host.begun = true};
    k.threads = launch->block.x * launch->block.y * launch->block.z;
    k.fibers = calloc(k.threads, sizeof *k.fibers);
    k.ready = calloc(2 * (size_t)k.threads, sizeof *k.ready);
    k.waiting = k.ready + k.threads;
    k.warps = calloc(k.threads / WARP + 1, sizeof *k.warps);
    const size_t bytes = (size_t)k.threads * STACK;
    char *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
    if (k.fibers == NULL || k.ready == NULL || k.warps == NULL || stacks == MAP_FAILED)
        fake_finding("the host has no memory left", "%u threads", k.threads);
    begin(&k, stacks);
    running = &k;
    uint64_t number = 0;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++)
                run_block(&k, (uint3){x, y, z}, number++);
    running = NULL;
    stacks_end(stacks, bytes);
    munmap(stacks, bytes);
    free(k.fibers);
    free(k.ready);
    free(k.warps);
}

/* ----------------------------------------------------------------- launches */

static bool can_run(const struct cuda_fake_launch *l)
{
    const dim3 g = l->grid, b = l->block;
    return g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 0x7fffffff && g.y <= MOST_GRID_YZ && g.z <= MOST_GRID_YZ
        && b.x > 0 && b.y > 0 && b.z > 0 && b.x <= MOST_THREADS && b.y <= MOST_THREADS && b.z <= MOST_Z
        && b.x * b.y * b.z <= MOST_THREADS && l->shared <= MOST_SHARED;
}

cudaError_t cudaFakeLaunch(const struct cuda_fake_launch *launch, const void *arguments, size_t bytes)
{
    cudaError_t status = fake_enter("cudaFakeLaunch");
    if (status != cudaSuccess)
        return fake_leave(status);
    struct CUstream_st *s = fake_stream(launch->stream);
    status = fake.devices[s->device].sticky;
    if (status == cudaSuccess && s->device != fake_current())
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess && !can_run(launch))
        status = cudaErrorInvalidConfiguration;
    if (status != cudaSuccess)
        return fake_leave(status);
    struct cuda_fake_launch *staged = malloc(sizeof *staged + bytes);
    if (staged == NULL)
        fake_finding("the host has no memory left", "%zu bytes", bytes);
    *staged = *launch;
    memcpy(staged + 1, arguments, bytes);
    struct fake_op *op = fake_enqueue(s, FAKE_HOST);
    op->function = run_kernel;
    op->argument = op->stage = staged;
    return fake_leave(cudaSuccess);
}
