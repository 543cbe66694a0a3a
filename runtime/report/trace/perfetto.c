/* The file is written event by event, so that a long trace needs no second copy as JSON. */
#include "report/trace/perfetto.h"

#include <jansson.h>
#include <stdlib.h>

#include "report/trace/power_trace.h"

#define DIGITS 15 /* of a time: enough for a microsecond in a run of days */

static int by_start(const void *a, const void *b)
{
    const struct plb_trace_event *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Writes one object. One that cannot be JSON, because a name is not UTF-8, is left out. */
static void put(FILE *out, json_t *object)
{
    if (object == NULL)
        return;
    fputs(",\n", out);
    json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(object);
}

/* Tells Perfetto the name of a process (a node) or a thread (a PU). */
static void put_name(FILE *out, const char *kind, int pid, int tid, const char *text)
{
    put(out, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", kind, "pid", pid, "tid", tid,
                       "args", "name", text));
}

static void put_names(FILE *out, const struct plb_report *report)
{
    char label[160];
    for (int p = 0; p < report->n_pus; p++) {
        const struct plb_report_pu *pu = &report->pus[p];
        snprintf(label, sizeof label, "node %d: %s%s", pu->node, pu->host,
                 report->mode == PLB_SIMULATED ? " (simulated)" : "");
        if (p == 0 || pu->node != pu[-1].node)
            put_name(out, "process_name", pu->node, p, label);
        snprintf(label, sizeof label, "PU %d: %s", p, pu->name);
        put_name(out, "thread_name", pu->node, p, label);
    }
    put_name(out, "thread_name", 0, report->n_pus, "master");
}

static void put_event(FILE *out, const struct plb_trace_event *e, const struct plb_report *report)
{
    int granted_to = plb_trace_granted_to(e, report->n_pus);
    json_t *args = json_object();
    if (e->count > 0) {
        json_object_set_new(args, "first", json_integer((json_int_t)e->first));
        json_object_set_new(args, "count", json_integer((json_int_t)e->count));
        json_object_set_new(args, "unit", json_string(report->unit));
        json_object_set_new(args, "pass", json_integer(e->pass));
        json_object_set_new(args, "block", json_integer((json_int_t)e->block));
    }
    if (e->type == PLB_TRACE_SOLVE && e->first > 0)
        json_object_set_new(args, "rest_s", json_real(1e-9 * (double)e->first));
    if (granted_to != e->pu)
        json_object_set_new(args, "granted_to", json_integer(granted_to));
    put(out, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "ph", "X", "name", plb_trace_name(e->type),
                       "pid", e->node, "tid", e->pu == PLB_TRACE_MASTER ? report->n_pus : e->pu, "ts",
                       e->start * 1e6, "dur", e->seconds * 1e6, "args", args));
}

void plb_perfetto_print(const struct plb_trace *trace, const struct plb_report *report, FILE *out)
{
    struct plb_trace_event *events = plb_trace_sorted(trace, by_start);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", out);
    fputs("{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":0,\"tid\":0,"
          "\"args\":{\"sort_index\":0}}",
          out);
    put_names(out, report);
    for (int64_t i = 0; i < trace->n; i++)
        put_event(out, &events[i], report);
    plb_power_trace_print(report, trace, out);
    fputs("\n]}\n", out);
    free(events);
}
