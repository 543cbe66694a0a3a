/* Ranges side by side with the same PUs and reason are one. */
#include "core/ledger/regrants.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_regrants_fini(struct plb_regrants *r)
{
    free(r->waiting.at);
    free(r->granted.at);
    *r = (struct plb_regrants){0};
}

void plb_regrants_begin(struct plb_regrants *r, int pass)
{
    r->pass = pass;
    r->waiting.n = 0;
}

static bool are_alike(const struct plb_regrant *a, const struct plb_regrant *b)
{
    return a->pass == b->pass && a->first_pu == b->first_pu && a->second_pu == b->second_pu
        && a->reason == b->reason;
}

static void add(struct plb_regrant_list *list, struct plb_regrant units)
{
    struct plb_regrant *last = list->n > 0 ? &list->at[list->n - 1] : NULL;
    if (last != NULL && are_alike(last, &units)
        && (plb_range_end(last->range) == units.range.first
            || plb_range_end(units.range) == last->range.first)) {
        last->range.count += units.range.count;
        last->range.first = units.range.first < last->range.first ? units.range.first : last->range.first;
        return;
    }
    if (list->n >= PLB_REGRANTS_LISTED)
        return;
    list->at = plb_room(list->at, list->n, &list->capacity, sizeof *list->at);
    list->at[list->n++] = units;
}

void plb_regrants_wait(struct plb_regrants *r, struct plb_range range, int first_pu,
                       enum plb_regrant_reason reason)
{
    r->units[reason] += range.count;
    add(&r->waiting, (struct plb_regrant){range, r->pass, first_pu, -1, reason});
}

void plb_regrants_granted(struct plb_regrants *r, struct plb_range range, int pu)
{
    struct plb_regrant_list *waiting = &r->waiting;
    for (int i = waiting->n - 1; i >= 0; i--) {
        struct plb_regrant had = waiting->at[i], units = had;
        units.range = plb_range_common(had.range, range);
        units.second_pu = pu;
        if (units.range.count == 0)
            continue;
        add(&r->granted, units);
        waiting->at[i] = waiting->at[--waiting->n]; /* what was behind it has been looked at */
        const int64_t cuts[] = {had.range.first, units.range.first, plb_range_end(units.range),
                                plb_range_end(had.range)};
        for (int side = 0; side <= 2; side += 2) {
            had.range = (struct plb_range){cuts[side], cuts[side + 1] - cuts[side]};
            if (had.range.count > 0)
                add(waiting, had);
        }
    }
}

void plb_regrants_copied(struct plb_regrants *r, struct plb_range range, int first_pu, int second_pu,
                         enum plb_regrant_reason reason)
{
    r->units[reason] += range.count;
    add(&r->granted, (struct plb_regrant){range, r->pass, first_pu, second_pu, reason});
}

const char *plb_regrant_reason(enum plb_regrant_reason reason)
{
    static const char *const texts[PLB_REGRANT_REASONS] = {
        [PLB_REGRANT_BACKUP] = "backup",         [PLB_REGRANT_AUDIT] = "audit",
        [PLB_REGRANT_LOST_RANK] = "lost rank",   [PLB_REGRANT_LOST_RESULT] = "lost result",
        [PLB_REGRANT_FAILED_PU] = "failed PU",   [PLB_REGRANT_CRASH] = "crash",
        [PLB_REGRANT_DAMAGED] = "damaged",       [PLB_REGRANT_OVERWRITTEN] = "overwritten",
        [PLB_REGRANT_PARTLY_NEW] = "partly new",
    };
    return texts[reason];
}
