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

#include "fake.h"

struct fake_op *fake_enqueue(struct CUstream_st *stream, enum fake_op_kind kind)
{
    struct fake_op *op = calloc(1, sizeof *op);
    if (op == NULL)
        fake_finding("the host has no memory left", "%zu bytes", sizeof *op);
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

static void free_op(struct fake_op *op)
{
    free(op->stage);
    free(op);
}

static void note_done(struct CUstream_st *stream)
{
    stream->done = stream->head != NULL ? stream->head->seq - 1 : stream->enqueued;
}

/* Forgets what has not begun. */
void fake_drop(struct CUstream_st *stream)
{
    struct fake_op *rest = stream->head;
    if (stream->running) {
        rest = stream->head->next;
        stream->head->next = NULL;
        stream->tail = stream->head;
    } else {
        stream->head = stream->tail = NULL;
    }
    while (rest != NULL) {
        struct fake_op *next = rest->next;
        if (rest->kind == FAKE_FREE)
            fake_pool_free(rest->target);
        free_op(rest);
        rest = next;
    }
    note_done(stream);
}

/* The streams of a device, destroyed ones too, since those run on: first with NULL. */
static struct CUstream_st *next_stream(struct CUstream_st *at, int device)
{
    struct CUstream_st *legacy = &fake.devices[device].legacy;
    if (at == NULL)
        return legacy;
    bool dead = false;
    for (struct CUstream_st *d = fake.dead_streams; d != NULL; d = d->next)
        dead = dead || d == at;
    struct CUstream_st *s = at == legacy ? fake.streams : at->next;
    for (;;) {
        for (; s != NULL; s = s->next)
            if (s->device == device)
                return s;
        if (dead)
            return NULL;
        dead = true;
        s = fake.dead_streams;
    }
}

/* "This leaves the process in an inconsistent state and any further CUDA work will return the same error. To
 * continue using CUDA, the process must be terminated and relaunched." So the other devices are lost, too. */
static void fail_process(void)
{
    for (int d = 0; d < FAKE_DEVICES; d++) {
        fake.devices[d].sticky = cudaErrorIllegalAddress;
        for (struct CUstream_st *s = NULL; (s = next_stream(s, d)) != NULL;)
            fake_drop(s);
    }
}

static void sleep_until(double end)
{
    struct timespec t = {.tv_sec = (time_t)end, .tv_nsec = (long)((end - (double)(time_t)end) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

static void perform(const struct fake_op *op)
{
    const double begin = fake_now();
    switch (op->kind) {
    case FAKE_COPY:
        memcpy(op->target, op->source, op->bytes);
        if (fake.config.copy_rate > 0.0)
            sleep_until(begin + (double)op->bytes / fake.config.copy_rate);
        break;
    case FAKE_SET: memset(op->target, op->value, op->bytes); break;
    case FAKE_HOST: fake_run_host(op->function, op->argument); break;
    case FAKE_FREE:
    case FAKE_RECORD:
    case FAKE_WAIT: break;
    }
}

static void run_head(struct CUstream_st *stream)
{
    struct fake_op *op = stream->head;
    const bool fails = op->kind == FAKE_HOST && fake_config_kernel_fails(&fake.config);
    fake.counts.kernels += op->kind == FAKE_HOST;
    if (!fails) {
        stream->running = true;
        fake_unlock();
        perform(op);
        fake_lock();
        stream->running = false;
        if (op->kind == FAKE_FREE)
            fake_pool_free(op->target);
    }
    if (op->kind == FAKE_RECORD && op->event->stream == stream && op->event->seq == op->seq)
        op->event->time = fake_now(); /* else it was recorded anew since */
    stream->head = op->next;
    if (stream->head == NULL)
        stream->tail = NULL;
    free_op(op);
    note_done(stream);
    if (fails)
        fail_process();
    fake_wake();
}

void fake_run(struct CUstream_st *stream, uint64_t seq)
{
    while (stream->done < seq) {
        const struct fake_op *op = stream->head;
        if (stream->running)
            fake_wait();
        else if (op->kind == FAKE_WAIT && op->other->done < op->other_seq)
            fake_run(op->other, op->other_seq); /* op may be gone after it */
        else
            run_head(stream);
    }
}

/* The work that other threads enqueue meanwhile is not waited for. A stream that is destroyed meanwhile
 * changes lists, so the places are taken down first. */
cudaError_t fake_run_device(int device)
{
    size_t count = 0;
    for (struct CUstream_st *s = NULL; (s = next_stream(s, device)) != NULL;)
        count++;
    struct place {
        struct CUstream_st *stream;
        uint64_t seq;
    } *places = calloc(count, sizeof *places);
    if (places == NULL)
        fake_finding("the host has no memory left", "%zu bytes", count * sizeof *places);
    size_t n = 0;
    for (struct CUstream_st *s = NULL; (s = next_stream(s, device)) != NULL;)
        places[n++] = (struct place){s, s->enqueued};
    for (size_t i = 0; i < count; i++)
        fake_run(places[i].stream, places[i].seq);
    free(places);
    fake_pool_synchronised(device);
    return fake.devices[device].sticky;
}

static bool stream_uses(const struct CUstream_st *stream, const struct fake_block *block)
{
    for (const struct fake_op *op = stream->head; op != NULL; op = op->next) {
        if (op->kind != FAKE_COPY)
            continue;
        if (fake_block_contains(block, op->target, op->bytes)
            || fake_block_contains(block, op->source, op->bytes))
            return true;
    }
    return false;
}

bool fake_pending(const struct fake_block *block)
{
    for (int d = 0; d < fake.config.devices; d++)
        for (struct CUstream_st *s = NULL; (s = next_stream(s, d)) != NULL;)
            if (stream_uses(s, block))
                return true;
    return false;
}
