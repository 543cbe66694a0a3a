/* Rates from samples, a choice from rates. */
#include "core/grant/selection.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/grant/selection_inside.h"

/* Part of the time of a pass from decision to decision. Larger: what has changed is seen later. Smaller: the
 * master decides more. The second, in seconds for each PU, keeps that below a tenth of its time. */
#define BETWEEN 0.02
#define BETWEEN_EACH 5e-6

/* Part of the energy, or of energy times delay, that PUs must save to come back. Larger: a worse choice
 * stays. Smaller: the balancer begins anew for noise. */
#define WORTH 0.005

/* Part of the deadline that is kept free, for the tail of the pass and for noise. Larger: more energy.
 * Smaller: later ends. */
#define SPARE 0.008

/* The same while the PUs that work shall do it without those that are left out, and the part by which they
 * may be late without one that is needed in part. Larger: PUs come back for noise, and the balancer begins
 * anew. Smaller: later ends, and who is needed in part works longer than it need. */
#define SPARE_WITHOUT 0.003

/* Part of the time to the end below which nobody comes or goes. Larger: the last seconds are more expensive.
 * Smaller: PUs come back for a few tasks. */
#define TOO_LATE 0.02

struct plb_selection *plb_selection_new(const struct plb_goal *goal, struct plb_pus *pus, int n_nodes,
                                        bool by_power)
{
    size_t n = (size_t)pus->room + 1;
    if (goal->objective == PLB_OBJECTIVE_TIME && !(goal->power_cap > 0.0))
        return NULL;
    struct plb_selection *c = plb_alloc(sizeof *c);
    *c = (struct plb_selection){.goal = *goal, .all = pus, .by_power = by_power, .n_nodes = n_nodes};
    c->pus = plb_alloc(n * sizeof *c->pus);
    c->speeds = plb_alloc(n * sizeof *c->speeds);
    c->x = plb_alloc(n * sizeof *c->x);
    c->less = plb_alloc(n * sizeof *c->less);
    c->hoped = plb_alloc(n * sizeof *c->hoped);
    c->static_watts = plb_alloc((size_t)n_nodes * sizeof *c->static_watts);
    c->on = plb_alloc((size_t)n_nodes * sizeof *c->on);
    c->watts = plb_watts_new(pus, !by_power);
    return c;
}

void plb_selection_free(struct plb_selection *c)
{
    if (c == NULL)
        return;
    free(c->pus);
    free(c->speeds);
    free(c->x);
    free(c->less);
    free(c->hoped);
    free(c->static_watts);
    free(c->on);
    plb_watts_free(c->watts);
    free(c);
}

/* ------------------------------------------------------------------------------ rates */

/* The estimate of a PU; 0: none. A first report counts without its transfers: these are long where ranks
 * speak to each other for the first time. */
static double rate_of(const struct plb_pu *pu)
{
    if (!plb_estimate_reported(pu->estimate))
        return 0.0;
    double first = pu->n_samples == 1 ? pu->samples[0].work / pu->samples[0].execute_s : 0.0;
    return isfinite(first) ? fmax(pu->estimate->rate, first) : pu->estimate->rate;
}

/* Whether a PU is known by now. */
void plb_selection_judge(struct plb_selection *c, const struct plb_view *view, int p)
{
    struct selection_pu *own = &c->pus[p];
    bool before = own->known, rate = plb_selection_has_worked(c, view, p);
    own->known = before || (rate && (c->watts == NULL || plb_watts_settled(c->watts, p)));
    c->known += own->known && !before;
    bool as_before = fabs(own->now - own->rate) <= PLB_NEW_CHOICE * own->rate;
    bool well = own->hoped > own->rate && plb_selection_hope(c, view, p) == 0.0; /* it was not known well */
    c->moved = c->moved || own->tried;
    c->moved = c->moved
            || (own->known && (well || !(as_before && own->hoped <= (1.0 + PLB_NEW_CHOICE) * own->rate)));
}

