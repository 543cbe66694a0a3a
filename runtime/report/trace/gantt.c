/* An HTML page with an SVG picture of fixed width. Neighbours of one kind that are narrower than a fraction
 * of a pixel are joined into one rectangle. So a million tasks need only as many rectangles as the eye can
 * tell apart. */
#include "report/trace/gantt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/quantity.h"
#include "report/summary/summary.h"

/* Pixels. */
#define LEFT 210.0   /* for the PUs' names, left of the lanes */
#define WIDTH 1100.0 /* of the time axis */
#define LANE 30.0    /* height of a PU's lane */
#define TOP 30.0     /* for the times, above the lanes */
#define MARGIN 60.0  /* right of the axis, for the last time */
#define TICKS 10     /* divisions of the axis */
/* Gaps and rectangles below this many pixels are joined. Larger: short tasks blur. Smaller: the file
 * grows. */
#define VISIBLE 0.4

struct chart {
    FILE *out;
    const struct plb_report *report;
    double begin, scale; /* seconds at the left end; pixels per second */
};

/* Events of one lane, type and PU granted to that become one rectangle. */
struct bar {
    const struct plb_trace_event *first; /* NULL: none yet */
    double start, end;
    int64_t units, events;
    int granted_to; /* the PU that the units were granted to */
};

