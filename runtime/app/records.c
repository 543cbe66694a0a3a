/* A log of appended bytes, and how it is sorted by unit. */
#include "app/records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One call of plb_task_record; its bytes follow. */
struct appended {
    int64_t unit, bytes;
    int64_t part;
};

/* A buffer's part of a task's records. The entry gets a pointer to it. */
struct part {
    struct plb_records *records;
};

struct plb_records {
    pthread_mutex_t lock;          /* for the log and `first` */
    int64_t first;                 /* units before have moved to others */
    int n_parts, of[PLB_MAX_DATA]; /* by buffer: its part */
    struct part *parts;
    char *log, *sealed;
    size_t used, room; /* of the log */
    size_t bytes, sealed_room;
};

struct plb_records *plb_records_new(const struct plb_dataset *set)
{
    struct plb_records *r = plb_alloc(sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_RECORDS)
            r->of[i] = r->n_parts++;
    r->parts = plb_alloc((size_t)r->n_parts * sizeof *r->parts);
    for (int k = 0; k < r->n_parts; k++)
        r->parts[k].records = r;
    return r;
}

void plb_records_free(struct plb_records *r)
{
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r->parts);
    free(r->log);
    free(r->sealed);
    free(r);
}

void plb_records_begin(struct plb_records *r)
{
    r->used = r->bytes = 0;
    r->first = INT64_MIN;
}

void *plb_records_part(struct plb_records *r, int i)
{
    return &r->parts[r->of[i]];
}

/* Makes room for so many bytes more. Growing by half keeps copies few. */
static char *grow(char *memory, size_t *room, size_t needed)
{
    if (needed <= *room)
        return memory;
    *room = needed + needed / 2;
    return plb_grow(memory, *room);
}

static void append(struct plb_records *r, const struct appended *head, const void *bytes)
{
    size_t n = (size_t)head->bytes;
    r->log = grow(r->log, &r->room, r->used + sizeof *head + n);
    memcpy(r->log + r->used, head, sizeof *head);
    if (n > 0)
        memmove(r->log + r->used + sizeof *head, bytes, n);
    r->used += sizeof *head + n;
}

int plb_task_record(const struct plb_task *task, int buffer, int64_t unit, const void *bytes, size_t n)
{
    const struct part *part = task->data[buffer];
    if (unit < task->first || unit >= task->first + task->count)
        return 1;
    if (part == NULL) /* a first call, whose results are not wanted */
        return 0;
    struct plb_records *r = part->records;
    struct appended head = {unit, (int64_t)n, part - r->parts};
    pthread_mutex_lock(&r->lock);
    bool takes = unit >= r->first;
    if (takes)
        append(r, &head, bytes);
    pthread_mutex_unlock(&r->lock);
    return takes ? 0 : 1;
}

/* The next call in the log, which ends at `end`; false: there is none. */
static bool next(const struct plb_records *r, size_t end, size_t *at, struct appended *head,
                 const char **bytes)
{
    if (*at >= end)
        return false;
    memcpy(head, r->log + *at, sizeof *head);
    *bytes = r->log + *at + sizeof *head;
    *at += sizeof *head + (size_t)head->bytes;
    return true;
}

void plb_records_move(struct plb_records *r, int64_t end, struct plb_records *to)
{
    struct appended head;
    const char *bytes;
    size_t at = 0;
    pthread_mutex_lock(&r->lock);
    size_t used = r->used;
    r->used = 0;
    r->first = end;
    while (next(r, used, &at, &head, &bytes)) /* reads the log while it becomes shorter */
        append(head.unit < end ? to : r, &head, bytes);
    pthread_mutex_unlock(&r->lock);
}

void plb_records_seal(struct plb_records *r, struct plb_range range)
{
    size_t units = (size_t)range.count, n = units * (size_t)r->n_parts, total = n * sizeof(int64_t);
    int64_t *lengths = plb_grow(NULL, (n + 1) * sizeof *lengths);
    size_t *ends = plb_grow(NULL, (n + 1) * sizeof *ends), at = 0;
    struct appended head;
    const char *bytes;
    for (size_t i = 0; i < n; i++)
        lengths[i] = PLB_NO_RECORD;
    while (next(r, r->used, &at, &head, &bytes)) {
        int64_t *length = &lengths[(size_t)head.part * units + (size_t)(head.unit - range.first)];
        *length = (*length < 0 ? 0 : *length) + head.bytes;
        total += (size_t)head.bytes;
    }
    r->sealed = grow(r->sealed, &r->sealed_room, total);
    r->bytes = 0;
    for (size_t i = 0; i < n; i++) { /* the lengths of a buffer stand before its records */
        if (i % units == 0) {
            memcpy(r->sealed + r->bytes, lengths + i, units * sizeof *lengths);
            r->bytes += units * sizeof *lengths;
        }
        ends[i] = r->bytes;
        r->bytes += lengths[i] > 0 ? (size_t)lengths[i] : 0;
    }
    for (at = 0; next(r, r->used, &at, &head, &bytes);) {
        size_t *end = &ends[(size_t)head.part * units + (size_t)(head.unit - range.first)];
        memcpy(r->sealed + *end, bytes, (size_t)head.bytes);
        *end += (size_t)head.bytes;
    }
    free(lengths);
    free(ends);
}

void *plb_records_bytes(const struct plb_records *r, size_t *n)
{
    *n = r->bytes;
    return r->sealed;
}

bool plb_records_are_sound(const struct plb_dataset *set, struct plb_range range, const void *bytes, size_t n)
{
    size_t at = 0, lengths = (size_t)range.count * sizeof(int64_t);
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].mode != PLB_RECORDS)
            continue;
        if (n - at < lengths)
            return false;
        const char *first = (const char *)bytes + at;
        at += lengths;
        for (int64_t u = 0; u < range.count; u++) {
            int64_t length;
            memcpy(&length, first + (size_t)u * sizeof length, sizeof length);
            if (length < PLB_NO_RECORD || (length > 0 && (size_t)length > n - at))
                return false;
            at += length > 0 ? (size_t)length : 0;
        }
    }
    return at == n;
}