/* A PU has a sample, or may have some from before the pass. */
static void look_at(struct plb_selection *c, const struct plb_view *view, int p)
{
    struct selection_pu *own = &c->pus[p];
    const struct plb_pu *pu = &view->pus[p];
    double rate = rate_of(pu);
    if (pu->n_samples > 0)
        plb_selection_note(own, &pu->samples[pu->n_samples - 1], pu->estimate->empty_s);
    c->now += rate - own->now;
    own->now = rate;
    plb_selection_judge(c, view, p);
}

void plb_selection_readmit(struct plb_selection *c)
{
    c->passes = plb_selection_account(c);
    for (int p = 0; p < c->all->n; p++)
        if (plb_pu_waits(c->all->states[p]))
            plb_pus_become(c->all, p, PLB_PU_SERVED);
}

void plb_selection_begin(struct plb_selection *c, const struct plb_view *view, bool unknown_cost)
{
    c->unknown_cost = unknown_cost;
    c->total = view->total;
    c->n_pus = view->n_pus;
    c->known = c->known_then = 0;
    c->now = 0.0;
    c->moved = c->forced = false;
    c->decided_at = -INFINITY;
    if (c->watts != NULL)
        c->turned = plb_watts_pass(c->watts);
    for (int p = 0; p < view->n_pus; p++) {
        c->pus[p] = (struct selection_pu){0};
        for (int i = view->pus[p].from_profile; i < view->pus[p].n_samples - 1; i++)
            plb_selection_note(&c->pus[p], &view->pus[p].samples[i], view->pus[p].estimate->empty_s);
        if (plb_pus_usable(c->all, p))
            look_at(c, view, p);
    }
}

void plb_selection_reported(struct plb_selection *c, const struct plb_view *view, int p)
{
    look_at(c, view, p);
}

void plb_selection_lost(struct plb_selection *c, int p)
{
    c->known -= c->pus[p].known && plb_pus_usable(c->all, p);
    c->forced = c->forced || !plb_selection_out(c, p);
    if (c->watts != NULL)
        plb_watts_lost(c->watts);
}

void plb_selection_joined(struct plb_selection *c, const struct plb_view *view)
{
    c->forced = true;
    if (c->watts != NULL)
        plb_watts_joined(c->watts, view->now);
}

double plb_selection_rate(const struct plb_selection *c, int p)
{
    return c->pus[p].rate;
}

/* --------------------------------------------------------------------------- decisions */

bool plb_selection_due(struct plb_selection *c, const struct plb_view *view)
{
    c->turned = c->turned || (c->watts != NULL && plb_watts_late(c->watts, view->now));
    if (c->forced || c->turned)
        return true;
    if (c->known > c->known_then + c->known_then / 8)
        return true;
    bool asked = c->moved || c->goal.deadline_s > 0.0; /* one that is needed in part leaves in time */
    return asked && view->now - c->decided_at >= fmax(BETWEEN * view->now, BETWEEN_EACH * view->n_pus);
}

/* Fills in the rates and watts, and returns the number of PUs with a rate. One whose watts are unknown has
 * none: it works in any case, and the others are chosen as if it were not there. */
static int describe(struct plb_selection *c, const struct plb_view *view)
{
    int n = 0;
    plb_selection_find_errors(c, view);
    c->hopes = false;
    for (int i = 0; i < c->n_nodes; i++)
        c->static_watts[i] = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        struct selection_pu *own = &c->pus[p];
        double idle, besides;
        bool counts = plb_selection_watts_of(c, p, &idle, &besides) && own->known
                   && plb_pus_usable(c->all, p);
        own->rate = !counts     ? 0.0
                  : c->by_power ? view->pus[p].power
                                : plb_selection_steady(own, rate_of(&view->pus[p]));
        own->hoped = counts ? own->rate * (1.0 + plb_selection_hope(c, view, p)) : 0.0;
        c->hopes = c->hopes || (own->hoped > own->rate && !plb_selection_out(c, p));
        c->static_watts[c->all->infos[p].node] += idle;
        c->speeds[p] = (struct plb_power_pu){own->rate, besides, c->all->infos[p].node};
        n += own->rate > 0.0;
    }
    return n;
}

