/* A ring of ranges that grows. */
#include "core/queue.h"

#include <stdlib.h>

#include "base/error.h"

void plb_queue_push(struct plb_queue *q, struct plb_queue_entry entry)
{
    if (q->n == q->capacity) {
        int capacity = q->capacity > 0 ? 2 * q->capacity : 8;
        struct plb_queue_entry *at = plb_grow(NULL, (size_t)capacity * sizeof *at);
        for (int i = 0; i < q->n; i++)
            at[i] = q->at[(q->head + i) % q->capacity];
        free(q->at);
        q->at = at;
        q->head = 0;
        q->capacity = capacity;
    }
    q->at[(q->head + q->n++) % q->capacity] = entry;
}

bool plb_queue_take(struct plb_queue *q, struct plb_piece *piece)
{
    if (q->n == 0)
        return false;
    struct plb_queue_entry *front = &q->at[q->head];
    int64_t count = front->grain < front->range.count ? front->grain : front->range.count;
    *piece = (struct plb_piece){{front->range.first, count}, front->block};
    front->range.first += count;
    front->range.count -= count;
    if (front->range.count == 0) {
        q->head = (q->head + 1) % q->capacity;
        q->n--;
    }
    return true;
}

void plb_queue_clear(struct plb_queue *q)
{
    q->n = 0;
}

void plb_queue_fini(struct plb_queue *q)
{
    free(q->at);
    *q = (struct plb_queue){0};
}
