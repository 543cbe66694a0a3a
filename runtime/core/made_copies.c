/* An array, and ranges. */
#include "core/made_copies.h"

static int64_t end_of(struct plb_range range)
{
    return range.first + range.count;
}

struct plb_range plb_common_units(struct plb_range a, struct plb_range b)
{
    int64_t first = a.first > b.first ? a.first : b.first;
    int64_t end = end_of(a) < end_of(b) ? end_of(a) : end_of(b);
    return (struct plb_range){first, end > first ? end - first : 0};
}

void plb_made_copies_end(struct plb_made_copies *c, int i)
{
    c->at[i] = c->at[--c->n];
}

/* Whether a copy keeps others from getting one. trial: others of unknown speed. */
static bool counts(const struct plb_copy *c, bool trial)
{
    return !c->late && (trial || !c->trial);
}

struct plb_range plb_made_copies_without(const struct plb_made_copies *c, struct plb_range range, bool trial)
{
    int64_t end = end_of(range);
    for (int i = 0; i < c->n; i++)
        if (counts(&c->at[i], trial)
            && plb_common_units(c->at[i].range, (struct plb_range){range.first, 1}).count > 0) {
            range.first = end_of(c->at[i].range);
            if (range.first >= end)
                return (struct plb_range){end, 0};
            i = -1; /* the copies stand in no order */
        }
    for (int i = 0; i < c->n; i++)
        if (counts(&c->at[i], trial) && c->at[i].range.first > range.first && c->at[i].range.first < end)
            end = c->at[i].range.first;
    return (struct plb_range){range.first, end - range.first};
}
