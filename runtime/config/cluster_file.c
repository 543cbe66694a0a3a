/* Reading .cluster files: [pu NAME] sections first, then [node NAME] sections that use them. */
#include "config/cluster_file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/ini.h"
#include "config/nearest.h"

#define MAX_COUNT 1000000 /* copies of one node; more is a typing error that would fill the memory */

/* The state of reading. */
struct reading {
    const struct plb_ini *conf;
    const char *kernel;            /* whose rate.KERNEL counts, or NULL */
    struct plb_pu_spec *described; /* the [pu NAME] sections */
    int n_described;
    struct plb_cluster_spec *spec;
    struct plb_error *err;
};

static int bad(const struct reading *r, const struct plb_ini_entry *e, const char *expected)
{
    return plb_fail(r->err, PLB_EINPUT, "%s:%d: %s = %s: expected %s", r->conf->file, e->line, e->key,
                    e->value, expected);
}

/* A key of [pu NAME] or [simulation] whose value is one number. */
struct number_key {
    const char *key;
    size_t offset; /* of the double in its struct */
    double min;
    const char *expected;
};

#define AT(field) offsetof(struct plb_pu_spec, field)

static const struct number_key number_keys[] = {
    {"power", AT(power), 1e-300, "a number above 0"},
    {"rate", AT(rate), 1e-300, "cost units per second, a number above 0"},
    {"half", AT(half), 0.0, "an amount of cost, 0 or more"},
    {"overhead", AT(overhead), 0.0, "seconds per task, 0 or more"},
    {"replicated_bandwidth", AT(replicated_bandwidth), 1e-300, "bytes per second, a number above 0"},
    {"noise", AT(noise), 0.0, "a relative spread such as 0.03, 0 or more"},
    {"memory", AT(memory), 1.0, "bytes, 1 or more"},
    {"slowdown", AT(slowdown), 1.0, "wall seconds per CPU second, 1 or more"},
    {"static_watts", AT(static_watts), 0.0, "watts, 0 or more"},
    {"dynamic_watts", AT(dynamic_watts), 0.0, "watts, 0 or more"},
    {0},
};

#define SIMULATION(field) offsetof(struct plb_simulation_spec, field)

static const struct number_key simulation_keys[] = {
    {"message", SIMULATION(message_s), 0.0, "seconds of rank 0 for a message, 0 or more"},
    {"frame", SIMULATION(frame_s), 0.0, "seconds of rank 0 for a frame of messages, 0 or more"},
    {"solve", SIMULATION(solve_s), 0.0, "seconds of rank 0 for each PU in a solve, 0 or more"},
    {"fit", SIMULATION(fit_s), 0.0, "seconds of rank 0 for a curve, 0 or more"},
    {"cost_error", SIMULATION(cost_error), 0.0, "a relative spread such as 0.2, 0 or more"},
    {0},
};

/* Two numbers with a separator between them; 0 where the text is something else. */
static int read_pair(const char *text, char separator, double *a, double *b)
{
    char copy[128], *middle;
    snprintf(copy, sizeof copy, "%s", text);
    middle = strchr(copy, separator);
    if (middle == NULL)
        return 0;
    *middle++ = '\0';
    copy[strcspn(copy, " \t")] = '\0';
    middle += strspn(middle, " \t");
    return plb_parse_real(copy, a) && plb_parse_real(middle, b);
}

/* The keys whose values are not one number: kind, copy and slow. */
static int read_special(struct reading *r, struct plb_pu_spec *pu, const struct plb_ini_entry *e)
{
    double a, b;
    if (strcmp(e->key, "kind") == 0) {
        if (!plb_parse_choice(e->value, "cpu|gpu|accelerator", &a))
            return bad(r, e, "cpu, gpu or accelerator");
        pu->kind = (enum plb_pu_kind)a;
        return PLB_OK;
    }
    if (strcmp(e->key, "copy") == 0) {
        if (!read_pair(e->value, ',', &a, &b) || a <= 0.0 || b < 0.0)
            return bad(r, e, "'bytes/s, seconds', such as 6e9, 1e-5");
        pu->copy_bandwidth = a;
        pu->copy_latency = b;
        return PLB_OK;
    }
    if (!read_pair(e->value, ':', &a, &b) || a < 0.0 || b < 0.0)
        return bad(r, e, "'second:factor', such as 142:3 (factor 0 = dies)");
    if (pu->n_slow == PLB_MAX_SLOW)
        return plb_fail(r->err, PLB_EINPUT, "%s:%d: more than %d 'slow' lines for one PU; leave some out",
                        r->conf->file, e->line, PLB_MAX_SLOW);
    if (pu->n_slow > 0 && a < pu->slow_at[pu->n_slow - 1])
        return bad(r, e, "'slow' lines in order of time");
    pu->slow_at[pu->n_slow] = a;
    pu->slow_by[pu->n_slow++] = b;
    return PLB_OK;
}