static void say_heading(const struct plb_report *r, FILE *out)
{
    plb_report_say(r, "{app}: {makespan_s} with {balancer}", out);
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

static bool stolen(const struct bar *bar)
{
    return bar->granted_to != bar->first->pu;
}

/* The text under the mouse. */
static void put_title(const struct chart *c, const struct bar *bar)
{
    char seconds[PLB_QUANTITY_TEXT], units[PLB_UNITS_TEXT];
    fprintf(c->out, "<title>%s, %s from %.6f s", plb_trace_name(bar->first->type),
            plb_seconds_print(bar->end - bar->start, seconds), bar->start - c->begin);
    if (bar->units > 0) {
        fputs(": ", c->out);
        plb_html_text(plb_units_print(bar->units, c->report->unit, units), c->out);
        fprintf(c->out, " from %" PRId64 " on", bar->first->first);
    }
    if (bar->events > 1)
        fprintf(c->out, ", %" PRId64 " of them in a row", bar->events);
    if (stolen(bar))
        fprintf(c->out, ", granted to PU %d", bar->granted_to);
    fputs("</title>", c->out);
}

static void put_bar(const struct chart *c, const struct bar *bar)
{
    const struct plb_trace_event *first = bar->first;
    if (first == NULL || first->pu < 0 || first->pu >= c->report->n_pus)
        return;
    double width = (bar->end - bar->start) * c->scale, height = first->type == PLB_TRACE_WAIT ? 6.0 : 20.0;
    const char *class = first->type == PLB_TRACE_TASK && stolen(bar) ? "stolen" : plb_trace_name(first->type);
    fprintf(c->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\">", class,
            x_of(c, bar->start), y_of(first->pu) - height / 2.0, width > VISIBLE ? width : VISIBLE, height);
    put_title(c, bar);
    fputs("</rect>\n", c->out);
}

/* From the lane of the PU that work was granted to, to the one that executed it. */
static void put_arrow(const struct chart *c, int from, int to, double time)
{
    if (from < 0 || from >= c->report->n_pus)
        return;
    double x = x_of(c, time), y1 = y_of(from), y2 = y_of(to) + (from < to ? -10.0 : 10.0);
    fprintf(c->out,
            "<path class=\"steal\" d=\"M%.2f %.1fL%.2f %.1f\" marker-end=\"url(#head)\">"
            "<title>granted to PU %d, executed by PU %d</title></path>\n",
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

/* All events, ordered by lane, as bars; an arrow where a PU begins to execute what another one was
 * granted. */
static void put_events(const struct chart *c, const struct plb_trace_event *events, int64_t n)
{
    struct bar bar = {.first = NULL};
    for (int64_t i = 0; i < n; i++) {
        const struct plb_trace_event *e = &events[i];
        int granted_to = plb_trace_granted_to(e, c->report->n_pus);
        bool same = bar.first != NULL && bar.first->pu == e->pu && bar.first->type == e->type
                 && bar.granted_to == granted_to;
        if (e->type == PLB_TRACE_TASK && granted_to != e->pu && !same)
            put_arrow(c, granted_to, e->pu, e->start);
        bool close = (e->start - bar.end) * c->scale < VISIBLE;
        bool narrow = (bar.end - bar.start) * c->scale < VISIBLE;
        if (!(same && close && narrow)) {
            put_bar(c, &bar);
            bar = (struct bar){.first = e, .start = e->start, .granted_to = granted_to};
        }
        bar.end = e->start + e->seconds;
        bar.units += e->count;
        bar.events++;
    }
    put_bar(c, &bar);
}

/* One entry of the legend: a rectangle of the class, and what it stands for. */
static void put_legend(const struct chart *c, const char *class, const char *meaning)
{
    fprintf(c->out,
            "<svg width=\"12\" height=\"12\">"
            "<rect class=\"%s\" width=\"12\" height=\"12\"/></svg> %s &nbsp; ",
            class, meaning);
}

static void put_head(const struct chart *c)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", c->out);
    plb_html_said(say_heading, c->report, c->out);
    fputs(c->report->mode == PLB_SIMULATED ? " (simulated)" : "", c->out);
    fputs("</title>\n<style>\nbody { font: 14px sans-serif; margin: 16px; color: #222 }\n"
          ".task { fill: #0072b2 } .stolen { fill: #d55e00 } .transfer { fill: #e69f00 } "
          ".wait { fill: #ccc } .solve { fill: #009e73 }\n"
          ".steal { stroke: #d55e00; fill: none } .axis { stroke: #ddd } "
          "text { font-size: 12px; fill: #222 }\n"
          "</style></head><body>\n<p>",
          c->out);
    plb_html_said(plb_report_line, c->report, c->out);
    if (c->report->mode == PLB_SIMULATED)
        fputs("</p>\n<p><b>Simulated:</b> all times are virtual, and nothing was computed.", c->out);
    fputs("</p>\n<p>", c->out);
    put_legend(c, "task", "task");
    put_legend(c, "stolen", "task stolen from the PU where its arrow begins");
    put_legend(c, "transfer", "transfer");
    put_legend(c, "wait", "wait");
    fputs("Point at a bar for details.</p>\n", c->out);
}

/* The picture's frame: its size, the head of an arrow, the times. */
static void put_axis(const struct chart *c, double seconds)
{
    char text[PLB_QUANTITY_TEXT];
    double bottom = TOP + LANE * c->report->n_pus;
    fprintf(c->out, "<svg width=\"%.0f\" height=\"%.0f\">", LEFT + WIDTH + MARGIN, bottom + 30.0);
    fputs("<defs><marker id=\"head\" markerWidth=\"6\" markerHeight=\"6\" "
          "refX=\"5\" refY=\"3\" orient=\"auto\">"
          "<path d=\"M0 0L6 3L0 6z\" fill=\"#d55e00\"/></marker></defs>\n",
          c->out);
    for (int tick = 0; tick <= TICKS; tick++) {
        double x = LEFT + WIDTH * tick / TICKS;
        fprintf(c->out, "<path class=\"axis\" d=\"M%.1f %.0fV%.0f\"/>", x, TOP - 6.0, bottom);
        fprintf(c->out, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", x, TOP - 12.0,
                plb_seconds_print(seconds * tick / TICKS, text));
    }
}

static void put_names(const struct chart *c)
{
    for (int p = 0; p < c->report->n_pus; p++) {
        const struct plb_report_pu *pu = &c->report->pus[p];
        fprintf(c->out, "<text x=\"4\" y=\"%.1f\">PU %d, node %d: ", y_of(p) + 4.0, p, pu->node);
        plb_html_text(pu->name, c->out);
        fputs("</text>\n", c->out);
    }
}

void plb_gantt_print(const struct plb_trace *trace, const struct plb_report *report, FILE *out)
{
    double begin = 0.0, end = 0.0;
    struct plb_trace_event *events = plb_trace_sorted(trace, by_lane);
    for (int64_t i = 0; i < trace->n; i++) {
        begin = i == 0 || events[i].start < begin ? events[i].start : begin;
        end = events[i].start + events[i].seconds > end ? events[i].start + events[i].seconds : end;
    }
    struct chart c = {out, report, begin, end > begin ? WIDTH / (end - begin) : 1.0};
    put_head(&c);
    put_axis(&c, end - begin);
    put_names(&c);
    put_events(&c, events, trace->n);
    fputs("</svg></body></html>\n", out);
    free(events);
}
