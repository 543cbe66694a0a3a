/* A ring of ranges that grows. */
#include "core/worker/queue.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static void make_room(struct plb_queue *q)
{
    if (q->n < q->capacity)
        return;
    int capacity = q->capacity > 0 ? 2 * q->capacity : 8;
    struct plb_queue_entry *at = plb_grow(NULL, (size_t)capacity * sizeof *at);
    for (int i = 0; i < q->n; i++)
        at[i] = q->at[(q->head + i) % q->capacity];
    free(q->at);
    q->at = at;
    q->head = 0;
    q->capacity = capacity;
}

void plb_queue_push(struct plb_queue *q, struct plb_queue_entry entry)
{
    make_room(q);
    q->at[(q->head + q->n++) % q->capacity] = entry;
}

void plb_queue_return(struct plb_queue *q, const struct plb_slice *task)
{
    struct plb_queue_entry *front = q->n > 0 ? &q->at[q->head] : NULL;
    if (front != NULL && front->block == task->block && front->hop == task->hop
        && front->range.first == plb_range_end(task->range)) {
        front->range = (struct plb_range){task->range.first, task->range.count + front->range.count};
        return;
    }
    make_room(q);
    q->head = (q->head + q->capacity - 1) % q->capacity;
    q->n++;
    q->at[q->head] = (struct plb_queue_entry){task->range, task->block, task->range.count, task->hop};
}

/* A task has at least this many strides if its end is moved to a whole one. Larger: more tasks begin where
 * they are not aligned, and are copied. Smaller: a task may become half as long as it should be. */
#define STRIDES 4

/* Units as a whole number of multiples, rounded down; as they are where that would be none. */
static int64_t whole(const struct plb_sizes *sizes, int64_t units)
{
    return sizes->multiple > 1 && units > sizes->multiple ? units - units % sizes->multiple : units;
}

/* The same for the most units that a task may have, of which the PU wants at least `least`. */
static int64_t whole_most(const struct plb_sizes *sizes, int64_t most, int64_t least, int64_t fits)
{
    int64_t down = whole(sizes, most), up = down + sizes->multiple;
    return down < least && down < most && up <= fits ? up : down;
}

/* A part of a range of `left` units, one of equal ones: rounded up, so that the last one is the smallest. */
static int64_t whole_part(const struct plb_sizes *sizes, int64_t part, int64_t most, int64_t left)
{
    if (sizes->multiple < 2 || part == left)
        return part;
    int64_t up = (part - 1) / sizes->multiple * sizes->multiple + sizes->multiple;
    return up <= most ? up : part;
}

/* Moves the end of a task of the front's block back, so that the next one begins at a whole stride. */
static int64_t align_end(const struct plb_queue_entry *front, const struct plb_sizes *sizes, int64_t count)
{
    if (sizes->multiple > 1 && sizes->stride > 1 && front->range.first % sizes->stride == 0
        && sizes->multiple % sizes->stride == 0)
        return count; /* of whole multiples: the next one is aligned, too */
    if (sizes->stride < 2 || count < STRIDES * sizes->stride || count == front->range.count)
        return count;
    return count - (front->range.first + count) % sizes->stride;
}

static void cut_front(struct plb_queue *q, int64_t count, struct plb_slice *task)
{
    struct plb_queue_entry *front = &q->at[q->head];
    *task = (struct plb_slice){
        .range = {front->range.first, count}, .block = front->block, .hop = front->hop};
    front->range.first += count;
    front->range.count -= count;
    if (front->range.count == 0) {
        q->head = (q->head + 1) % q->capacity;
        q->n--;
    }
}

/* Units that this much work has at the front, at most `most`. */
static int64_t units_of(const struct plb_cost_map *map, const struct plb_queue_entry *front, int64_t most,
                        double work)
{
    return work < (double)map->units ? plb_cost_units(map, front->range.first, most, work) : most;
}

/* Whether units are suspect: each of their tasks has at most the grain, whatever the PU wants. */
static bool stays(const struct plb_queue_entry *entry)
{
    return entry->hop >= PLB_HOPS;
}

/* The most units that the next task may have. */
static int64_t most_of(const struct plb_queue_entry *front, const struct plb_cost_map *map, int64_t fits,
                       const struct plb_cut *cut)
{
    int64_t most = front->grain < fits ? front->grain : fits, least = cut->shared ? cut->known : cut->wanted;
    if (stays(front))
        return most;
    if (cut->high < INFINITY)
        most = units_of(map, front, most, cut->high);
    if (cut->low > 0.0 && !cut->shared && most < fits) {
        int64_t low = units_of(map, front, fits, cut->low);
        least = low > least ? low : least;
    }
    if (cut->sure > 0.0) {
        int64_t sure = units_of(map, front, fits, cut->sure);
        least = sure > least ? sure : least;
    }
    most = most > least ? most : least;
    return most < fits ? most : fits;
}

