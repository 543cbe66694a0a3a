/* A binary heap. */
#include "simulate/events.h"

#include <stdlib.h>

#include "base/memory.h"

struct entry {
    struct plb_event event;
    uint64_t order; /* in which it was planned */
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

void plb_events_free(struct plb_events *events)
{
    free(events->heap);
    free(events);
}

static bool before(const struct entry *a, const struct entry *b)
{
    return a->event.time < b->event.time || (a->event.time == b->event.time && a->order < b->order);
}

void plb_events_add(struct plb_events *events, struct plb_event event)
{
    events->heap = plb_room(events->heap, events->n, &events->capacity, sizeof *events->heap);
    struct entry entry = {event, events->added++};
    entry.event.time = event.time > events->now ? event.time : events->now;
    int i = events->n++;
    for (; i > 0 && before(&entry, &events->heap[(i - 1) / 2]); i = (i - 1) / 2)
        events->heap[i] = events->heap[(i - 1) / 2];
    events->heap[i] = entry;
}

bool plb_events_next(struct plb_events *events, struct plb_event *event)
{
    if (events->n == 0)
        return false;
    *event = events->heap[0].event;
    events->now = event->time;
    struct entry last = events->heap[--events->n];
    int i = 0;
    for (int child; (child = 2 * i + 1) < events->n; i = child) {
        if (child + 1 < events->n && before(&events->heap[child + 1], &events->heap[child]))
            child++;
        if (!before(&events->heap[child], &last))
            break;
        events->heap[i] = events->heap[child];
    }
    events->heap[i] = last;
    return true;
}
