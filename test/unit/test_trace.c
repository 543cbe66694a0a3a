/* The files of a trace: events for Perfetto and the chart. */
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

#include "report/trace/trace_file.h"

static char folder[] = "/tmp/test_trace.XXXXXX";

static char *file(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* An event: its type; node, PU and pass; start and seconds; first unit, units, and their block. */
#define ADD(trace, ...) plb_trace_add(trace, (struct plb_trace_event){__VA_ARGS__})

static void a_trace_is_what_perfetto_reads(void **state)
{
    (void)state;
    struct plb_trace t = {.on = 1};
    struct plb_error err = {.status = PLB_OK};
    struct plb_report_pu pus[] = {{.node = 0, .host = "h", .name = "a"},
                                  {.node = 1, .host = "g", .name = "b"}};
    struct plb_report r = {.unit = "rows", .n_pus = 2, .pus = pus};
    ADD(&t, PLB_TRACE_TASK, 1, 1, 1, 0.002, 0.001, 5, 10, 1);
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 0.0, 0.001, 0, 0, 0);
    ADD(&t, PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, 1, 0.001, 0.001, 250000000, 0, 0);
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 0.0, 0.0, 0, 0, 0); /* no time: no event */
    assert_int_equal(plb_trace_write(&t, &r, file("t.json"), &err), PLB_OK);
    json_t *o = json_load_file(file("t.json"), 0, NULL), *events = json_object_get(o, "traceEvents"), *e;
    size_t i;
    int complete = 0, names = 0;
    double before = -1.0;
    json_array_foreach(events, i, e)
    {
        assert_true(json_is_integer(json_object_get(e, "pid")) && json_is_integer(json_object_get(e, "tid")));
        const char *ph = json_string_value(json_object_get(e, "ph"));
        if (strcmp(ph, "X") == 0) {
            double ts = json_number_value(json_object_get(e, "ts"));
            assert_true(ts >= before && json_number_value(json_object_get(e, "dur")) > 0.0);
            before = ts;
            complete++;
        }
        const char *name = json_string_value(json_object_get(e, "name"));
        names += strcmp(ph, "M") == 0 && strstr(name, "_name") != NULL;
    }
    assert_int_equal(complete, 3);
    assert_int_equal(names, 2 + 2 + 1);                      /* processes, threads, the master */
    e = json_array_get(events, json_array_size(events) - 2); /* the solve */
    assert_true(fabs(json_number_value(json_object_get(json_object_get(e, "args"), "rest_s")) - 0.25) < 1e-9);
    e = json_array_get(events, json_array_size(events) - 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(e, "args"), "count")), 10);
    assert_true(fabs(json_number_value(json_object_get(e, "ts")) - 2000.0) < 1e-6); /* microseconds */
    json_decref(o);
    unlink(file("t.json"));
    plb_trace_fini(&t);
}

