/* The joules that leaving PUs out saved, and the watts of those that work. O(PUs) each. */
#include <math.h>

#include "core/grant/selection.h"
#include "core/grant/selection_inside.h"

/* Relative error of a rate from which on nobody says what leaving its PU out has saved. Larger: the sum is
 * wrong. Smaller: it is left unsaid, although it is nearly right. */
#define VAGUE 0.25

/* Whether a PU works, or rests for its meter's turns alone. */
static bool works(const struct plb_selection *c, int p)
{
    return plb_pus_usable(c->all, p) && !plb_selection_out(c, p);
}

/* Static watts that count while the PUs that are not left out work, or all of them. */
static double still_watts(const struct plb_selection *c, bool all)
{
    double watts = 0.0;
    all = all || c->goal.rule == PLB_STATIC_JOB;
    for (int i = 0; i < c->n_nodes; i++)
        c->on[i] = all;
    for (int p = 0; p < c->n_pus; p++)
        if (works(c, p))
            c->on[c->all->infos[p].node] = true;
    for (int p = 0; p < c->n_pus; p++) {
        double idle, besides;
        plb_selection_watts_of(c, p, &idle, &besides);
        watts += c->on[c->all->infos[p].node] ? idle : 0.0;
    }
    return watts;
}

void plb_selection_note_watts(struct plb_selection *c)
{
    double watts = still_watts(c, false);
    for (int p = 0; p < c->n_pus; p++) {
        if (works(c, p) && !(c->pus[p].rate > 0.0))
            return;
        double idle, besides;
        plb_selection_watts_of(c, p, &idle, &besides);
        watts += works(c, p) ? besides : 0.0;
    }
    if (!c->hopes)
        c->passes.most_watts = fmax(c->passes.most_watts, watts);
}

/* The job on the PUs that work, or on all: they end together. Returns whether all rates are known well. */
static bool share_out(const struct plb_selection *c, bool all, double *seconds, double *joules)
{
    double rate = 0.0, watts = 0.0;
    for (int p = 0; p < c->n_pus; p++) {
        const struct selection_pu *own = &c->pus[p];
        bool counts = all ? plb_pus_usable(c->all, p) : works(c, p);
        if (counts && (!(own->rate > 0.0) || own->error > VAGUE))
            return false;
        rate += counts ? own->rate : 0.0;
        double idle, besides;
        plb_selection_watts_of(c, p, &idle, &besides);
        watts += counts ? besides : 0.0;
    }
    *seconds = c->total / rate;
    *joules = (watts + still_watts(c, all)) * *seconds;
    return rate > 0.0;
}

struct plb_goal_account plb_selection_account(const struct plb_selection *c)
{
    struct plb_goal_account account = c->passes;
    double seconds, joules, all_seconds, all_joules;
    bool any = false;
    for (int p = 0; p < c->n_pus; p++)
        any = any || plb_selection_out(c, p);
    if (!any || !(c->total > 0.0))
        return account;
    bool known = !c->by_power && share_out(c, true, &all_seconds, &all_joules)
              && share_out(c, false, &seconds, &joules);
    account.saved_j += known ? all_joules - joules : (double)NAN;
    account.longer_s += known ? seconds - all_seconds : (double)NAN;
    return account;
}
