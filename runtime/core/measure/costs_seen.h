/* Reports of one pass, and what they say of costs: the rates of PUs, and the field of what was told wrong.
 *
 * A report says that these units took a PU so many seconds. The PU's rate makes that an amount of work. Its
 * ratio to the work that was told, as a logarithm, is an observation of model/field along the units. Rates
 * and costs are only known together: each is estimated in turn, the other being given. A PU's rate is what
 * agrees with the reports of others nearby, so a PU that becomes slower does not make its units expensive. A
 * task that was mostly start tells nothing: else the small tasks of the beginning make their units expensive.
 *
 * At most KEPT reports are kept: when there are more, every second one goes. Part of
 * core/measure/learned_cost. Not thread-safe. */
#ifndef PLB_CORE_MEASURE_COSTS_SEEN_H
#define PLB_CORE_MEASURE_COSTS_SEEN_H

#include "base/rangeset.h"
#include "core/work/cost.h"
#include "model/field.h"

/* Tasks that one PU has finished. */
struct plb_finished {
    struct plb_range range;
    double tasks, seconds;
};

struct plb_cost_report {
    struct plb_finished finished;
    double work; /* by the map that observations are about */
    int pu;
};

struct plb_seen_rate {
    double log_rate; /* work per second, logarithm */
    double start_s;  /* seconds that a task takes to start */
};

/* To be read; a zeroed struct with `units` and `n_pus` is empty. */
struct plb_costs_seen {
    int64_t units;
    int n_pus, n, capacity;
    int64_t stride, came;               /* the first of each `stride` reports is kept; so many came */
    struct plb_cost_report *reports;    /* in the order of their places, as `seen` */
    struct plb_field_observation *seen; /* valid after plb_costs_estimate */
    struct plb_field field;
    struct plb_seen_rate *rates; /* by PU */
};

void plb_costs_seen_fini(struct plb_costs_seen *seen);

/* Forgets the reports, but not the rates. */
void plb_costs_seen_clear(struct plb_costs_seen *seen);

/* Adds a report. Returns whether it was kept. */
bool plb_costs_seen_add(struct plb_costs_seen *seen, const struct plb_cost_report *report);

/* Estimates rates and field. Where PUs do not agree, nothing is told of neighbours. O(n). */
void plb_costs_estimate(struct plb_costs_seen *seen);

/* The field at a report; and at a place between 0 and 1, of which the first `before` reports are on the
 * left. */
double plb_costs_at_report(const struct plb_costs_seen *seen, int i);
struct plb_estimated plb_costs_at(const struct plb_costs_seen *seen, double at, int before);

/* Sum of squares of the logarithms of seconds per work about each PU's mean, by this map. */
double plb_costs_scatter(const struct plb_costs_seen *seen, const struct plb_cost_map *map);

/* How far a report deviates from the field; 0 where its time was mostly that of starts. */
double plb_costs_own(const struct plb_costs_seen *seen, int i);

/* Of each unit's own deviation from the field, the part that is no noise of times: 0 to 1. */
double plb_costs_own_part(const struct plb_costs_seen *seen);

#endif
