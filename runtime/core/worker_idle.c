/* The words of a worker whose PUs wait: STEAL to other nodes, IDLE to the master. */
#include "core/worker.h"
#include "core/worker_inside.h"

/* Adds a STEAL where the node has nothing queued, a PU waits and somebody can be asked. */
static bool ask_others(struct plb_worker *w, double now, struct plb_outbox *out)
{
    bool hungry = false, idle = w->empty && w->n_nodes > 1;
    for (int pu = 0; pu < w->pus.n && idle; pu++) {
        idle = w->pus.at[pu].queue.n == 0;
        hungry = hungry || (w->pus.at[pu].hungry && w->pus.at[pu].served);
    }
    if (!idle || !hungry)
        return false;
    int victim = plb_thief_ask(w->thief, now);
    if (victim != PLB_NOBODY)
        plb_outbox_add(out, PLB_STEAL, w->node, victim, w->pass)->steal = (struct plb_steal){
            plb_own_pus_rate(&w->pus), plb_own_pus_power(&w->pus)};
    return plb_thief_awaits(w->thief);
}

/* Says IDLE of the PUs that wait, once each. */
static void tell_idle(struct plb_worker *w, struct plb_outbox *out)
{
    for (int pu = 0; pu < w->pus.n && w->empty && w->migration.backups; pu++)
        if (w->pus.at[pu].hungry && !w->pus.at[pu].idle && w->pus.at[pu].in_hand == 0) {
            plb_outbox_add(out, PLB_IDLE, w->node, 0, w->pass)->pu = pu;
            w->pus.at[pu].idle = true;
        }
}

bool plb_worker_collect(struct plb_worker *w, double now, struct plb_outbox *out)
{
    plb_reports_collect(&w->reports, out);
    if (ask_others(w, now, out))
        return true;
    tell_idle(w, out);
    return false;
}
