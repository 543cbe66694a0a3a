/* The summary and the JSON report. */
#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/version.h"

static const char *const kind_names[] = {"cpu", "gpu", "accelerator"};

void plb_report_derive(struct plb_report *r)
{
    double longest = 0.0, shortest = INFINITY, idle = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        struct plb_report_pu *pu = &r->pus[p];
        pu->idle_s = fmax(r->makespan_s - pu->busy_s, 0.0);
        idle += pu->idle_s;
        double executing = pu->busy_s - pu->transfer_s;
        pu->rate = executing > 0.0 ? (double)pu->units / executing : 0.0;
        if (pu->units > 0) {
            longest = fmax(longest, pu->busy_s);
            shortest = fmin(shortest, pu->busy_s);
        }
    }
    r->balancing_ratio = shortest > 0.0 && isfinite(shortest) ? longest / shortest : 1.0;
    r->idle_pct = r->makespan_s > 0.0 && r->n_pus > 0 ? 100.0 * idle / (r->n_pus * r->makespan_s) : 0.0;
}

char *plb_seconds_print(double seconds, char text[16])
{
    if (seconds >= 1.0)
        snprintf(text, 16, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, 16, "%.1f ms", seconds * 1e3);
    else
        snprintf(text, 16, "%.0f us", seconds * 1e6);
    return text;
}

static char *bytes_print(double bytes, char text[16])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; bytes >= 1000.0 && u < 4; u++)
        bytes /= 1000.0;
    snprintf(text, 16, u == 0 ? "%.0f %s" : "%.1f %s", bytes, units[u]);
    return text;
}

static void summary_pu(const struct plb_report *r, const struct plb_report_pu *pu, FILE *out)
{
    char busy[16], idle[16];
    const char *remark = pu->refused ? "  not used: too little memory" : pu->units == 0 ? "  not used: could only slow the run" : "";
    fprintf(out, "%3d %4d  %-15.15s %-18.18s %-5.5s %12" PRId64 " %5.1f %% %8" PRId64 " %10s %10s %11.4g%s\n", pu->id, pu->node,
            pu->host, pu->name, kind_names[pu->kind], pu->units,
            100.0 * (double)pu->units / ((double)r->units * (r->passes > 0 ? r->passes : 1)), pu->blocks,
            plb_seconds_print(pu->busy_s, busy), plb_seconds_print(pu->idle_s, idle), pu->rate, remark);
}

void plb_report_line(const struct plb_report *r, FILE *out)
{
    char makespan[16], bound[16], profile[16], solve[16], moved[16];
    fprintf(out, "%s: %" PRId64 " %s by %d PU%s on %d node%s in %s%s with %s; bound %s, balancing ratio %.2f, idle %.1f %%; ", r->app, r->units,
            r->unit, r->n_pus, r->n_pus == 1 ? "" : "s", r->nodes, r->nodes == 1 ? "" : "s", plb_seconds_print(r->makespan_s, makespan),
            r->passes > 1 ? " (all passes)" : "", r->balancer, plb_seconds_print(r->bound_s, bound), r->balancing_ratio, r->idle_pct);
    if (r->solves > 0)
        fprintf(out, "training %s, %" PRId64 " solve%s in %s; ", plb_seconds_print(r->profile_s, profile), r->solves,
                r->solves == 1 ? "" : "s", plb_seconds_print(r->solve_s, solve));
    if (r->migrated_units > 0)
        fprintf(out, "%" PRId64 " %s migrated in %" PRId64 " message%s; ", r->migrated_units, r->unit, r->migrations, r->migrations == 1 ? "" : "s");
    fprintf(out, "%" PRId64 " message%s, %s moved%s", r->messages, r->messages == 1 ? "" : "s", bytes_print((double)r->bytes_moved, moved),
            r->verified == PLB_RIGHT ? "; verified" : r->verified == PLB_WRONG ? "; WRONG RESULT" : "");
}

