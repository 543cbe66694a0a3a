/* The keys and lines of a report, and the progress line, from literals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/fields/fields.h"
#include "report/fields/json.h"
#include "report/report.h"
#include "report/summary/summary.h"

#include "report_example.h"

static char folder[] = "/tmp/test_report.XXXXXX";

static char *file(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* All of these keys are in the object, and their values are of this kind; ended by NULL. */
static void has(const json_t *object, bool (*is)(const json_t *), const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const json_t *value = json_object_get(object, *keys);
        if (value == NULL || !is(value))
            fail_msg("'%s' is missing or of another kind", *keys);
    }
}

static bool number(const json_t *v)
{
    return json_is_number(v);
}
static bool whole(const json_t *v)
{
    return json_is_integer(v);
}
static bool text(const json_t *v)
{
    return json_is_string(v);
}
static bool object(const json_t *v)
{
    return json_is_object(v);
}
static bool null(const json_t *v)
{
    return json_is_null(v);
}
static bool flag(const json_t *v)
{
    return json_is_boolean(v);
}

#define HAS(object, is, ...) has(object, is, (const char *const[]){__VA_ARGS__, NULL})

static void the_report_has_every_key(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_error err = {.status = PLB_OK};
    for (int v = PLB_NOT_VERIFIED; v <= PLB_WRONG; v++) {
        r.verified = (enum plb_verified)v;
        assert_int_equal(plb_report_write(&r, file("r.json"), &err), PLB_OK);
        json_t *o = json_load_file(file("r.json"), 0, NULL), *verified = json_object_get(o, "verified");
        assert_int_equal(json_array_size(json_object_get(o, "pus")), 3);
        HAS(o, number, "makespan_s", "bound_s", "profile_s", "solve_s", "balancing_ratio", "idle_pct");
        HAS(o, whole, "schema", "seed", "nodes", "hosts", "units", "passes", "passes_again", "solves",
            "messages", "bytes_moved", "migrations", "migrated_units", "backups", "backups_won",
            "backup_units");
        HAS(o, whole, "failed_pus", "audited", "audit_differences", "damaged", "profiles_used",
            "profiles_dropped", "set_aside_units");
        HAS(o, whole, "resumed_pass", "resumed_units");
        HAS(o, text, "version", "date", "command", "app", "balancer", "mode");
        HAS(o, flag, "migration", "resumed");
        const json_t *first = json_array_get(json_object_get(o, "pus"), 0);
        HAS(first, whole, "id", "node", "threads", "units", "blocks", "tasks", "stolen_in", "stolen_out");
        HAS(first, whole, "wrong");
        HAS(first, number, "busy_s", "transfer_s", "idle_s", "rate", "r2");
        HAS(first, text, "host", "name", "kind");
        HAS(first, object, "curve");
        const json_t *curve = json_object_get(first, "curve");
        HAS(curve, text, "text");
        HAS(curve, number, "scale", "low", "high");
        const json_t *term = json_array_get(json_object_get(curve, "terms"), 0);
        assert_string_equal(json_string_value(json_object_get(term, "term")), "u");
        assert_true(json_number_value(json_object_get(term, "seconds")) == 0.4);
        HAS(json_array_get(json_object_get(o, "pus"), 1), null, "curve"); /* nothing was measured */
        assert_true(v == PLB_NOT_VERIFIED ? json_is_null(verified)
                    : v == PLB_RIGHT      ? json_is_true(verified)
                                          : json_is_false(verified));
        json_decref(o);
    }
    unlink(file("r.json"));
}

/* Passes of unlike length, as their phase sums them up. */
static void a_name_that_is_not_utf8_does_not_cost_the_report(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_error err = {.status = PLB_OK};
    r.command = "plbrun caf\xe9.conf";
    assert_int_equal(plb_report_write(&r, file("r.json"), &err), PLB_OK);
    json_t *o = json_load_file(file("r.json"), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(o, "command")), "plbrun caf?.conf");
    json_decref(o);
    unlink(file("r.json"));
}

/* A row that nobody filled in would be a key without a meaning, or a meaning that is no sentence. */
static void every_field_has_a_key_and_a_meaning(void **state)
{
    (void)state;
    const struct plb_report_field *const tables[] = {plb_run_fields,     plb_pu_fields,     plb_curve_fields,
                                                     plb_fit_fields,     plb_term_fields,   plb_cost_fields,
                                                     plb_setting_fields, plb_phase_fields,  plb_aside_fields,
                                                     plb_goal_fields,    plb_regrant_fields};
    for (int t = 0; t < 11; t++)
        for (const struct plb_report_field *f = tables[t]; f->meaning != NULL; f++) {
            size_t length = strlen(f->meaning);
            assert_true(length > 10 && f->meaning[length - 1] == '.');
            assert_true(f->key != NULL || f->width != 0); /* else nobody would see it */
            assert_true((f->get != NULL) == (f->member == PLB_MEMBER_NONE));
            assert_true((f->fields != NULL) == (f->type == PLB_VALUE_LIST || f->type == PLB_VALUE_OBJECT));
            for (const struct plb_report_field *g = tables[t]; g != f; g++)
                assert_true(f->key == NULL || g->key == NULL || strcmp(f->key, g->key) != 0);
        }
}

