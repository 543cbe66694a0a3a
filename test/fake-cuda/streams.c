/* Streams and events. An event is a place in a stream: the stream, and the number of the work captured.
 *
 * All created streams are non-blocking; a blocking one, which would synchronise with stream 0, is not
 * modelled and a finding. So are handles that were destroyed or never made, which CUDA leaves undefined. */
#include <stdlib.h>

#include "standin.h"

struct CUstream_st *standin_stream(cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy)
        return &standin.devices[standin_current()].legacy;
    if (stream == cudaStreamPerThread)
        standin_finding("the per-thread default stream is not modelled", "%p", (void *)stream);
    for (struct CUstream_st *s = standin.streams; s != NULL; s = s->next)
        if (s == stream)
            return s;
    for (struct CUstream_st *s = standin.dead_streams; s != NULL; s = s->next)
        if (s == stream)
            standin_finding("stream used after it was destroyed", "%p", (void *)stream);
    standin_finding("no such stream", "%p", (void *)stream);
}

static struct CUevent_st *find_event(cudaEvent_t event) /* NULL stays NULL, for which CUDA has an error */
{
    if (event == NULL)
        return NULL;
    for (struct CUevent_st *e = standin.events; e != NULL; e = e->next)
        if (e == event)
            return e;
    for (struct CUevent_st *e = standin.dead_events; e != NULL; e = e->next)
        if (e == event)
            standin_finding("event used after it was destroyed", "%p", (void *)event);
    standin_finding("no such event", "%p", (void *)event);
}

static cudaError_t create_stream(cudaStream_t *out, unsigned flags)
{
    if (out == NULL || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    if (flags == cudaStreamDefault)
        standin_finding("a blocking stream is not modelled: create it with cudaStreamNonBlocking", "flags %u", flags);
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cudaErrorMemoryAllocation;
    s->device = standin_current();
    s->next = standin.streams;
    standin.streams = s;
    *out = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    cudaError_t status = standin_enter_device("cudaStreamCreateWithFlags");
    return standin_leave(status == cudaSuccess ? create_stream(out, flags) : status);
}

/* Does not wait: what the stream has still to do is done when something needs it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t status = standin_enter("cudaStreamDestroy");
    if (status == cudaErrorNoDevice || stream == NULL || stream == cudaStreamLegacy)
        return standin_leave(status == cudaSuccess ? cudaErrorInvalidResourceHandle : status);
    struct CUstream_st *s = standin_stream(stream), **at = &standin.streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = standin.dead_streams;
    standin.dead_streams = s;
    return standin_leave(status == cudaSuccess ? standin.devices[s->device].sticky : status);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t status = standin_enter("cudaStreamSynchronize");
    if (status == cudaSuccess) {
        struct CUstream_st *s = standin_stream(stream);
        standin_run(s, s->enqueued);
        status = standin.devices[s->device].sticky;
    }
    return standin_leave(status);
}

/* "Not ready" a few times, then the work runs, so that a loop of queries ends. */
static cudaError_t query(struct CUstream_st *s, uint64_t seq, int *queries)
{
    if (standin.devices[s->device].sticky != cudaSuccess)
        return standin.devices[s->device].sticky;
    if (s->done < seq && ++*queries <= STANDIN_NOT_READY)
        return cudaErrorNotReady;
    standin_run(s, seq);
    return standin.devices[s->device].sticky;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t status = standin_enter("cudaStreamQuery");
    if (status == cudaSuccess) {
        struct CUstream_st *s = standin_stream(stream);
        status = query(s, s->enqueued, &s->queries);
    }
    return standin_leave(status);
}

/* Stream and event may be of different devices. What the event captures is settled now. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t status = standin_enter("cudaStreamWaitEvent");
    if (status != cudaSuccess)
        return standin_leave(status);
    struct CUstream_st *s = standin_stream(stream);
    const struct CUevent_st *e = find_event(event);
    status = standin.devices[s->device].sticky;
    if (status == cudaSuccess && e == NULL)
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess && flags != cudaEventWaitDefault)
        status = cudaErrorInvalidValue;
    else if (status == cudaSuccess && e->stream != NULL) {
        struct standin_op *op = standin_enqueue(s, STANDIN_WAIT);
        op->other = e->stream;
        op->other_seq = e->seq;
    }
    return standin_leave(status);
}

/* A host function is a kernel's place in tests, so it is held to the kernel's rule: the stream has to be of
 * the current device (CUDA C++ Programming Guide, "Stream and Event Behavior" of several devices). */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    cudaError_t status = standin_enter("cudaLaunchHostFunc");
    if (status != cudaSuccess)
        return standin_leave(status);
    struct CUstream_st *s = standin_stream(stream);
    status = standin.devices[s->device].sticky;
    if (status == cudaSuccess && function == NULL)
        status = cudaErrorInvalidValue;
    else if (status == cudaSuccess && s->device != standin_current())
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess) {
        struct standin_op *op = standin_enqueue(s, STANDIN_HOST);
        op->function = function;
        op->argument = argument;
    }
    return standin_leave(status);
}

