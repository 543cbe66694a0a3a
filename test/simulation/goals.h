/* Watts and an objective for a scenario, from a seed of their own. */
#ifndef TEST_GOALS_H
#define TEST_GOALS_H

#include "scenario.h"

#define AIMING 4000000007 /* from a seed to that of its objective */

static inline bool by_power(const struct plb_master_config *master)
{
    const struct plb_balancer *b = master->balancer;
    return b->basis != NULL && b->basis(master->params) == PLB_BY_POWER;
}

/* A third of the runs has an objective or a cap. Deadlines are often too short, and caps may leave room for
 * one PU alone. */
static inline void draw_goal(struct scenario *s)
{
    struct dice d = {.seed = s->simulation.seed + AIMING};
    struct plb_goal *goal = &s->simulation.master.goal;
    double still = 0.0, most = 0.0, all = 0.0;
    for (int p = 0; p < s->cluster.n_pus; p++) {
        s->pus[p].static_watts = one_in(&d, 4) ? 0.0 : spread(&d, 1.0, 50.0);
        s->pus[p].dynamic_watts = one_in(&d, 8) ? 0.0 : spread(&d, 1.0, 300.0);
        still += s->pus[p].static_watts;
        most = fmax(most, s->pus[p].dynamic_watts);
        all += s->pus[p].dynamic_watts;
    }
    *goal = (struct plb_goal){.objective = PLB_OBJECTIVE_TIME};
    if (!one_in(&d, 3))
        return;
    goal->objective = (enum plb_objective)int_in(&d, PLB_OBJECTIVE_TIME, PLB_OBJECTIVE_EDP);
    goal->rule = (enum plb_static_rule)int_in(&d, PLB_STATIC_JOB, PLB_STATIC_OFF_WHEN_IDLE);
    bool limited = goal->objective != PLB_OBJECTIVE_TIME && !by_power(&s->simulation.master);
    goal->deadline_s = limited && one_in(&d, 3) ? s->bound * spread(&d, 0.3, 30.0) : 0.0;
    if (goal->objective == PLB_OBJECTIVE_TIME || one_in(&d, 3))
        goal->power_cap = still + real(&d, most, fmax(all, most)) + 1e-6;
}

#endif
