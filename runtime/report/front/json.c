#include "report/front/json.h"

#include <jansson.h>
#include <math.h>

#include "report/json_text.h"

#define DIGITS 9 /* of a number with a fraction, as in reports */

static void put(json_t *object, const char *key, double number)
{
    json_object_set_new(object, key, isfinite(number) ? json_real(number) : json_null());
}

static json_t *point(double seconds, double joules)
{
    json_t *object = json_object();
    put(object, "seconds", seconds);
    put(object, "joules", joules);
    put(object, "edp", seconds * joules);
    put(object, "watts", joules / seconds);
    return object;
}

static void add_share(json_t *shares, int pu, double share)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer(pu));
    put(object, "share", share);
    json_array_append_new(shares, object);
}

static json_t *row(const struct plb_front_page *page, int i)
{
    const struct plb_front_row *r = &page->front->rows[i];
    json_t *object = point(r->seconds, r->joules), *marks = json_array(), *shares = json_array();
    const char *names[3];
    int n = plb_front_marks(page->front, i, names);
    for (int k = 0; k < n; k++)
        json_array_append_new(marks, json_string(names[k]));
    for (int p = 0; p < page->n_pus; p++)
        if (r->x[p] > 0.0)
            add_share(shares, p, r->x[p] / page->work);
    json_object_set_new(object, "marks", marks);
    json_object_set_new(object, "pus", shares);
    return object;
}

static json_t *run(const struct plb_front_page *page)
{
    if (!isfinite(page->run_joules))
        return json_null();
    json_t *object = point(page->run_seconds, page->run_joules), *shares = json_array();
    put(object, "least_joules", page->front->then_joules);
    for (int p = 0; p < page->n_pus; p++)
        if (page->pus[p].run_share > 0.0)
            add_share(shares, p, page->pus[p].run_share);
    json_object_set_new(object, "pus", shares);
    return object;
}

static json_t *pus(const struct plb_front_page *page)
{
    json_t *all = json_array();
    for (int p = 0; p < page->n_pus; p++) {
        json_t *object = json_object();
        json_object_set_new(object, "id", json_integer(p));
        json_object_set_new(object, "name", plb_json_text(page->pus[p].name));
        json_object_set_new(object, "node", json_integer(page->pus[p].node));
        json_array_append_new(all, object);
    }
    return all;
}

void plb_front_print_json(const struct plb_front_page *page, FILE *out)
{
    json_t *all = json_object(), *rows = json_array();
    for (int i = 0; i < page->front->n; i++)
        json_array_append_new(rows, row(page, i));
    json_object_set_new(all, "app", plb_json_text(page->app));
    json_object_set_new(all, "from", json_string(page->by));
    json_object_set_new(all, "static", json_string(page->rule));
    json_object_set_new(all, "passes", json_integer(page->passes));
    json_object_set_new(all, "pus", pus(page));
    json_object_set_new(all, "front", rows);
    json_object_set_new(all, "run", run(page));
    json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    fputc('\n', out);
    json_decref(all);
}
