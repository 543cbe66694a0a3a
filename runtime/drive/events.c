/* A binary heap. */
#include "drive/events.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct entry {
    struct plb_event event;
    uint64_t order;             /* in which it was planned */
};

struct plb_events {
    struct entry *heap;
    int n, capacity;
    uint64_t added;
    double now;
};

struct plb_events *plb_events_new(void)
{
    return plb_alloc(sizeof(struct plb_events));
}

void plb_events_free(struct plb_events *v)
{
    free(v->heap);
    free(v);
}

static bool before(const struct entry *a, const struct entry *b)
{
    return a->event.time < b->event.time || (a->event.time == b->event.time && a->order < b->order);
}

void plb_events_add(struct plb_events *v, struct plb_event event)
{
    if (v->n == v->capacity) {
        v->capacity = v->capacity > 0 ? 2 * v->capacity : 64;
        v->heap = plb_grow(v->heap, (size_t)v->capacity * sizeof *v->heap);
    }
    struct entry entry = {event, v->added++};
    entry.event.time = event.time > v->now ? event.time : v->now;
    int i = v->n++;
    for (; i > 0 && before(&entry, &v->heap[(i - 1) / 2]); i = (i - 1) / 2)
        v->heap[i] = v->heap[(i - 1) / 2];
    v->heap[i] = entry;
}

bool plb_events_next(struct plb_events *v, struct plb_event *event)
{
    if (v->n == 0)
        return false;
    *event = v->heap[0].event;
    v->now = event->time;
    struct entry last = v->heap[--v->n];
    int i = 0;
    for (int child; (child = 2 * i + 1) < v->n; i = child) {
        if (child + 1 < v->n && before(&v->heap[child + 1], &v->heap[child]))
            child++;
        if (!before(&v->heap[child], &last))
            break;
        v->heap[i] = v->heap[child];
    }
    v->heap[i] = last;
    return true;
}
