/* The queue of one PU: ranges in the order in which they were granted. The PU takes tasks off the front,
 * thieves take units off the back. So a million tasks are a handful of entries, and moving them moves
 * descriptors. Not thread-safe: the node's lock guards it. */
#ifndef PLB_CORE_WORKER_QUEUE_H
#define PLB_CORE_WORKER_QUEUE_H

#include <stdbool.h>

#include "core/message/message.h"
#include "core/work/cost.h"
#include "core/work/sizes.h"

/* A task as the core sees it: a slice of a block, for one call of the kernel. Or a burst: several tasks of
 * equal length, which a PU takes and reports together. */
struct plb_slice {
    struct plb_range range;
    int64_t block;
    int pass;
    int64_t more; /* tasks beside the first; the last one takes the rest of the range */
    bool audit;   /* its result is only compared; `block` is the number of the audit */
    bool copy;    /* another node has the units, too */
    int64_t hop;  /* of its queue entry */
};

/* Units in each task of a slice, but for the last one. */
static inline int64_t plb_slice_units(const struct plb_slice *slice)
{
    return slice->range.count / (slice->more + 1);
}

/* A task is this part of a queue that others may take from. Larger: more tasks to start near the end.
 * Smaller: a task that has been started, and can move no more, lasts longer. Set by the imbalance demo and
 * the papers' clusters. */
#define PLB_QUEUE_PARTS 8.0

struct plb_queue_entry {
    struct plb_range range;
    int64_t block;
    int64_t grain; /* units per task at most, unless its PU needs more; at least 1 */
    int64_t hop;   /* how often the units have changed nodes; PLB_HOPS: they are suspect, and stay */
};

/* A zeroed struct is empty. */
struct plb_queue {
    struct plb_queue_entry *at; /* ring */
    int head, n, capacity;
};

void plb_queue_push(struct plb_queue *queue, struct plb_queue_entry entry);

/* Units that were taken off the front, and have not begun, are there again. Where the next units of their
 * block are at the front, all of them are one entry. */
void plb_queue_return(struct plb_queue *queue, const struct plb_slice *task);

/* How large a task may be, by what is known of its PU. */
struct plb_cut {
    int64_t known;    /* units below which its rate suffers, by its curve: a smaller grain of a block, which
                         may suit another PU, gives way to it */
    int64_t wanted;   /* units that it takes from a shared queue where it can; at least `known` */
    double low, high; /* work: the shortest and the longest task; high may be infinite */
    double sure;      /* work that need not move: one task may have it, also where the queue is shared */
    bool shared;      /* others may take from the queue: a task is an eighth of it, and may be short */
};

/* The next task: the first block is cut into equal tasks, or a part is cut off a shared queue. In rising
 * order of precedence: cut->high and the grain, cut->low and cut->known, the limit of the PU that executes
 * it. It is a whole number of multiples of `sizes`, but for the last task of a range (a range that is one
 * task stays one) and for tasks that are smaller than one. Its end is at a whole stride of `sizes` where that
 * makes it a quarter shorter at most. Of units that stay where they are (PLB_HOPS) it has at most the grain.
 * False: the queue is empty. */
bool plb_queue_take(struct plb_queue *queue, const struct plb_cost_map *map, const struct plb_sizes *sizes,
                    const struct plb_task_limit *limit, const struct plb_cut *cut, struct plb_slice *task);

/* Makes a task that was just taken a burst: at most `more` tasks of its length come off the front, of the
 * same block, and at most an eighth of that block's units: others may take the rest. Units that stay where
 * they are make none. */
void plb_queue_take_more(struct plb_queue *queue, int64_t more, struct plb_slice *task);

/* Whether the first units in the queue are of this block. */
static inline bool plb_queue_goes_on(const struct plb_queue *queue, int64_t block)
{
    return queue->n > 0 && queue->at[queue->head].block == block;
}

/* Units and work in the queue. */
int64_t plb_queue_units(const struct plb_queue *queue);
double plb_queue_work(const struct plb_queue *queue, const struct plb_cost_map *map);

/* Cuts about this much work, at least one unit, off the back, in at most `limit` entries, and returns their
 * number. Units that have moved PLB_HOPS times stay where they are. */
int plb_queue_cut(struct plb_queue *queue, const struct plb_cost_map *map, double work,
                  struct plb_queue_entry *taken, int limit);

/* Removes these units, wherever they are in the queue. suspects: also those that are suspect (PLB_HOPS). */
void plb_queue_remove(struct plb_queue *queue, struct plb_range range, bool suspects);
void plb_queue_clear(struct plb_queue *queue);
void plb_queue_fini(struct plb_queue *queue);

#endif