/* The best of the PUs that have a speed. */
static bool solve(const struct plb_selection *c, const struct plb_view *view, double left, double spare,
                  double *x, struct plb_aim_answer *answer)
{
    double deadline = c->goal.deadline_s > 0.0 ? (1.0 - spare) * c->goal.deadline_s - view->now : INFINITY;
    struct plb_power_job job = {c->speeds, c->static_watts, view->n_pus, c->n_nodes, c->goal.rule, left};
    struct plb_aim aim = {c->goal.objective, fmax(deadline, 0.0),
                          c->goal.power_cap > 0.0 ? c->goal.power_cap : INFINITY};
    return plb_objective_lines(&job, &aim, x, answer)
        && (answer->state == PLB_AIM_MET || answer->state == PLB_AIM_LATE);
}

static double value_of(const struct plb_selection *c, const struct plb_aim_answer *a)
{
    bool late = a->state == PLB_AIM_LATE;
    if (late || c->goal.objective == PLB_OBJECTIVE_TIME)
        return a->seconds;
    return c->goal.objective == PLB_OBJECTIVE_EDP ? a->joules * a->seconds : a->joules;
}

/* Which PUs work, with the rates that PUs have or those that they may have. Takes the PUs that are left out
 * already into account: they come back where that is worth it. */
static bool choose(struct plb_selection *c, const struct plb_view *view, double left, bool hoped,
                   struct plb_aim_answer *answer)
{
    struct plb_aim_answer less;
    bool any_out = false;
    for (int p = 0; p < view->n_pus; p++)
        c->speeds[p].speed = !hoped ? c->pus[p].rate : plb_selection_out(c, p) ? 0.0 : c->pus[p].hoped;
    if (!solve(c, view, left, SPARE, c->x, answer))
        return false;
    for (int p = 0; p < view->n_pus; p++) {
        any_out = any_out || (plb_selection_out(c, p) && c->x[p] > 0.0);
        c->speeds[p].speed *= plb_selection_out(c, p) ? 0.0 : 1.0;
    }
    if (!any_out || !solve(c, view, left, SPARE_WITHOUT, c->less, &less) || less.state != answer->state
        || value_of(c, &less) > (1.0 + WORTH) * value_of(c, answer))
        return true;
    double *x = c->x;
    c->x = c->less;
    c->less = x;
    *answer = less;
    return true;
}

/* While some PUs are not known well, one works that is needed by the rates as they are, or by those that are
 * hoped for. A hope for others alone leaves nobody out, since it would come back soon, and no hope brings one
 * back. */
static bool choose_all(struct plb_selection *c, const struct plb_view *view, double left,
                       struct plb_aim_answer *answer)
{
    struct plb_aim_answer hoped;
    bool hopes = c->hopes && choose(c, view, left, true, &hoped);
    for (int p = 0; p < view->n_pus; p++)
        c->hoped[p] = hopes ? c->x[p] : 0.0;
    if (!choose(c, view, left, false, answer))
        return false;
    for (int p = 0; p < view->n_pus; p++)
        c->x[p] = fmax(c->x[p], c->hoped[p]);
    return true;
}

/* PUs that are needed in part: they are left out where the others end in time, or nearly. */
static void leave_out_parts(struct plb_selection *c, const struct plb_view *view, double left,
                            const struct plb_aim_answer *answer)
{
    double full = 0.0;
    bool parts = false;
    for (int p = 0; p < view->n_pus; p++) {
        double whole = c->pus[p].rate * answer->seconds;
        if (c->x[p] >= (1.0 - SPARE_WITHOUT) * whole)
            full += c->pus[p].rate;
        else
            parts = parts || c->x[p] > 0.0;
    }
    bool ends = parts && full > 0.0 && left / full <= (1.0 + SPARE_WITHOUT) * answer->seconds;
    if (ends)
        for (int p = 0; p < view->n_pus; p++)
            if (c->x[p] < (1.0 - SPARE_WITHOUT) * c->pus[p].rate * answer->seconds)
                c->x[p] = 0.0;
}

