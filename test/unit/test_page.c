/* The page of a report, from literals, and one of a thousand PUs and a million tasks.
 * test/system/test_page.sh opens them in a browser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/losses.h"
#include "report/page/page.h"
#include "report/summary/advice.h"

#include "report_example.h"

#define PUS 1000
#define TASKS 1000 /* of a PU */

static char folder[] = "/tmp/test_page.XXXXXX";

static char *file(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The page; the caller frees it. */
static char *page_of(struct plb_report *report, const struct plb_trace *trace)
{
    struct plb_error err = {.status = PLB_OK};
    plb_losses_account(report);
    plb_advice_find(report);
    if (plb_page_write(report, trace, file("p.html"), &err) != PLB_OK)
        fail_msg("%s", err.text);
    FILE *f = fopen(file("p.html"), "r");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    unlink(file("p.html"));
    return text;
}

static int occurs(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* The JSON of a script of the page; NULL: there is none. */
static json_t *json_in(const char *page, const char *id)
{
    char begin[80];
    snprintf(begin, sizeof begin, "<script type=\"application/json\" id=\"%s\">", id);
    const char *at = strstr(page, begin);
    if (at == NULL)
        return NULL;
    at += strlen(begin);
    json_t *o = json_loadb(at, (size_t)(strstr(at, "</script>") - at), 0, NULL);
    assert_non_null(o);
    return o;
}

#define ADD(trace, ...) plb_trace_add(trace, (struct plb_trace_event){__VA_ARGS__})

static void explains_words(const char *page)
{
    static const char *const explained[] = {"balancing ratio", "PU",    "unit",      "pass",   "rate",
                                            "balancer",        "curve", "migration", "virtual"};
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++) {
        char word[40];
        snprintf(word, sizeof word, "<dt>%s</dt><dd>", explained[i]);
        assert_int_equal(occurs(page, word), 1);
    }
}

static void a_page_has_what_is_needed_without_scripts(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_report_setting settings[] = {{"x", "file", "a<b", "line 3"}, {"x", "none", NULL, NULL}};
    const struct plb_trace none = {0};
    r.settings = settings;
    r.n_settings = 2;
    r.error = "it <broke>";
    r.command = "plbrun </script><b>";
    /* Whole characters, and some that are cut; then a control character, and half of a pair. */
    strcpy(pus[0].host, "\xc3\xa9\xe9\xe2\x82\xac\xe2\x82");
    strcpy(pus[1].host, "a\x01\xed\xa0\x80\xf0\x9f\x98\x80");
    r.mode = PLB_SIMULATED;
    pus[0].rate = 3396000.0;
    char *page = page_of(&r, &none);
    assert_non_null(strstr(page, "<td class=\"n\">3.396&nbsp;M</td>"));
    assert_int_equal(occurs(page, "x: 10.00 s, balancer greedy (simulated)"), 2); /* title and heading */
    assert_non_null(strstr(page, " times the ideal time (parallel efficiency "));
    const char *fold = strstr(page, "<details><summary>Efficiencies as in TALP</summary>");
    assert_non_null(fold);
    assert_non_null(strstr(fold, "communication efficiency "));
    assert_true(strstr(page, "communication efficiency ") > fold);
    assert_non_null(strstr(page, "<th title=\"Waits for inputs, or for "));
    assert_non_null(strstr(page, ">+&nbsp;copies not hidden</th>"));
    explains_words(page);
    assert_non_null(strstr(page, ">share of the rates</th>"));
    assert_non_null(strstr(page, "The run did not succeed: it &lt;broke&gt;."));
    assert_int_equal(occurs(page, "<td>x.file</td><td>a&lt;b</td><td>line 3</td>"), 1);
    assert_int_equal(occurs(page, "<td>x.none</td><td>not set</td><td></td>"), 1);
    assert_non_null(strstr(page, "<th>note</th>"));
    assert_non_null(strstr(page, "<td class=\"note\">no work was left for it</td>"));
    assert_non_null(strstr(page, "so that a second of a fast PU counts more. The idle time above ("));
    assert_non_null(strstr(page, "can be faster than the bound"));
    assert_non_null(strstr(page, "all times are virtual"));
    assert_non_null(strstr(page, "<td>\xc3\xa9?\xe2\x82\xac?\?</td>"));
    assert_non_null(strstr(page, "<td>a ?\?\?\xf0\x9f\x98\x80</td>"));
    assert_int_equal(occurs(page, "</html>"), 1);
    assert_int_equal(occurs(page, "://"), 0); /* nothing is fetched */
    assert_int_equal(occurs(page, "</script>"), 2);
    assert_non_null(strstr(page, "<pre><span>plbrun</span> <span>&lt;/script&gt;&lt;b&gt;</span></pre>"));
    json_t *o = json_in(page, "report");
    assert_string_equal(json_string_value(json_object_get(o, "command")), r.command);
    json_decref(o);
    assert_null(json_in(page, "trace"));
    free(page);
}

static int64_t number(const json_t *o, const char *key, size_t i)
{
    return json_integer_value(json_array_get(json_object_get(o, key), i));
}

static void a_page_says_how_long_repeated_passes_took(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_report_phase phase = {.phase = "x", .passes = 2, .time_s = 6.0};
    const struct plb_trace none = {0};
    r.passes = 2;
    r.phases = &phase;
    r.n_phases = 1;
    for (r.passes_again = 0; r.passes_again <= 1; r.passes_again++) {
        r.again_s = 4.0 * r.passes_again;
        char *page = page_of(&r, &none);
        assert_int_equal(occurs(page, "repeated after a loss took a further 4.00 s."), r.passes_again);
        free(page);
    }
}

/* PU 0 has a few events, and 1 more than are written one by one, half of which it took from PU 0. */
/* Of a real run, whose clock is that of the reader. */
static void a_real_run_has_its_elapsed_and_cpu_time(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    const struct plb_trace none = {0};
    char *page = page_of(&r, &none);
    assert_null(strstr(page, "elapsed "));
    assert_null(strstr(page, ">CPU time</th>"));
    free(page);
    r.setup_s = 1.0, r.write_s = 0.5;
    pus[1].cpu_s = 2.5;
    plb_report_elapse(&r);
    page = page_of(&r, &none);
    assert_non_null(
        strstr(page, "<p class=\"line\">elapsed 11.50 s: start 1.00 s; passes 10.00 s; write 500.0 ms</p>"));
    assert_non_null(strstr(page, ">CPU time</th>"));
    assert_non_null(strstr(page, "<td class=\"n\">2.50 s</td>"));
    free(page);
    r.mode = PLB_SIMULATED;
    page = page_of(&r, &none);
    assert_null(strstr(page, "elapsed "));
    free(page);
}

static void events_are_written_or_counted_in_columns(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_trace t = {.on = 1};
    ADD(&t, PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, 0, 2.0, 0.5, 9000000000, 0, 0); /* 9 s to the end */
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 2.0, 1.0, 0, 0, 0);
    ADD(&t, PLB_TRACE_WAIT, 0, 0, 1, 3.0, 0.5, 0, 10, 3); /* for inputs */
    ADD(&t, PLB_TRACE_TRANSFER, 0, 0, 1, 3.5, 0.5, 0, 10, 3);
    ADD(&t, PLB_TRACE_TASK, 0, 0, 1, 4.0, 6.0, 0, 10, 3);
    for (int i = 0; i < 8000; i++) /* from second 2 to 7, then none to 12 */
        ADD(&t, PLB_TRACE_TASK, 1, 1, 2, 2.0 + i * 5.0 / 8000.0, 5.0 / 8000.0, i, 2, i < 4000 ? 1 : 3);
    ADD(&t, PLB_TRACE_TASK, 1, 2, 2, 11.0, 1.0, 0, 0, 2);
    char *page = page_of(&r, &t);
    json_t *o = json_in(page, "trace");
    double tick = json_number_value(json_object_get(o, "tick"));
    assert_int_equal(json_array_size(json_object_get(o, "events")), 5 * 8 + 1);
    const int64_t task[] = {
        PLB_TRACE_TASK, 0, (int64_t)(2.0 / tick + 0.5), (int64_t)(6.0 / tick + 0.5), 1, 0, 10, 0};
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(number(o, "events", 24 + i), task[i]);
    assert_int_equal(number(o, "events", 1), PLB_TRACE_MASTER);
    assert_int_equal(number(o, "events", 5), (int64_t)(9.0 / tick + 0.5));
    json_t *bins = json_object_get(o, "bins");
    assert_int_equal(json_object_size(bins), 1);
    const char *columns = json_string_value(json_object_get(bins, "1"));
    size_t n = (size_t)json_integer_value(json_object_get(o, "columns"));
    assert_int_equal(strlen(columns), 3 * n);
    assert_memory_equal(columns, "_00", 3);                    /* computes all the time */
    assert_memory_equal(columns + 3 * (n * 4 / 10), "00_", 3); /* what PU 0 was granted */
    assert_memory_equal(columns + 3 * (n * 7 / 10), "000", 3); /* nothing */
    assert_int_equal(number(o, "passes", 2 * 2), 0);
    assert_true(llabs(number(o, "passes", 2 * 1) - (int64_t)(1.0 / tick)) <= 1); /* no wait for work */
    assert_true(llabs(number(o, "passes", 2 * 1 + 1) - (int64_t)(8.0 / tick)) <= 1);
    const json_t *rate = json_array_get(json_object_get(o, "rates"), 1);
    double fastest = json_number_value(json_array_get(rate, 0));
    assert_true(fastest > 3199.0 && fastest < 3201.0);
    json_decref(o);
    free(page);
    plb_trace_fini(&t);
}

