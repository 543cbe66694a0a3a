/* One thread, a list of results that grows, and for each unit where its records are. */
#include "app/stream/record_stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/stream/stream_mark.h"
#include "app/stream/stream_output.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/stop.h"

enum { NONE = -1, OVER = -2 }; /* instead of the number of a unit's result */

/* The records of one result that go to a way: by unit. */
struct index {
    int64_t *at, *bytes; /* bytes below 0: there is none */
};

struct plb_record_stream {
    struct plb_stream_shape shape;
    int n_parts;
    bool began;
    bool holds; /* writes nothing yet */
    int file;
    int64_t known;      /* the mark of an earlier run */
    uint32_t forgotten; /* how often units were */
    bool *written;      /* by unit: an earlier run has, before units were forgotten last; NULL: none was */
    struct plb_stream_output output; /* the thread's, once it has begun */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t change;
    struct plb_streamed *results;
    int32_t n_results, capacity;
    bool ends, rest, stops;
    int failure;
    const struct plb_record_way *failed;
    int64_t mark; /* how far it is: units in order, else bytes of the file (stream_mark.h) */

    int32_t *of;  /* the thread's from here: by unit, its result */
    int64_t next; /* index in the order */
    int32_t loaded;
    struct plb_streamed now; /* results[loaded] */
    struct index *index;     /* of it, by way */
    int64_t *lengths;
    struct plb_stream_marks marks;
};

struct plb_record_stream *plb_record_stream_new(const struct plb_stream_shape *shape, int n_parts)
{
    struct plb_record_stream *s = plb_alloc(sizeof *s);
    int64_t units = shape->units;
    s->shape = *shape;
    s->n_parts = n_parts;
    s->file = -1;
    s->loaded = NONE;
    plb_stream_output_init(&s->output, n_parts);
    s->index = plb_alloc((size_t)n_parts * sizeof *s->index);
    s->of = plb_alloc_unset((size_t)units * sizeof *s->of);
    memset(s->of, 0xff, (size_t)units * sizeof *s->of); /* NONE */
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&s->change, &clock);
    pthread_condattr_destroy(&clock);
    return s;
}

bool plb_record_stream_add(struct plb_record_stream *s, int part, const char *path)
{
    return plb_stream_output_add(&s->output, part, path);
}

void plb_record_stream_grow(struct plb_record_stream *s, int part, const char *path, const char *head)
{
    plb_stream_output_grow(&s->output, part, path, head);
}

static void fail(struct plb_record_stream *s, const struct plb_record_way *way, int reason)
{
    pthread_mutex_lock(&s->lock);
    if (s->failure == 0 && reason != 0) {
        s->failure = reason;
        s->failed = way;
    }
    pthread_mutex_unlock(&s->lock);
}

static bool read_at(struct plb_record_stream *s, void *memory, size_t bytes, int64_t at)
{
    if (plb_file_move(s->file, false, memory, bytes, at))
        return true;
    fail(s, NULL, errno);
    return false;
}

/* Hands bytes of the store's file to a way. */
static void emit(struct plb_record_stream *s, struct plb_record_way *way, int64_t at, int64_t bytes)
{
    if (s->failure == 0)
        plb_stream_output_copy(&s->output, way, s->file, at, bytes);
    fail(s, s->output.failed, s->output.failure);
}

static void flush(struct plb_record_stream *s)
{
    if (s->failure == 0)
        plb_stream_output_flush(&s->output);
    fail(s, s->output.failed, s->output.failure);
}

/* Finds where the records of a result are. */
static bool load(struct plb_record_stream *s, int32_t number)
{
    if (s->loaded == number)
        return true;
    s->loaded = NONE;
    pthread_mutex_lock(&s->lock);
    s->now = s->results[number];
    pthread_mutex_unlock(&s->lock);
    size_t n = (size_t)s->now.result.count;
    int64_t at = s->now.at;
    s->lengths = plb_grow(s->lengths, n * sizeof *s->lengths);
    for (int part = 0; part < s->n_parts; part++) {
        if (!read_at(s, s->lengths, n * sizeof *s->lengths, at))
            return false;
        at += (int64_t)(n * sizeof *s->lengths);
        struct index *index = NULL;
        for (int i = 0; i < s->output.n_ways; i++)
            if (s->output.ways[i].part == part) {
                index = &s->index[i];
                index->at = plb_grow(index->at, n * sizeof *index->at);
                index->bytes = plb_grow(index->bytes, n * sizeof *index->bytes);
                memcpy(index->bytes, s->lengths, n * sizeof *s->lengths);
            }
        for (size_t u = 0; u < n; u++) {
            if (index != NULL)
                index->at[u] = at;
            at += s->lengths[u] > 0 ? s->lengths[u] : 0;
        }
    }
    s->loaded = number;
    return true;
}

