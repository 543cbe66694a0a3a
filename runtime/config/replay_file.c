/* Reading reports: JSON, by jansson. Only the keys that a simulation needs are looked at. */
#include "config/replay_file.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "config/cluster_file.h"

struct reading {
    const char *file;
    json_t *run;
    struct plb_cluster_spec *spec;
    struct plb_replay *replay;
    struct plb_error *err;
};

bool plb_is_report(const char *file)
{
    FILE *f = fopen(file, "r");
    int c = f != NULL ? getc(f) : EOF;
    while (c != EOF && isspace(c))
        c = getc(f);
    if (f != NULL)
        fclose(f);
    return c == '{';
}

int plb_replay_check(const char *file, struct plb_error *err)
{
    if (access(file, R_OK) != 0 || plb_is_report(file))
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT,
                    "--replay %s: this is not a report, as plbrun --report writes it; to simulate the "
                    "machines of a .cluster file use --simulate",
                    file);
}

static int bad(const struct reading *r, const char *key, const char *expected)
{
    return plb_fail(r->err, PLB_EINPUT, "%s: %s: expected %s, as plbrun --report writes it", r->file, key,
                    expected);
}

/* A number that is at least `least`; NAN where there is none. */
static double number(const json_t *object, const char *key, double least)
{
    const json_t *value = json_object_get(object, key);
    double found = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return found >= least && isfinite(found) ? found : (double)NAN;
}

/* A whole number of at least `least`; one less where there is none. */
static int64_t whole(const json_t *object, const char *key, int64_t least)
{
    const json_t *value = json_object_get(object, key);
    int64_t found = json_is_integer(value) ? (int64_t)json_integer_value(value) : least - 1;
    return found >= least ? found : least - 1;
}

static enum plb_pu_kind kind_of(const json_t *pu)
{
    const char *kind = json_string_value(json_object_get(pu, "kind"));
    if (kind != NULL && strcmp(kind, "gpu") == 0)
        return PLB_GPU;
    return kind != NULL && strcmp(kind, "accelerator") == 0 ? PLB_ACCELERATOR : PLB_CPU;
}

static void copy_text(char *to, size_t bytes, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(to, bytes, "%s", text != NULL ? text : "");
}

/* PUs come node by node. `last_node` is the report's number of the node before. */
static void add_pu(struct plb_cluster_spec *spec, const json_t *pu, int64_t *last_node)
{
    int64_t node = whole(pu, "node", 0);
    if (node != *last_node || spec->n_nodes == 0) {
        struct plb_node_spec *fresh = &spec->nodes[spec->n_nodes++];
        *fresh = (struct plb_node_spec){
            .bandwidth = PLB_LINK_BANDWIDTH, .latency = PLB_LINK_LATENCY, .first_pu = spec->n_pus};
        copy_text(fresh->name, sizeof fresh->name, pu, "host");
        *last_node = node;
    }
    double start = number(pu, "start_s", 0.0), rate = number(pu, "work_rate", 1e-300);
    struct plb_pu_spec *added = &spec->pus[spec->n_pus++];
    *added = (struct plb_pu_spec){.kind = kind_of(pu),
                                  .power = rate,
                                  .rate = rate,
                                  .overhead = isnan(start) ? 0.0 : start,
                                  .memory = INFINITY,
                                  .copy_bandwidth = INFINITY,
                                  .slowdown = 1.0,
                                  .static_watts = (double)NAN,
                                  .dynamic_watts = (double)NAN};
    copy_text(added->name, sizeof added->name, pu, "name");
    spec->nodes[spec->n_nodes - 1].n_pus++;
}

static int read_pus(struct reading *r)
{
    const json_t *pus = json_object_get(r->run, "pus");
    size_t n = json_array_size(pus);
    int64_t last_node = -1;
    if (n == 0)
        return bad(r, "pus", "a list of PUs");
    r->spec->nodes = plb_alloc(n * sizeof *r->spec->nodes);
    r->spec->pus = plb_alloc(n * sizeof *r->spec->pus);
    for (size_t p = 0; p < n; p++) {
        const json_t *pu = json_array_get(pus, p);
        if (!isnan(number(pu, "work_rate", 1e-300)))
            add_pu(r->spec, pu, &last_node);
    }
    return r->spec->n_pus > 0 ? PLB_OK : bad(r, "pus", "a PU with a work_rate above 0");
}

/* Costs cover all units, one range after the other. */
static int read_costs(struct reading *r)
{
    const json_t *costs = json_object_get(r->run, "costs");
    size_t n = json_array_size(costs);
    int64_t next = 0;
    r->replay->costs = plb_alloc((n + 1) * sizeof *r->replay->costs);
    for (size_t i = 0; i < n; i++) {
        const json_t *range = json_array_get(costs, i);
        struct plb_replay_cost *c = &r->replay->costs[r->replay->n++];
        *c = (struct plb_replay_cost){whole(range, "first", 0), whole(range, "count", 1),
                                      number(range, "cost", 0.0)};
        if (c->first != next || c->count < 1 || c->count > r->replay->units - next || isnan(c->cost))
            return bad(r, "costs", "ranges of units in order, each with a cost");
        next += c->count;
    }
    return next == 0 || next == r->replay->units ? PLB_OK : bad(r, "costs", "ranges that cover all units");
}

static int read_run(struct reading *r, const char *kernel)
{
    const char *app = json_string_value(json_object_get(r->run, "app"));
    if (app == NULL)
        return bad(r, "app", "the name of a kernel");
    if (strcmp(app, kernel) != 0)
        return plb_fail(r->err, PLB_EINPUT, "%s is the report of a run of kernel %s, not of %s", r->file, app,
                        kernel);
    r->replay->units = whole(r->run, "units", 1);
    if (r->replay->units < 1)
        return bad(r, "units", "a whole number, 1 or more");
    return read_pus(r) == PLB_OK ? read_costs(r) : r->err->status;
}

int plb_replay_read(const char *file, const char *kernel, struct plb_cluster_spec *spec,
                    struct plb_replay *replay, struct plb_error *err)
{
    json_error_t wrong;
    struct reading r = {
        .file = file, .run = json_load_file(file, 0, &wrong), .spec = spec, .replay = replay, .err = err};
    *spec = (struct plb_cluster_spec){0};
    *replay = (struct plb_replay){0};
    if (r.run == NULL)
        return plb_fail(err, PLB_EINPUT, "%s:%d: %s; expected a report, as plbrun --report writes it", file,
                        wrong.line, wrong.text);
    int status = read_run(&r, kernel);
    json_decref(r.run);
    if (status != PLB_OK) {
        plb_cluster_fini(spec);
        plb_replay_fini(replay);
    }
    return status;
}

void plb_replay_fini(struct plb_replay *replay)
{
    free(replay->costs);
    *replay = (struct plb_replay){0};
}
