/* Groups runs to set-ups, and their quantities to spreads. print.c and write.c show them. */
#include "report/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "model/median.h"
#include "report/compare/inside.h"
#include "report/page/page.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static json_t *list_of(const json_t *run, const char *key)
{
    return json_object_get(run, key);
}

/* ---------------------------------------------------------------- reading */

static int read_run(const char *file, json_t **run, struct plb_error *err)
{
    json_error_t json;
    if (access(file, R_OK) != 0)
        return plb_fail(err, PLB_EINPUT, "cannot read the report %s: %s", file, strerror(errno));
    *run = json_load_file(file, JSON_REJECT_DUPLICATES, &json);
    if (*run == NULL)
        return plb_fail(err, PLB_EINPUT, "%s:%d: %s; a report is JSON, as plbrun --report writes it", file,
                        json.line, json.text);
    struct plb_value known = plb_field_value(plb_run_field("schema"), NULL, NULL);
    const json_t *schema = json_object_get(*run, "schema");
    if (!json_is_integer(schema) || !json_is_array(list_of(*run, "pus"))
        || !json_is_array(list_of(*run, "settings")))
        return plb_fail(err, PLB_EINPUT, "%s: this is not a report, as plbrun --report writes it", file);
    if (json_integer_value(schema) != known.whole)
        return plb_fail(
            err, PLB_EINPUT,
            "%s: its format is version %lld, but this plbrun reads version %lld; run the job again", file,
            (long long)json_integer_value(schema), (long long)known.whole);
    return PLB_OK;
}

/* ---------------------------------------------------------------- set-ups */

/* Keys of a report that make a set-up, beside settings and PUs. */
static const char *const traits[] = {"app", "version", "mode", "nodes", "units", "status", NULL};

/* The value of a setting, or NULL. */
static const char *setting(const json_t *run, const char *section, const char *key)
{
    size_t i;
    const json_t *s;
    json_array_foreach(list_of(run, "settings"), i,
                       s) if (strcmp(text_of(s, "section"), section) == 0
                              && strcmp(text_of(s, "key"), key) == 0) return text_of(s, "value");
    return NULL;
}

static bool has_settings_of(const json_t *run, const json_t *other)
{
    size_t i;
    const json_t *s;
    json_array_foreach(list_of(other, "settings"), i, s)
    {
        const char *value = setting(run, text_of(s, "section"), text_of(s, "key"));
        if (value == NULL || strcmp(value, text_of(s, "value")) != 0)
            return false;
    }
    return true;
}

static bool has_pus_of(const json_t *run, const json_t *other)
{
    const json_t *a = list_of(run, "pus"), *b = list_of(other, "pus");
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; i < json_array_size(a) && same; i++)
        same = strcmp(text_of(json_array_get(a, i), "name"), text_of(json_array_get(b, i), "name")) == 0;
    return same;
}

static bool repeats(const json_t *run, const json_t *other)
{
    for (int i = 0; traits[i] != NULL; i++)
        if (!json_equal(json_object_get(run, traits[i]), json_object_get(other, traits[i])))
            return false;
    return has_settings_of(run, other) && has_settings_of(other, run) && has_pus_of(run, other);
}

static int group(struct plb_comparison *c, struct plb_error *err)
{
    for (int r = 0; r < c->n_runs; r++) {
        int s = 0;
        while (s < c->n_setups && !repeats(c->runs[r], c->runs[c->setups[s].first]))
            s++;
        if (s == PLB_SETUPS)
            return plb_fail(err, PLB_EINPUT,
                            "%s: this would be set-up number %d, but at most %d can be compared; runs with "
                            "the same settings, PUs and version are one set-up",
                            c->files[r], s + 1, PLB_SETUPS);
        if (s == c->n_setups)
            c->setups[c->n_setups++] = (struct plb_setup){
                .name = {(char)('A' + s), '\0'}, .status = text_of(c->runs[r], "status"), .first = r};
        c->setups[s].n++;
        c->setup_of[r] = s;
    }
    return PLB_OK;
}

/* ---------------------------------------------------------------- what differs by intent */

/* Adds a row where set-ups differ in it. */
static void intend(struct plb_comparison *c, const char *section, const char *key)
{
    struct plb_intended row = {.name = ""};
    bool differs = false;
    snprintf(row.name, sizeof row.name, "%s%s%s", section, section[0] != '\0' ? "." : "", key);
    for (int i = 0; i < c->n_intended; i++)
        if (strcmp(c->intended[i].name, row.name) == 0)
            return;
    for (int s = 0; s < c->n_setups; s++) {
        const json_t *run = c->runs[c->setups[s].first], *trait = json_object_get(run, key);
        const char *value = section[0] == '\0' ? json_string_value(trait) : setting(run, section, key);
        if (section[0] == '\0' && json_is_integer(trait))
            snprintf(row.value[s], sizeof row.value[s], "%lld", (long long)json_integer_value(trait));
        else
            snprintf(row.value[s], sizeof row.value[s], "%s", value != NULL ? value : "none");
        differs |= strcmp(row.value[s], row.value[0]) != 0;
    }
    if (!differs)
        return;
    c->intended = plb_grow(c->intended, (size_t)(c->n_intended + 1) * sizeof row);
    c->intended[c->n_intended++] = row;
}

static void intend_pus(struct plb_comparison *c)
{
    struct plb_intended row = {.name = "PUs"};
    bool differ = false;
    for (int s = 0; s < c->n_setups; s++) {
        const json_t *run = c->runs[c->setups[s].first], *pu;
        size_t i, used = 0;
        json_array_foreach(list_of(run, "pus"), i, pu) if (used < sizeof row.value[s])
            used += (size_t)snprintf(row.value[s] + used, sizeof row.value[s] - used, "%s%s",
                                     i > 0 ? ", " : "", text_of(pu, "name"));
        differ |= !has_pus_of(run, c->runs[c->setups[0].first]);
    }
    if (!differ)
        return;
    c->intended = plb_grow(c->intended, (size_t)(c->n_intended + 1) * sizeof row);
    c->intended[c->n_intended++] = row;
}

