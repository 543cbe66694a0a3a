/* A PU's curve is made of what changes: +watts where a task begins, -watts where it ends. */
#include "report/power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define CLUSTER_FILE "the .cluster file"

struct span {
    double begin, end;
    int pu, node;
};

/* ------------------------------------------------------------------------------- PUs */

static int by_pu(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->pu != y->pu)
        return x->pu - y->pu;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_node(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->node != y->node)
        return x->node - y->node;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_time(const void *a, const void *b)
{
    const struct plb_power_step *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* The times in which PUs had tasks, with their copies, sorted by PU. Returns how many. */
static int64_t find_spans(const struct plb_report *r, const struct plb_trace *trace, struct span **spans)
{
    int64_t n = 0;
    *spans = plb_alloc((size_t)(trace->n + 1) * sizeof **spans);
    for (int64_t i = 0; i < trace->n; i++) {
        const struct plb_trace_event *e = &trace->at[i];
        bool works = e->type == PLB_TRACE_TASK || e->type == PLB_TRACE_TRANSFER;
        if (works && e->pu >= 0 && e->pu < r->n_pus)
            (*spans)[n++] = (struct span){e->start, e->start + e->seconds, e->pu, r->pus[e->pu].node};
    }
    qsort(*spans, (size_t)n, sizeof **spans, by_pu);
    return n;
}

/* Spans that touch or overlap become one. Returns how many are left. */
static int64_t merge(struct span *spans, int64_t n, bool of_nodes)
{
    int64_t last = -1;
    for (int64_t i = 0; i < n; i++) {
        bool same = last >= 0
                 && (of_nodes ? spans[i].node == spans[last].node : spans[i].pu == spans[last].pu);
        if (same && spans[i].begin <= spans[last].end)
            spans[last].end = fmax(spans[last].end, spans[i].end);
        else
            spans[++last] = spans[i];
    }
    return last + 1;
}

/* Adds what a span changes. */
static void change(struct plb_power_curve *c, double begin, double end, double watts)
{
    if (!(end > begin) || !(watts > 0.0))
        return;
    c->steps[c->n_steps++] = (struct plb_power_step){begin, watts};
    c->steps[c->n_steps++] = (struct plb_power_step){end, -watts};
}

/* Sums changes up. */
static void settle(struct plb_power_curve *c)
{
    int n = 0;
    double watts = 0.0;
    qsort(c->steps, (size_t)c->n_steps, sizeof *c->steps, by_time);
    for (int i = 0; i < c->n_steps; i++) {
        watts += c->steps[i].watts;
        bool again = n > 0 && c->steps[n - 1].at == c->steps[i].at;
        n += !again;
        c->steps[n - 1] = (struct plb_power_step){c->steps[i].at, watts > 1e-9 ? watts : 0.0};
    }
    c->n_steps = n;
}

/* The spans of one PU or node among all, from *first on. */
static int64_t count_of(const struct span *spans, int64_t n, int64_t *first, bool of_nodes, int id)
{
    int64_t end;
    while (*first < n && (of_nodes ? spans[*first].node : spans[*first].pu) < id)
        ++*first;
    for (end = *first; end < n && (of_nodes ? spans[end].node : spans[end].pu) == id;)
        end++;
    return end - *first;
}

static void add_pus(struct plb_power *power, const struct plb_report *r, const struct span *spans, int64_t n,
                    const struct span *nodes, int64_t n_nodes)
{
    int64_t first = 0, node_first = 0;
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        double idle = pu->watts_idle, besides = pu->watts_busy - idle, joules = pu->static_j + pu->dynamic_j;
        node_first = p > 0 && pu->node < pu[-1].node ? 0 : node_first;
        int64_t own = count_of(spans, n, &first, false, p);
        int64_t of_node = count_of(nodes, n_nodes, &node_first, true, pu->node);
        bool is_given = pu->watts_origin != NULL && strcmp(pu->watts_origin, "given") == 0;
        if (!is_given || !isfinite(joules + idle + besides))
            continue;
        struct plb_power_curve *c = &power->curves[power->n++];
        *c = (struct plb_power_curve){.host = pu->host,
                                      .meter = CLUSTER_FILE,
                                      .group = pu->name,
                                      .node = pu->node,
                                      .resolution_j = (double)NAN,
                                      .joules = joules,
                                      .counted = true};
        snprintf(c->domain, sizeof c->domain, "PU %d %s", p, pu->name);
        c->steps = plb_alloc((size_t)(2 * (own + of_node) + 4) * sizeof *c->steps);
        c->steps[c->n_steps++] = (struct plb_power_step){power->begin, 0.0};
        c->steps[c->n_steps++] = (struct plb_power_step){power->end, 0.0};
        if (r->goal.rule != PLB_STATIC_BUSY)
            change(c, power->begin, power->begin + pu->static_j / idle, idle);
        if (r->goal.rule == PLB_STATIC_BUSY)
            for (int64_t i = 0; i < of_node; i++)
                change(c, nodes[node_first + i].begin, nodes[node_first + i].end, idle);
        for (int64_t i = 0; i < own; i++)
            change(c, spans[first + i].begin, spans[first + i].end, besides);
        settle(c);
    }
}