void plb_report_summary(const struct plb_report *r, FILE *out)
{
    char optimum[16];
    fprintf(out, " PU node  %-15s %-18s %-5s %12s %7s %8s %10s %10s %9s/s\n", "host", "name", "kind", r->unit, "share", "blocks", "busy", "idle", r->unit);
    for (int p = 0; p < r->n_pus; p++)
        summary_pu(r, &r->pus[p], out);
    plb_report_line(r, out);
    fputc('\n', out);
    if (r->n_pus > 1 && r->largest_unit * r->n_pus > 1.0)
        fprintf(out, "one of the %s is %.1f %% of the work: no balancing can end before it does\n", r->unit, 100.0 * r->largest_unit);
    int began = r->profiles_used + r->profiles_dropped;
    if (began > 0)
        fprintf(out, "profiles: %d PU%s began with earlier measurements", began, began == 1 ? "" : "s");
    if (r->profiles_dropped > 0)
        fprintf(out, ", %d of them dropped as no longer true", r->profiles_dropped);
    if (began > 0)
        fputc('\n', out);
    if (r->mode[0] == 's')
        fprintf(out, "(simulated: times are virtual, and no output is written; the best fixed distribution without noise takes %s)\n",
                plb_seconds_print(r->optimum_s, optimum));
}

/* A PU's curves of all phases. */
static json_t *curves_json(const struct plb_report_curve *curves, int n)
{
    json_t *all = json_array();
    for (int i = 0; i < n && all != NULL; i++)
        if (json_array_append_new(all, json_pack("{s:s, s:s, s:f}", "phase", curves[i].phase, "curve", curves[i].curve, "r2", curves[i].r2)) != 0) {
            json_decref(all);
            all = NULL;
        }
    return all;
}

static json_t *pu_json(const struct plb_report_pu *pu, const struct plb_report *r)
{
    json_t *phases = r->curves != NULL ? curves_json(&r->curves[(pu - r->pus) * r->n_phases], r->n_phases) : NULL;
    if (r->curves != NULL && phases == NULL)
        return NULL;
    return json_pack("{s:i, s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:f, s:s, s:f, s:b, s:o*}", "id", pu->id,
                     "node", pu->node, "host", pu->host, "name", pu->name, "kind", kind_names[pu->kind],
                     "units", (json_int_t)pu->units, "blocks", (json_int_t)pu->blocks, "tasks", (json_int_t)pu->tasks,
                     "busy_s", pu->busy_s, "transfer_s", pu->transfer_s, "idle_s", pu->idle_s,
                     "stolen_in", (json_int_t)pu->stolen_in, "stolen_out", (json_int_t)pu->stolen_out,
                     "rate", pu->rate, "curve", pu->curve, "r2", pu->r2, "refused", pu->refused, "phases", phases);
}

int plb_report_write(const struct plb_report *r, const char *file, struct plb_error *err)
{
    json_t *pus = json_array();
    for (int p = 0; p < r->n_pus && pus != NULL; p++)
        if (json_array_append_new(pus, pu_json(&r->pus[p], r)) != 0) {
            json_decref(pus);
            pus = NULL;
        }
    json_t *verified = r->verified == PLB_NOT_VERIFIED ? json_null() : json_boolean(r->verified == PLB_RIGHT);
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:s, s:b, s:s, s:i, s:I, s:i, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:i, s:i, s:o, s:o, s:o}",
        "schema", 1, "version", PLB_VERSION, "app", r->app, "balancer", r->balancer, "migration", r->migration,
        "mode", r->mode, "nodes", r->nodes, "units", (json_int_t)r->units, "passes", r->passes,
        "makespan_s", r->makespan_s, "bound_s", r->bound_s, "profile_s", r->profile_s, "solves", (json_int_t)r->solves,
        "solve_s", r->solve_s, "balancing_ratio", r->balancing_ratio, "idle_pct", r->idle_pct,
        "messages", (json_int_t)r->messages, "bytes_moved", (json_int_t)r->bytes_moved,
        "migrations", (json_int_t)r->migrations, "migrated_units", (json_int_t)r->migrated_units,
        "slowest_answer_s", r->slowest_answer_s, "largest_unit", r->largest_unit,
        "profiles_used", r->profiles_used, "profiles_dropped", r->profiles_dropped, "verified", verified,
        "optimum_s", r->mode[0] == 's' ? json_real(r->optimum_s) : json_null(), "pus", pus);
    if (object == NULL)
        return plb_fail(err, PLB_EFAILED, "cannot make %s: a name in it is not valid UTF-8 or a number is not finite", file);
    struct plb_file f;
    if (plb_file_create(&f, file, err) == PLB_OK) {
        json_dumpf(object, f.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        fputc('\n', f.stream);
        plb_file_commit(&f, err);
    }
    json_decref(object);
    return err->status;
}

void plb_report_fini(struct plb_report *report)
{
    free(report->pus);
    free(report->curves);
    *report = (struct plb_report){0};
}