static void find_intended(struct plb_comparison *c)
{
    for (int i = 0; traits[i] != NULL; i++)
        intend(c, "", traits[i]);
    intend_pus(c);
    for (int s = 0; s < c->n_setups; s++) {
        size_t i;
        const json_t *row;
        json_array_foreach(list_of(c->runs[c->setups[s].first], "settings"), i, row)
            intend(c, text_of(row, "section"), text_of(row, "key"));
    }
}

/* ---------------------------------------------------------------- quantities */

static struct plb_repeats_spread spread_of(double *values, int n)
{
    if (n == 0)
        return (struct plb_repeats_spread){.n = 0};
    double median = plb_median(values, n);
    return (struct plb_repeats_spread){n, values[0], median, values[n - 1]};
}

static bool stands_out(const struct plb_repeats_spread *a, const struct plb_repeats_spread *b)
{
    return a->n > 1 && b->n > 1 && (a->high < b->low || b->high < a->low);
}

/* A quantity of runs, or of their PUs number `pu`. Unknown in all runs: no row. */
static void add_quantity(struct plb_comparison *c, const struct plb_report_field *field, int pu,
                         const char *of)
{
    struct plb_compared q = {.field = field};
    double *values = plb_alloc((size_t)c->n_runs * sizeof *values);
    bool known = false;
    snprintf(q.of, sizeof q.of, "%s", of);
    for (int s = 0; s < c->n_setups; s++) {
        int n = 0;
        for (int r = 0; r < c->n_runs; r++) {
            const json_t *run = c->runs[r];
            const json_t *at = pu < 0 ? run : json_array_get(list_of(run, "pus"), (size_t)pu);
            const json_t *value = json_object_get(at, field->key);
            if (c->setup_of[r] == s && json_is_number(value))
                values[n++] = json_number_value(value);
        }
        q.with[s] = spread_of(values, n);
        q.stands_out[s] = s > 0 && stands_out(&q.with[s], &q.with[0]);
        known |= n > 0;
    }
    free(values);
    if (!known)
        return;
    c->quantities = plb_grow(c->quantities, (size_t)(c->n_quantities + 1) * sizeof q);
    c->quantities[c->n_quantities++] = q;
}

static bool is_quantity(const struct plb_report_field *f)
{
    return f->key != NULL && f->unit != PLB_UNIT_NONE && f->unit != PLB_UNIT_OF_APP
        && (f->type == PLB_VALUE_WHOLE || f->type == PLB_VALUE_REAL);
}

/* PUs are compared where all set-ups have the same. Keys of one have quantities of `plb_pu_fields`. */
static void find_quantities(struct plb_comparison *c)
{
    static const char *const of_pu[] = {"units", "busy_s", "rate"};
    const json_t *first = c->runs[0];
    bool same = true;
    for (const struct plb_report_field *f = plb_run_fields; f->meaning != NULL; f++)
        if (is_quantity(f))
            add_quantity(c, f, -1, "");
    for (int s = 1; s < c->n_setups; s++)
        same &= has_pus_of(c->runs[c->setups[s].first], first);
    for (int pu = 0; pu < (int)json_array_size(list_of(first, "pus")) && same; pu++)
        for (const struct plb_report_field *f = plb_pu_fields; f->meaning != NULL; f++)
            for (size_t k = 0; k < sizeof of_pu / sizeof *of_pu; k++)
                if (f->key != NULL && strcmp(f->key, of_pu[k]) == 0) {
                    char name[64];
                    const json_t *row = json_array_get(list_of(first, "pus"), (size_t)pu);
                    snprintf(name, sizeof name, "PU %d, %s", pu, text_of(row, "name"));
                    add_quantity(c, f, pu, name);
                }
}

static void release(struct plb_comparison *c)
{
    for (int r = 0; r < c->n_runs; r++)
        json_decref(c->runs[r]);
    free(c->runs);
    free(c->setup_of);
    free(c->intended);
    free(c->quantities);
}

int plb_compare(char *const *files, int n, const char *file, bool quiet, struct plb_error *err)
{
    if (n == 0)
        return plb_fail(err, PLB_EINPUT, "--compare needs reports: plbrun --compare a.json b.json ...");
    if (file != NULL && plb_page_check_name(file, err) != PLB_OK)
        return err->status;
    struct plb_comparison c = {.files = files};
    bool alone = file != NULL && strcmp(file, "-") == 0;
    if (file != NULL)
        for (int i = 0; i < n; i++)
            if (plb_file_same(files[i], file))
                return plb_fail(err, PLB_EINPUT,
                                "--report %s: this is one of the reports to compare; name another file",
                                file);
    c.runs = plb_alloc((size_t)n * sizeof *c.runs);
    c.setup_of = plb_alloc((size_t)n * sizeof *c.setup_of);
    for (; c.n_runs < n && err->status == PLB_OK; c.n_runs++)
        read_run(files[c.n_runs], &c.runs[c.n_runs], err);
    if (err->status == PLB_OK && group(&c, err) == PLB_OK) {
        find_intended(&c);
        find_quantities(&c);
        if (!quiet && !alone)
            plb_comparison_print(&c, stdout);
        if (file != NULL)
            plb_comparison_write(&c, alone ? "/dev/stdout" : file, err);
    }
    release(&c);
    return err->status;
}
