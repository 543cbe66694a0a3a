/* The words of a worker whose PUs wait: STEAL to other nodes, IDLE to the master. */
#include <math.h>

#include "core/worker/worker.h"
#include "core/worker/worker_inside.h"

/* Whether the node has nothing queued, and a PU waits. */
static bool wants(const struct plb_worker *w)
{
    bool hungry = false, idle = w->empty && w->n_nodes > 1;
    for (int pu = 0; pu < w->pus.n && idle; pu++) {
        idle = w->pus.at[pu].queue.n == 0;
        hungry = hungry || plb_own_pu_wants(&w->pus.at[pu]);
    }
    return idle && hungry;
}

/* Adds a STEAL where the node wants work and somebody can be asked. */
static bool ask_others(struct plb_worker *w, double now, struct plb_outbox *out)
{
    if (!wants(w))
        return false;
    int victim = plb_thief_ask(w->thief, now);
    if (victim != PLB_NOBODY)
        plb_outbox_add(out, PLB_STEAL, w->node, victim, w->pass)->steal = plb_own_pus_thief(&w->pus);
    return plb_thief_awaits(w->thief);
}

/* Says IDLE of the PUs that wait, once each. */
static void tell_idle(struct plb_worker *w, struct plb_outbox *out)
{
    for (int pu = 0; pu < w->pus.n && w->empty && w->migration.backups; pu++) {
        struct plb_own_pu *own = &w->pus.at[pu];
        if (own->activity == PLB_PU_HUNGRY && own->state != PLB_PU_LEFT_OUT && own->in_hand == 0) {
            plb_outbox_add(out, PLB_IDLE, w->node, 0, w->pass)->pu = pu;
            own->activity = PLB_PU_IDLE;
        }
    }
}

/* Seconds that the report of a PU may grow: as long as the master needs for a report of each PU of the run,
 * by the number of this node's. */
static double hold_s(const struct plb_own_pus *pus)
{
    double seconds = pus->master_s * pus->n;
    return seconds > PLB_REPORT_DELAY ? seconds : 0.0;
}

double plb_worker_due(const struct plb_worker *w)
{
    return wants(w) ? plb_thief_again_at(w->thief) : INFINITY;
}

void plb_worker_rest(struct plb_worker *w)
{
    if (w != NULL)
        w->rests = true;
}

bool plb_worker_collect(struct plb_worker *w, double now, struct plb_outbox *out)
{
    const struct plb_queue *queues[w->pus.n + 1];
    for (int pu = 0; pu < w->pus.n; pu++)
        queues[pu] = &w->pus.at[pu].queue;
    plb_reports_collect(&w->reports, queues, now, w->rests ? 0.0 : hold_s(&w->pus), out);
    if (ask_others(w, now, out))
        return true;
    tell_idle(w, out);
    return false;
}
