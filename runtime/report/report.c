/* The fields that follow from times and units, and the end of a report. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

int64_t plb_report_units(const struct plb_report *r)
{
    return r->units * (r->passes > 1 ? r->passes : 1) - r->resumed_units;
}

/* Whether all units of all passes were executed. */
static bool is_whole(const struct plb_report *r)
{
    int64_t done = 0;
    for (int p = 0; p < r->n_pus; p++)
        done += r->pus[p].units;
    return done >= plb_report_units(r);
}

/* Why a PU executed nothing, in a few words; NULL where it did something. whole: the run did all units. */
static const char *why_unused(const struct plb_report *r, const struct plb_report_pu *pu, bool whole)
{
    double pass_s = r->passes > 1 ? r->makespan_s / r->passes : r->makespan_s;
    if (pu->units > 0)
        return NULL;
    if (pu->failure[0] != '\0')
        return pu->failure;
    if (pu->refused)
        return "too little memory";
    if (!whole)
        return "the run ended first";
    if (pu->blocks > 0)
        return "others did its units first";
    if (pu->unit_s > pass_s)
        return "a unit alone would end after all others";
    if (pu->unit_late_s > pass_s)
        return "a unit alone might end after all others";
    return "nothing was left for it";
}

void plb_report_derive(struct plb_report *r)
{
    if (r->bound_s > r->makespan_s)
        r->bound_s = r->makespan_s; /* clocks of several nodes differ a little */
    double longest = 0.0, shortest = INFINITY, idle = 0.0;
    bool whole = is_whole(r);
    r->failed_pus = 0;
    r->energy_j = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        struct plb_report_pu *pu = &r->pus[p];
        pu->unused = why_unused(r, pu, whole);
        pu->failed = pu->failure[0] != '\0' ? pu->failure : NULL;
        pu->idle_s = fmax(r->makespan_s - pu->busy_s, 0.0);
        pu->meter = isnan(pu->static_j + pu->dynamic_j) ? "unmeasured" : "cluster";
        r->energy_j += pu->static_j + pu->dynamic_j;
        r->failed_pus += pu->failed != NULL;
        idle += pu->failed != NULL ? 0.0 : pu->idle_s;
        double executing = pu->busy_s - pu->transfer_s;
        pu->rate = executing > 0.0 ? (double)(pu->units + pu->in_vain) / executing : 0.0;
        if (pu->units > 0 && pu->failed == NULL) {
            longest = fmax(longest, pu->busy_s);
            shortest = fmin(shortest, pu->busy_s);
        }
    }
    r->balancing_ratio = shortest > 0.0 && isfinite(shortest) ? longest / shortest : 1.0;
    int n = r->n_pus - r->failed_pus;
    r->idle_pct = r->makespan_s > 0.0 && n > 0 ? 100.0 * idle / (n * r->makespan_s) : 0.0;
}

void plb_report_add_pass(struct plb_report_phase *phase, double seconds)
{
    phase->shortest_s = phase->passes == 0 ? seconds : fmin(phase->shortest_s, seconds);
    phase->longest_s = fmax(phase->longest_s, seconds);
    phase->time_s += seconds;
    phase->passes++;
}

void plb_report_fini(struct plb_report *report)
{
    free(report->pus);
    free(report->curves);
    free(report->costs);
    free(report->set_aside);
    free(report->phases);
    free(report->settings);
    *report = (struct plb_report){0};
}
