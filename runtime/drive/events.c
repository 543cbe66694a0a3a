/* A binary heap of small keys over a pool of events, so that sifting moves few bytes. */
#include "drive/events.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

struct key {
    double time;
    uint64_t order;
    int at;                     /* in the pool */
};

struct plb_events {
    struct key *heap;
    struct plb_event *pool;
    int *unused;
    int n, capacity, n_unused;
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
    free(v->pool);
    free(v->unused);
    free(v);
}

static bool before(const struct key *a, const struct key *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void enlarge(struct plb_events *v)
{
    int capacity = v->capacity > 0 ? 2 * v->capacity : 64;
    v->heap = plb_grow(v->heap, (size_t)capacity * sizeof *v->heap);
    v->pool = plb_grow(v->pool, (size_t)capacity * sizeof *v->pool);
    v->unused = plb_grow(v->unused, (size_t)capacity * sizeof *v->unused);
    for (int i = capacity - 1; i >= v->capacity; i--)
        v->unused[v->n_unused++] = i;
    v->capacity = capacity;
}

void plb_events_add(struct plb_events *v, const struct plb_event *event)
{
    if (v->n == v->capacity)
        enlarge(v);
    struct key key = {event->time > v->now ? event->time : v->now, v->added++, v->unused[--v->n_unused]};
    v->pool[key.at] = *event;
    int i = v->n++;
    for (; i > 0 && before(&key, &v->heap[(i - 1) / 2]); i = (i - 1) / 2)
        v->heap[i] = v->heap[(i - 1) / 2];
    v->heap[i] = key;
}

bool plb_events_next(struct plb_events *v, struct plb_event *event)
{
    if (v->n == 0)
        return false;
    struct key top = v->heap[0], last = v->heap[--v->n];
    int i = 0;
    for (int child; (child = 2 * i + 1) < v->n; i = child) {
        if (child + 1 < v->n && before(&v->heap[child + 1], &v->heap[child]))
            child++;
        if (!before(&v->heap[child], &last))
            break;
        v->heap[i] = v->heap[child];
    }
    v->heap[i] = last;
    *event = v->pool[top.at];
    event->time = v->now = top.time;
    v->unused[v->n_unused++] = top.at;
    return true;
}