bool plb_queue_take(struct plb_queue *q, const struct plb_cost_map *map, const struct plb_sizes *sizes,
                    const struct plb_task_limit *limit, const struct plb_cut *cut, struct plb_slice *task)
{
    if (q->n == 0)
        return false;
    const struct plb_queue_entry *front = &q->at[q->head];
    int64_t fits = plb_sizes_fit(sizes, limit, front->range), most = most_of(front, map, fits, cut);
    most = most > 1 ? most : 1;                     /* no whole chunk fits: it is one all the same */
    if (front->range.count > most && !stays(front)) /* a block that is one task stays one */
        most = whole_most(sizes, most, cut->known, fits);
    int64_t tasks = (front->range.count - 1) / most + 1;
    int64_t count = (front->range.count - 1) / tasks
                  + 1; /* equal ones: a small rest costs as much to start */
    count = whole_part(sizes, count, most, front->range.count);
    if (cut->shared && !stays(front)) {
        int64_t part = plb_cost_units(map, front->range.first, most,
                                      plb_queue_work(q, map) / PLB_QUEUE_PARTS);
        int64_t wanted = units_of(map, front, most, cut->sure);
        wanted = cut->sure > 0.0 && wanted > cut->wanted ? wanted : cut->wanted;
        count = part > wanted ? part : wanted;
        count = whole(sizes, count < most ? count : most);
    }
    count = align_end(front, sizes, count);
    int64_t chunks = plb_cost_whole(map, front->range.first, count, count);
    count = chunks > 0 ? chunks : plb_cost_whole(map, front->range.first, front->range.count, 1);
    cut_front(q, count > 0 ? count : front->range.count, task);
    return true;
}

void plb_queue_take_more(struct plb_queue *q, int64_t more, struct plb_slice *task)
{
    struct plb_slice next;
    int64_t units = task->range.count;
    int64_t there = plb_queue_goes_on(q, task->block) ? q->at[q->head].range.count / (int64_t)PLB_QUEUE_PARTS
                                                      : 0;
    more = more < there / units ? more : there / units;
    if (more < 1 || stays(&q->at[q->head]) || q->at[q->head].range.first != task->range.first + units)
        return;
    cut_front(q, more * units, &next);
    task->range.count += next.range.count;
    task->more = more;
}

int64_t plb_queue_units(const struct plb_queue *q)
{
    int64_t units = 0;
    for (int i = 0; i < q->n; i++)
        units += q->at[(q->head + i) % q->capacity].range.count;
    return units;
}

double plb_queue_work(const struct plb_queue *q, const struct plb_cost_map *map)
{
    double work = 0.0;
    for (int i = 0; i < q->n; i++) {
        const struct plb_queue_entry *e = &q->at[(q->head + i) % q->capacity];
        work += plb_cost_work(map, e->range.first, e->range.count);
    }
    return work;
}

int plb_queue_cut(struct plb_queue *q, const struct plb_cost_map *map, double work,
                  struct plb_queue_entry *taken, int limit)
{
    int n = 0;
    while (q->n > 0 && n < limit && (n == 0 || work > 0.0)) {
        struct plb_queue_entry *back = &q->at[(q->head + q->n - 1) % q->capacity];
        if (stays(back))
            break;
        double all = plb_cost_work(map, back->range.first, back->range.count);
        int64_t keep = all > work && back->range.count > 1
                         ? plb_cost_units(map, back->range.first, back->range.count - 1, all - work)
                         : 0;
        if (keep > 0 && n > 0
            && plb_cost_work(map, back->range.first + keep, back->range.count - keep) > 2.0 * work)
            break; /* less than half a unit is still wanted */
        taken[n] = *back;
        taken[n].range = (struct plb_range){back->range.first + keep, back->range.count - keep};
        n++;
        work -= all - plb_cost_work(map, back->range.first, keep);
        back->range.count = keep;
        q->n -= keep == 0;
    }
    return n;
}

void plb_queue_remove(struct plb_queue *q, struct plb_range range, bool suspects)
{
    int64_t end = plb_range_end(range);
    for (int left = q->n; left > 0; left--) { /* each entry goes to the back, without these units */
        struct plb_queue_entry e = q->at[q->head], rest = e;
        int64_t e_end = plb_range_end(e.range);
        q->head = (q->head + 1) % q->capacity;
        q->n--;
        if (stays(&e) && !suspects) {
            plb_queue_push(q, e);
            continue;
        }
        e.range.count = (range.first < e_end ? range.first : e_end) - e.range.first;
        rest.range.first = end > rest.range.first ? end : rest.range.first;
        rest.range.count = e_end - rest.range.first;
        if (e.range.count > 0)
            plb_queue_push(q, e);
        if (rest.range.count > 0)
            plb_queue_push(q, rest);
    }
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