static int64_t unit_at(const struct plb_record_stream *s, int64_t index)
{
    return s->shape.order != NULL ? s->shape.order[index] : index;
}

/* Whether an earlier run has written the unit at this index. */
static bool was_written(const struct plb_record_stream *s, int64_t index)
{
    return index < s->known || (s->written != NULL && s->written[unit_at(s, index)]);
}

static bool has_record(const struct plb_record_stream *s, int64_t unit)
{
    for (int i = 0; i < s->output.n_ways; i++)
        if (s->index[i].bytes[unit - s->now.result.first] >= 0)
            return true;
    return false;
}

/* again: an earlier run has written it, so that only files that begin anew lack it. */
static void print(struct plb_record_stream *s, int64_t unit, bool again)
{
    int32_t number = s->of[unit];
    s->of[unit] = OVER;
    if (number < 0 || !load(s, number))
        return;
    int64_t u = unit - s->now.result.first;
    for (int i = 0; i < s->output.n_ways; i++)
        if (s->index[i].bytes[u] > 0 && (!again || s->output.ways[i].head != NULL))
            emit(s, &s->output.ways[i], s->index[i].at[u], s->index[i].bytes[u]);
}

static struct plb_stream_place place_of(const struct plb_record_stream *s)
{
    int64_t written = s->output.written;
    return (struct plb_stream_place){plb_now(), written, written - plb_stream_output_unread(&s->output)};
}

/* Who ends the run may have ended the reader, too, and mpirun passes nothing on any more. */
static bool has_deaf_reader(const struct plb_record_stream *s)
{
    return s->marks.lags && plb_stop_asked() != 0;
}

/* Tells the file how far the stream came. */
static void remember(struct plb_record_stream *s, int64_t mark)
{
    flush(s);
    pthread_mutex_lock(&s->lock);
    bool further = s->failure == 0 && mark > s->mark;
    s->mark = further ? mark : s->mark;
    s->output.unmarked = 0;
    pthread_mutex_unlock(&s->lock);
    struct plb_stream_place place = place_of(s);
    if (further && !has_deaf_reader(s) && !plb_stream_marks_move(&s->marks, mark, s->forgotten, &place))
        fail(s, NULL, errno);
}

/* Enters the units of a result, and writes what can be written. */
static void take(struct plb_record_stream *s, int32_t number)
{
    pthread_mutex_lock(&s->lock);
    struct plb_streamed r = s->results[number];
    pthread_mutex_unlock(&s->lock);
    bool empty = r.at < 0;
    if (!empty && !load(s, number))
        return;
    for (int64_t u = r.units.first; u < r.units.first + r.units.count; u++) {
        if (s->of[u] != NONE || (!empty && !has_record(s, u)))
            continue;
        s->of[u] = empty ? OVER : number;
        if (s->shape.in_order)
            continue;
        if (s->output.unmarked >= PLB_STREAM_BLOCK)
            remember(s, plb_stream_mark_before(&r, u));
        print(s, u, u - r.result.first < r.written);
    }
    for (; s->shape.in_order && s->next < s->shape.units && s->of[unit_at(s, s->next)] != NONE; s->next++) {
        if (s->output.unmarked >= PLB_STREAM_BLOCK)
            remember(s, s->next);
        print(s, unit_at(s, s->next), was_written(s, s->next));
    }
    remember(s, s->shape.in_order ? s->next : plb_stream_mark_before(&r, plb_range_end(r.units)));
}

/* Until something has changed, or a mark may be due. The lock is held. */
static void wait(struct plb_record_stream *s)
{
    struct timespec until;
    if (s->marks.aging == 0) {
        pthread_cond_wait(&s->change, &s->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * PLB_STREAM_LAG);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&s->change, &s->lock, &until) != ETIMEDOUT || has_deaf_reader(s))
        return;
    struct plb_stream_place place = place_of(s);
    if (!plb_stream_marks_look(&s->marks, &place))
        s->failure = errno;
}

