/* The queue of one PU: ranges in the order they were granted. Taking a task cuts units off the
 * front, so a million tasks are a handful of entries. Not thread-safe: the node's lock guards it. */
#ifndef PLB_CORE_QUEUE_H
#define PLB_CORE_QUEUE_H

#include <stdbool.h>

#include "base/rangeset.h"

/* A piece of work for one kernel call. */
struct plb_piece {
    struct plb_range range;
    int64_t block;
};

struct plb_queue_entry {
    struct plb_range range;
    int64_t block;
    int64_t grain;              /* units per task at most; at least 1 */
};

/* A zeroed struct is empty. */
struct plb_queue {
    struct plb_queue_entry *at; /* ring */
    int head, n, capacity;
};

void plb_queue_push(struct plb_queue *queue, struct plb_queue_entry entry);
bool plb_queue_take(struct plb_queue *queue, struct plb_piece *piece); /* false: empty */
void plb_queue_clear(struct plb_queue *queue);
void plb_queue_fini(struct plb_queue *queue);

#endif
