#include "report/page/energy.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/energy.h"
#include "report/fields/json.h"
#include "report/front/front.h"
#include "report/html.h"
#include "report/page/tables.h"
#include "report/power.h"
#include "report/quantity.h"

/* Columns of watts over time. More: larger pages. Fewer: short peaks are lower. */
#define COLUMNS 240

/* Lines of the chart. With more, things that are alike are one. More: nobody can tell their colours. */
#define LINES 7
#define COUNTED (-1) /* in place of a line: all curves that add up */

#define ROWS 200 /* of PUs in the table; those that follow are told by their number */

/* ----------------------------------------------------------------------------- tables */

/* A number with its unit, or that it is not measured. */
static void put_joules(double joules, FILE *out)
{
    char text[PLB_QUANTITY_TEXT];
    plb_page_cell(isfinite(joules) ? plb_joules_print(joules, text) : "unmeasured", PLB_PAGE_NUMBER, out);
}

static void put_watts(double watts, FILE *out)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g W", watts);
    plb_page_cell(isfinite(watts) ? text : "unmeasured", PLB_PAGE_NUMBER, out);
}

static void put_meters(const struct plb_report *r, FILE *out)
{
    if (r->n_meters == 0)
        return;
    fputs("<div class=\"wide\"><table><thead><tr><th>rank</th><th>host</th><th>domain</th><th>meter</th>"
          "<th class=\"n\">energy</th><th class=\"n\">resolution</th><th class=\"n\">mean watts</th><th></th>"
          "</tr></thead>\n<tbody>",
          out);
    for (int i = 0; i < r->n_meters; i++) {
        const struct plb_report_meter *m = &r->meters[i];
        bool known = isfinite(m->joules);
        char text[PLB_QUANTITY_TEXT];
        fprintf(out, "<tr><td>%d</td>", m->node);
        plb_page_cell(m->host, "", out);
        plb_page_cell(m->domain[0] != '\0' || m->of == NULL ? m->domain : m->of, "", out);
        plb_page_cell(m->meter, "", out);
        put_joules(m->joules, out);
        plb_page_cell(isfinite(m->resolution_j) ? plb_joules_print(m->resolution_j, text)
                      : known                   ? "power is integrated"
                                                : "",
                      PLB_PAGE_NUMBER, out);
        put_watts(known && m->seconds > 0.0 ? m->joules / m->seconds : (double)NAN, out);
        plb_page_cell(m->note, "", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static bool has_watts(const struct plb_report *r)
{
    for (int p = 0; p < r->n_pus; p++)
        if (isfinite(r->pus[p].watts_busy))
            return true;
    return false;
}

/* Watts that were told or learned. Joules of a PU are those by told ones. */
static void put_pus(const struct plb_report *r, FILE *out)
{
    if (!has_watts(r))
        return;
    fputs("<div class=\"wide\"><table><thead><tr><th>PU</th><th>host</th><th>name</th><th>watts are</th>"
          "<th class=\"n\">idle</th><th class=\"n\">busy</th><th class=\"n\">static energy</th><th "
          "class=\"n\">dynamic energy</th></tr></thead>\n<tbody>",
          out);
    for (int p = 0; p < r->n_pus && p < ROWS; p++) {
        const struct plb_report_pu *pu = &r->pus[p];
        fprintf(out, "<tr><td>%d</td>", pu->id);
        plb_page_cell(pu->host, "", out);
        plb_page_cell(pu->name, "", out);
        bool told = isfinite(pu->static_j + pu->dynamic_j);
        plb_page_cell(told ? "from the .cluster file" : pu->watts_origin, "", out);
        put_watts(pu->watts_idle, out);
        put_watts(pu->watts_busy, out);
        put_joules(pu->static_j, out);
        put_joules(pu->dynamic_j, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (r->n_pus > ROWS)
        fprintf(out, "<p>These are the first %d of %d PUs.</p>\n", ROWS, r->n_pus);
}

/* ------------------------------------------------------------------------------- data */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_of(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("?"); /* not UTF-8 */
}

/* Mean watts in each column of the curves of a line together; of all that are counted, where it is COUNTED.
 * null where those of one are not known. */
static json_t *columns_of(const struct plb_power *power, const int *line, int wanted)
{
    double watts[COLUMNS] = {0.0}, width = (power->end - power->begin) / COLUMNS;
    for (int i = 0; i < power->n; i++) {
        const struct plb_power_curve *curve = &power->curves[i];
        int from = 0;
        if (wanted == COUNTED ? !curve->counted : line[i] != wanted)
            continue;
        for (int c = 0; c < COLUMNS; c++) {
            double begin = power->begin + c * width, known_s;
            double joules = plb_power_between(curve, begin, begin + width, &from, &known_s);
            watts[c] += known_s > 0.0 ? joules / known_s : (double)NAN;
        }
    }
    json_t *all = json_array();
    for (int c = 0; c < COLUMNS; c++)
        json_array_append_new(all, number(watts[c]));
    return all;
}

/* The curve that a line begins with tells what it is. */
static json_t *line_of(const struct plb_power *power, const int *line, int wanted)
{
    const struct plb_power_curve *first = power->curves;
    char label[200];
    double joules = 0.0;
    int n = 0;
    for (int i = 0; i < power->n; i++) {
        if (line[i] != wanted)
            continue;
        first = n == 0 ? &power->curves[i] : first;
        joules += power->curves[i].joules;
        n++;
    }
    if (n > 1)
        snprintf(label, sizeof label, "%s (%d), by %s", wanted < LINES ? first->group : "others", n,
                 first->meter);
    else
        snprintf(label, sizeof label, "%s on %s, by %s", first->domain, first->host, first->meter);
    json_t *object = json_object();
    json_object_set_new(object, "name", text_of(label));
    json_object_set_new(object, "joules", number(joules));
    json_object_set_new(object, "resolution", number(first->resolution_j));
    json_object_set_new(object, "watts", columns_of(power, line, wanted));
    return object;
}

static bool alike(const struct plb_power_curve *a, const struct plb_power_curve *b)
{
    return a->counted == b->counted && strcmp(a->meter, b->meter) == 0 && a->group != NULL && b->group != NULL
        && strcmp(a->group, b->group) == 0;
}

/* The line of each curve. Where there are too many curves, those that are alike share one, and the last line
 * has all others. Returns how many lines there are. */
static int choose_lines(const struct plb_power *power, int *line)
{
    int n = 0, first[LINES];
    for (int i = 0; i < power->n; i++) {
        line[i] = power->n <= LINES ? i : -1;
        for (int k = 0; k < n && line[i] < 0; k++)
            line[i] = alike(&power->curves[first[k]], &power->curves[i]) ? k : -1;
        if (line[i] < 0 && n < LINES)
            first[line[i] = n++] = i;
        line[i] = line[i] < 0 ? LINES : line[i];
        n = power->n <= LINES ? power->n : n;
    }
    for (int i = 0; i < power->n; i++)
        n = line[i] == LINES ? LINES + 1 : n;
    return n;
}

static json_t *power_of(const struct plb_report *r, const struct plb_trace *trace)
{
    struct plb_power power;
    json_t *all = NULL, *lines = json_array();
    plb_power_find(r, trace, &power);
    int *line = plb_alloc((size_t)(power.n + 1) * sizeof *line), n = choose_lines(&power, line);
    for (int i = 0; i < n; i++)
        json_array_append_new(lines, line_of(&power, line, i));
    if (n > 0 && power.end > power.begin)
        all = json_pack("{s:f, s:f, s:O, s:o}", "begin", power.begin, "seconds", power.end - power.begin,
                        "lines", lines, "sum", columns_of(&power, line, COUNTED));
    json_decref(lines);
    free(line);
    plb_power_fini(&power);
    return all;
}

static json_t *front_of(const struct plb_front_page *page)
{
    json_t *rows = json_array(), *all = json_object();
    for (int i = 0; i < page->front->n; i++) {
        const char *marks[3];
        json_t *row = json_object(), *names = json_array();
        int n = plb_front_marks(page->front, i, marks);
        for (int k = 0; k < n; k++)
            json_array_append_new(names, json_string(marks[k]));
        json_object_set_new(row, "seconds", number(page->front->rows[i].seconds));
        json_object_set_new(row, "joules", number(page->front->rows[i].joules));
        json_object_set_new(row, "marks", names);
        json_array_append_new(rows, row);
    }
    json_object_set_new(all, "steps", json_boolean(strcmp(page->rule, "off_when_idle") == 0));
    json_object_set_new(all, "rows", rows);
    json_object_set_new(all, "seconds", number(page->run_seconds));
    json_object_set_new(all, "joules", number(page->run_joules));
    return all;
}

/* ---------------------------------------------------------------------------- sections */

static void put_front(const struct plb_front_page *page, FILE *out)
{
    double least = page->front->then_joules;
    fprintf(out,
            "<section id=\"front\" hidden><h2>Time and energy</h2>\n<p>The least energy for each run time, "
            "by %s, and this run. Look for the distance of this run from the line: that energy can be saved.",
            page->by);
    if (isfinite(page->run_joules) && isfinite(least) && least > 0.0)
        fprintf(out, " This run took %.3f times the least energy for its time.", page->run_joules / least);
    fputs("</p>\n<div class=\"chart\"></div></section>\n", out);
}

void plb_page_energy_print(const struct plb_report *r, const struct plb_trace *trace, FILE *out)
{
    bool known = isfinite(r->energy_j) || isfinite(r->measured_j);
    if (!known && !has_watts(r))
        return;
    fputs("<section id=\"energy\"><h2>Energy</h2>\n", out);
    fputs("<p>", out);
    plb_html_said(plb_energy_say, r, out);
    fputs("</p>\n", out);
    put_meters(r, out);
    put_pus(r, out);
    fputs("</section>\n<section id=\"watts\" hidden><h2>Watts over time</h2>\n<p>Mean power of each meter. "
          "Look for power while PUs are idle: it is paid for nothing. Gaps were not measured.</p>\n<div "
          "class=\"chart\"></div></section>\n",
          out);
    json_t *all = json_object(), *power = power_of(r, trace);
    json_object_set_new(all, "power", power != NULL ? power : json_null());
    if (r->front != NULL) {
        put_front(r->front, out);
        json_object_set_new(all, "front", front_of(r->front));
    }
    fputs("<script type=\"application/json\" id=\"energies\">", out);
    plb_json_embed(all, out);
    fputs("</script>\n", out);
}
