/* Which PU works on what, and has copies of whose units: for people. Reads what backups are decided by. */
#include <math.h>

#include "core/again/backup.h"
#include "core/again/backup_inside.h"

/* Seconds for all that a PU holds; 0 where it has not reported. */
static double expected_s(const struct plb_backups *b, int p)
{
    return has_reported(b, p) ? b->pus[p].held_s : 0.0;
}

bool plb_backups_slowest(struct plb_backups *b, double now, struct plb_slowest *slowest)
{
    struct plb_held held;
    double most = -INFINITY;
    int64_t first_block = -1;
    plb_backups_expect(b); /* before the first pass nobody holds anything */
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        int p = plb_backups_executor(b, &held);
        double seconds = now - b->pus[p].since, over = seconds - expected_s(b, p);
        if (over < most || (over == most && first_block >= 0 && held.block >= first_block))
            continue;
        most = over;
        first_block = held.block;
        *slowest = (struct plb_slowest){.pu = p, .range = held.range, .seconds = seconds};
        slowest->expected = seconds_of(b, p, work_of(b, held.range));
    }
    return first_block >= 0;
}

void plb_backups_at_work(struct plb_backups *b, double now, struct plb_at_work *pus)
{
    struct plb_held held;
    plb_backups_expect(b);
    for (int p = 0; p < b->config.pus->room; p++)
        pus[p] = (struct plb_at_work){.seconds = now - b->pus[p].since, .expected = expected_s(b, p)};
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        struct plb_at_work *pu = &pus[plb_backups_executor(b, &held)];
        if (pu->units == 0 || held.range.first < pu->first.first)
            pu->first = held.range;
        pu->units += held.range.count;
    }
}

void plb_backups_note(const struct plb_backups *b, int p, const struct plb_late *late, struct plb_range range)
{
    struct plb_regrants *regrants = plb_ledger_regrants(b->config.ledger);
    struct plb_held held;
    if (plb_range_within(range, late->held.range)) {
        plb_regrants_copied(regrants, range, late->pu, p, PLB_REGRANT_BACKUP);
        return;
    }
    for (int64_t at = 0; plb_ledger_next_held(b->config.ledger, &at, &held);) {
        struct plb_range part = plb_range_common(held.range, range);
        if (part.count > 0)
            plb_regrants_copied(regrants, part, plb_backups_executor(b, &held), p, PLB_REGRANT_BACKUP);
    }
}
