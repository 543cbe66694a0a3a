/* Each PU is a line through all passes that the job has, and has the same share in each of them. In a
 * simulation the line begins at what starting a task costs. */
#include "foresee/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "profile/profiles.h"
#include "report/front/file.h"
#include "simulate/simulate.h"

#define NAMED 3 /* PUs in a sentence */

/* PUs of a front that nobody has asked for. More: pages of large simulations take seconds. */
#define MOST_ON_PAGE 1000

struct plb_pareto {
    const char *by;
    int n, n_nodes, passes;
    struct plb_front_pu *pus;
    struct plb_model *models;
    double *dynamic_watts, *own_static, *static_watts;
    int *node;
    bool *refused; /* too little memory */
};

static struct plb_pareto *make(const char *by, int room, int n_nodes)
{
    struct plb_pareto *p = plb_alloc(sizeof *p);
    size_t n = (size_t)room + 1;
    *p = (struct plb_pareto){.by = by, .n_nodes = n_nodes, .passes = 1};
    p->pus = plb_alloc(n * sizeof *p->pus);
    p->models = plb_alloc(n * sizeof *p->models);
    p->dynamic_watts = plb_alloc(n * sizeof *p->dynamic_watts);
    p->own_static = plb_alloc(n * sizeof *p->own_static);
    p->static_watts = plb_alloc(((size_t)n_nodes + 1) * sizeof *p->static_watts);
    p->node = plb_alloc(n * sizeof *p->node);
    p->refused = plb_alloc(n * sizeof *p->refused);
    return p;
}

void plb_pareto_free(struct plb_pareto *p)
{
    if (p == NULL)
        return;
    free(p->pus);
    free(p->models);
    free(p->dynamic_watts);
    free(p->own_static);
    free(p->static_watts);
    free(p->node);
    free(p->refused);
    free(p);
}

static void add_pu(struct plb_pareto *p, const char *name, int node, double static_watts,
                   double dynamic_watts)
{
    snprintf(p->pus[p->n].name, sizeof p->pus[p->n].name, "%s", name);
    p->pus[p->n].node = p->node[p->n] = node;
    p->own_static[p->n] = static_watts;
    p->dynamic_watts[p->n] = dynamic_watts;
    p->static_watts[node] += static_watts;
    p->n++;
}

int plb_pareto_check(const struct plb_arguments *a, struct plb_error *err)
{
    const char *file = a->pareto;
    if (!plb_front_has_format(file))
        return plb_fail(err, PLB_EINPUT,
                        "--pareto=%s: a front is written as .json or .svg (a picture); name such a file",
                        file);
    return PLB_OK;
}

static int require_watts(const struct plb_pareto *p, struct plb_error *err)
{
    char text[512] = "";
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        size_t used = strlen(text);
        if (isfinite(p->own_static[i] + p->dynamic_watts[i]))
            continue;
        if (n++ < NAMED)
            snprintf(text + used, sizeof text - used, "%sPU %d (%s, rank %d)", used > 0 ? ", " : "", i,
                     p->pus[i].name, p->pus[i].node);
    }
    if (n > NAMED)
        snprintf(text + strlen(text), sizeof text - strlen(text), " and %d more", n - NAMED);
    if (n == 0)
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT,
                    "--pareto needs the watts of all PUs, and those of %s are unknown; a .cluster file can "
                    "set them (static_watts, dynamic_watts)",
                    text);
}

/* ------------------------------------------------------------------------------- times */

/* start_s + slope · x */
static struct plb_model line(double start_s, double slope, double work)
{
    struct plb_model m = {.execute = {.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                      .scale = work,
                                      .low = 1e-6 * work,
                                      .high = work,
                                      .least_slope = slope,
                                      .r2 = 1.0}};
    m.execute.a[PLB_TERM_ONE] = start_s;
    m.execute.a[PLB_TERM_X] = slope * work;
    return m;
}

int plb_pareto_of_cluster(const struct plb_job *job, struct plb_pareto **pareto, struct plb_error *err)
{
    const struct plb_cluster_spec *c = &job->cluster;
    struct plb_simulation s = plb_job_simulation(job);
    struct plb_pareto *p = *pareto = make("the .cluster file", c->n_pus, c->n_nodes);
    int64_t units = job->maps[0].units;
    double bytes = plb_sizes_mean(&s.inputs, units) + plb_sizes_mean(&s.results, units);
    double largest = plb_sizes_largest(&job->sizes, units);
    for (int node = s.master_only ? 1 : 0; node < c->n_nodes; node++)
        for (int i = 0; i < c->nodes[node].n_pus; i++) {
            const struct plb_pu_spec *pu = &c->pus[c->nodes[node].first_pu + i];
            double start_s = 0.0, slope = 0.0;
            for (int phase = 0; phase < s.passes; phase++) {
                start_s += pu->half / pu->rate + pu->overhead + 2.0 * pu->copy_latency;
                slope += job->maps[phase].per_work / pu->rate + bytes / pu->copy_bandwidth;
            }
            p->refused[p->n] = !plb_sizes_has_room(&job->sizes, pu->memory, largest);
            if (!p->refused[p->n])
                p->models[p->n] = line(start_s, slope, (double)units);
            add_pu(p, pu->name, node, pu->static_watts, pu->dynamic_watts);
        }
    return require_watts(p, err);
}

