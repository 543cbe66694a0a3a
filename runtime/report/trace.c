/* Chrome trace events, written one by one so that a long trace needs no second copy in memory. */
#include "report/trace.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

void plb_trace_append(struct plb_trace *trace, const struct plb_trace_event *events, int64_t n)
{
    if (n == 0)
        return;
    if (trace->n + n > trace->capacity) {
        trace->capacity = 2 * (trace->n + n) + 256;
        trace->at = plb_grow(trace->at, (size_t)trace->capacity * sizeof *trace->at);
    }
    memcpy(trace->at + trace->n, events, (size_t)n * sizeof *events);
    trace->n += n;
}

void plb_trace_add(struct plb_trace *trace, struct plb_trace_event event)
{
    if (trace->on && event.seconds > 0.0)
        plb_trace_append(trace, &event, 1);
}

void plb_trace_fini(struct plb_trace *trace)
{
    free(trace->at);
    *trace = (struct plb_trace){0};
}

int plb_trace_owner(const struct plb_trace_event *e, int n_pus)
{
    return e->count > 0 && e->pu != PLB_TRACE_MASTER ? (int)(e->block % n_pus) : e->pu;
}

static int by_start(const void *a, const void *b)
{
    const struct plb_trace_event *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* An event that cannot be JSON (a name that is not UTF-8) is left out. */
static void put(FILE *out, json_t *event)
{
    if (event == NULL)
        return;
    fputs(",\n", out);
    json_dumpf(event, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(event);
}

static void name(FILE *out, const char *kind, int pid, int tid, const char *text)
{
    put(out, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", kind, "pid", pid, "tid", tid, "args", "name", text));
}

int plb_trace_write(const struct plb_trace *trace, const struct plb_trace_pu *pus, int n_pus,
                    const char *unit, const char *file, struct plb_error *err)
{
    static const char *const names[] = {"task", "transfer", "wait", "solve"};
    struct plb_file f;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    struct plb_trace_event *events = plb_alloc((size_t)trace->n * sizeof *events);
    if (trace->n > 0)
        memcpy(events, trace->at, (size_t)trace->n * sizeof *events);
    qsort(events, (size_t)trace->n, sizeof *events, by_start);
    char label[160];
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", f.stream);
    fputs("{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":0,\"tid\":0,\"args\":{\"sort_index\":0}}", f.stream);
    for (int p = 0; p < n_pus; p++) {
        snprintf(label, sizeof label, "node %d: %s", pus[p].node, pus[p].host);
        if (p == 0 || pus[p].node != pus[p - 1].node)
            name(f.stream, "process_name", pus[p].node, pus[p].pu, label);
        snprintf(label, sizeof label, "PU %d: %s", pus[p].pu, pus[p].name);
        name(f.stream, "thread_name", pus[p].node, pus[p].pu, label);
    }
    name(f.stream, "thread_name", 0, n_pus, "master");
    for (int64_t i = 0; i < trace->n; i++) {
        const struct plb_trace_event *e = &events[i];
        json_t *args = e->count > 0 ? json_pack("{s:I, s:I, s:s, s:i, s:I}", "first", (json_int_t)e->first, "count", (json_int_t)e->count, "unit", unit, "pass", e->pass,
                                                   "block", (json_int_t)e->block)
                                    : json_object();
        if (plb_trace_owner(e, n_pus) != e->pu)
            json_object_set_new(args, "granted_to", json_integer(plb_trace_owner(e, n_pus)));
        put(f.stream, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "ph", "X", "name", names[e->type], "pid", e->node, "tid",
                                e->pu == PLB_TRACE_MASTER ? n_pus : e->pu, "ts", e->start * 1e6, "dur", e->seconds * 1e6, "args", args));
    }
    fputs("\n]}\n", f.stream);
    free(events);
    return plb_file_commit(&f, err);
}
