/* Events in one array. The file is written event by event, so that a long trace needs no second copy as JSON.
 */
#include "report/trace.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

#define DIGITS 15 /* of a time in the file: a microsecond of a run that lasts for days */

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

const char *plb_trace_name(int type)
{
    static const char *const names[] = {[PLB_TRACE_TASK] = "task", [PLB_TRACE_TRANSFER] = "transfer",
                                        [PLB_TRACE_WAIT] = "wait", [PLB_TRACE_SOLVE] = "solve"};
    return names[type];
}

int plb_trace_owner(const struct plb_trace_event *e, int n_pus)
{
    return e->count > 0 && e->pu != PLB_TRACE_MASTER ? (int)(e->block % n_pus) : e->pu;
}

struct plb_trace_event *plb_trace_sorted(const struct plb_trace *trace,
                                         int (*compare)(const void *, const void *))
{
    struct plb_trace_event *events = plb_alloc((size_t)trace->n * sizeof *events);
    if (trace->n > 0)
        memcpy(events, trace->at, (size_t)trace->n * sizeof *events);
    qsort(events, (size_t)trace->n, sizeof *events, compare);
    return events;
}

/* --------------------------------------------------------- the file */

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

static void put_names(FILE *out, const struct plb_trace_pu *pus, int n_pus)
{
    char label[160];
    for (int p = 0; p < n_pus; p++) {
        snprintf(label, sizeof label, "node %d: %s", pus[p].node, pus[p].host);
        if (p == 0 || pus[p].node != pus[p - 1].node)
            put_name(out, "process_name", pus[p].node, pus[p].pu, label);
        snprintf(label, sizeof label, "PU %d: %s", pus[p].pu, pus[p].name);
        put_name(out, "thread_name", pus[p].node, pus[p].pu, label);
    }
    put_name(out, "thread_name", 0, n_pus, "master");
}

static void put_event(FILE *out, const struct plb_trace_event *e, int n_pus, const char *unit)
{
    json_t *args = json_object();
    if (e->count > 0) {
        json_object_set_new(args, "first", json_integer((json_int_t)e->first));
        json_object_set_new(args, "count", json_integer((json_int_t)e->count));
        json_object_set_new(args, "unit", json_string(unit));
        json_object_set_new(args, "pass", json_integer(e->pass));
        json_object_set_new(args, "block", json_integer((json_int_t)e->block));
    }
    if (plb_trace_owner(e, n_pus) != e->pu)
        json_object_set_new(args, "granted_to", json_integer(plb_trace_owner(e, n_pus)));
    put(out, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:o}", "ph", "X", "name", plb_trace_name(e->type),
                       "pid", e->node, "tid", e->pu == PLB_TRACE_MASTER ? n_pus : e->pu,
                       "ts", e->start * 1e6, "dur", e->seconds * 1e6, "args", args));
}

int plb_trace_write(const struct plb_trace *trace, const struct plb_trace_pu *pus, int n_pus,
                    const char *unit, const char *file, struct plb_error *err)
{
    struct plb_file f;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    struct plb_trace_event *events = plb_trace_sorted(trace, by_start);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", f.stream);
    fputs("{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":0,\"tid\":0,\"args\":{\"sort_index\":0}}",
          f.stream);
    put_names(f.stream, pus, n_pus);
    for (int64_t i = 0; i < trace->n; i++)
        put_event(f.stream, &events[i], n_pus, unit);
    fputs("\n]}\n", f.stream);
    free(events);
    return plb_file_commit(&f, err);
}
