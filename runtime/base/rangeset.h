/* A set of units as sorted, disjoint ranges.
 *
 * Ranges that touch are merged. So a set that fills from the front stays one range, in however many parts it
 * came. Cost among k ranges: O(log k) to find a place, O(k) to open a gap. Not thread-safe. Memory comes from
 * plb_grow. */
#ifndef PLB_BASE_RANGESET_H
#define PLB_BASE_RANGESET_H

#include <stdbool.h>
#include <stdint.h>

struct plb_range {
    int64_t first, count; /* units [first, first + count) */
};

struct plb_rangeset {
    struct plb_range *at; /* sorted, disjoint, not touching */
    int n, capacity;
    int64_t units; /* in all ranges together */
};

/* A zeroed struct is the empty set. Releases the memory of a set; it is empty then. */
void plb_rangeset_fini(struct plb_rangeset *set);

/* Empties a set and keeps its memory. */
void plb_rangeset_clear(struct plb_rangeset *set);

/* Adds a range. Returns how many of its units were not in the set before. */
int64_t plb_rangeset_add(struct plb_rangeset *set, struct plb_range range);

/* Removes a range. Returns how many of its units were in the set. */
int64_t plb_rangeset_remove(struct plb_rangeset *set, struct plb_range range);

/* The same with all ranges of another set. */
void plb_rangeset_add_all(struct plb_rangeset *set, const struct plb_rangeset *other);
void plb_rangeset_remove_all(struct plb_rangeset *set, const struct plb_rangeset *other);

/* Whether some unit of the range is in the set. */
bool plb_rangeset_overlaps(const struct plb_rangeset *set, struct plb_range range);

/* Takes at most `count` units off the front of the first range; count = 0 where the set is empty. */
struct plb_range plb_rangeset_take(struct plb_rangeset *set, int64_t count);

/* Adds to `out` the parts of `range` that are not in `set`. */
void plb_rangeset_missing(const struct plb_rangeset *set, struct plb_range range, struct plb_rangeset *out);

/* Adds to `to` the units of `range` that are in `set`, too. */
void plb_rangeset_add_common(struct plb_rangeset *to, struct plb_range range, const struct plb_rangeset *set);

/* The smallest range with all units of `range` that are not in the set; count = 0: all are. */
struct plb_range plb_rangeset_lacking(const struct plb_rangeset *set, struct plb_range range);

/* The first unit behind a range. */
static inline int64_t plb_range_end(struct plb_range r)
{
    return r.first + r.count;
}

/* The units that two ranges share; count = 0: none. */
static inline struct plb_range plb_range_common(struct plb_range a, struct plb_range b)
{
    int64_t first = a.first > b.first ? a.first : b.first;
    int64_t end = plb_range_end(a) < plb_range_end(b) ? plb_range_end(a) : plb_range_end(b);
    return (struct plb_range){first, end > first ? end - first : 0};
}

/* Whether two ranges, neither of which is empty, share a unit. */
static inline bool plb_range_overlaps(struct plb_range a, struct plb_range b)
{
    return a.first < plb_range_end(b) && b.first < plb_range_end(a);
}

/* Whether all units of the first range are in the second one. */
static inline bool plb_range_within(struct plb_range part, struct plb_range range)
{
    return range.first <= part.first && plb_range_end(part) <= plb_range_end(range);
}

/* Whether all units of the range are in the set. */
static inline bool plb_rangeset_has(const struct plb_rangeset *set, struct plb_range range)
{
    return plb_rangeset_lacking(set, range).count == 0;
}

/* A range with so many units before and after it, as far as they are among `units` units. */
struct plb_range plb_range_around(struct plb_range range, int64_t before, int64_t after, int64_t units);

/* The smallest range with all units of two, neither of which is empty. */
struct plb_range plb_range_hull(struct plb_range a, struct plb_range b);

#endif
