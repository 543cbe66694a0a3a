/* The part that the files of the fake share. Everything here is guarded by the one lock that
 * fake_enter() takes and fake_leave() gives back, unless it says otherwise.
 *
 * Handles are never freed before the process ends, so that one used after its end is recognised. */
#ifndef PLB_TEST_CUDA_FAKE_H
#define PLB_TEST_CUDA_FAKE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FAKE_DEVICES = 16, FAKE_FAILURES = 8, FAKE_NOT_READY = 3 };

struct fake_failure {
    char call[48];
    uint64_t at, count; /* the at-th call fails; calls until now */
};

struct fake_config { /* from the environment, constant after the first call but for the counts */
    int devices, physical[FAKE_DEVICES];
    size_t memory, others;
    int major, minor;
    double copy_rate; /* bytes per second; 0: as fast as it goes */
    bool pin, late, count, mig, peers;
    uint64_t order; /* seeds the order in which threads of a block take turns */
    struct fake_failure failures[FAKE_FAILURES];
    int failure_count;
};

enum fake_op_kind { FAKE_COPY, FAKE_SET, FAKE_HOST, FAKE_FREE, FAKE_RECORD, FAKE_WAIT };

struct fake_op {
    enum fake_op_kind kind;
    struct fake_op *next;
    uint64_t seq;
    void *target; /* of copies, sets and frees */
    const void *source;
    size_t bytes;
    int value;
    void *stage; /* owned: the source, where it was read at the call; arguments of a kernel */
    cudaHostFn_t function;
    void *argument;
    struct CUevent_st *event;
    struct CUstream_st *other; /* waited for, until it has done other_seq */
    uint64_t other_seq;
};

struct CUstream_st {
    struct CUstream_st *next;
    int device;
    struct fake_op *head, *tail; /* the head stays until it has run */
    uint64_t enqueued, done;     /* sequence numbers, from 1 */
    int queries;                 /* answered with "not ready" since the last work came */
    bool running;                /* the head, by some thread, without the lock */
};

struct CUevent_st {
    struct CUevent_st *next;
    int device;
    unsigned flags;
    struct CUstream_st *stream; /* NULL: never recorded */
    uint64_t seq;
    double time; /* seconds, when the record ran */
    int queries;
};

enum fake_block_kind { FAKE_DEVICE, FAKE_PINNED, FAKE_REGISTERED };

struct fake_block {
    struct fake_block *next;
    char *start;
    size_t bytes;
    enum fake_block_kind kind;
    int device;
    unsigned flags;
    bool pooled, leaving; /* of the device's pool; a free is enqueued */
};

struct fake_device {
    size_t used; /* of it the pool holds pool_held, of which live blocks have pool_used */
    size_t pool_held, pool_used, pool_threshold;
    cudaError_t sticky;
    bool reaches[FAKE_DEVICES]; /* peer access was enabled */
    struct CUstream_st legacy;  /* stream 0: one more, since no created stream synchronises with it */
};

struct fake_counts { /* "after": kernels that had run by then */
    uint64_t kernels, mallocs, malloc_after, locks, lock_after;
    uint64_t pool_growths;
    size_t most_used, locked, most_locked; /* bytes; of the device that has most */
    uint64_t pageable_bytes, pinned_bytes; /* copied between a device and the host */
    uint64_t peer_bytes;                   /* and between two devices */
};

struct fake {
    struct fake_config config;
    struct fake_counts counts;
    struct fake_device devices[FAKE_DEVICES];
    struct fake_block *blocks;
    struct CUstream_st *streams, *dead_streams; /* a destroyed one runs on what it has */
    struct CUevent_st *events, *dead_events;
};
extern struct fake fake;

/* config.c */
void fake_config_read(struct fake_config *config);
cudaError_t fake_config_fails(struct fake_config *config, const char *call); /* counts the call */
bool fake_config_kernel_fails(struct fake_config *config);                   /* counts the kernel */

/* fake.c. Enter is the first thing a call does, leave the last, also after an error. */
cudaError_t fake_enter(const char *call);
cudaError_t fake_enter_device(const char *call); /* and the current device has to be alive */
cudaError_t fake_leave(cudaError_t status);      /* remembers an error as the thread's last */
int fake_current(void);
cudaError_t fake_set_current(int device);
void fake_unlock(void);
void fake_lock(void);
void fake_wait(void); /* until some stream has done something */
void fake_wake(void);
void fake_run_host(cudaHostFn_t function, void *argument); /* without the lock */
double fake_now(void);
_Noreturn void fake_finding(const char *what, const char *numbers, ...) __attribute__((format(printf, 2, 3)));

/* memory.c */
size_t fake_charged(size_t bytes); /* what a block takes of the device's memory */
void *fake_poisoned(size_t alignment, size_t bytes);
struct fake_block *fake_block_add(void *start, size_t bytes, enum fake_block_kind kind, int device);
struct fake_block *fake_block_find(const void *start, enum fake_block_kind kind);
void fake_block_free(struct fake_block *block); /* of a device's memory */
void fake_count_used(size_t used);
struct fake_block *fake_block_touching(const void *start, size_t bytes);
bool fake_block_contains(const struct fake_block *block, const void *start, size_t bytes);
int fake_memory_check(const void *start, size_t bytes); /* of a device's, or a finding; which device */
int fake_memory_leaks(void);                            /* prints, and returns how many kinds */
void fake_memory_free(void);
void fake_memory_print_counts(void);
/* For the fake cuBLAS, which is outside and holds no lock. */
void cudaFakeOperand(const char *call, const void *start, size_t bytes);

/* pool.c */
void fake_pool_free(void *start);
void fake_pool_synchronised(int device);

/* execute.c */
struct fake_op *fake_enqueue(struct CUstream_st *stream, enum fake_op_kind kind);
void fake_run(struct CUstream_st *stream, uint64_t seq); /* gives the lock up meanwhile */
cudaError_t fake_run_device(int device);                 /* all its streams; its sticky error */
bool fake_pending(const struct fake_block *block);
void fake_drop(struct CUstream_st *stream);

/* streams.c */
struct CUstream_st *fake_stream(cudaStream_t stream); /* 0 is the current device's; unknown: a finding */
int fake_streams_leaks(void);
bool fake_streams_free(void); /* false, and nothing freed: some thread still runs one */

#endif
