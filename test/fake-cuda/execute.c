/* When work runs: as late as the API allows. There is no thread of its own; a call that has to wait for
 * work runs it, that is its stream up to there and what that depends on, and nothing else.
 *
 * A stream's head runs without the lock and by one thread at a time, so streams keep their order while
 * several threads drive several streams. The depth of recursion is that of the waits between streams,
 * which cannot form a circle: a wait is for what was enqueued before it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

struct standin_op *standin_enqueue(struct CUstream_st *stream, enum standin_op_kind kind)
{
    struct standin_op *op = calloc(1, sizeof *op);
    if (op == NULL)
        standin_finding("the host has no memory left", "%zu bytes", sizeof *op);
    op->kind = kind;
    op->seq = ++stream->enqueued;
    if (stream->tail != NULL)
        stream->tail->next = op;
    else
        stream->head = op;
    stream->tail = op;
    stream->queries = 0;
    return op;
}

static void free_op(struct standin_op *op)
{
    free(op->stage);
    free(op);
}

static void note_done(struct CUstream_st *stream)
{
    stream->done = stream->head != NULL ? stream->head->seq - 1 : stream->enqueued;
}

/* Forgets what has not begun. */
void standin_drop(struct CUstream_st *stream)
{
    struct standin_op *rest = stream->head;
    if (stream->running) {
        rest = stream->head->next;
        stream->head->next = NULL;
        stream->tail = stream->head;
    } else {
        stream->head = stream->tail = NULL;
    }
    while (rest != NULL) {
        struct standin_op *next = rest->next;
        free_op(rest);
        rest = next;
    }
    note_done(stream);
}

/* The streams of a device, destroyed ones too, since those run on: first with NULL. */
static struct CUstream_st *next_stream(struct CUstream_st *at, int device)
{
    struct CUstream_st *legacy = &standin.devices[device].legacy;
    if (at == NULL)
        return legacy;
    bool dead = false;
    for (struct CUstream_st *d = standin.dead_streams; d != NULL; d = d->next)
        dead = dead || d == at;
    struct CUstream_st *s = at == legacy ? standin.streams : at->next;
    for (;;) {
        for (; s != NULL; s = s->next)
            if (s->device == device)
                return s;
        if (dead)
            return NULL;
        dead = true;
        s = standin.dead_streams;
    }
}

static void fail_device(int device)
{
    standin.devices[device].sticky = cudaErrorIllegalAddress;
    for (struct CUstream_st *s = NULL; (s = next_stream(s, device)) != NULL;)
        standin_drop(s);
}

static void sleep_until(double end)
{
    struct timespec t = {.tv_sec = (time_t)end, .tv_nsec = (long)((end - (double)(time_t)end) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

static void perform(const struct standin_op *op)
{
    const double begin = standin_now();
    switch (op->kind) {
    case STANDIN_COPY:
        memcpy(op->target, op->source, op->bytes);
        if (standin.config.copy_rate > 0.0)
            sleep_until(begin + (double)op->bytes / standin.config.copy_rate);
        break;
    case STANDIN_SET:
        memset(op->target, op->value, op->bytes);
        break;
    case STANDIN_HOST:
        standin_run_host(op->function, op->argument);
        break;
    case STANDIN_RECORD:
    case STANDIN_WAIT:
        break;
    }
}

static void run_head(struct CUstream_st *stream)
{
    struct standin_op *op = stream->head;
    const bool fails = op->kind == STANDIN_HOST && standin_config_kernel_fails(&standin.config);
    if (!fails) {
        stream->running = true;
        standin_unlock();
        perform(op);
        standin_lock();
        stream->running = false;
    }
    if (op->kind == STANDIN_RECORD && op->event->stream == stream && op->event->seq == op->seq)
        op->event->time = standin_now(); /* else it was recorded anew since */
    stream->head = op->next;
    if (stream->head == NULL)
        stream->tail = NULL;
    free_op(op);
    note_done(stream);
    if (fails)
        fail_device(stream->device);
    standin_wake();
}

void standin_run(struct CUstream_st *stream, uint64_t seq)
{
    while (stream->done < seq) {
        const struct standin_op *op = stream->head;
        if (stream->running)
            standin_wait();
        else if (op->kind == STANDIN_WAIT && op->other->done < op->other_seq)
            standin_run(op->other, op->other_seq); /* op may be gone after it */
        else
            run_head(stream);
    }
}

/* What other threads enqueue meanwhile is not waited for. A stream that is destroyed meanwhile changes
 * lists, so the places are taken down first. */
cudaError_t standin_run_device(int device)
{
    size_t count = 0;
    for (struct CUstream_st *s = NULL; (s = next_stream(s, device)) != NULL;)
        count++;
    struct place {
        struct CUstream_st *stream;
        uint64_t seq;
    } *places = calloc(count, sizeof *places);
    if (places == NULL)
        standin_finding("the host has no memory left", "%zu bytes", count * sizeof *places);
    size_t n = 0;
    for (struct CUstream_st *s = NULL; (s = next_stream(s, device)) != NULL;)
        places[n++] = (struct place){s, s->enqueued};
    for (size_t i = 0; i < count; i++)
        standin_run(places[i].stream, places[i].seq);
    free(places);
    return standin.devices[device].sticky;
}

static bool stream_uses(const struct CUstream_st *stream, const struct standin_block *block)
{
    for (const struct standin_op *op = stream->head; op != NULL; op = op->next) {
        if (op->kind != STANDIN_COPY)
            continue;
        if (standin_block_contains(block, op->target, op->bytes) || standin_block_contains(block, op->source, op->bytes))
            return true;
    }
    return false;
}

bool standin_pending_host(const struct standin_block *block)
{
    for (int d = 0; d < standin.config.devices; d++)
        for (struct CUstream_st *s = NULL; (s = next_stream(s, d)) != NULL;)
            if (stream_uses(s, block))
                return true;
    return false;
}
