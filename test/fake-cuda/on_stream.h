/* For kernels that run on the fake CUDA runtime: an entry for the CPU becomes one for CUDA, since
 * device memory is host memory there. The task is copied and run when the stream comes to it. */
#ifndef PLB_TEST_ON_STREAM_H
#define PLB_TEST_ON_STREAM_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plb/kernel.h"

struct later {
    struct later *next; /* of those that have not run: an error of the device drops them */
    plb_entry_fn entry;
    struct plb_task task;
    void *data[32];
    size_t bytes[32];
    int64_t before[32], after[32];
};

static struct later *waiting;
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;

static void CUDART_CB run_later(void *argument)
{
    struct later *l = argument;
    l->entry(&l->task);
    pthread_mutex_lock(&waiting_lock);
    struct later **at = &waiting;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    pthread_mutex_unlock(&waiting_lock);
    free(l);
}

__attribute__((destructor)) static void free_dropped(void)
{
    for (struct later *l = waiting, *next; l != NULL; l = next) {
        next = l->next;
        free(l);
    }
}

/* n: how many buffers the task has. */
static inline int on_stream(plb_entry_fn cpu, const struct plb_task *task, int n)
{
    struct later *l = malloc(sizeof *l);
    if (l == NULL)
        return -1;
    *l = (struct later){.entry = cpu, .task = *task};
    memcpy(l->data, task->data, (size_t)n * sizeof *l->data);
    if (task->bytes != NULL)
        memcpy(l->bytes, task->bytes, (size_t)n * sizeof *l->bytes);
    if (task->before != NULL) {
        memcpy(l->before, task->before, (size_t)n * sizeof *l->before);
        memcpy(l->after, task->after, (size_t)n * sizeof *l->after);
    }
    l->task.data = l->data;
    l->task.bytes = l->bytes;
    l->task.before = l->before;
    l->task.after = l->after;
    pthread_mutex_lock(&waiting_lock);
    l->next = waiting;
    waiting = l;
    pthread_mutex_unlock(&waiting_lock);
    return (int)cudaLaunchHostFunc((cudaStream_t)task->stream, run_later, l);
}

#endif