/* Whether a PU may not work under the cap, since its watts are not known, and will not be. */
static bool unsafe(const struct plb_selection *c, int p)
{
    double idle, besides;
    return c->goal.power_cap > 0.0 && !c->by_power && (c->watts == NULL || plb_watts_settled(c->watts, p))
        && !plb_selection_watts_of(c, p, &idle, &besides);
}

/* Where the cap lets nobody work, as learned watts may show, the PU of fewest watts does it alone. */
static bool choose_least(struct plb_selection *c, const struct plb_view *view, struct plb_aim_answer *answer)
{
    int least = -1;
    for (int p = 0; p < view->n_pus; p++) {
        c->x[p] = 0.0;
        if (c->pus[p].rate > 0.0
            && (least < 0 || c->speeds[p].dynamic_watts < c->speeds[least].dynamic_watts))
            least = p;
    }
    if (!(c->goal.power_cap > 0.0) || least < 0)
        return false;
    c->x[least] = INFINITY;
    *answer = (struct plb_aim_answer){.state = PLB_AIM_OVER, .seconds = INFINITY};
    return true;
}

void plb_selection_need(struct plb_selection *c, int p)
{
    c->pus[p].needed = true;
    plb_pus_become(c->all, p, PLB_PU_SERVED);
}

/* A PU is left out, or is not. */
static void set_out(struct plb_selection *c, int p, bool out)
{
    out = out && !c->pus[p].needed;
    if (plb_pus_usable(c->all, p) && out != plb_selection_out(c, p))
        plb_pus_become(c->all, p, out ? PLB_PU_LEFT_OUT : PLB_PU_SERVED);
}

/* Decides by rates and watts. */
static void decide(struct plb_selection *c, const struct plb_view *view, double left)
{
    struct plb_aim_answer answer;
    bool must = c->forced;
    c->moved = c->forced = c->turned = false;
    c->n_pus = view->n_pus;
    c->known_then = c->known;
    c->decided_at = view->now;
    if (describe(c, view) == 0 || !(left > 0.0)
        || (!choose_all(c, view, left, &answer) && !choose_least(c, view, &answer))) {
        if (must)
            for (int p = 0; p < view->n_pus; p++)
                set_out(c, p, false);
        return;
    }
    if (!must && answer.seconds < TOO_LATE * (view->now + answer.seconds))
        return;
    if (!c->hopes && answer.state != PLB_AIM_OVER)
        leave_out_parts(c, view, left, &answer);
    if (c->goal.objective != PLB_OBJECTIVE_TIME && !(c->goal.power_cap > 0.0))
        plb_selection_keep_tried(c, view, left);
    for (int p = 0; p < view->n_pus; p++)
        set_out(c, p, c->pus[p].rate > 0.0 ? !(c->x[p] > 0.0) : unsafe(c, p));
    plb_selection_note_watts(c);
}

void plb_selection_decide(struct plb_selection *c, const struct plb_view *view, double left)
{
    decide(c, view, left);
    if (c->watts == NULL)
        return;
    plb_selection_keep_one(c, view);
    for (int p = 0; p < view->n_pus; p++) {
        bool rests = plb_watts_rests(c->watts, p) && !c->pus[p].needed, usable = plb_pus_usable(c->all, p);
        if (usable && !plb_selection_out(c, p) && rests != (c->all->states[p] == PLB_PU_RESTING))
            plb_pus_become(c->all, p, rests ? PLB_PU_RESTING : PLB_PU_SERVED);
    }
}
