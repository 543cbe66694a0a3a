/* A comparison as JSON, and as a page. */
#include <string.h>

#include "base/file.h"
#include "report/compare/inside.h"
#include "report/html.h"
#include "report/json_text.h"
#include "report/page/page.h"

#define DIGITS 9 /* of a number with a fraction, as in a report */

/* ---------------------------------------------------------------- JSON */

static json_t *json_setups(const struct plb_comparison *c)
{
    json_t *setups = json_array();
    for (int s = 0; s < c->n_setups; s++) {
        json_t *files = json_array(), *differs = json_object();
        for (int r = 0; r < c->n_runs; r++)
            if (c->setup_of[r] == s)
                json_array_append_new(files, plb_json_text(c->files[r]));
        for (int i = 0; i < c->n_intended; i++)
            json_object_set_new(differs, c->intended[i].name, plb_json_text(c->intended[i].value[s]));
        json_array_append_new(setups, json_pack("{s:s, s:o, s:o}", "name", c->setups[s].name, "files", files,
                                                "differs_in", differs));
    }
    return setups;
}

static json_t *json_quantity(const struct plb_comparison *c, const struct plb_compared *q)
{
    json_t *with = json_array();
    for (int s = 0; s < c->n_setups; s++) {
        const struct plb_repeats_spread *spread = &q->with[s];
        if (spread->n == 0)
            json_array_append_new(with, json_null());
        else
            json_array_append_new(with, json_pack("{s:i, s:f, s:f, s:f, s:b}", "runs", spread->n, "low",
                                                  spread->low, "median", spread->median, "high", spread->high,
                                                  "stands_out", (int)q->stands_out[s]));
    }
    json_t *row = json_pack("{s:s, s:o}", "key", q->field->key, "setups", with);
    if (q->of[0] != '\0')
        json_object_set_new(row, "pu", plb_json_text(q->of));
    return row;
}

static void write_json(const struct plb_comparison *c, FILE *out)
{
    json_t *quantities = json_array();
    for (int i = 0; i < c->n_quantities; i++)
        json_array_append_new(quantities, json_quantity(c, &c->quantities[i]));
    json_t *all = json_pack("{s:o, s:o}", "setups", json_setups(c), "quantities", quantities);
    json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    fputc('\n', out);
    json_decref(all);
}

/* ---------------------------------------------------------------- a page */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>plbrun: runs "
    "compared</title>\n"
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 0 auto; padding: 1rem; }\n"
    "div { overflow-x: auto; }\n"
    "table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }\n"
    "th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; font-weight: normal; white-space: nowrap; }\n"
    "thead th, .changed td, .changed th { font-weight: 600; }\n"
    "tr { border-bottom: 1px solid #8884; }\n"
    "</style></head><body>\n<h1>Runs compared</h1>\n";

static void put_cell(const char *tag, const char *text, FILE *out)
{
    fprintf(out, "<%s>", tag);
    plb_html_text(text, out);
    fprintf(out, "</%s>", tag);
}

static void put_head(const struct plb_comparison *c, const char *first, FILE *out)
{
    fputs("<div><table><thead><tr>", out);
    put_cell("th", first, out);
    for (int s = 0; s < c->n_setups; s++)
        put_cell("th", c->setups[s].name, out);
    fputs("</tr></thead><tbody>\n", out);
}

static void put_setups(const struct plb_comparison *c, FILE *out)
{
    put_head(c, "set-up", out);
    for (int i = 0; i < c->n_intended; i++) {
        fputs("<tr>", out);
        put_cell("th", c->intended[i].name, out);
        for (int s = 0; s < c->n_setups; s++)
            put_cell("td", c->intended[i].value[s], out);
        fputs("</tr>\n", out);
    }
    fputs("<tr><th>runs</th>", out);
    for (int s = 0; s < c->n_setups; s++) {
        fputs("<td>", out);
        for (int r = 0; r < c->n_runs; r++)
            if (c->setup_of[r] == s) {
                plb_html_text(c->files[r], out);
                fputs("<br>", out);
            }
        fputs("</td>", out);
    }
    fputs("</tr>\n</tbody></table></div>\n", out);
}

static void put_quantity(const struct plb_comparison *c, const struct plb_compared *q, FILE *out)
{
    char text[PLB_CELL_TEXT], change[PLB_CELL_TEXT], both[2 * PLB_CELL_TEXT + 2];
    bool changed = false;
    for (int s = 0; s < c->n_setups; s++)
        changed |= q->stands_out[s];
    fputs(changed ? "<tr class=\"changed\">" : "<tr>", out);
    put_cell("th", plb_quantity_name(q, text), out);
    for (int s = 0; s < c->n_setups; s++) {
        plb_spread_print(q, s, text);
        plb_change_print(q, s, change);
        snprintf(both, sizeof both, "%s%s%s", text, change[0] != '\0' ? ", " : "", change);
        put_cell("td", both, out);
    }
    fputs("</tr>\n", out);
}

static void write_page(const struct plb_comparison *c, FILE *out)
{
    char text[256];
    fputs(head, out);
    for (int s = 1; s < c->n_setups; s++)
        put_cell("p", plb_comparison_verdict(c, s, text), out);
    put_setups(c, out);
    put_head(c, "median, lowest and highest", out);
    for (int i = 0; i < c->n_quantities; i++)
        if (plb_worth_showing(c, &c->quantities[i]))
            put_quantity(c, &c->quantities[i], out);
    fputs("</tbody></table></div>\n<p>* and bold: the ranges of the first set-up and of this one do not "
          "overlap.</p>\n</body></html>\n",
          out);
}

int plb_comparison_write(const struct plb_comparison *c, const char *file, struct plb_error *err)
{
    struct plb_file f;
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    (plb_page_named(file) ? write_page : write_json)(c, f.stream);
    return plb_file_commit(&f, err);
}