struct plb_pareto *plb_pareto_of_given(const struct plb_job *job)
{
    struct plb_error unknown = {.status = PLB_OK};
    struct plb_pareto *p;
    if (plb_pareto_of_cluster(job, &p, &unknown) == PLB_OK)
        return p;
    plb_pareto_free(p);
    return NULL;
}

int plb_pareto_of_master(const struct plb_master *master, struct plb_pareto **pareto, struct plb_error *err)
{
    int n = plb_master_pus(master), nodes = 0;
    for (int i = 0; i < n; i++)
        nodes = plb_master_pu(master, i)->node >= nodes ? plb_master_pu(master, i)->node + 1 : nodes;
    struct plb_pareto *p = *pareto = make("profiles", n, nodes);
    for (int i = 0; i < n; i++) {
        const struct plb_pu_info *pu = plb_master_pu(master, i);
        add_pu(p, pu->name, pu->node, pu->static_watts, pu->dynamic_watts);
    }
    return require_watts(p, err);
}

struct plb_pareto *plb_pareto_of_report(const struct plb_report *r)
{
    int nodes = 0;
    for (int i = 0; i < r->n_pus; i++) {
        if (!isfinite(r->pus[i].watts_idle + r->pus[i].watts_busy))
            return NULL;
        nodes = r->pus[i].node >= nodes ? r->pus[i].node + 1 : nodes;
    }
    struct plb_pareto *p = make("profiles", r->n_pus, nodes);
    for (int i = 0; i < r->n_pus; i++) {
        const struct plb_report_pu *pu = &r->pus[i];
        add_pu(p, pu->name, pu->node, pu->watts_idle, pu->watts_busy - pu->watts_idle);
    }
    return p;
}

static struct plb_model by_slope(double slope, const struct plb_job *job)
{
    bool known = slope > 0.0 && isfinite(slope);
    return known ? line(0.0, slope, (double)job->maps[0].units) : (struct plb_model){.grain = 0.0};
}

/* One pass of each phase at the rate that the profiles have for their largest tasks: a share of a job is many
 * such tasks. Unknown where one of the phases is. */
static struct plb_model stored_curve(struct plb_master *master, const struct plb_job *job, int pu)
{
    double slope = 0.0;
    for (int phase = 0; phase < plb_phase_count(job->kernel); phase++) {
        const struct plb_history *h = plb_master_history(master, phase, pu);
        struct plb_tally tally = {.work = 0.0};
        for (int i = 0; i < h->n; i++) {
            const struct plb_sample *s = &h->at[i];
            plb_tally_add(&tally, &(struct plb_timed){s->work, s->execute_s + s->transfer_s, 1.0});
        }
        slope += 1.0 / plb_tally_held_rate(&tally);
        plb_tally_fini(&tally);
    }
    return by_slope(slope, job);
}

/* All passes of the run, at the rate that the PU held. */
static struct plb_model measured(struct plb_master *master, const struct plb_job *job, int pu)
{
    double slope = 0.0;
    for (int phase = 0; phase < plb_phase_count(job->kernel); phase++)
        if (job->app.passes[phase] > 0)
            slope += job->app.passes[phase]
                   / plb_tally_held_rate(plb_work_count_tally(plb_master_work(master), phase, pu));
    return by_slope(slope, job);
}

void plb_pareto_learn(struct plb_pareto *p, const struct plb_job *job, struct plb_master *master)
{
    int n = 0;
    if (p == NULL)
        return;
    for (int phase = 0; phase < plb_phase_count(job->kernel); phase++)
        n += job->app.passes[phase];
    p->by = n > 0 ? "this run's measurements" : "profiles";
    p->passes = n > 0 ? n : plb_phase_count(job->kernel);
    for (int i = 0; i < p->n && i < plb_master_pus(master); i++) {
        p->refused[i] = plb_master_state(master, i) == PLB_PU_REFUSED;
        p->models[i] = p->refused[i] ? (struct plb_model){.grain = 0.0}
                     : n > 0         ? measured(master, job, i)
                                     : stored_curve(master, job, i);
    }
}

void plb_pareto_load(struct plb_pareto *p, const struct plb_job *job, struct plb_master *master)
{
    struct plb_profiles_config config = {
        .kernel = job->kernel, .maps = job->maps, .cluster = &job->cluster, .mode = PLB_PROFILE_READ};
    struct plb_profiles *profiles = p != NULL ? plb_profiles_open(&config) : NULL;
    plb_profiles_load(profiles, master);
    plb_pareto_learn(p, job, master);
    plb_profiles_free(profiles);
}

