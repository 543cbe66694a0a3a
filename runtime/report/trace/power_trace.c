#include "report/trace/power_trace.h"

#include <jansson.h>
#include <math.h>

#include "report/power.h"
#include "report/quantity.h"

#define DIGITS 15 /* as in report/trace/perfetto.c */

/* Joules are told once they are more by this part of all. Smaller: larger files. */
#define JOULES_STEP 2e-3

static void put(FILE *out, const char *name, int node, double at, const char *unit, double value)
{
    json_t *event = json_pack("{s:s, s:s, s:i, s:i, s:f, s:{s:f}}", "ph", "C", "name", name, "pid", node,
                              "tid", 0, "ts", at * 1e6, "args", unit, value);
    if (event == NULL) /* a name that is not UTF-8 */
        return;
    fputs(",\n", out);
    json_dumpf(event, out, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(event);
}

/* The sum at the end of a step, and in between where the step has many joules. */
static void put_joules(FILE *out, const char *name, const struct plb_power_curve *c, int i, double *sum,
                       double *told)
{
    double seconds = c->steps[i + 1].at - c->steps[i].at, joules = c->steps[i].watts * seconds;
    bool any = c->joules > 0.0;
    int parts = any ? (int)ceil(fmin(joules / (JOULES_STEP * c->joules), 1.0 / JOULES_STEP)) : 1;
    for (int part = 1; part < parts; part++)
        put(out, name, c->node, c->steps[i].at + seconds * part / parts, "J", *sum + joules * part / parts);
    *sum += joules;
    if (*sum - *told > JOULES_STEP * c->joules || i + 2 == c->n_steps) {
        put(out, name, c->node, c->steps[i + 1].at, "J", *sum);
        *told = *sum;
    }
}

static void put_curve(FILE *out, const struct plb_power_curve *c)
{
    char resolution[48] = "", text[PLB_QUANTITY_TEXT], watts[200], joules[200];
    double sum = 0.0, told = 0.0;
    if (c->resolution_j > 0.0)
        snprintf(resolution, sizeof resolution, ", %s", plb_joules_print(c->resolution_j, text));
    snprintf(watts, sizeof watts, "%s, by %s%s: watts", c->domain, c->meter, resolution);
    snprintf(joules, sizeof joules, "%s, by %s%s: joules", c->domain, c->meter, resolution);
    put(out, joules, c->node, c->steps[0].at, "J", 0.0);
    for (int i = 0; i < c->n_steps; i++) {
        bool last = i + 1 == c->n_steps;
        if (isnan(c->steps[i].watts))
            continue;
        put(out, watts, c->node, c->steps[i].at, "W", last ? 0.0 : c->steps[i].watts);
        if (!last)
            put_joules(out, joules, c, i, &sum, &told);
    }
}

void plb_power_trace_print(const struct plb_report *report, const struct plb_trace *trace, FILE *out)
{
    struct plb_power power;
    plb_power_find(report, trace, &power);
    for (int i = 0; i < power.n; i++)
        put_curve(out, &power.curves[i]);
    plb_power_fini(&power);
}