/* ----------------------------------------------------------------------------- meters */

static int by_meter(const void *a, const void *b)
{
    const struct plb_trace_event *x = a, *y = b;
    if (x->node != y->node)
        return x->node - y->node;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* The first window of a meter, and how many it has. */
static int64_t find_windows(const struct plb_trace_event *windows, int64_t n,
                            const struct plb_report_meter *m, int64_t *many)
{
    const struct plb_trace_event wanted = {.node = m->node, .first = m->number, .start = -INFINITY};
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (by_meter(&windows[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*many = 0; low + *many < n; ++*many)
        if (windows[low + *many].node != m->node || windows[low + *many].first != m->number)
            break;
    return low;
}

static void add_meter(struct plb_power *power, const struct plb_report_meter *m,
                      const struct plb_trace_event *windows, int64_t n)
{
    double end = 0.0;
    struct plb_power_curve *c = &power->curves[power->n];
    *c = (struct plb_power_curve){.host = m->host,
                                  .meter = m->meter,
                                  .group = m->of,
                                  .node = m->node,
                                  .resolution_j = m->resolution_j,
                                  .joules = m->joules,
                                  .counted = m->counted};
    if (n == 0)
        return;
    power->n++;
    snprintf(c->domain, sizeof c->domain, "%s", m->domain);
    c->steps = plb_alloc((size_t)(2 * n + 1) * sizeof *c->steps);
    for (int64_t i = 0; i < n; i++) {
        const struct plb_trace_event *w = &windows[i];
        if (i > 0 && w->start > end + 1e-6) /* between two of them nothing was read */
            c->steps[c->n_steps++] = (struct plb_power_step){end, (double)NAN};
        c->steps[c->n_steps++] = (struct plb_power_step){w->start, 1e-6 * (double)w->count / w->seconds};
        end = w->start + w->seconds;
    }
    c->steps[c->n_steps++] = (struct plb_power_step){end, 0.0};
}

static void add_meters(struct plb_power *power, const struct plb_report *r, const struct plb_trace *trace)
{
    size_t n = (size_t)trace->n_windows;
    struct plb_trace_event *windows = plb_alloc((n + 1) * sizeof *windows);
    if (n > 0)
        memcpy(windows, trace->windows, n * sizeof *windows);
    qsort(windows, n, sizeof *windows, by_meter);
    for (int i = 0; i < r->n_meters; i++) {
        int64_t many, first = find_windows(windows, trace->n_windows, &r->meters[i], &many);
        if (isfinite(r->meters[i].joules))
            add_meter(power, &r->meters[i], windows + first, many);
    }
    free(windows);
}

void plb_power_find(const struct plb_report *r, const struct plb_trace *trace, struct plb_power *power)
{
    struct span *spans, *nodes;
    *power = (struct plb_power){.begin = trace->n > 0 ? INFINITY : 0.0};
    power->curves = plb_alloc((size_t)(r->n_meters + r->n_pus + 1) * sizeof *power->curves);
    for (int64_t i = 0; i < trace->n; i++) {
        power->begin = fmin(power->begin, trace->at[i].start);
        power->end = fmax(power->end, trace->at[i].start + trace->at[i].seconds);
    }
    if (r->mode == PLB_SIMULATED)
        power->begin = 0.0;
    power->end = fmax(power->end, power->begin);
    if (trace->n == 0)
        return;
    add_meters(power, r, trace);
    int64_t n = find_spans(r, trace, &spans), n_nodes;
    nodes = plb_alloc((size_t)(n + 1) * sizeof *nodes);
    if (n > 0)
        memcpy(nodes, spans, (size_t)n * sizeof *nodes);
    qsort(nodes, (size_t)n, sizeof *nodes, by_node);
    n_nodes = merge(nodes, n, true);
    n = merge(spans, n, false);
    add_pus(power, r, spans, n, nodes, n_nodes);
    free(spans);
    free(nodes);
}

void plb_power_fini(struct plb_power *power)
{
    for (int i = 0; i < power->n; i++)
        free(power->curves[i].steps);
    free(power->curves);
    *power = (struct plb_power){.n = 0};
}

double plb_power_between(const struct plb_power_curve *c, double begin, double end, int *from,
                         double *known_s)
{
    double joules = 0.0;
    *known_s = 0.0;
    while (*from + 1 < c->n_steps && c->steps[*from + 1].at <= begin)
        ++*from;
    for (int i = *from; i + 1 < c->n_steps && c->steps[i].at < end; i++) {
        double seconds = fmin(end, c->steps[i + 1].at) - fmax(begin, c->steps[i].at);
        if (!(seconds > 0.0) || isnan(c->steps[i].watts))
            continue;
        *known_s += seconds;
        joules += seconds * c->steps[i].watts;
    }
    return joules;
}
