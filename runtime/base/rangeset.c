/* Disjoint sorted ranges in one array. */
#include "base/rangeset.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void plb_rangeset_fini(struct plb_rangeset *set)
{
    free(set->at);
    *set = (struct plb_rangeset){0};
}

void plb_rangeset_clear(struct plb_rangeset *set)
{
    set->n = 0;
    set->units = 0;
}

/* Index of the first range that ends at or after `unit`. */
static int find(const struct plb_rangeset *set, int64_t unit)
{
    int low = 0, high = set->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (plb_range_end(set->at[middle]) < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t plb_rangeset_add(struct plb_rangeset *set, struct plb_range range)
{
    if (range.count <= 0)
        return 0;
    int from = find(set, range.first), to = from;
    struct plb_range merged = range;
    int64_t had = 0;
    for (; to < set->n && set->at[to].first <= plb_range_end(range); to++) {
        int64_t end = max64(plb_range_end(merged), plb_range_end(set->at[to]));
        merged.first = min64(merged.first, set->at[to].first);
        merged.count = end - merged.first;
        had += set->at[to].count;
    }
    if (from == to)
        set->at = plb_room(set->at, set->n, &set->capacity, sizeof *set->at);
    memmove(set->at + from + 1, set->at + to, (size_t)(set->n - to) * sizeof *set->at);
    set->at[from] = merged;
    set->n += 1 - (to - from);
    set->units += merged.count - had;
    return merged.count - had;
}

int64_t plb_rangeset_remove(struct plb_rangeset *set, struct plb_range range)
{
    int64_t end = plb_range_end(range), removed = 0;
    int from = find(set, range.first);
    if (range.count <= 0)
        return 0;
    for (int i = from; i < set->n && set->at[i].first < end;) {
        struct plb_range r = set->at[i];
        struct plb_range left = {r.first, max64(range.first - r.first, 0)};
        struct plb_range right = {end, max64(plb_range_end(r) - end, 0)};
        int64_t gone = r.count - left.count - right.count;
        removed += gone;
        set->units -= gone;
        if (left.count > 0 && right.count > 0) { /* one range becomes two: add makes room for the second */
            set->at[i] = left;
            set->units -= right.count;
            plb_rangeset_add(set, right);
            return removed;
        }
        if (left.count > 0 || right.count > 0)
            set->at[i++] = left.count > 0 ? left : right;
        else
            memmove(set->at + i, set->at + i + 1, (size_t)(--set->n - i) * sizeof *set->at);
    }
    return removed;
}

void plb_rangeset_add_all(struct plb_rangeset *set, const struct plb_rangeset *other)
{
    for (int i = 0; i < other->n; i++)
        plb_rangeset_add(set, other->at[i]);
}

void plb_rangeset_remove_all(struct plb_rangeset *set, const struct plb_rangeset *other)
{
    for (int i = 0; i < other->n; i++)
        plb_rangeset_remove(set, other->at[i]);
}

bool plb_rangeset_overlaps(const struct plb_rangeset *set, struct plb_range range)
{
    int i = find(set, range.first + 1); /* the first range that does not end before the first unit does */
    return range.count > 0 && i < set->n && set->at[i].first < plb_range_end(range);
}

struct plb_range plb_rangeset_take(struct plb_rangeset *set, int64_t count)
{
    if (set->n == 0 || count <= 0)
        return (struct plb_range){0, 0};
    struct plb_range *front = &set->at[0];
    struct plb_range taken = {front->first, min64(count, front->count)};
    front->first += taken.count;
    front->count -= taken.count;
    set->units -= taken.count;
    if (front->count == 0)
        memmove(set->at, set->at + 1, (size_t)--set->n * sizeof *set->at);
    return taken;
}

void plb_rangeset_missing(const struct plb_rangeset *set, struct plb_range range, struct plb_rangeset *out)
{
    int64_t at = range.first, end = plb_range_end(range);
    for (int i = find(set, range.first); i < set->n && set->at[i].first < end; i++) {
        plb_rangeset_add(out, (struct plb_range){at, set->at[i].first - at});
        at = max64(at, plb_range_end(set->at[i]));
    }
    plb_rangeset_add(out, (struct plb_range){at, end - at});
}

void plb_rangeset_add_common(struct plb_rangeset *to, struct plb_range range, const struct plb_rangeset *set)
{
    for (int i = find(set, range.first); i < set->n && set->at[i].first < plb_range_end(range); i++)
        plb_rangeset_add(to, plb_range_common(range, set->at[i]));
}

struct plb_range plb_rangeset_lacking(const struct plb_rangeset *set, struct plb_range range)
{
    int64_t first = range.first, end = plb_range_end(range);
    int i = find(set, first + 1); /* the range that has the first unit, if any has */
    if (i < set->n && set->at[i].first <= first)
        first = min64(plb_range_end(set->at[i]), end);
    i = find(set, end); /* ranges do not touch: it has the last unit, or none has */
    if (i < set->n && set->at[i].first < end)
        end = max64(set->at[i].first, first);
    return (struct plb_range){first, end - first};
}

struct plb_range plb_range_around(struct plb_range r, int64_t before, int64_t after, int64_t units)
{
    int64_t end = r.first + r.count, first = before < r.first ? r.first - before : 0;
    end = after < units - end ? end + after : units;
    return (struct plb_range){first, end - first};
}

struct plb_range plb_range_hull(struct plb_range a, struct plb_range b)
{
    int64_t first = min64(a.first, b.first);
    return (struct plb_range){first, max64(plb_range_end(a), plb_range_end(b)) - first};
}
