/* Ranges side by side with the same PUs and reason are one. */
#include "core/ledger/regrants.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_regrants_fini(struct plb_regrants *r)
{
    free(r->waiting);
    free(r->at);
    *r = (struct plb_regrants){0};
}

void plb_regrants_begin(struct plb_regrants *r, int pass)
{
    r->pass = pass;
    r->n_waiting = 0;
}

static void wait(struct plb_regrants *r, struct plb_regrant units)
{
    r->waiting = plb_room(r->waiting, r->n_waiting, &r->waiting_capacity, sizeof *r->waiting);
    r->waiting[r->n_waiting++] = units;
}

void plb_regrants_wait(struct plb_regrants *r, struct plb_range range, int first_pu,
                       enum plb_regrant_reason reason)
{
    r->units[reason] += range.count;
    wait(r, (struct plb_regrant){range, r->pass, first_pu, -1, reason});
}

static bool are_alike(const struct plb_regrant *a, const struct plb_regrant *b)
{
    return a->pass == b->pass && a->first_pu == b->first_pu && a->second_pu == b->second_pu
        && a->reason == b->reason;
}

static void list(struct plb_regrants *r, struct plb_regrant units)
{
    struct plb_regrant *last = r->n > 0 ? &r->at[r->n - 1] : NULL;
    if (last != NULL && are_alike(last, &units)
        && (plb_range_end(last->range) == units.range.first
            || plb_range_end(units.range) == last->range.first)) {
        last->range.count += units.range.count;
        last->range.first = units.range.first < last->range.first ? units.range.first : last->range.first;
        return;
    }
    if (r->n >= PLB_REGRANTS_LISTED)
        return;
    r->at = plb_room(r->at, r->n, &r->capacity, sizeof *r->at);
    r->at[r->n++] = units;
}

void plb_regrants_granted(struct plb_regrants *r, struct plb_range range, int pu)
{
    for (int i = r->n_waiting - 1; i >= 0; i--) {
        struct plb_regrant had = r->waiting[i], units = had;
        units.range = plb_range_common(had.range, range);
        units.second_pu = pu;
        if (units.range.count == 0)
            continue;
        list(r, units);
        r->waiting[i] = r->waiting[--r->n_waiting]; /* what was behind it has been looked at */
        const int64_t cuts[] = {had.range.first, units.range.first, plb_range_end(units.range),
                                plb_range_end(had.range)};
        for (int side = 0; side <= 2; side += 2) {
            had.range = (struct plb_range){cuts[side], cuts[side + 1] - cuts[side]};
            if (had.range.count > 0)
                wait(r, had);
        }
    }
}

void plb_regrants_copied(struct plb_regrants *r, struct plb_range range, int first_pu, int second_pu,
                         enum plb_regrant_reason reason)
{
    r->units[reason] += range.count;
    list(r, (struct plb_regrant){range, r->pass, first_pu, second_pu, reason});
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
