/* Times are whole ticks since the first event, so that a number takes few bytes and little time. */
#include "report/page/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define TICKS 1e7 /* of a run: a browser zooms in a hundred thousand times before it sees them */
/* Events of a PU that are written one by one, and of all PUs together. More: larger files, slower charts.
 * Fewer: columns where single tasks could be seen. An event takes some 40 bytes. */
#define MOST_OF_PU 4000
#define MOST_OF_ALL 40000
/* Columns of a PU at most and at least, and of all PUs together. A column takes three bytes. */
#define MOST_COLUMNS 4000
#define LEAST_COLUMNS 100
#define ALL_COLUMNS 700000
/* Columns of the rates over time, in the same way; one takes two bytes. */
#define RATE_COLUMNS 120
#define ALL_RATES 200000
#define MOST_PASSES 4096 /* with more, the page has no bands of passes */

enum part { COMPUTES, COPIES, STOLEN, PARTS };

struct drawing {
    const struct plb_trace *trace;
    FILE *out;
    int n_pus, columns, rate_columns, passes;
    double begin, seconds, tick;
    int64_t *events; /* of each PU */
    int64_t limit;   /* above which a PU has columns */
    float *parts;    /* of a column that a PU spends so: PARTS numbers each; NULL: no PU has columns */
    int *row;        /* of `parts`, by PU; -1: its events are written */
    float *units, *executing; /* by PU and column of rates: units, and seconds in which it executed them */
    double *pass_begins, *pass_ends;
};

/* The events that a page shows. */
static bool shows(const struct drawing *d, const struct plb_trace_event *e)
{
    return (e->type != PLB_TRACE_WAIT || e->count > 0) && e->pu < d->n_pus
        && (e->pu >= 0 || e->type == PLB_TRACE_SOLVE);
}

/* A whole number and a comma; faster than printf. */
static void put_number(FILE *out, int64_t number)
{
    char text[24], *at = text + sizeof text;
    *--at = ',';
    uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--at = '-';
    fwrite(at, 1, (size_t)(text + sizeof text - at), out);
}

static int64_t ticks(const struct drawing *d, double seconds)
{
    return (int64_t)(seconds / d->tick + 0.5);
}

/* The digit for a number from 0 to 63. None is special in JSON or HTML. */
static char digit(int number)
{
    return "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[number];
}

/* The part of a column as a digit: something small is still something. */
static char part_digit(double part)
{
    return digit(part <= 0.0 ? 0 : (int)fmax(1.0, fmin(63.0, 63.0 * part + 0.5)));
}

/* --------------------------------------------------------------------- reading */

static void note_pass(struct drawing *d, const struct plb_trace_event *e)
{
    if (e->pass < 0 || e->pass >= MOST_PASSES)
        return;
    double *begins = &d->pass_begins[e->pass], *ends = &d->pass_ends[e->pass];
    *begins = *ends > 0.0 ? fmin(*begins, e->start - d->begin) : e->start - d->begin;
    *ends = fmax(*ends, e->start + e->seconds - d->begin);
    d->passes = e->pass >= d->passes ? e->pass + 1 : d->passes;
}

/* The time of the run, and how many events each PU has. */
static void measure(struct drawing *d)
{
    double end = 0.0;
    d->begin = d->trace->n > 0 ? INFINITY : 0.0;
    for (int64_t i = 0; i < d->trace->n; i++) {
        const struct plb_trace_event *e = &d->trace->at[i];
        if (!shows(d, e))
            continue; /* PUs wait for the end of the run after its last pass */
        d->begin = fmin(d->begin, e->start);
        end = fmax(end, e->start + e->seconds);
        if (e->pu >= 0)
            d->events[e->pu]++;
    }
    d->seconds = end > d->begin ? end - d->begin : 1.0;
    d->tick = d->seconds / TICKS;
}

static void choose_columns(struct drawing *d)
{
    int n = 0;
    d->limit = MOST_OF_ALL / (d->n_pus > 0 ? d->n_pus : 1);
    d->limit = d->limit < MOST_OF_PU ? d->limit : MOST_OF_PU;
    for (int p = 0; p < d->n_pus; p++)
        d->row[p] = d->events[p] > d->limit ? n++ : -1;
    int columns = n > 0 ? ALL_COLUMNS / n : 0;
    d->columns = columns > MOST_COLUMNS ? MOST_COLUMNS : columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
    if (n > 0)
        d->parts = plb_alloc((size_t)n * (size_t)d->columns * PARTS * sizeof *d->parts);
    int rates = ALL_RATES / 2 / (d->n_pus > 0 ? d->n_pus : 1);
    d->rate_columns = rates > RATE_COLUMNS ? RATE_COLUMNS : rates < 10 ? 10 : rates;
}

/* Adds `amount` of an event to the columns that it lies in, as much as of it is in each; as a part of a
 * column for amount = 0. */
static void spread(const struct drawing *d, const struct plb_trace_event *e, int columns, float *at,
                   int stride, double amount)
{
    double width = d->seconds / columns, from = e->start - d->begin, to = from + e->seconds;
    int first = (int)(from / width), last = (int)(to / width);
    for (int c = first; c <= last && c < columns; c++) {
        double inside = fmin(to, (c + 1) * width) - fmax(from, c * width);
        if (inside > 0.0)
            at[c * stride] += (float)(amount > 0.0 ? amount * inside / e->seconds : inside / width);
    }
}

