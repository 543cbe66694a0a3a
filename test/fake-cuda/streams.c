/* Streams and events. An event is a place in a stream: the stream, and the number of the work captured.
 *
 * All created streams are non-blocking; a blocking one, which would synchronise with stream 0, is not
 * modelled and a finding. So are handles that were destroyed or never made, which CUDA leaves undefined. */
#include <stdlib.h>

#include "fake.h"

struct CUstream_st *fake_stream(cudaStream_t stream)
{
    if (stream == NULL || stream == cudaStreamLegacy)
        return &fake.devices[fake_current()].legacy;
    if (stream == cudaStreamPerThread)
        fake_finding("the per-thread default stream is not modelled", "%p", (void *)stream);
    for (struct CUstream_st *s = fake.streams; s != NULL; s = s->next)
        if (s == stream)
            return s;
    for (struct CUstream_st *s = fake.dead_streams; s != NULL; s = s->next)
        if (s == stream)
            fake_finding("stream used after it was destroyed", "%p", (void *)stream);
    fake_finding("no such stream", "%p", (void *)stream);
}

static struct CUevent_st *find_event(cudaEvent_t event) /* NULL stays NULL, for which CUDA has an error */
{
    if (event == NULL)
        return NULL;
    for (struct CUevent_st *e = fake.events; e != NULL; e = e->next)
        if (e == event)
            return e;
    for (struct CUevent_st *e = fake.dead_events; e != NULL; e = e->next)
        if (e == event)
            fake_finding("event used after it was destroyed", "%p", (void *)event);
    fake_finding("no such event", "%p", (void *)event);
}

static cudaError_t create_stream(cudaStream_t *out, unsigned flags)
{
    if (out == NULL || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    if (flags == cudaStreamDefault)
        fake_finding("a blocking stream is not modelled: create it with cudaStreamNonBlocking", "flags %u",
                     flags);
    struct CUstream_st *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cudaErrorMemoryAllocation;
    s->device = fake_current();
    s->next = fake.streams;
    fake.streams = s;
    *out = s;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    cudaError_t status = fake_enter_device("cudaStreamCreateWithFlags");
    return fake_leave(status == cudaSuccess ? create_stream(out, flags) : status);
}

/* Does not wait: what the stream has still to do is done when something needs it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaStreamDestroy");
    if (status == cudaErrorNoDevice || stream == NULL || stream == cudaStreamLegacy)
        return fake_leave(status == cudaSuccess ? cudaErrorInvalidResourceHandle : status);
    struct CUstream_st *s = fake_stream(stream), **at = &fake.streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = fake.dead_streams;
    fake.dead_streams = s;
    return fake_leave(status == cudaSuccess ? fake.devices[s->device].sticky : status);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaStreamSynchronize");
    if (status == cudaSuccess) {
        struct CUstream_st *s = fake_stream(stream);
        fake_run(s, s->enqueued);
        fake_pool_synchronised(s->device);
        status = fake.devices[s->device].sticky;
    }
    return fake_leave(status);
}

/* "Not ready" a few times, then the work runs, so that a loop of queries ends. */
static cudaError_t query(struct CUstream_st *s, uint64_t seq, int *queries)
{
    if (fake.devices[s->device].sticky != cudaSuccess)
        return fake.devices[s->device].sticky;
    if (s->done < seq && ++*queries <= FAKE_NOT_READY)
        return cudaErrorNotReady;
    fake_run(s, seq);
    return fake.devices[s->device].sticky;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaStreamQuery");
    if (status == cudaSuccess) {
        struct CUstream_st *s = fake_stream(stream);
        status = query(s, s->enqueued, &s->queries);
    }
    return fake_leave(status);
}

/* Stream and event may be of different devices. The work that the event captures is settled now. */
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t status = fake_enter("cudaStreamWaitEvent");
    if (status != cudaSuccess)
        return fake_leave(status);
    struct CUstream_st *s = fake_stream(stream);
    const struct CUevent_st *e = find_event(event);
    status = fake.devices[s->device].sticky;
    if (status == cudaSuccess && e == NULL)
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess && flags != cudaEventWaitDefault)
        status = cudaErrorInvalidValue;
    else if (status == cudaSuccess && e->stream != NULL) {
        struct fake_op *op = fake_enqueue(s, FAKE_WAIT);
        op->other = e->stream;
        op->other_seq = e->seq;
    }
    return fake_leave(status);
}