static int unknown_key(const struct reading *r, const struct plb_ini_entry *e, const char *const *known)
{
    const char *near = plb_nearest(e->key, known);
    char all[256] = "";
    if (near != NULL)
        return plb_fail(r->err, PLB_EINPUT, "%s:%d: unknown key '%s' in [%s]; did you mean '%s'?",
                        r->conf->file, e->line, e->key, e->section, near);
    for (size_t n = 0; *known != NULL && n < sizeof all; known++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n > 0 ? ", " : "", *known);
    return plb_fail(r->err, PLB_EINPUT, "%s:%d: unknown key '%s' in [%s], which knows: %s", r->conf->file,
                    e->line, e->key, e->section, all);
}

static int read_pu_key(struct reading *r, struct plb_pu_spec *pu, const struct plb_ini_entry *e,
                       bool *own_rate)
{
    const char *key = e->key;
    if (strcmp(key, "kind") == 0 || strcmp(key, "copy") == 0 || strcmp(key, "slow") == 0)
        return read_special(r, pu, e);
    bool per_kernel = strncmp(key, "rate.", 5) == 0;
    for (const struct number_key *n = number_keys; n->key != NULL; n++) {
        if (strcmp(key, n->key) != 0 && !(per_kernel && strcmp(n->key, "rate") == 0))
            continue;
        double value;
        if (!plb_parse_real(e->value, &value) || value < n->min)
            return bad(r, e, n->expected);
        bool ours = per_kernel && r->kernel != NULL && strcmp(key + 5, r->kernel) == 0;
        if ((per_kernel && !ours) || (strcmp(key, "rate") == 0 && *own_rate))
            return PLB_OK;
        *own_rate = *own_rate || ours;
        memcpy((char *)pu + n->offset, &value, sizeof value);
        return PLB_OK;
    }
    const char *known[sizeof number_keys / sizeof *number_keys + 3] = {"kind", "copy", "slow"};
    for (int i = 0; number_keys[i].key != NULL; i++)
        known[3 + i] = number_keys[i].key;
    return unknown_key(r, e, known);
}

static struct plb_pu_spec *described_as(struct reading *r, const char *name)
{
    for (int i = 0; i < r->n_described; i++)
        if (strcmp(r->described[i].name, name) == 0)
            return &r->described[i];
    return NULL;
}

/* One [pu NAME] section. An empty one has all the defaults. */
static int read_pu(struct reading *r, const struct plb_ini_section *section)
{
    struct plb_pu_spec *pu = &r->described[r->n_described++];
    bool own_rate = false;
    *pu = (struct plb_pu_spec){.memory = INFINITY,
                               .copy_bandwidth = INFINITY,
                               .slowdown = 1.0,
                               .static_watts = (double)NAN,
                               .dynamic_watts = (double)NAN};
    snprintf(pu->name, sizeof pu->name, "%s", section->name + 3);
    for (int i = 0; i < r->conf->n; i++)
        if (strcmp(r->conf->at[i].section, section->name) == 0
            && read_pu_key(r, pu, &r->conf->at[i], &own_rate) != PLB_OK)
            return r->err->status;
    return PLB_OK;
}

/* All [pu NAME] sections. A PU with no power has its rate as power, or 1. */
static int read_pus(struct reading *r)
{
    for (int i = 0; i < r->conf->n; i++)
        if (r->conf->at[i].section[0] == '\0')
            return plb_fail(r->err, PLB_EINPUT,
                            "%s:%d: %s stands before the first [section]; put it under one", r->conf->file,
                            r->conf->at[i].line, r->conf->at[i].key);
    for (int i = 0; i < r->conf->n_sections; i++)
        if (strncmp(r->conf->sections[i].name, "pu ", 3) == 0 && read_pu(r, &r->conf->sections[i]) != PLB_OK)
            return r->err->status;
    for (int i = 0; i < r->n_described; i++)
        if (r->described[i].power == 0.0)
            r->described[i].power = r->described[i].rate > 0.0 ? r->described[i].rate : 1.0;
    return PLB_OK;
}