static void add_events(struct drawing *d)
{
    for (int64_t i = 0; i < d->trace->n; i++) {
        const struct plb_trace_event *e = &d->trace->at[i];
        if (e->pu < 0 || !shows(d, e))
            continue; /* waits for work may last from one pass to another */
        note_pass(d, e);
        bool task = e->type == PLB_TRACE_TASK, stolen = task && plb_trace_granted_to(e, d->n_pus) != e->pu;
        enum part part = stolen ? STOLEN : task ? COMPUTES : COPIES;
        if (d->row[e->pu] >= 0)
            spread(d, e, d->columns, d->parts + (size_t)d->row[e->pu] * (size_t)d->columns * PARTS + part,
                   PARTS, 0.0);
        size_t rates = (size_t)e->pu * (size_t)d->rate_columns;
        if (task && e->count > 0) {
            spread(d, e, d->rate_columns, d->units + rates, 1, (double)e->count);
            spread(d, e, d->rate_columns, d->executing + rates, 1, e->seconds);
        }
    }
}

/* --------------------------------------------------------------------- writing */

/* Events that are written one by one: type, PU, start, time, pass, first unit, units, and the PU that they
 * were granted to. Of a solve the first unit is the time that it expects the rest of the pass to take. */
static void put_events(const struct drawing *d)
{
    fputs(",\"events\":[", d->out);
    for (int64_t i = 0; i < d->trace->n; i++) {
        const struct plb_trace_event *e = &d->trace->at[i];
        if (!shows(d, e) || (e->pu >= 0 && d->row[e->pu] >= 0))
            continue;
        put_number(d->out, e->type);
        put_number(d->out, e->pu);
        put_number(d->out, ticks(d, e->start - d->begin));
        put_number(d->out, ticks(d, e->seconds));
        put_number(d->out, e->pass);
        put_number(d->out, e->type == PLB_TRACE_SOLVE ? ticks(d, 1e-9 * (double)e->first) : e->first);
        put_number(d->out, e->count);
        put_number(d->out, plb_trace_granted_to(e, d->n_pus));
    }
    fputs("0]", d->out); /* for the last comma */
}

static void put_columns(const struct drawing *d)
{
    fprintf(d->out, ",\"columns\":%d,\"bins\":{", d->columns);
    bool first = true;
    char *text = plb_alloc((size_t)d->columns * PARTS);
    for (int p = 0; p < d->n_pus; p++) {
        if (d->row[p] < 0)
            continue;
        fprintf(d->out, "%s\"%d\":\"", first ? "" : ",", p);
        const float *at = d->parts + (size_t)d->row[p] * (size_t)d->columns * PARTS;
        for (int i = 0; i < d->columns * PARTS; i++)
            text[i] = part_digit((double)at[i]);
        fwrite(text, PARTS, (size_t)d->columns, d->out);
        fputc('"', d->out);
        first = false;
    }
    free(text);
    fputc('}', d->out);
}

/* Units per second of executing in each column, two digits each, as parts of the PU's fastest; "" where it
 * has none. Columns in which it hardly executed are unknown: 0. */
static void put_rates(const struct drawing *d)
{
    double width = d->seconds / d->rate_columns;
    fprintf(d->out, ",\"rateColumns\":%d,\"rates\":[", d->rate_columns);
    for (int p = 0; p < d->n_pus; p++) {
        const float *units = d->units + (size_t)p * (size_t)d->rate_columns,
                    *seconds = d->executing + (size_t)p * (size_t)d->rate_columns;
        double most = 0.0;
        for (int c = 0; c < d->rate_columns; c++)
            if ((double)seconds[c] > 0.02 * width)
                most = fmax(most, (double)(units[c] / seconds[c]));
        fprintf(d->out, "%s[%.6g,\"", p > 0 ? "," : "", most);
        if (most > 0.0)
            for (int c = 0; c < d->rate_columns; c++) {
                bool known = (double)seconds[c] > 0.02 * width;
                int part = known ? (int)fmax(1.0, 4095.0 * (double)(units[c] / seconds[c]) / most) : 0;
                fputc(digit(part / 64), d->out);
                fputc(digit(part % 64), d->out);
            }
        fputs("\"]", d->out);
    }
    fputc(']', d->out);
}

static void put_passes(const struct drawing *d)
{
    fputs(",\"passes\":[", d->out);
    for (int i = 0; i < d->passes && d->passes < MOST_PASSES; i++) {
        put_number(d->out, ticks(d, d->pass_begins[i]));
        put_number(d->out, ticks(d, d->pass_ends[i]));
    }
    fputs("0]", d->out);
}

void plb_page_trace_print(const struct plb_trace *trace, int n_pus, FILE *out)
{
    struct drawing d = {.trace = trace, .out = out, .n_pus = n_pus};
    d.events = plb_alloc((size_t)n_pus * sizeof *d.events);
    d.row = plb_alloc((size_t)n_pus * sizeof *d.row);
    d.pass_begins = plb_alloc(MOST_PASSES * sizeof *d.pass_begins);
    d.pass_ends = plb_alloc(MOST_PASSES * sizeof *d.pass_ends);
    measure(&d);
    choose_columns(&d);
    size_t rates = (size_t)n_pus * (size_t)d.rate_columns;
    d.units = plb_alloc(rates * sizeof *d.units);
    d.executing = plb_alloc(rates * sizeof *d.executing);
    add_events(&d);
    fprintf(out, "{\"tick\":%.9g,\"seconds\":%.9g,\"pus\":%d,\"limit\":%lld", d.tick, d.seconds, n_pus,
            (long long)d.limit);
    put_events(&d);
    put_columns(&d);
    put_rates(&d);
    put_passes(&d);
    fputs("}", out);
    free(d.events);
    free(d.row);
    free(d.parts);
    free(d.units);
    free(d.executing);
    free(d.pass_begins);
    free(d.pass_ends);
}