/* A report whose number is no number has no JSON, and no page. */
static void a_page_that_cannot_be_written_is_not_there(void **state)
{
    (void)state;
    struct plb_report_pu pus[3];
    struct plb_report r = example(pus);
    struct plb_error err = {.status = PLB_OK};
    const struct plb_trace none = {0};
    plb_losses_account(&r);
    r.profile_s = 1.0 / 0.0;
    assert_int_equal(plb_page_write(&r, &none, file("p.html"), &err), PLB_EFAILED);
    assert_non_null(strstr(err.text, "not finite"));
    assert_int_equal(access(file("p.html"), F_OK), -1);
    assert_true(plb_page_named("a/b.html") && plb_page_named("c.htm") && plb_page_named("C.HTML"));
    assert_false(plb_page_named("b.json") || plb_page_named("a.html/b") || plb_page_named(".html"));
}

/* A report that is asked for as .pdf is no .pdf for being named so. */
static void an_ending_without_a_format_is_refused(void **state)
{
    (void)state;
    static const char *const known[] = {"a.json", "a.JSON",      "b/c.html",   "d.HTM",      "r",
                                        "-",      "/dev/stdout", "/dev/fd/63", "x.pdf/pipe", ".pdf"};
    static const char *const unknown[] = {"a.pdf", "a.json.gz", "x.json/a.txt", "run-2.1", "a."};
    struct plb_error err = {.status = PLB_OK};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(plb_page_check_name(known[i], &err), PLB_OK);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        err = (struct plb_error){.status = PLB_OK};
        assert_int_equal(plb_page_check_name(unknown[i], &err), PLB_EINPUT);
        assert_non_null(strstr(err.text, unknown[i]));
    }
}