/* `pus = NAME, …` of a node, perhaps not its first: adds these PUs to the cluster. */
static int read_node_pus(struct reading *r, struct plb_node_spec *node, const struct plb_ini_entry *e,
                         bool simulate)
{
    struct plb_cluster_spec *spec = r->spec;
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", e->value);
    if (node->n_pus == 0)
        node->first_pu = spec->n_pus;
    for (char *save, *name = strtok_r(copy, ", \t", &save); name != NULL;
         name = strtok_r(NULL, ", \t", &save)) {
        const struct plb_pu_spec *pu = described_as(r, name);
        if (pu == NULL)
            return plb_fail(r->err, PLB_EINPUT, "%s:%d: PU '%s' is not described; add a section [pu %s]",
                            r->conf->file, e->line, name, name);
        if (simulate && !(pu->rate > 0.0))
            return plb_fail(r->err, PLB_EINPUT,
                            "%s:%d: PU '%s' has no rate, which a simulation needs; add 'rate = …' to [pu %s]",
                            r->conf->file, e->line, name, name);
        spec->pus = plb_grow(spec->pus, (size_t)(spec->n_pus + 1) * sizeof *spec->pus);
        spec->pus[spec->n_pus++] = *pu;
    }
    node->n_pus = spec->n_pus - node->first_pu;
    return node->n_pus > 0 ? PLB_OK : bad(r, e, "names of [pu …] sections, separated by commas");
}

static int read_node_key(struct reading *r, struct plb_node_spec *node, const struct plb_ini_entry *e,
                         bool simulate, int *count)
{
    double value;
    if (strcmp(e->key, "pus") == 0)
        return read_node_pus(r, node, e, simulate);
    if (strcmp(e->key, "bandwidth") == 0) {
        if (!plb_parse_real(e->value, &node->bandwidth) || node->bandwidth <= 0.0)
            return bad(r, e, "bytes per second, above 0");
    } else if (strcmp(e->key, "latency") == 0) {
        if (!plb_parse_real(e->value, &node->latency) || node->latency < 0.0)
            return bad(r, e, "seconds, 0 or more");
    } else if (strcmp(e->key, "count") == 0) {
        if (!plb_parse_int(e->value, &value) || value < 1.0 || value > MAX_COUNT)
            return bad(r, e, "how often the node is there, 1 or more");
        *count = (int)value;
    } else {
        return unknown_key(r, e, (const char *const[]){"pus", "bandwidth", "latency", "count", NULL});
    }
    return PLB_OK;
}

/* Copies the last node, with its PUs, until the cluster has it `count` times. */
static void repeat(struct plb_cluster_spec *spec, int count)
{
    struct plb_node_spec node = spec->nodes[spec->n_nodes - 1];
    size_t pus = (size_t)spec->n_pus + (size_t)(count - 1) * (size_t)node.n_pus;
    spec->nodes = plb_grow(spec->nodes, (size_t)(spec->n_nodes + count - 1) * sizeof *spec->nodes);
    spec->pus = plb_grow(spec->pus, pus * sizeof *spec->pus);
    for (int i = 1; i < count; i++) {
        struct plb_node_spec copy = node;
        copy.first_pu = spec->n_pus;
        memcpy(spec->pus + spec->n_pus, spec->pus + node.first_pu, (size_t)node.n_pus * sizeof *spec->pus);
        spec->n_pus += node.n_pus;
        spec->nodes[spec->n_nodes++] = copy;
    }
}

/* All keys of the last node have been read. */
static int end_node(struct reading *r, int line, int count)
{
    struct plb_cluster_spec *spec = r->spec;
    if (spec->n_nodes == 0)
        return PLB_OK;
    const struct plb_node_spec *node = &spec->nodes[spec->n_nodes - 1];
    if (node->n_pus == 0)
        return plb_fail(r->err, PLB_EINPUT, "%s:%d: [node %s] has no 'pus = …'; name its PUs", r->conf->file,
                        line, node->name);
    repeat(spec, count);
    return PLB_OK;
}

/* All [node NAME] sections, in the order of the file. */
static int read_nodes(struct reading *r, bool simulate)
{
    struct plb_cluster_spec *spec = r->spec;
    const char *section = "";
    int count = 1, line = 0;
    for (int i = 0; i < r->conf->n; i++) {
        const struct plb_ini_entry *e = &r->conf->at[i];
        if (strncmp(e->section, "node ", 5) != 0)
            continue;
        if (strcmp(e->section, section) != 0) {
            if (end_node(r, line, count) != PLB_OK)
                return r->err->status;
            section = e->section;
            count = 1;
            spec->nodes = plb_grow(spec->nodes, (size_t)(spec->n_nodes + 1) * sizeof *spec->nodes);
            struct plb_node_spec *fresh = &spec->nodes[spec->n_nodes++];
            *fresh = (struct plb_node_spec){.bandwidth = PLB_LINK_BANDWIDTH, .latency = PLB_LINK_LATENCY};
            snprintf(fresh->name, sizeof fresh->name, "%s", section + 5);
        }
        line = e->line;
        if (read_node_key(r, &spec->nodes[spec->n_nodes - 1], e, simulate, &count) != PLB_OK)
            return r->err->status;
    }
    if (end_node(r, line, count) != PLB_OK)
        return r->err->status;
    if (spec->n_nodes == 0)
        return plb_fail(r->err, PLB_EINPUT, "%s: no [node NAME] section; describe at least one node",
                        r->conf->file);
    return PLB_OK;
}

