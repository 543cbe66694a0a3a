/* What the files of the stand-in share. Everything here is guarded by the one lock that
 * standin_enter() takes and standin_leave() gives back, unless it says otherwise.
 *
 * Handles are never freed before the process ends, so that one used after its end is recognised. */
#ifndef PLB_TEST_CUDA_STANDIN_H
#define PLB_TEST_CUDA_STANDIN_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { STANDIN_DEVICES = 16, STANDIN_FAILURES = 8, STANDIN_NOT_READY = 3 };

struct standin_failure {
    char call[48];
    uint64_t at, count; /* the at-th call fails; calls until now */
};

struct standin_config { /* from the environment, constant after the first call but for the counts */
    int devices, physical[STANDIN_DEVICES];
    size_t memory;
    int major, minor;
    double copy_rate; /* bytes per second; 0: as fast as it goes */
    bool pin, late;
    struct standin_failure failures[STANDIN_FAILURES];
    int failure_count;
};

enum standin_op_kind { STANDIN_COPY, STANDIN_SET, STANDIN_HOST, STANDIN_RECORD, STANDIN_WAIT };

struct standin_op {
    enum standin_op_kind kind;
    struct standin_op *next;
    uint64_t seq;
    void *target; /* of copies and sets */
    const void *source;
    size_t bytes;
    int value;
    void *stage; /* owned: the source, where it was read at the call */
    cudaHostFn_t function;
    void *argument;
    struct CUevent_st *event;
    struct CUstream_st *other; /* waited for, until it has done other_seq */
    uint64_t other_seq;
};

struct CUstream_st {
    struct CUstream_st *next;
    int device;
    struct standin_op *head, *tail; /* the head stays until it has run */
    uint64_t enqueued, done;        /* sequence numbers, from 1 */
    int queries;                    /* answered with "not ready" since the last work came */
    bool running;                   /* the head, by some thread, without the lock */
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

enum standin_block_kind { STANDIN_DEVICE, STANDIN_PINNED, STANDIN_REGISTERED };

struct standin_block {
    struct standin_block *next;
    char *start;
    size_t bytes;
    enum standin_block_kind kind;
    int device;
    unsigned flags;
};

struct standin_device {
    size_t used;
    cudaError_t sticky;
    struct CUstream_st legacy; /* stream 0: one more, since no created stream synchronises with it */
};

struct standin {
    struct standin_config config;
    struct standin_device devices[STANDIN_DEVICES];
    struct standin_block *blocks;
    struct CUstream_st *streams, *dead_streams; /* a destroyed one runs on what it has */
    struct CUevent_st *events, *dead_events;
};
extern struct standin standin;

/* config.c */
void standin_config_read(struct standin_config *config);
cudaError_t standin_config_fails(struct standin_config *config, const char *call); /* counts the call */
bool standin_config_kernel_fails(struct standin_config *config);                   /* counts the kernel */

/* standin.c. Enter is the first thing a call does, leave the last, also after an error. */
cudaError_t standin_enter(const char *call);
cudaError_t standin_enter_device(const char *call); /* and the current device has to be alive */
cudaError_t standin_leave(cudaError_t status);      /* remembers an error as the thread's last */
int standin_current(void);
cudaError_t standin_set_current(int device);
void standin_unlock(void);
void standin_lock(void);
void standin_wait(void);                /* until some stream has done something */
void standin_wake(void);
void standin_run_host(cudaHostFn_t function, void *argument); /* without the lock */
double standin_now(void);
_Noreturn void standin_finding(const char *what, const char *numbers, ...) __attribute__((format(printf, 2, 3)));

/* memory.c */
struct standin_block *standin_block_touching(const void *start, size_t bytes);
bool standin_block_contains(const struct standin_block *block, const void *start, size_t bytes);
int standin_memory_check(const void *start, size_t bytes); /* of a device's, or a finding; which device */
int standin_memory_leaks(void);                            /* prints, and returns how many kinds */
void standin_memory_free(void);
/* For the cuBLAS stand-in, which is outside and holds no lock. */
void cudaStandinOperand(const char *call, const void *start, size_t bytes);

/* execute.c */
struct standin_op *standin_enqueue(struct CUstream_st *stream, enum standin_op_kind kind);
void standin_run(struct CUstream_st *stream, uint64_t seq); /* gives the lock up meanwhile */
cudaError_t standin_run_device(int device);                 /* all its streams; its sticky error */
bool standin_pending_host(const struct standin_block *block);
void standin_drop(struct CUstream_st *stream);

/* streams.c */
struct CUstream_st *standin_stream(cudaStream_t stream); /* 0 is the current device's; unknown: a finding */
int standin_streams_leaks(void);
bool standin_streams_free(void); /* false, and nothing freed: some thread still runs one */

#endif
