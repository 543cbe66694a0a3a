/* An SVG of fixed width inside an HTML page. What is narrower than a fraction of a pixel is joined with its
 * neighbours of the same kind, so that a million tasks are as many rectangles as can be seen. */
#include "report/gantt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define LEFT 210.0          /* pixels for names */
#define WIDTH 1100.0        /* of the time axis */
#define LANE 30.0
#define TOP 30.0
#define VISIBLE 0.4         /* pixels: gaps below this are joined */

/* Rectangles of one lane that are being joined. */
struct run {
    const struct plb_trace_event *first;
    double start, end;
    int64_t units, pieces;
    int owner;
};

struct chart {
    FILE *out;
    const struct plb_report *report;
    const struct plb_trace_pu *pus;
    double begin, scale;        /* pixels per second */
};

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 32 ? ' ' : *text, out);
        }
}

static double x_of(const struct chart *c, double time)
{
    return LEFT + (time - c->begin) * c->scale;
}

/* The middle of a PU's lane. */
static double y_of(int pu)
{
    return TOP + LANE * (pu + 0.5);
}

static void put_run(const struct chart *c, const struct run *r)
{
    static const char *const classes[] = {"task", "transfer", "wait", "solve"};
    char seconds[16];
    if (r->first == NULL || r->first->pu < 0 || r->first->pu >= c->report->n_pus)
        return;
    bool stolen = r->owner != r->first->pu;
    fprintf(c->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\"><title>", stolen && r->first->type == PLB_TRACE_TASK ? "stolen" : classes[r->first->type],
            x_of(c, r->start), y_of(r->first->pu) - (r->first->type == PLB_TRACE_WAIT ? 3.0 : 10.0),
            (r->end - r->start) * c->scale > VISIBLE ? (r->end - r->start) * c->scale : VISIBLE, r->first->type == PLB_TRACE_WAIT ? 6.0 : 20.0);
    fprintf(c->out, "%s, %s from %.6f s", classes[r->first->type], plb_seconds_print(r->end - r->start, seconds), r->start - c->begin);
    if (r->units > 0) {
        fprintf(c->out, ": %" PRId64 " ", r->units);
        put_text(c->out, c->report->unit);
        fprintf(c->out, " from %" PRId64 " on", r->first->first);
    }
    if (r->pieces > 1)
        fprintf(c->out, ", %" PRId64 " of them in a row", r->pieces);
    if (stolen)
        fprintf(c->out, ", granted to PU %d", r->owner);
    fputs("</title></rect>\n", c->out);
}

static void put_arrow(const struct chart *c, int from, int to, double time)
{
    if (from < 0 || from >= c->report->n_pus)
        return;
    double x = x_of(c, time), y1 = y_of(from), y2 = y_of(to) + (from < to ? -10.0 : 10.0);
    fprintf(c->out, "<path class=\"steal\" d=\"M%.2f %.1fL%.2f %.1f\" marker-end=\"url(#head)\"><title>granted to PU %d, executed by PU %d</title></path>\n",
            x - 6.0, y1, x, y2, from, to);
}