static int read_simulation_key(struct reading *r, const struct plb_ini_entry *e)
{
    const char *known[sizeof simulation_keys / sizeof *simulation_keys] = {NULL};
    for (int i = 0; simulation_keys[i].key != NULL; i++) {
        const struct number_key *n = &simulation_keys[i];
        double value;
        known[i] = n->key;
        if (strcmp(e->key, n->key) != 0)
            continue;
        if (!plb_parse_real(e->value, &value) || value < n->min)
            return bad(r, e, n->expected);
        value = value > 0.0 ? value : -1.0; /* 0 is what stands for the default */
        memcpy((char *)&r->spec->simulation + n->offset, &value, sizeof value);
        return PLB_OK;
    }
    return unknown_key(r, e, known);
}

static int read_simulation(struct reading *r)
{
    for (int i = 0; i < r->conf->n; i++)
        if (strcmp(r->conf->at[i].section, "simulation") == 0
            && read_simulation_key(r, &r->conf->at[i]) != PLB_OK)
            return r->err->status;
    return PLB_OK;
}

/* Checks that each section is a node, a PU or the simulation and is there once, and that each key but `slow`
 * is in it once. */
static int check_form(struct reading *r)
{
    const struct plb_ini *c = r->conf;
    for (int i = 0; i < c->n_sections; i++) {
        const struct plb_ini_section *s = &c->sections[i];
        bool node = strncmp(s->name, "node ", 5) == 0, keys = false;
        if (!node && strncmp(s->name, "pu ", 3) != 0 && strcmp(s->name, "simulation") != 0)
            return plb_fail(r->err, PLB_EINPUT,
                            "%s:%d: section [%s]: expected [node NAME], [pu NAME] or [simulation]", c->file,
                            s->line, s->name);
        for (int j = 0; j < i; j++)
            if (strcmp(c->sections[j].name, s->name) == 0)
                return plb_fail(r->err, PLB_EINPUT,
                                "%s:%d: [%s] is already in line %d; give it another name, or `count = N` for "
                                "a node that is there N times",
                                c->file, s->line, s->name, c->sections[j].line);
        for (int j = 0; j < c->n; j++)
            keys = keys || strcmp(c->at[j].section, s->name) == 0;
        if (node && !keys)
            return plb_fail(r->err, PLB_EINPUT, "%s:%d: [%s] has no 'pus = …'; name its PUs", c->file,
                            s->line, s->name);
    }
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(c->at[i].section, c->at[j].section) == 0 && strcmp(c->at[i].key, c->at[j].key) == 0
                && strcmp(c->at[i].key, "slow") != 0 && strcmp(c->at[i].key, "pus") != 0)
                return plb_fail(r->err, PLB_EINPUT,
                                "%s:%d: %s is already set in line %d; leave one of them out", c->file,
                                c->at[i].line, c->at[i].key, c->at[j].line);
    return PLB_OK;
}

int plb_cluster_read(const char *file, const char *kernel, bool simulate, struct plb_cluster_spec *spec,
                     struct plb_error *err)
{
    struct plb_ini conf;
    *spec = (struct plb_cluster_spec){0};
    if (plb_ini_read(file, &conf, err) != PLB_OK)
        return err->status;
    struct reading r = {.conf = &conf, .kernel = kernel, .spec = spec, .err = err};
    r.described = plb_alloc((size_t)(conf.n_sections + 1) * sizeof *r.described);
    if (check_form(&r) == PLB_OK && read_simulation(&r) == PLB_OK && read_pus(&r) == PLB_OK)
        read_nodes(&r, simulate);
    free(r.described);
    plb_ini_fini(&conf);
    if (err->status != PLB_OK)
        plb_cluster_fini(spec);
    return err->status;
}

void plb_cluster_fini(struct plb_cluster_spec *spec)
{
    free(spec->nodes);
    free(spec->pus);
    *spec = (struct plb_cluster_spec){0};
}