/* The whole file as text; the caller frees it. */
static char *contents(const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

static int occurs(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* Two lanes: PU 1 executes what it was granted, then ten units of PU 0's block; names are escaped. */
static void a_chart_shows_who_took_from_whom(void **state)
{
    (void)state;
    struct plb_trace t = {.on = 1};
    struct plb_error err = {.status = PLB_OK};
    struct plb_report_pu pus[] = {{.node = 0, .host = "h", .name = "a<b"},
                                  {.node = 1, .host = "g", .name = "b"}};
    struct plb_report r = {.app = "x<y", .unit = "rows", .balancer = "static", .n_pus = 2, .pus = pus};
    ADD(&t, PLB_TRACE_TASK, 1, 1, 1, 0.0, 0.4, 0, 5, 3);
    ADD(&t, PLB_TRACE_TASK, 1, 1, 1, 0.5, 0.4, 5, 10, 2);
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 0.0, 0.1, 0, 0, 0);
    for (int i = 0; i < 100000; i++) /* too narrow to be seen one by one */
        ADD(&t, PLB_TRACE_TASK, 0, 0, 1, 0.1 + 8e-6 * i, 8e-6, 100 + i, 1, 4);
    assert_int_equal(plb_trace_write(&t, &r, file("t.html"), &err), PLB_OK);
    char *html = contents(file("t.html"));
    assert_int_equal(occurs(html, "class=\"stolen\" x="), 1);
    assert_int_equal(occurs(html, "class=\"steal\""), 1);
    assert_int_equal(occurs(html, "10 rows from 5 on, granted to PU 0"), 1);
    assert_int_equal(occurs(html, "a&lt;b"), 1);
    assert_int_equal(occurs(html, "x&lt;y"), 2); /* in the title and in the run's line */
    assert_int_equal(occurs(html, "://"), 0);    /* nothing is fetched */
    assert_true(occurs(html, "<rect") > 500 && occurs(html, "<rect") < 3000);
    assert_int_equal(occurs(html, "</html>"), 1);
    free(html);
    unlink(file("t.html"));
    plb_trace_fini(&t);
}

/* A picture that is asked for as .svg is no .svg for being named so. */
static void an_ending_without_a_format_is_refused(void **state)
{
    (void)state;
    static const char *const known[] = {"a.html", "a.json", "a", ".svg", "x.svg/a", "/dev/stdout"};
    static const char *const unknown[] = {"a.svg", "a.htm", "a.html.gz", "a.JSON", "x.html/a.txt", "a."};
    struct plb_trace t = {.on = 1};
    struct plb_report r = {.app = "x", .unit = "rows", .balancer = "static"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(plb_trace_has_format(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(plb_trace_has_format(unknown[i]));
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_trace_write(&t, &r, file("a.svg"), &err), PLB_EFAILED);
    assert_int_not_equal(access(file("a.svg"), F_OK), 0);
}

/* A chart is passed on without the words around it. */
static void a_simulated_chart_says_so(void **state)
{
    (void)state;
    struct plb_trace t = {.on = 1};
    struct plb_report_pu pu = {.host = "h", .name = "a"};
    struct plb_report r = {.app = "x", .unit = "rows", .balancer = "static", .n_pus = 1, .pus = &pu};
    static const char *const names[] = {"t.html", "t.json"};
    for (int mode = PLB_REAL_RUN; mode <= PLB_SIMULATED; mode++)
        for (int i = 0; i < 2; i++) {
            struct plb_error err = {.status = PLB_OK};
            r.mode = (enum plb_run_mode)mode;
            assert_int_equal(plb_trace_write(&t, &r, file(names[i]), &err), PLB_OK);
            char *text = contents(file(names[i]));
            assert_int_equal(occurs(text, "(simulated)"), mode == PLB_SIMULATED);
            assert_int_equal(occurs(text, "all times are virtual"), i == 0 && mode == PLB_SIMULATED);
            unlink(file(names[i]));
            free(text);
        }
}

/* The ending alone chooses the format; a name that is nothing but the ending has none. */
static void the_ending_chooses_the_format(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool html;
    } cases[] = {{"a.html", true}, {"a.json", false}, {"html", false}, {"a.html.json", false}};
    struct plb_trace t = {.on = 1};
    struct plb_report r = {.app = "x", .unit = "rows", .balancer = "static"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_error err = {.status = PLB_OK};
        assert_int_equal(plb_trace_write(&t, &r, file(cases[i].name), &err), PLB_OK);
        char *text = contents(file(cases[i].name));
        assert_int_equal(occurs(text, "</html>"), cases[i].html);
        unlink(file(cases[i].name));
        free(text);
    }
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_trace_write(&t, &r, file("no/such/folder.html"), &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "no/such/folder.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ending_without_a_format_is_refused),
        cmocka_unit_test(a_simulated_chart_says_so),
        cmocka_unit_test(a_trace_is_what_perfetto_reads),
        cmocka_unit_test(a_chart_shows_who_took_from_whom),
        cmocka_unit_test(the_ending_chooses_the_format),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
