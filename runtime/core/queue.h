/* The queue of one PU: ranges in the order they were granted. Its owner takes tasks off the front, thieves
 * units off the back; so a million tasks are a handful of entries, and moving them moves descriptors.
 * Not thread-safe: the node's lock guards it. */
#ifndef PLB_CORE_QUEUE_H
#define PLB_CORE_QUEUE_H

#include <stdbool.h>

#include "core/cost.h"
#include "core/message.h"

/* A piece of work for one kernel call. */
struct plb_slice {
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

/* The next task: the block is cut into equal ones, as few as the grain allows. false: empty. */
bool plb_queue_take(struct plb_queue *queue, struct plb_slice *piece);

/* The same, but as a part of the queue that leaves others a chance: an eighth of the work, not fewer than
 * `least` units, not more than the grain or `own` units, whichever is more. */
bool plb_queue_take_part(struct plb_queue *queue, const struct plb_cost_map *map, int64_t own, int64_t least,
                         struct plb_slice *piece);

/* Units and work in the queue. */
int64_t plb_queue_units(const struct plb_queue *queue);
double plb_queue_work(const struct plb_queue *queue, const struct plb_cost_map *map);

/* Cuts about this much work, at least one unit, off the back: at most `limit` gifts. Returns how many. */
int plb_queue_cut(struct plb_queue *queue, const struct plb_cost_map *map, double work,
                  struct plb_gift *gifts, int limit);
void plb_queue_clear(struct plb_queue *queue);
void plb_queue_fini(struct plb_queue *queue);

#endif
