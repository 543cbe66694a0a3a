/* The answers of the master to questions about it. */
#include <math.h>

#include "core/master.h"
#include "core/master_inside.h"

const char *plb_master_failure(const struct plb_master *m)
{
    return plb_agenda_failure(m->agenda);
}

double plb_master_due(const struct plb_master *m)
{
    double late = m->map != NULL ? m->pass_began + plb_agenda_due(m->agenda) : INFINITY;
    return fmin(late, fmin(plb_backups_due(m->backups), plb_audits_due(m->audits)));
}

bool plb_master_over(const struct plb_master *m)
{
    return m->map != NULL && plb_ledger_accepted_units(m->ledger) == m->map->units
        && plb_audits_open(m->audits) == 0;
}

int64_t plb_master_accepted(const struct plb_master *m)
{
    return plb_ledger_accepted_units(m->ledger);
}

int plb_master_pus(const struct plb_master *m)
{
    return m->pus.n;
}

const struct plb_pu_info *plb_master_pu(const struct plb_master *m, int pu)
{
    return &m->pus.infos[pu];
}

const struct plb_pu_totals *plb_master_totals(const struct plb_master *m, int pu)
{
    m->totals[pu].blocks = plb_agenda_blocks(m->agenda, pu);
    return &m->totals[pu];
}

const struct plb_master_counts *plb_master_counts(const struct plb_master *m)
{
    return &m->counts;
}

const struct plb_regrants *plb_master_regrants(const struct plb_master *m)
{
    return plb_ledger_regrants(m->ledger);
}

struct plb_backups *plb_master_backups(const struct plb_master *m)
{
    return m->backups;
}

struct plb_audits *plb_master_audits(const struct plb_master *m)
{
    return m->audits;
}

const struct plb_suspects *plb_master_suspects(const struct plb_master *m)
{
    return m->suspects;
}

const struct plb_standing_counts *plb_master_standing(const struct plb_master *m)
{
    return plb_agenda_standing(m->agenda);
}

bool plb_master_stands(const struct plb_master *m)
{
    return plb_agenda_stands(m->agenda);
}

const struct plb_residence *plb_master_residence(const struct plb_master *m)
{
    return m->residence;
}

bool plb_master_stays(const struct plb_master *m)
{
    return m->config.stays != 0;
}

const struct plb_owners_counts *plb_master_owners(const struct plb_master *m)
{
    return plb_owners_counts(m->owners);
}

int plb_master_pus_in(const struct plb_master *m, enum plb_pu_state state)
{
    return m->pus.in[state];
}

enum plb_pu_state plb_master_state(const struct plb_master *m, int pu)
{
    return m->pus.states[pu];
}

struct plb_history *plb_master_history(const struct plb_master *m, int phase, int p)
{
    return &m->work.histories[p * m->config.phases + phase];
}

struct plb_work_count *plb_master_work(struct plb_master *m)
{
    return &m->work;
}

const struct plb_watts *plb_master_watts(const struct plb_master *m)
{
    return plb_agenda_watts(m->agenda);
}

const struct plb_balancer_stats *plb_master_stats(const struct plb_master *m)
{
    return plb_agenda_stats(m->agenda);
}

const struct plb_goal *plb_master_goal(const struct plb_master *m)
{
    return &m->config.goal;
}

struct plb_goal_account plb_master_goal_account(const struct plb_master *m)
{
    return plb_agenda_goal_account(m->agenda);
}

const char *plb_master_check(const struct plb_master *m)
{
    const char *wrong = plb_ledger_check(m->ledger);
    return wrong != NULL ? wrong : plb_agenda_check(m->agenda);
}
