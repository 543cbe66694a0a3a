/* The end of the last pass: results that stayed at nodes are gathered, or computed again. */
#include "core/master.h"
#include "core/master_inside.h"

bool plb_master_gather(struct plb_master *m, bool last, struct plb_outbox *out)
{
    plb_owners_gather(m->owners, m->pass, last, out);
    return plb_master_gathers(m);
}

bool plb_master_awaits(const struct plb_master *m, const struct plb_message *from)
{
    return from->pass == m->pass && !plb_ledger_lost(m->ledger, from->from)
        && plb_owners_awaits(m->owners, from);
}

bool plb_master_gathers(const struct plb_master *m)
{
    return plb_owners_any(m->owners);
}

int64_t plb_master_lacking(const struct plb_master *m)
{
    return plb_owners_lacking(m->owners)->units;
}

void plb_master_repair(struct plb_master *m, int pass, const struct plb_cost_map *map, double now,
                       struct plb_outbox *out)
{
    plb_master_start_again(m, pass, &(struct plb_pass){.phase = m->phase}, map, plb_owners_lacking(m->owners),
                           now, out);
}
