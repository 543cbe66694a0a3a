/* Later draws, after make_scenario and from seeds of their own: nodes that join, results that stay, results
 * that are inputs. So scenarios of a seed are the same without them. */
#ifndef TEST_LATER_H
#define TEST_LATER_H

#include "scenario.h"
#include "versions.h"

#define JOINING 1000000007 /* from a seed to that of its joins */
#define STAYING 2000000011 /* to that of its results that stay */
#define FEEDING 2500000013 /* to that of the inputs that they become */

/* To be called after make_scenario: some nodes come while the run goes on. Those that live to the end are
 * there from the start. */
static inline void draw_joiners(struct scenario *s)
{
    struct dice dice = {s->simulation.seed + JOINING, 0}, *d = &dice;
    struct plb_simulation *sim = &s->simulation;
    int most = s->cluster.n_nodes - 1 - (sim->n_faults > 0 ? s->spared : 0);
    bool kills = !is_peaceful(s) && sim->n_faults == 0; /* PUs whose speed becomes 0 */
    if (!one_in(d, 4) || most < 1 || kills || (sim->n_deadly > 0 && !sim->master.isolated))
        return;
    sim->n_joiners = int_in(d, 1, most);
    sim->join_at = s->join_at;
    for (int i = 0; i < sim->n_joiners; i++)
        s->join_at[i] = (i > 0 ? s->join_at[i - 1] : 0.0) + s->bound * spread(d, 1e-3, 1.0);
}

/* To be called after make_scenario: some results stay at their nodes until the last pass is over. */
static inline void draw_stays(struct scenario *s)
{
    struct dice dice = {s->simulation.seed + STAYING, 0}, *d = &dice;
    struct plb_simulation *sim = &s->simulation;
    if (!one_in(d, 2) || sim->results.unit_bytes == 0.0 || sim->master.audit > 0.0 || s->accepted.n > 0)
        return;
    sim->master.stays = 1;
    sim->staying.unit_bytes = sim->results.unit_bytes * (one_in(d, 2) ? 1.0 : real(d, 0.1, 1.0));
    sim->no_room = one_in(d, 2) ? 0.0 : real(d, 0.0, 1.0);
    s->phases[sim->passes] = s->phases[sim->passes - 1];
}

/* To be called last: results become one or several inputs, all at a time or some of them. Where no node is
 * lost, they go there straight. */
static inline void draw_feeds(struct scenario *s)
{
    struct plb_simulation *sim = &s->simulation;
    struct dice dice = {s->simulation.seed + FEEDING, 0}, *d = &dice;
    sim->feeds = sim->seed % 2 == 0 ? int_in(d, 1, VERSIONS_OF) : 0;
    sim->fed = one_in(d, 3) ? NULL : s->fed;
    for (int pass = 0; pass < MAX_PASSES && sim->feeds > 0; pass++)
        s->fed[pass] = int_in(d, one_in(d, 4) ? 0 : 1, (1 << sim->feeds) - 1);
    sim->master.feeds_stay = sim->feeds && sim->master.stays != 0 && is_peaceful(s) && sim->n_deadly == 0
                          && sim->n_joiners == 0;
}

#endif
