/* PUs that are left out, since others do it with less energy, and PUs that come back.
 *
 * A PU that is left out is lost to the balancer, and its blocks stay open. Its node sends what it has queued
 * to a PU that works, and has it take nothing from others. Where PUs come back the balancer begins anew, as
 * where some join. */

#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"

/* Work that is more than any PU has queued. */
#define ALL 1e300

/* A PU is left out now, or has come back. */
static void turn(struct plb_agenda *a, int p)
{
    plb_balancer_view_turn(&a->seen, p);
    plb_waiting_list_leave(&a->waiting, p);
    a->turned = true;
}

/* Whether a PU works, and the balancer does not see that; or the other way round. */
static bool has_come_back(const struct plb_agenda *a, int p)
{
    return a->seen.pus[p].lost && plb_pus_works(a->config.pus, p);
}

static bool has_left(const struct plb_agenda *a, int p)
{
    return !a->seen.pus[p].lost && !plb_pus_works(a->config.pus, p);
}

/* The quickest of these PUs that works; -1: none does. */
static int quickest(const struct plb_agenda *a, int first, int n)
{
    int best = -1;
    for (int p = first; p < first + n; p++) {
        if (a->config.pus->states[p] == PLB_PU_SERVED
            && (best < 0 || plb_selection_rate(a->selection, p) > plb_selection_rate(a->selection, best)))
            best = p;
    }
    return best;
}

/* Tells a node that its PU is left out, or has come back. Its queue, perhaps taken from others,
 * goes to a PU of the node that works, or else to PU `other`. */
static void tell(const struct plb_agenda *a, int p, int other, struct plb_outbox *out)
{
    const struct plb_pu_info *infos = a->config.pus->infos;
    bool rests = plb_pu_waits(a->config.pus->states[p]);
    int node = infos[p].node, to = -1;
    if (rests)
        to = quickest(a, plb_broker_first_pu(a->broker, node), plb_broker_pus(a->broker, node));
    if (rests && to < 0)
        to = other;
    double work = to >= 0 ? ALL : 0.0;
    to = to >= 0 ? to : p;
    struct plb_message *m = plb_outbox_add(out, PLB_RECALL, 0, node, a->pass);
    m->pu = infos[p].local;
    m->recall = (struct plb_recall){work, infos[to].node, infos[to].local, rests ? PLB_RESTS : PLB_WORKS};
}

static void tell_all(struct plb_agenda *a, struct plb_outbox *out)
{
    int n = a->turned && a->config.migration ? a->seen.view.n_pus : 0, other = n > 0 ? quickest(a, 0, n) : -1;
    a->turned = false;
    for (int p = 0; p < n; p++) {
        bool rests = plb_pu_waits(a->config.pus->states[p]);
        if (!plb_pus_usable(a->config.pus, p) || rests == a->pus[p].rests)
            continue;
        tell(a, p, other, out);
        a->pus[p].rests = rests;
        if (!rests)
            plb_agenda_greet(a, a->config.pus->infos[p].node, out);
    }
}

struct plb_goal_account plb_agenda_goal_account(const struct plb_agenda *a)
{
    return a->selection != NULL ? plb_selection_account(a->selection) : (struct plb_goal_account){0};
}

void plb_agenda_readmit(struct plb_agenda *a)
{
    if (a->selection == NULL)
        return;
    plb_selection_readmit(a->selection);
    for (int p = 0; p < a->seen.view.n_pus; p++)
        if (has_come_back(a, p))
            turn(a, p);
}

void plb_agenda_call_back(struct plb_agenda *a, int p, struct plb_outbox *out)
{
    plb_selection_need(a->selection, p);
    turn(a, p);
    plb_agenda_restart(a);
    tell_all(a, out);
}

void plb_agenda_choose_first(struct plb_agenda *a)
{
    const struct plb_view *view = &a->seen.view;
    if (a->selection == NULL)
        return;
    plb_selection_begin(a->selection, view, !a->seen.map->told);
    if (!plb_selection_due(a->selection, view))
        return;
    plb_selection_decide(a->selection, view, view->remaining);
    for (int p = 0; p < view->n_pus; p++)
        if (has_left(a, p))
            turn(a, p);
}

bool plb_agenda_choose(struct plb_agenda *a, struct plb_outbox *out)
{
    const struct plb_view *view = &a->seen.view;
    bool back = false;
    if (a->selection == NULL)
        return false;
    tell_all(a, out);
    if (!plb_selection_due(a->selection, view))
        return false;
    plb_selection_decide(a->selection, view, view->total - a->seen.done);
    for (int p = 0; p < view->n_pus; p++)
        if (has_come_back(a, p)) {
            turn(a, p);
            back = true;
        }
    for (int p = 0; p < view->n_pus; p++)
        if (has_left(a, p)) {
            turn(a, p);
            if (!back && a->config.balancer->lost != NULL)
                a->config.balancer->lost(a->policy, view, p);
        }
    if (back)
        plb_agenda_restart(a);
    bool changed = a->turned;
    tell_all(a, out);
    return changed;
}
