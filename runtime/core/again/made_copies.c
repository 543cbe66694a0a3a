/* An array, and ranges. */
#include "core/again/made_copies.h"

#include <math.h>

void plb_made_copies_end(struct plb_made_copies *c, int i)
{
    c->at[i] = c->at[--c->n];
}

double plb_made_copies_look(struct plb_made_copies *c, double now, double *patience)
{
    double due = INFINITY;
    for (int i = c->n - 1; i >= 0; i--) {
        if (!c->at[i].late && now >= c->at[i].until) {
            c->at[i].late = true;
            *patience *= c->at[i].trial ? 1.0 : 2.0;
        }
        if (!c->at[i].late)
            due = fmin(due, c->at[i].until);
        else if (c->n == PLB_COPIES)
            plb_made_copies_end(c, i);
    }
    return due;
}

/* Whether a copy keeps others from getting one. trial: others of unknown speed. */
static bool counts(const struct plb_copy *c, bool trial)
{
    return !c->late && (trial || !c->trial);
}

struct plb_range plb_made_copies_without(const struct plb_made_copies *c, struct plb_range range, bool trial)
{
    int64_t end = plb_range_end(range);
    for (int i = 0; i < c->n; i++)
        if (counts(&c->at[i], trial)
            && plb_range_common(c->at[i].range, (struct plb_range){range.first, 1}).count > 0) {
            range.first = plb_range_end(c->at[i].range);
            if (range.first >= end)
                return (struct plb_range){end, 0};
            i = -1; /* the copies stand in no order */
        }
    for (int i = 0; i < c->n; i++)
        if (counts(&c->at[i], trial) && c->at[i].range.first > range.first && c->at[i].range.first < end)
            end = c->at[i].range.first;
    return (struct plb_range){range.first, end - range.first};
}