/* PUs of which nothing is known cannot be on the front. */
static int look_at_unknown(const struct plb_pareto *p, bool ran, struct plb_error *err)
{
    int n = 0, first = -1;
    for (int i = 0; i < p->n; i++)
        if (!plb_model_known(&p->models[i]) && !p->refused[i] && n++ == 0)
            first = i;
    if (n > 0 && !ran)
        return plb_fail(err, PLB_EINPUT,
                        "--pareto: there is no profile of this kernel for PU %d (%s)%s; run it once with "
                        "balance.profile=on, or leave out --dry-run",
                        first, p->pus[first].name, n > 1 ? " and others" : "");
    if (n > 0)
        plb_log(PLB_LOG_WARNING, "--pareto: %d PU%s could not be measured, such as PU %d (%s)", n,
                n == 1 ? "" : "s", first, p->pus[first].name);
    return PLB_OK;
}

/* ------------------------------------------------------------------------------- front */

/* The joules of a run. Where the report has none, since nothing metered the PUs, busy seconds tell them, as
 * [energy] static counts. */
static double run_joules(const struct plb_pareto *p, const struct plb_report *r, enum plb_static_rule rule)
{
    double told = 0.0, joules = 0.0;
    double *seconds = plb_alloc((size_t)(p->n_nodes + 1) * sizeof *seconds);
    for (int i = 0; i < p->n; i++) {
        const struct plb_report_pu *pu = &r->pus[i];
        double *longest = &seconds[p->node[i]];
        told += pu->static_j + pu->dynamic_j;
        joules += p->dynamic_watts[i] * pu->busy_s;
        if (rule == PLB_STATIC_BUSY)
            *longest = fmax(*longest, pu->busy_s);
        else if (rule == PLB_STATIC_JOB || pu->busy_s > 0.0)
            *longest = r->makespan_s;
    }
    for (int i = 0; i < p->n_nodes; i++)
        joules += p->static_watts[i] * seconds[i];
    free(seconds);
    return isfinite(told) ? told : joules;
}

/* The point of the run. */
static void add_run(const struct plb_pareto *p, const struct plb_job *job, const struct plb_report *r,
                    struct plb_front_page *page)
{
    double units = 0.0;
    for (int i = 0; i < r->n_pus; i++)
        units += (double)r->pus[i].units;
    page->run_seconds = r->makespan_s;
    page->run_joules = run_joules(p, r, job->goal.rule);
    for (int i = 0; i < p->n; i++)
        p->pus[i].run_share = units > 0.0 ? (double)r->pus[i].units / units : 0.0;
}

static int put(const struct plb_arguments *a, const struct plb_front_page *page, FILE *out,
               struct plb_error *err)
{
    if (!a->quiet)
        plb_front_print(page, out);
    return a->pareto[0] != '\0' ? plb_front_write(page, a->pareto, err) : PLB_OK;
}

/* Finds the front, and what is told with it. False where memory is short. */
static bool make_page(const struct plb_pareto *p, const struct plb_job *job, const struct plb_report *report,
                      struct plb_front *front, struct plb_front_page *page)
{
    struct plb_power_curves curves = {.models = p->models,
                                      .dynamic_watts = p->dynamic_watts,
                                      .node = p->node,
                                      .static_watts = p->static_watts,
                                      .n = p->n,
                                      .n_nodes = p->n_nodes,
                                      .rule = job->goal.rule,
                                      .work = (double)job->maps[0].units};
    *page = (struct plb_front_page){.app = job->kernel->name,
                                    .by = p->by,
                                    .rule = plb_settings_get(&job->settings, "energy", "static")->text,
                                    .front = front,
                                    .pus = p->pus,
                                    .n_pus = p->n,
                                    .passes = p->passes,
                                    .work = curves.work,
                                    .run_seconds = (double)NAN,
                                    .run_joules = (double)NAN};
    if (report != NULL && report->n_pus == p->n && !report->resumed)
        add_run(p, job, report, page);
    return plb_front_make(&curves, job->goal.power_cap > 0.0 ? job->goal.power_cap : INFINITY,
                          page->run_seconds, front);
}

bool plb_pareto_page(const struct plb_pareto *p, const struct plb_job *job, const struct plb_report *report,
                     struct plb_front *front, struct plb_front_page *page)
{
    *front = (struct plb_front){.n = 0};
    if (p == NULL || p->n > MOST_ON_PAGE)
        return false;
    return make_page(p, job, report, front, page) && front->n > 0;
}

int plb_pareto_write(const struct plb_pareto *p, const struct plb_arguments *a, const struct plb_job *job,
                     const struct plb_report *report, FILE *out, struct plb_error *err)
{
    if (p == NULL || a->pareto == NULL || look_at_unknown(p, report != NULL, err) != PLB_OK)
        return err->status;
    struct plb_front front;
    struct plb_front_page page;
    if (!make_page(p, job, report, &front, &page))
        plb_fail(err, PLB_EFAILED, "no memory for the front of %d PUs", p->n);
    else if (front.n == 0)
        plb_fail(err, PLB_EINPUT, "--pareto: no PU can be used for this job, so there is no front");
    else
        put(a, &page, out, err);
    plb_front_fini(&front);
    return err->status;
}
