/* The fields that follow from times and units, and the end of a report. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t plb_report_units(const struct plb_report *r)
{
    return r->units * (r->passes > 1 ? r->passes : 1) - r->resumed_units;
}

double plb_core_share(const struct plb_report_pu *pu)
{
    double both = pu->cpu_s + pu->waited_s;
    return both > 0.0 ? pu->cpu_s / both : (double)NAN;
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
        return "its memory is too small";
    if (!whole)
        return "the run ended first";
    if (pu->left_out)
        return "other PUs need less energy";
    if (pu->blocks > 0)
        return "other PUs finished its units first";
    if (pu->unit_s > pass_s)
        return "a single unit would end after all others";
    if (pu->unit_late_s > pass_s)
        return "a single unit might end after all others";
    return "no work was left for it";
}

static bool is(const struct plb_report_meter *m, const char *of)
{
    return m->of != NULL && strcmp(m->of, of) == 0;
}

static bool same_host(const struct plb_report_meter *a, const struct plb_report_meter *b)
{
    return strcmp(a->host, b->host) == 0;
}

static bool is_part(const struct plb_report_meter *m)
{
    return isfinite(m->joules) && !m->mirrors && (is(m, "package") || is(m, "memory") || is(m, "gpu"));
}

/* Whether a part of the meter's host is measured. */
static bool has_parts(const struct plb_report *r, const struct plb_report_meter *meter)
{
    for (int i = 0; i < r->n_meters; i++)
        if (same_host(&r->meters[i], meter) && is_part(&r->meters[i]))
            return true;
    return false;
}

bool plb_report_misses(const struct plb_report *r, const struct plb_report_meter *meter)
{
    if (isfinite(meter->joules) || !(is(meter, "package") || is(meter, "gpu")))
        return false;
    for (int i = 0; i < r->n_meters; i++)
        if (same_host(&r->meters[i], meter) && r->meters[i].counted && is(&r->meters[i], "platform"))
            return false;
    return true;
}

static void derive_energy(struct plb_report *r)
{
    r->measured_j = NAN;
    for (int i = 0; i < r->n_meters; i++) {
        struct plb_report_meter *m = &r->meters[i];
        bool platform = isfinite(m->joules) && is(m, "platform") && !has_parts(r, m);
        m->counted = is_part(m) || platform;
        if (m->counted)
            r->measured_j = isfinite(r->measured_j) ? r->measured_j + m->joules : m->joules;
    }
    r->energy_j = r->measured_j;
    for (int i = 0; i < r->n_meters; i++)
        if (plb_report_misses(r, &r->meters[i]))
            r->energy_j = NAN;
}

static void derive_goal(struct plb_report *r)
{
    static const char *const names[] = {
        [PLB_OBJECTIVE_TIME] = "time", [PLB_OBJECTIVE_ENERGY] = "energy", [PLB_OBJECTIVE_EDP] = "edp"};
    struct plb_report_goal *g = &r->goal;
    g->objective = names[g->objective_is];
    g->deadline_s = g->deadline_s > 0.0 ? g->deadline_s : (double)NAN;
    g->power_cap_w = g->power_cap_w > 0.0 ? g->power_cap_w : (double)NAN;
    g->most_w = g->most_w > 0.0 ? g->most_w : (double)NAN;
    g->longest_pass_s = 0.0;
    if (r->phases != NULL)
        for (int i = 0; i < r->n_phases; i++)
            g->longest_pass_s = fmax(g->longest_pass_s, r->phases[i].longest_s);
    g->deadline = !(g->deadline_s > 0.0) ? "none" : g->longest_pass_s <= g->deadline_s ? "met" : "late";
    g->learning_w = g->learning_w > 0.0 ? g->learning_w : (double)NAN;
    g->unmeasured = 0;
    if (g->power_cap_w > 0.0)
        for (int p = 0; p < r->n_pus; p++)
            g->unmeasured += r->pus[p].watts_origin != NULL
                          && strcmp(r->pus[p].watts_origin, "unmeasured") == 0
                          && r->pus[p].failure[0] == '\0';
    g->cap = !(g->power_cap_w > 0.0)    ? "none"
           : g->most_w > g->power_cap_w ? "over"
           : g->unmeasured > 0          ? "unmeasured"
           : !isfinite(g->most_w)       ? "untried"
                                        : "kept";
    g->left_out = 0;
    for (int p = 0; p < r->n_pus; p++)
        g->left_out += r->pus[p].left_out;
}

void plb_report_derive(struct plb_report *r)
{
    if (r->passes_again > 0)
        r->bound_s = NAN; /* its work is that of each pass once */
    if (r->bound_s > r->makespan_s)
        r->bound_s = r->makespan_s; /* clocks of several nodes differ a little */
    double longest = 0.0, shortest = INFINITY, idle = 0.0, of_pus = 0.0;
    bool whole = is_whole(r);
    int n = 0;
    r->failed_pus = 0;
    for (int p = 0; p < r->n_pus; p++) {
        struct plb_report_pu *pu = &r->pus[p];
        pu->unused = why_unused(r, pu, whole);
        pu->failed = pu->failure[0] != '\0' ? pu->failure : NULL;
        pu->idle_s = fmax(r->makespan_s - pu->busy_s, 0.0);
        pu->core_share = plb_core_share(pu);
        if (pu->watts_origin == NULL) {
            pu->watts_idle = pu->watts_busy = (double)NAN;
            pu->watts_origin = "unmeasured";
        }
        pu->meter = isnan(pu->static_j + pu->dynamic_j) ? "unmeasured" : "cluster";
        of_pus += pu->static_j + pu->dynamic_j;
        r->failed_pus += pu->failed != NULL;
        bool usable = pu->failed == NULL && !pu->refused;
        idle += usable ? pu->idle_s : 0.0;
        n += usable;
        double executing = pu->busy_s - pu->transfer_s;
        pu->rate = executing > 0.0 ? (double)(pu->units + pu->in_vain) / executing : 0.0;
        if (pu->units > 0 && pu->failed == NULL) {
            longest = fmax(longest, pu->busy_s);
            shortest = fmin(shortest, pu->busy_s);
        }
    }
    r->balancing_ratio = shortest > 0.0 && isfinite(shortest) ? longest / shortest : 1.0;
    r->idle_pct = r->makespan_s > 0.0 && n > 0 ? 100.0 * idle / (n * r->makespan_s) : 0.0;
    derive_energy(r);
    derive_goal(r);
    if (r->mode == PLB_SIMULATED || r->emulated)
        r->energy_j = of_pus;
}

void plb_report_elapse(struct plb_report *r)
{
    bool known = r->mode == PLB_REAL_RUN && r->setup_s > 0.0;
    r->elapsed_s = known ? r->setup_s + r->makespan_s + r->between_s + r->ending_s + r->verify_s + r->write_s
                         : 0.0;
    if (!known)
        r->verify_s = r->write_s = 0.0;
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
    for (int p = 0; p < report->n_pus; p++) {
        if (report->curves != NULL)
            for (int i = 0; i < report->n_phases; i++)
                free(report->curves[p * report->n_phases + i].samples);
        if (report->curves == NULL)
            free(report->pus[p].curve.samples);
    }
    free(report->pus);
    free(report->curves);
    free(report->costs);
    free(report->set_aside);
    free(report->regrants);
    free(report->meters);
    free(report->phases);
    free(report->settings);
    free(report->traffic);
    free(report->changes);
    *report = (struct plb_report){0};
}
