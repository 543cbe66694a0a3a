/* A choice while watts are learned. */
#include <math.h>

#include "core/grant/selection.h"
#include "core/grant/selection_inside.h"

/* The window in which the last PU has been tried counts, too. */
static void note_learning(struct plb_selection *c)
{
    if (!c->learned)
        c->passes.learning_watts = fmax(c->passes.learning_watts, plb_watts_shown(c->watts));
    c->learned = c->passes.most_watts > 0.0 && !plb_watts_turning(c->watts);
}

void plb_selection_metered(struct plb_selection *c, const struct plb_view *view, int first,
                           const struct plb_window *window)
{
    bool news = c->watts != NULL && plb_watts_heard(c->watts, first, window, view->now);
    if (c->watts != NULL)
        note_learning(c);
    if (!news)
        return;
    c->turned = c->moved = true;
    for (int p = 0; p < view->n_pus; p++)
        if (plb_pus_usable(c->all, p))
            plb_selection_judge(c, view, p);
}

const struct plb_watts *plb_selection_watts(const struct plb_selection *c)
{
    return c->watts;
}

double plb_selection_most(const struct plb_selection *c, const struct plb_view *view, int p, double work)
{
    work = plb_selection_untrained_most(c, view, p, plb_selection_unsure_most(c, view, p, work));
    return c->watts != NULL ? plb_watts_most(c->watts, view, c->pus[p].now, work) : work;
}

bool plb_selection_watts_of(const struct plb_selection *c, int p, double *idle, double *besides)
{
    *idle = c->all->infos[p].static_watts;
    *besides = c->all->infos[p].dynamic_watts;
    if (c->watts != NULL)
        return plb_watts_of(c->watts, p, idle, besides) != PLB_WATTS_UNMEASURED;
    if (isfinite(*idle + *besides))
        return true;
    *idle = *besides = 0.0; /* of one that joined where all others are told */
    return false;
}

/* Whether somebody works. */
static bool any_works(const struct plb_selection *c, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++)
        if (plb_pus_usable(c->all, p) && !plb_selection_out(c, p) && !plb_watts_rests(c->watts, p))
            return true;
    return false;
}

void plb_selection_keep_one(struct plb_selection *c, const struct plb_view *view)
{
    if (!any_works(c, view))
        plb_watts_release(c->watts);
}