static cudaError_t create_event(cudaEvent_t *out, unsigned flags)
{
    if (out == NULL || (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (e == NULL)
        return cudaErrorMemoryAllocation;
    e->device = standin_current();
    e->flags = flags;
    e->next = standin.events;
    standin.events = e;
    *out = e;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t status = standin_enter_device("cudaEventCreateWithFlags");
    return standin_leave(status == cudaSuccess ? create_event(out, flags) : status);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t status = standin_enter("cudaEventDestroy");
    if (status == cudaErrorNoDevice || event == NULL)
        return standin_leave(status == cudaSuccess ? cudaErrorInvalidResourceHandle : status);
    struct CUevent_st *e = find_event(event), **at = &standin.events;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    e->next = standin.dead_events;
    standin.dead_events = e;
    return standin_leave(status == cudaSuccess ? standin.devices[e->device].sticky : status);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t status = standin_enter("cudaEventRecord");
    if (status != cudaSuccess)
        return standin_leave(status);
    struct CUstream_st *s = standin_stream(stream);
    struct CUevent_st *e = find_event(event);
    status = standin.devices[s->device].sticky;
    if (status == cudaSuccess && (e == NULL || e->device != s->device))
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess) {
        struct standin_op *op = standin_enqueue(s, STANDIN_RECORD);
        op->event = e;
        e->stream = s;
        e->seq = op->seq;
        e->queries = 0;
    }
    return standin_leave(status);
}

/* Of an event that exists and whose device is alive; one never recorded stands for no work at all. */
static cudaError_t enter_event(const char *call, cudaEvent_t event)
{
    cudaError_t status = standin_enter(call);
    if (status != cudaSuccess)
        return status;
    const struct CUevent_st *e = find_event(event);
    return e == NULL ? cudaErrorInvalidResourceHandle : standin.devices[e->device].sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t status = enter_event("cudaEventQuery", event);
    if (status == cudaSuccess && event->stream != NULL)
        status = query(event->stream, event->seq, &event->queries);
    return standin_leave(status);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t status = enter_event("cudaEventSynchronize", event);
    if (status == cudaSuccess && event->stream != NULL) {
        standin_run(event->stream, event->seq);
        status = standin.devices[event->device].sticky;
    }
    return standin_leave(status);
}

static cudaError_t elapsed(float *ms, const struct CUevent_st *start, const struct CUevent_st *end)
{
    if (ms == NULL)
        return cudaErrorInvalidValue;
    if (start->device != end->device || start->stream == NULL || end->stream == NULL
        || ((start->flags | end->flags) & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    if (start->stream->done < start->seq || end->stream->done < end->seq)
        return cudaErrorNotReady;
    *ms = (float)((end->time - start->time) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t status = enter_event("cudaEventElapsedTime", start);
    if (status == cudaSuccess && find_event(end) == NULL)
        status = cudaErrorInvalidResourceHandle;
    return standin_leave(status == cudaSuccess ? elapsed(ms, start, end) : status);
}

int standin_streams_leaks(void)
{
    int streams = 0, events = 0;
    for (const struct CUstream_st *s = standin.streams; s != NULL; s = s->next)
        streams++;
    for (const struct CUevent_st *e = standin.events; e != NULL; e = e->next)
        events++;
    if (streams > 0)
        fprintf(stderr, "cuda stand-in: streams never destroyed (at exit, %d)\n", streams);
    if (events > 0)
        fprintf(stderr, "cuda stand-in: events never destroyed (at exit, %d)\n", events);
    return (streams > 0) + (events > 0);
}

bool standin_streams_free(void)
{
    for (struct CUstream_st *s = standin.dead_streams; s != NULL; s = s->next)
        if (s->running)
            return false;
    for (int d = 0; d < STANDIN_DEVICES; d++)
        if (standin.devices[d].legacy.running)
            return false;
    for (int d = 0; d < STANDIN_DEVICES; d++)
        standin_drop(&standin.devices[d].legacy);
    while (standin.dead_streams != NULL) {
        struct CUstream_st *s = standin.dead_streams;
        standin.dead_streams = s->next;
        standin_drop(s);
        free(s);
    }
    while (standin.dead_events != NULL) {
        struct CUevent_st *e = standin.dead_events;
        standin.dead_events = e->next;
        free(e);
    }
    return true;
}
