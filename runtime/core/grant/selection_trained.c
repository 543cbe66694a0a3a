/* How long PUs must work until they may be chosen or left out, and by how much they may be faster than they
 * seem until then. */
#include <math.h>

#include "core/grant/selection.h"
#include "core/grant/selection_inside.h"
#include "model/fit.h"

/* A PU is known well when it has worked, beyond its starts, for this part of the time that all PUs together
 * need for the pass. Larger: training costs more energy, nearly this part of it. Smaller: a PU is left out
 * that was slow at first. */
#define TRAINED 0.005

/* A PU that has worked for this part of that counts already, but may be up to so much faster than it seems.
 * The hope falls to nothing until the PU is known well. Larger, more: as above. Smaller, less: as above. */
#define FIRST 0.1
#define HOPE 0.5

/* Seconds of a PU's reports in which it may have waited for a core of a busy host, unless as many reports
 * as make a curve agree, or the shortest is longer. Then it counts when it has worked for twice as long.
 * Larger: short jobs cost more energy. Smaller: one delay leaves out a PU that is quick, and a short job is
 * executed by another one alone. */
#define DELAY 4e-3

/* Scatter of reports that agree. Larger: a delay counts as noise. Smaller: as fewer reports. */
#define AGREE 0.3

/* A hope that is less than this part of a rate is none. Larger: a PU is left out that was delayed. Smaller:
 * PUs that are nearly worth it work for longer. */
#define LEAST 0.05

/* Seconds beyond starts after which a PU is known well. */
static double trained_s(const struct plb_selection *c, const struct plb_view *view)
{
    return TRAINED * view->total / c->now;
}

/* Whether a PU's rate is that of its reports in this run. */
static bool is_measured(const struct plb_selection *c, const struct plb_view *view, int p)
{
    return !c->by_power && view->pus[p].from_profile == 0;
}

/* Whether the PU's reports leave open that it has waited for a core. */
static bool may_have_waited(const struct plb_selection *c, const struct plb_view *view, int p)
{
    const struct plb_estimate *e = view->pus[p].estimate;
    bool agree = view->pus[p].n_samples >= PLB_FEWEST_POINTS && e->scatter < AGREE;
    return is_measured(c, view, p) && !agree && e->least_s <= DELAY;
}

bool plb_selection_has_worked(const struct plb_selection *c, const struct plb_view *view, int p)
{
    double worked_s = plb_estimate_worked_s(view->pus[p].estimate);
    double least_s = may_have_waited(c, view, p) ? 2.0 * DELAY : 0.0;
    bool enough = worked_s >= fmax(FIRST * trained_s(c, view), least_s);
    return !is_measured(c, view, p) || (c->pus[p].now > 0.0 && enough);
}

/* The hope for a PU that may have waited for a core. */
static double delayed(const struct plb_selection *c, const struct plb_view *view, int p)
{
    double worked_s = plb_estimate_worked_s(view->pus[p].estimate);
    double hope = DELAY / fmax(worked_s - DELAY, DELAY);
    return may_have_waited(c, view, p) && hope > LEAST ? hope : 0.0;
}

double plb_selection_hope(const struct plb_selection *c, const struct plb_view *view, int p)
{
    double untrained = 1.0 - plb_estimate_worked_s(view->pus[p].estimate) / trained_s(c, view);
    return is_measured(c, view, p) ? fmax(HOPE * fmax(untrained, 0.0), delayed(c, view, p)) : 0.0;
}

/* Else one that is left out would have much in hand that it still executes. Longer units stay as they are. */
double plb_selection_untrained_most(const struct plb_selection *c, const struct plb_view *view, int p,
                                    double work)
{
    double most = c->pus[p].now * DELAY;
    bool limits = c->known < view->living && delayed(c, view, p) > 0.0 && most > view->next;
    return limits ? fmin(work, most) : work;
}
