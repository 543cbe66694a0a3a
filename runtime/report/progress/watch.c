/* Bars, and the same as JSON. */
#include "report/progress/watch.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/quantity.h"

#define BAR 12       /* characters of the bar of the PU that has done most */
#define NAME 16      /* characters of a PU's name */
#define ROW_TEXT 400 /* bytes of a row; a longer one is cut */
#define DIGITS 9     /* of a number in JSON, as in a report */

/* Rows in this order where not all fit: what needs a look, then what has done most. */
static int by_need(const void *a, const void *b)
{
    const struct plb_watched_pu *x = *(const struct plb_watched_pu *const *)a,
                                *y = *(const struct plb_watched_pu *const *)b;
    if (x->late != y->late)
        return x->late ? -1 : 1;
    if (x->gone != y->gone)
        return x->gone ? -1 : 1;
    if (x->done != y->done)
        return x->done > y->done ? -1 : 1;
    return x->id - y->id;
}

static int by_id(const void *a, const void *b)
{
    const struct plb_watched_pu *x = *(const struct plb_watched_pu *const *)a,
                                *y = *(const struct plb_watched_pu *const *)b;
    return x->id - y->id;
}

/* "ends in 1.2 s: rows 5 to 7", or "ends in 1.2 s" where that is longer than `room`. */
static void say_doing(const struct plb_watched *w, const struct plb_watched_pu *pu, int room, char *text,
                      size_t size)
{
    char range[PLB_RANGE_TEXT], seconds[PLB_QUANTITY_TEXT];
    const char *way = "ends in";
    double shown = pu->ends_s;
    if (pu->gone || pu->held == 0) {
        snprintf(text, size, pu->gone ? "LOST" : "idle");
        return;
    }
    if (pu->late) {
        way = "LATE by";
        shown = -pu->ends_s;
    } else if (isnan(pu->ends_s)) {
        way = "since";
        shown = pu->seconds;
    }
    int when = snprintf(text, size, "%s %s", way, plb_seconds_print(fmax(shown, 0.0), seconds));
    int n = snprintf(text, size, "%s %s: %s", way, seconds,
                     plb_range_print(pu->first, pu->last - pu->first + 1, w->unit, range));
    if (n > room)
        text[when] = '\0';
}

static void print_pu(const struct plb_watched *w, const struct plb_watched_pu *pu, int64_t most, int columns,
                     const char *end, FILE *out)
{
    char row[ROW_TEXT], bar[BAR + 1], rate[PLB_QUANTITY_TEXT] = "-";
    int length = most > 0 ? (int)((double)BAR * (double)pu->done / (double)most + 0.5) : 0;
    memset(bar, '#', (size_t)length);
    bar[length] = '\0';
    if (pu->rate > 0.0)
        snprintf(rate, sizeof rate, "%.4g", pu->rate);
    int used = snprintf(row, sizeof row, "%3d %-*.*s %-*s %10" PRId64 " %9s/s  ", pu->id, NAME, NAME,
                        pu->name, BAR, bar, pu->done, rate);
    say_doing(w, pu, columns - used, row + used, sizeof row - (size_t)used);
    fprintf(out, "%.*s%s", columns, row, end);
}

int plb_watch_print(const struct plb_watched *w, int rows, int columns, const char *end, FILE *out)
{
    char row[ROW_TEXT], left[PLB_QUANTITY_TEXT] = "unknown";
    const struct plb_watched_pu **order = plb_alloc((size_t)w->n_pus * sizeof *order);
    int shown = w->n_pus + 1 <= rows ? w->n_pus : rows - 2, used = 1;
    int64_t most = 0;
    shown = shown > 0 ? shown : 0;
    for (int p = 0; p < w->n_pus; p++) {
        order[p] = &w->pus[p];
        most = w->pus[p].done > most ? w->pus[p].done : most;
    }
    if (shown < w->n_pus)
        qsort(order, (size_t)w->n_pus, sizeof *order, by_need);
    qsort(order, (size_t)shown, sizeof *order, by_id);
    if (isfinite(w->left_s))
        plb_seconds_print(w->left_s, left);
    snprintf(row, sizeof row, "%3.0f %%  %" PRId64 " of %" PRId64 " %s, pass %d%s, %.4g %s/s, %s left",
             100.0 * (double)w->done / (double)w->units, w->done, w->units, w->unit, w->pass,
             w->again ? PLB_AGAIN : "", w->seconds > 0.0 ? (double)w->done / w->seconds : 0.0, w->unit, left);
    fprintf(out, "%.*s%s", columns, row, end);
    for (int p = 0; p < shown; p++, used++)
        print_pu(w, order[p], most, columns, end, out);
    if (shown < w->n_pus && used < rows) {
        snprintf(row, sizeof row, "    and %d PUs more", w->n_pus - shown);
        fprintf(out, "%.*s%s", columns, row, end);
        used++;
    }
    free(order);
    return used;
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void plb_watch_json(const struct plb_watched *w, FILE *out)
{
    json_t *pus = json_array();
    for (int p = 0; p < w->n_pus; p++) {
        const struct plb_watched_pu *pu = &w->pus[p];
        const char *does = pu->gone ? "lost" : pu->held == 0 ? "idle" : pu->late ? "late" : "works";
        json_t *row = json_pack("{s:i, s:i, s:o, s:s, s:I, s:f, s:I}", "id", pu->id, "node", pu->node, "name",
                                plb_json_text(pu->name), "does", does, "done", (json_int_t)pu->done, "rate",
                                pu->rate, "held", (json_int_t)pu->held);
        if (pu->held > 0) {
            json_object_set_new(row, "first", json_integer((json_int_t)pu->first));
            json_object_set_new(row, "last", json_integer((json_int_t)pu->last));
            json_object_set_new(row, "seconds", number(pu->seconds));
            json_object_set_new(row, "ends_s", number(pu->ends_s));
        }
        json_array_append_new(pus, row);
    }
    json_t *all = json_pack("{s:o, s:i, s:b, s:I, s:I, s:f, s:o, s:o}", "unit", plb_json_text(w->unit),
                            "pass", w->pass, "again", w->again, "units", (json_int_t)w->units, "done",
                            (json_int_t)w->done, "seconds", w->seconds, "left_s", number(w->left_s), "pus",
                            pus);
    json_dumpf(all, out, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    fputc('\n', out);
    json_decref(all);
}