static void *run(void *context)
{
    struct plb_record_stream *s = context;
    int32_t taken = 0;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (taken == s->n_results && !s->ends)
            wait(s);
        if (s->stops || taken == s->n_results || s->failure != 0)
            break;
        pthread_mutex_unlock(&s->lock);
        take(s, taken++);
        pthread_mutex_lock(&s->lock);
    }
    bool rest = s->rest && s->failure == 0;
    pthread_mutex_unlock(&s->lock);
    if (rest && s->shape.in_order)
        for (int64_t i = s->next; i < s->shape.units; i++)
            print(s, unit_at(s, i), false);
    flush(s);
    if (s->failure == 0 && !has_deaf_reader(s) && !plb_stream_marks_end(&s->marks))
        fail(s, NULL, errno);
    return NULL;
}

/* --------------------------------------------------------------------- its owner */

/* Signals are for the other threads. */
static bool start(struct plb_record_stream *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int reason = pthread_create(&s->thread, NULL, run, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (reason != 0)
        fail(s, NULL, reason);
    return reason == 0;
}

bool plb_record_stream_begin(struct plb_record_stream *s, int fd, bool remembers)
{
    s->file = fd;
    s->marks = (struct plb_stream_marks){.file = remembers ? fd : -1, .lags = s->output.lags};
    if (remembers && !plb_stream_mark_read(fd, &s->known, &s->forgotten))
        return false;
    s->mark = s->known;
    return true;
}

/* In order, a mark counts those that are written since units were forgotten last. Out of order it is a byte
 * of the file, and no result in it moves. */
void plb_record_stream_forget(struct plb_record_stream *s, struct plb_forgotten *list, int n)
{
    struct plb_forgotten *now = n > 0 && list[n - 1].mark < 0 ? &list[n - 1] : NULL;
    s->holds = true;
    if (s->shape.in_order && s->forgotten != (uint32_t)(now != NULL ? n - 1 : n))
        s->known = 0; /* the mark is older */
    if (now != NULL)
        now->mark = s->shape.in_order ? s->known : 0;
    if (!s->shape.in_order)
        return;
    s->known = now != NULL ? 0 : s->known;
    s->written = plb_forgotten_written(list, n, s->shape.order, s->shape.units);
    s->forgotten = (uint32_t)n;
    s->mark = s->known;
}

bool plb_record_stream_cut(struct plb_record_stream *s, int64_t end)
{
    pthread_mutex_lock(&s->lock);
    bool back = !s->shape.in_order && s->mark > end;
    if (back)
        s->known = s->mark = end;
    const bool waits = s->n_results > 0 && !s->began;
    s->holds = false;
    pthread_mutex_unlock(&s->lock);
    if (back && !plb_stream_mark_write(s->file, end, s->forgotten))
        return false;
    return !waits || (s->began = start(s));
}

bool plb_record_stream_in_order(const struct plb_record_stream *s)
{
    return s->shape.in_order;
}

int64_t plb_record_stream_written(const struct plb_record_stream *s, const struct plb_streamed *result)
{
    return s->shape.in_order ? 0 : plb_stream_mark_units(result, s->known);
}

void plb_record_stream_give(struct plb_record_stream *s, const struct plb_streamed *result)
{
    pthread_mutex_lock(&s->lock);
    s->results = plb_room(s->results, s->n_results, &s->capacity, sizeof *s->results);
    s->results[s->n_results++] = *result;
    pthread_cond_signal(&s->change);
    pthread_mutex_unlock(&s->lock);
    if (!s->began && !s->holds)
        s->began = start(s);
}

void plb_record_stream_end(struct plb_record_stream *s, bool rest)
{
    pthread_mutex_lock(&s->lock);
    s->ends = true;
    s->rest = rest;
    pthread_cond_signal(&s->change);
    pthread_mutex_unlock(&s->lock);
    if (s->began)
        pthread_join(s->thread, NULL);
    s->began = false;
}

int plb_record_stream_failure(struct plb_record_stream *s, const char **path)
{
    pthread_mutex_lock(&s->lock);
    int reason = s->failure;
    *path = s->failed != NULL ? s->failed->path : NULL;
    pthread_mutex_unlock(&s->lock);
    return reason;
}

void plb_record_stream_free(struct plb_record_stream *s)
{
    if (s == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    s->stops = true;
    pthread_mutex_unlock(&s->lock);
    plb_record_stream_end(s, false);
    for (int i = 0; i < s->output.n_ways; i++) {
        free(s->index[i].at);
        free(s->index[i].bytes);
    }
    plb_stream_output_fini(&s->output);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->change);
    free(s->index);
    free(s->results);
    free(s->of);
    free(s->written);
    free(s->lengths);
    free(s);
}