/* A host function is a kernel's place in tests, so it is held to the kernel's rule: the stream has to be of
 * the current device (CUDA C++ Programming Guide, "Stream and Event Behavior" of several devices). */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument)
{
    cudaError_t status = fake_enter("cudaLaunchHostFunc");
    if (status != cudaSuccess)
        return fake_leave(status);
    struct CUstream_st *s = fake_stream(stream);
    status = fake.devices[s->device].sticky;
    if (status == cudaSuccess && function == NULL)
        status = cudaErrorInvalidValue;
    else if (status == cudaSuccess && s->device != fake_current())
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess) {
        struct fake_op *op = fake_enqueue(s, FAKE_HOST);
        op->function = function;
        op->argument = argument;
    }
    return fake_leave(status);
}

static cudaError_t create_event(cudaEvent_t *out, unsigned flags)
{
    if (out == NULL || (flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    struct CUevent_st *e = calloc(1, sizeof *e);
    if (e == NULL)
        return cudaErrorMemoryAllocation;
    e->device = fake_current();
    e->flags = flags;
    e->next = fake.events;
    fake.events = e;
    *out = e;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t status = fake_enter_device("cudaEventCreateWithFlags");
    return fake_leave(status == cudaSuccess ? create_event(out, flags) : status);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t status = fake_enter("cudaEventDestroy");
    if (status == cudaErrorNoDevice || event == NULL)
        return fake_leave(status == cudaSuccess ? cudaErrorInvalidResourceHandle : status);
    struct CUevent_st *e = find_event(event), **at = &fake.events;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    e->next = fake.dead_events;
    fake.dead_events = e;
    return fake_leave(status == cudaSuccess ? fake.devices[e->device].sticky : status);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t status = fake_enter("cudaEventRecord");
    if (status != cudaSuccess)
        return fake_leave(status);
    struct CUstream_st *s = fake_stream(stream);
    struct CUevent_st *e = find_event(event);
    status = fake.devices[s->device].sticky;
    if (status == cudaSuccess && (e == NULL || e->device != s->device))
        status = cudaErrorInvalidResourceHandle;
    else if (status == cudaSuccess) {
        struct fake_op *op = fake_enqueue(s, FAKE_RECORD);
        op->event = e;
        e->stream = s;
        e->seq = op->seq;
        e->queries = 0;
    }
    return fake_leave(status);
}

/* Of an event that exists and whose device is alive; one never recorded stands for no work at all. */
static cudaError_t enter_event(const char *call, cudaEvent_t event)
{
    cudaError_t status = fake_enter(call);
    if (status != cudaSuccess)
        return status;
    const struct CUevent_st *e = find_event(event);
    return e == NULL ? cudaErrorInvalidResourceHandle : fake.devices[e->device].sticky;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t status = enter_event("cudaEventQuery", event);
    if (status == cudaSuccess && event->stream != NULL)
        status = query(event->stream, event->seq, &event->queries);
    return fake_leave(status);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t status = enter_event("cudaEventSynchronize", event);
    if (status == cudaSuccess && event->stream != NULL) {
        fake_run(event->stream, event->seq);
        fake_pool_synchronised(event->device);
        status = fake.devices[event->device].sticky;
    }
    return fake_leave(status);
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
    return fake_leave(status == cudaSuccess ? elapsed(ms, start, end) : status);
}

int fake_streams_leaks(void)
{
    int streams = 0, events = 0;
    for (const struct CUstream_st *s = fake.streams; s != NULL; s = s->next)
        streams++;
    for (const struct CUevent_st *e = fake.events; e != NULL; e = e->next)
        events++;
    if (streams > 0)
        fprintf(stderr, "fake cuda: streams never destroyed (at exit, %d)\n", streams);
    if (events > 0)
        fprintf(stderr, "fake cuda: events never destroyed (at exit, %d)\n", events);
    return (streams > 0) + (events > 0);
}

bool fake_streams_free(void)
{
    for (struct CUstream_st *s = fake.dead_streams; s != NULL; s = s->next)
        if (s->running)
            return false;
    for (int d = 0; d < FAKE_DEVICES; d++)
        if (fake.devices[d].legacy.running)
            return false;
    for (int d = 0; d < FAKE_DEVICES; d++)
        fake_drop(&fake.devices[d].legacy);
    while (fake.dead_streams != NULL) {
        struct CUstream_st *s = fake.dead_streams;
        fake.dead_streams = s->next;
        fake_drop(s);
        free(s);
    }
    while (fake.dead_events != NULL) {
        struct CUevent_st *e = fake.dead_events;
        fake.dead_events = e->next;
        free(e);
    }
    return true;
}