static void a_report_of_several_phases_has_their_curves(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_error err = {.status = PLB_OK};
    struct plb_report_curve curves[6] = {
        [2] = {.text = "0.5 x", .n_terms = 1, .terms = {{"u", 0.5}}, .r2 = 0.75}};
    for (int i = 0; i < 6; i++)
        curves[i].phase = i % 2 == 0 ? "assign" : "smooth";
    for (r.n_phases = 1; r.n_phases <= 2; r.n_phases++) {
        r.curves = r.n_phases > 1 ? curves : NULL;
        assert_int_equal(plb_report_write(&r, file("r.json"), &err), PLB_OK);
        json_t *o = json_load_file(file("r.json"), 0, NULL);
        json_t *pu = json_array_get(json_object_get(o, "pus"), 1);
        json_t *phases = json_object_get(pu, "phases");
        assert_int_equal(json_array_size(phases), r.n_phases > 1 ? 2 : 0);
        if (r.n_phases > 1) {
            json_t *first = json_array_get(phases, 0), *second = json_array_get(phases, 1);
            assert_string_equal(json_string_value(json_object_get(first, "phase")), "assign");
            const json_t *curve = json_object_get(first, "curve");
            assert_string_equal(json_string_value(json_object_get(curve, "text")), "0.5 x");
            assert_true(json_number_value(json_object_get(first, "r2")) == 0.75);
            assert_string_equal(json_string_value(json_object_get(second, "phase")), "smooth");
        }
        json_decref(o);
    }
    unlink(file("r.json"));
}

static void the_summary_has_a_line_per_pu_and_one_for_the_run(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plb_report_summary(&r, out);
    fclose(out);
    int lines = 0;
    for (char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 3 + 1 + 1); /* a header, three PUs, the run, its kinds of PUs */
    assert_non_null(strstr(text, "not used: no work was left for it"));
    assert_non_null(strstr(text, "x: 100 rows in 10.00 s on 3 PUs (2 ranks on 1 host), distributed "
                                 "by the balancer greedy; "));
    assert_null(strstr(text, "profiles"));
    free(text);
    r.profiles_used = 2;
    r.profiles_dropped = 1;
    out = open_memstream(&text, &size);
    plb_report_summary(&r, out);
    fclose(out);
    assert_non_null(
        strstr(text, "\nprofiles: 3 PUs started from earlier measurements; 1 of them dropped these"));
    free(text);
}

/* The table counts a PU's units in all passes, and so does the line of the run. */
static void the_line_counts_units_as_the_table_does(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    char *text;
    size_t size;
    r.passes = 4;
    r.mode = PLB_SIMULATED;
    FILE *out = open_memstream(&text, &size);
    plb_report_line(&r, out);
    fclose(out);
    assert_non_null(strstr(text, "x: 400 rows (4 passes over 100 rows) in 10.00 s on 3 PUs (2 nodes), "
                                 "distributed by the balancer"));
    free(text);
}

/* The column grows with the longest of them. */
static void names_are_not_cut(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    const char *host = "node-0123.rack-45.cluster.an-university.example.org";
    const char *name = "AMD Ryzen Threadripper PRO 5995WX 64-Cores";
    char *text;
    size_t size;
    snprintf(pus[1].host, sizeof pus[1].host, "%s", host);
    snprintf(pus[2].name, sizeof pus[2].name, "%s", name);
    FILE *out = open_memstream(&text, &size);
    plb_report_summary(&r, out);
    fclose(out);
    assert_non_null(strstr(text, host));
    assert_non_null(strstr(text, name));
    const char *second = strchr(text, '\n') + 1; /* columns are below their headings */
    assert_int_equal(strstr(text, "kind") - text, strstr(second, "cpu") - second);
    free(text);
}

/* A curve that fits worse than a constant misleads who believes it. */
static void a_curve_that_tells_nothing_is_said(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    pus[0].curve.r2 = -3.0; /* of few tasks */
    for (int bad = 0; bad <= 2; bad++) {
        char *text;
        size_t size;
        if (bad > 0) {
            pus[bad].curve.r2 = -0.25 * bad;
            pus[bad].tasks = 10;
        }
        FILE *out = open_memstream(&text, &size);
        plb_report_summary(&r, out);
        fclose(out);
        assert_true((strstr(text, " badly (r2") != NULL) == (bad > 0));
        assert_true((strstr(text, "\nthe curve of PU 1 fits badly (r2 -0.25): ") != NULL) == (bad == 1));
        assert_true((strstr(text, "\nthe curves of 2 PUs fit badly (r2 -0.50 for PU 2): ") != NULL)
                    == (bad == 2));
        free(text);
    }
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_report_write(&r, file("no/such/folder.json"), &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "no/such/folder.json"));
    err = (struct plb_error){.status = PLB_OK};
    r.makespan_s = NAN; /* JSON has no such number */
    assert_int_equal(plb_report_write(&r, file("r.json"), &err), PLB_EFAILED);
    assert_int_not_equal(access(file("r.json"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_not_utf8_does_not_cost_the_report),
        cmocka_unit_test(the_report_has_every_key),
        cmocka_unit_test(every_field_has_a_key_and_a_meaning),
        cmocka_unit_test(a_report_of_several_phases_has_their_curves),
        cmocka_unit_test(the_summary_has_a_line_per_pu_and_one_for_the_run),
        cmocka_unit_test(the_line_counts_units_as_the_table_does),
        cmocka_unit_test(names_are_not_cut),
        cmocka_unit_test(a_curve_that_tells_nothing_is_said),
        cmocka_unit_test(what_cannot_be_written_leaves_nothing),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
