/* PUs come: at the start, or with a node while the run goes on. Room for these is kept from the start: until
 * then they are awaited, and the node counts as lost. */
#include "core/master.h"
#include "core/master_inside.h"
#include "core/self_check.h"

void plb_master_add(struct plb_master *m, const struct plb_pu_info *info, enum plb_pu_state usable)
{
    const struct plb_master_config *c = &m->config;
    bool fits = !info->broken && plb_sizes_has_room(c->sizes, info->memory, m->largest_bytes);
    int p = plb_pus_add(&m->pus, info, fits ? usable : PLB_PU_REFUSED);
    m->limits[p] = plb_task_limit(c->sizes, info, c->grain, c->pulled_bytes);
}

/* Which PUs of a node may execute tasks; bit i: PU i. */
static int64_t usable(const struct plb_master *m, int node)
{
    int first = plb_broker_first_pu(m->broker, node);
    int64_t mask = 0;
    for (int i = 0; i < plb_broker_pus(m->broker, node); i++)
        mask |= (int64_t)plb_pus_usable(&m->pus, first + i) << i;
    return mask;
}

/* A node that has come hears of the pass, and gets work. */
static void welcome(struct plb_master *m, int node, int64_t replaced, double now, struct plb_outbox *out)
{
    int from = out->n;
    struct plb_pass begin = {.phase = m->phase,
                             .replaced = replaced,
                             .serves = usable(m, node),
                             .stays = m->again ? 0 : plb_owners_staying(m->owners),
                             .again = m->again};
    plb_owners_write(m->owners, &begin, true);
    plb_outbox_add(out, PLB_PASS, 0, node, m->pass)->begin = begin;
    m->counts.joined_late += plb_agenda_greet(m->agenda, node, out);
    plb_agenda_ask_all(m->agenda, out);
    plb_suspects_step(m->suspects, now - m->pass_began, out);
    plb_backups_granted(m->backups, out, from, now);
}

bool plb_master_join(struct plb_master *m, int node, const struct plb_pu_info *infos, int n, int64_t replaced,
                     double now, struct plb_outbox *out)
{
    const struct plb_master_config *c = &m->config;
    int first = m->pus.n;
    if (node < c->n_nodes - c->joiners || node >= c->n_nodes || plb_broker_pus(m->broker, node) > 0
        || m->stopped || n <= 0 || n > PLB_PUS_OF_JOINER || n > m->pus.room - first)
        return false;
    for (int i = 0; i < n; i++) /* they take from others, also where nothing is granted */
        plb_master_add(m, &infos[i], PLB_PU_SERVED);
    m->counts.joined++;
    plb_ledger_join(m->ledger, node);
    plb_broker_join(m->broker, node, first, n);
    plb_agenda_join(m->agenda);
    if (m->map != NULL)
        welcome(m, node, replaced, now, out);
    plb_self_check(m->ledger, m->agenda, m->pus.n);
    return true;
}