static int by_lane(const void *a, const void *b)
{
    const struct plb_trace_event *x = a, *y = b;
    if (x->pu != y->pu)
        return x->pu < y->pu ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* All events, in lanes, joined; arrows where the owner changes to another PU. */
static void put_events(const struct chart *c, const struct plb_trace_event *events, int64_t n)
{
    struct run r = {.first = NULL};
    for (int64_t i = 0; i < n; i++) {
        const struct plb_trace_event *e = &events[i];
        int owner = plb_trace_owner(e, c->report->n_pus);
        bool same = r.first != NULL && r.first->pu == e->pu && r.first->type == e->type && r.owner == owner;
        if (e->type == PLB_TRACE_TASK && owner != e->pu && !same)
            put_arrow(c, owner, e->pu, e->start);
        bool narrow = same && (e->start - r.end) * c->scale < VISIBLE && (r.end - r.start) * c->scale < VISIBLE;
        if (!narrow) {
            put_run(c, &r);
            r = (struct run){.first = e, .start = e->start, .owner = owner};
        }
        r.end = e->start + e->seconds;
        r.units += e->count;
        r.pieces++;
    }
    put_run(c, &r);
}

static void put_head(const struct chart *c, double seconds)
{
    char text[16];
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", c->out);
    put_text(c->out, c->report->app);
    fprintf(c->out, ": %s with %s</title>\n<style>\nbody { font: 14px sans-serif; margin: 16px; color: #222 }\n"
            ".task { fill: #0072b2 } .stolen { fill: #d55e00 } .transfer { fill: #e69f00 } .wait { fill: #ccc } .solve { fill: #009e73 }\n"
            ".steal { stroke: #d55e00; fill: none } .axis { stroke: #ddd } text { font-size: 12px; fill: #222 }\n</style></head><body>\n<p>",
            plb_seconds_print(c->report->makespan_s, text), c->report->balancer);
    plb_report_line(c->report, c->out);
    fputs("</p>\n<p><svg width=\"12\" height=\"12\"><rect class=\"task\" width=\"12\" height=\"12\"/></svg> task &nbsp; "
          "<svg width=\"12\" height=\"12\"><rect class=\"stolen\" width=\"12\" height=\"12\"/></svg> task that was granted to another PU, where its arrow begins &nbsp; "
          "<svg width=\"12\" height=\"12\"><rect class=\"transfer\" width=\"12\" height=\"12\"/></svg> transfer &nbsp; "
          "<svg width=\"12\" height=\"12\"><rect class=\"wait\" width=\"12\" height=\"12\"/></svg> wait &nbsp; Hover for details.</p>\n", c->out);
    fprintf(c->out, "<svg width=\"%.0f\" height=\"%.0f\"><defs><marker id=\"head\" markerWidth=\"6\" markerHeight=\"6\" refX=\"5\" refY=\"3\" orient=\"auto\">"
            "<path d=\"M0 0L6 3L0 6z\" fill=\"#d55e00\"/></marker></defs>\n", LEFT + WIDTH + 60.0, TOP + LANE * c->report->n_pus + 30.0);
    for (int tick = 0; tick <= 10; tick++)
        fprintf(c->out, "<path class=\"axis\" d=\"M%.1f %.0fV%.0f\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", LEFT + WIDTH * tick / 10.0, TOP - 6.0,
                TOP + LANE * c->report->n_pus, LEFT + WIDTH * tick / 10.0, TOP - 12.0, plb_seconds_print(seconds * tick / 10.0, text));
}

int plb_gantt_write(const struct plb_trace *trace, const struct plb_trace_pu *pus, const struct plb_report *report,
                    const char *file, struct plb_error *err)
{
    struct plb_file f;
    double begin = 0.0, end = 0.0;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    struct plb_trace_event *events = plb_alloc((size_t)trace->n * sizeof *events);
    if (trace->n > 0)
        memcpy(events, trace->at, (size_t)trace->n * sizeof *events);
    qsort(events, (size_t)trace->n, sizeof *events, by_lane);
    for (int64_t i = 0; i < trace->n; i++) {
        begin = i == 0 || events[i].start < begin ? events[i].start : begin;
        end = events[i].start + events[i].seconds > end ? events[i].start + events[i].seconds : end;
    }
    struct chart c = {f.stream, report, pus, begin, end > begin ? WIDTH / (end - begin) : 1.0};
    put_head(&c, end - begin);
    for (int p = 0; p < report->n_pus; p++) {
        fprintf(f.stream, "<text x=\"4\" y=\"%.1f\">PU %d, node %d: ", y_of(p) + 4.0, p, pus[p].node);
        put_text(f.stream, pus[p].name);
        fputs("</text>\n", f.stream);
    }
    put_events(&c, events, trace->n);
    fputs("</svg></body></html>\n", f.stream);
    free(events);
    return plb_file_commit(&f, err);
}