/* A thousand PUs on 125 nodes, each with a thousand tasks in three passes. */
static void make_large(struct plb_report *r, struct plb_report_pu *pus, struct plb_trace *t)
{
    *r = (struct plb_report){.app = "large",
                             .unit = "rows",
                             .balancer = "sure",
                             .command = "plbrun",
                             .nodes = PUS / 8,
                             .hosts = PUS / 8,
                             .passes = 3,
                             .n_pus = PUS,
                             .units = 100 * TASKS * PUS,
                             .makespan_s = 100.0,
                             .bound_s = 99.0,
                             .pus = pus};
    for (int p = 0; p < PUS; p++) {
        pus[p] = (struct plb_report_pu){
            .id = p, .node = p / 8, .units = 100 * TASKS, .tasks = TASKS, .blocks = 10};
        snprintf(pus[p].host, sizeof pus[p].host, "node%03d", p / 8);
        snprintf(pus[p].name, sizeof pus[p].name, "processor %d", p % 5);
        pus[p].curve = (struct plb_report_curve){
            .text = "0.001 x", .n_terms = 1, .terms = {{"u", 0.1}}, .scale = 100};
        pus[p].busy_s = 100.0 - (p % 7);
        pus[p].imbalance_s = p % 7;
        pus[p].work = 100.0 * TASKS;
        double at = 0.0, step = pus[p].busy_s / TASKS;
        for (int i = 0; i < TASKS; i++, at += step)
            ADD(t, PLB_TRACE_TASK, p / 8, p, 1 + 3 * i / TASKS, at, step * (i % 10 == 0 ? 0.5 : 1.0),
                100 * (p + PUS * (int64_t)i), 100, i > 900 && p % 3 == 0 ? p + 1 : p);
    }
    plb_report_derive(r);
}

/* PLB_PAGE: where to leave the page, for a browser. */
static void a_million_tasks_take_five_megabytes(void **state)
{
    (void)state;
    static struct plb_report_pu pus[PUS];
    struct plb_report r;
    struct plb_trace t = {.on = 1};
    make_large(&r, pus, &t);
    assert_int_equal(t.n, PUS * TASKS);
    clock_t before = clock();
    char *page = page_of(&r, &t);
    print_message("%zu bytes, %.0f ms\n", strlen(page), 1e3 * (double)(clock() - before) / CLOCKS_PER_SEC);
    assert_true(strlen(page) < 5000000);
    if (getenv("PLB_PAGE") != NULL) {
        FILE *out = fopen(getenv("PLB_PAGE"), "w");
        assert_non_null(out);
        fputs(page, out);
        fclose(out);
    }
    free(page);
    plb_trace_fini(&t);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_what_is_needed_without_scripts),
        cmocka_unit_test(a_page_says_how_long_repeated_passes_took),
        cmocka_unit_test(a_real_run_has_its_elapsed_and_cpu_time),
        cmocka_unit_test(events_are_written_or_counted_in_columns),
        cmocka_unit_test(a_page_that_cannot_be_written_is_not_there),
        cmocka_unit_test(an_ending_without_a_format_is_refused),
        cmocka_unit_test(a_million_tasks_take_five_megabytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
