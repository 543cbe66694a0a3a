/* A short list by time, and a sorted array. */
#include "core/again/late.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_lates_clear(struct plb_lates *l)
{
    l->n = l->n_all = 0;
    l->sorted = false;
}

void plb_lates_fini(struct plb_lates *l)
{
    free(l->all);
}

bool plb_late_is_first(const struct plb_late *a, const struct plb_late *b)
{
    bool own = a->held.pu == a->pu;
    if (own != (b->held.pu == b->pu))
        return own;
    if (a->held.block != b->held.block)
        return a->held.block < b->held.block;
    return a->held.range.first < b->held.range.first;
}

/* Whether one probably ends before another. */
static bool ends_before(const struct plb_late *a, const struct plb_late *b)
{
    return a->left < b->left || (a->left == b->left && plb_late_is_first(a, b));
}

void plb_lates_add(struct plb_lates *l, const struct plb_late *late)
{
    int i = l->n < PLB_TRIES ? l->n++ : PLB_TRIES;
    for (; i > 0 && ends_before(&l->latest[i - 1], late); i--)
        if (i < PLB_TRIES)
            l->latest[i] = l->latest[i - 1];
    if (i < PLB_TRIES)
        l->latest[i] = *late;
    l->all = plb_room(l->all, l->n_all, &l->capacity, sizeof *l->all);
    l->all[l->n_all++] = *late;
    l->sorted = false;
}

static int by_unit(const void *a, const void *b)
{
    const struct plb_late *x = a, *y = b;
    return x->held.range.first < y->held.range.first ? -1 : x->held.range.first > y->held.range.first;
}

/* How many begin before a unit. */
static int before(struct plb_lates *l, int64_t unit)
{
    int low = 0, high = l->n_all;
    if (!l->sorted && l->n_all > 0)
        qsort(l->all, (size_t)l->n_all, sizeof *l->all, by_unit);
    l->sorted = true;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (l->all[middle].held.range.first < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct plb_late *plb_lates_after(struct plb_lates *l, struct plb_range range)
{
    int64_t end = plb_range_end(range);
    int i = before(l, end);
    return i < l->n_all && l->all[i].held.range.first == end ? &l->all[i] : NULL;
}

const struct plb_late *plb_lates_before(struct plb_lates *l, struct plb_range range)
{
    int i = before(l, range.first) - 1;
    const struct plb_late *late = i >= 0 ? &l->all[i] : NULL;
    return late != NULL && plb_range_end(late->held.range) == range.first ? late : NULL;
}
