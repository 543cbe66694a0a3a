/* Results of audits on rank 0: sums are folded once, and the right result stays. */
#include "master_fixture.h"

#include "rank0/audit_results.h"

#define UNITS 3

static const struct plb_kernel kernel = {.name = "k", .unit = "rows"};

/* A row for each node. Node 0 has executed row 0, and was wrong if its result is not 1. */
struct world {
    struct fixture f;
    struct plb_app app;
    struct plb_dataset set;
    double out[UNITS], sum;
    struct plb_audit_results *results;
};

static void set_up(struct world *w, int nodes, double first)
{
    memset(w, 0, sizeof *w);
    start(&w->f, "static", 0.0, nodes, nodes,
          &(struct plb_master_config){.audit = 1.0, .whole_results = true});
    w->app.kernel = &kernel;
    w->set = (struct plb_dataset){.n = 2, .on_rank0 = true, .units = nodes, .host = {w->out, &w->sum}};
    w->set.at[0] = (struct plb_data){.name = "out", .mode = PLB_OUTPUT, .unit_bytes = sizeof *w->out};
    w->set.at[1] = (struct plb_data){
        .name = "sum", .mode = PLB_REDUCE, .bytes = sizeof w->sum, .op = PLB_SUM, .type = PLB_FLOAT64};
    w->results = plb_audit_results_new(
        &(struct plb_audit_results_config){&w->set, &w->app, w->f.master, &w->f.out, 0.0});
    struct plb_message block = block_of(&w->f, 0), done = done_of(&w->f, &block, 0, 0, 1);
    assert_int_equal(receive(&w->f, &done, 11.0), 1);
    w->out[done.done.range.first] = first;
    assert_true(plb_audit_results_keep(w->results, &done, (void *[]){NULL, &first}));
}

static void tear_down(struct world *w)
{
    plb_audit_results_free(w->results);
    stop(&w->f);
}

/* The PU that was asked last has this result. */
static void answer(struct world *w, double result)
{
    int i = w->f.out.n - 1;
    while (w->f.out.at[i].type != PLB_AUDIT)
        i--;
    const struct plb_message *m = &w->f.out.at[i];
    struct plb_message done = message(&w->f, PLB_DONE, m->to);
    done.done = (struct plb_done){
        .range = m->block.range, .block = m->block.id, .slot = 0, .tasks = 1, .audit = 1};
    plb_audit_results_compare(w->results, &done, (void *[]){&result, &result});
}

static void a_sum_counts_once_when_its_audit_is_over(void **state)
{
    (void)state;
    struct world w;
    set_up(&w, 3, 1.0);
    assert_true(plb_audit_results_wait(w.results) && w.sum == 0.0);
    plb_audit_results_settle(w.results); /* it is open */
    assert_true(w.sum == 0.0);
    answer(&w, 1.0);
    assert_true(w.sum == 1.0 && w.out[0] == 1.0);
    plb_audit_results_settle(w.results);
    assert_false(plb_audit_results_wait(w.results));
    assert_true(w.sum == 1.0);
    tear_down(&w);
}

static void the_right_result_takes_the_place_of_the_wrong_one(void **state)
{
    (void)state;
    struct world w;
    set_up(&w, 3, 5.0);
    answer(&w, 1.0);
    assert_true(w.sum == 0.0);
    answer(&w, 1.0);
    assert_true(w.sum == 1.0 && w.out[0] == 1.0);
    assert_int_equal(plb_audits_wrong(plb_master_audits(w.f.master), 0), 1);
    tear_down(&w);
}

static void a_wrong_second_result_changes_nothing(void **state)
{
    (void)state;
    struct world w;
    set_up(&w, 3, 1.0);
    answer(&w, 5.0);
    answer(&w, 1.0);
    assert_true(w.sum == 1.0 && w.out[0] == 1.0);
    assert_int_equal(plb_audits_wrong(plb_master_audits(w.f.master), 0), 0);
    tear_down(&w);
}

static void the_first_result_stays_where_nobody_knows(void **state)
{
    (void)state;
    struct world w;
    set_up(&w, 2, 5.0);
    answer(&w, 1.0);
    assert_true(w.sum == 5.0 && w.out[0] == 5.0);
    assert_false(plb_audit_results_wait(w.results));
    tear_down(&w);
}

static void an_audit_that_is_given_up_folds_the_first_result(void **state)
{
    (void)state;
    struct world w;
    set_up(&w, 2, 1.0);
    plb_master_lost(w.f.master, 1, 12.0, &w.f.out);
    plb_audit_results_settle(w.results);
    assert_true(w.sum == 1.0);
    assert_false(plb_audit_results_wait(w.results));
    tear_down(&w);
}

/* The place of the first difference, and what stands there. */
static void a_difference_is_described(void **state)
{
    (void)state;
    struct world w;
    char text[PLB_RESULTS_TEXT];
    struct plb_difference where;
    set_up(&w, 3, 1.0);
    unsigned char one[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}, other[16];
    double sum = 1.0, other_sum = 2.0;
    memcpy(other, one, sizeof one);
    struct plb_range rows = {1, 2};
    void *a[] = {one, &sum}, *b[] = {other, &sum};
    assert_true(plb_agree(&w.app, &w.set, rows, a, b, &where));
    other[10] = 0xff;
    assert_false(plb_agree(&w.app, &w.set, rows, a, b, &where));
    assert_true(where.buffer == 0 && where.byte == 10);
    plb_agree_print_difference(&w.app, &w.set, rows, a, b, &where, text);
    assert_string_equal(text, "'out' of row 2 differs from byte 2 on: 030405060708 and ff0405060708");
    b[0] = one;
    b[1] = &other_sum;
    assert_false(plb_agree(&w.app, &w.set, rows, a, b, &where));
    plb_agree_print_difference(&w.app, &w.set, rows, a, b, &where, text);
    assert_string_equal(text, "element 0 of 'sum' is 1 and 2");
    tear_down(&w);
}

/* The helper for kernels of float64. */
static void reals_agree_within_a_tolerance(void **state)
{
    (void)state;
    const double one[] = {1.0, (double)NAN, (double)INFINITY, -3.0};
    double other[] = {1.0 + 1e-13, (double)NAN, (double)INFINITY, -3.0};
    struct plb_twice t = {.one = one, .other = other, .bytes = sizeof one};
    assert_int_equal(plb_app_agree_reals(&t, 1e-12, 0.0), PLB_SAME);
    assert_int_equal(plb_app_agree_reals(&t, 1e-14, 0.0), 0);
    assert_int_equal(plb_app_agree_reals(&t, 0.0, 1e-12), PLB_SAME);
    other[3] = 3.0;
    assert_int_equal(plb_app_agree_reals(&t, 1e-12, 0.0), 24);
    other[1] = 0.0;
    assert_int_equal(plb_app_agree_reals(&t, 1e-12, 0.0), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_counts_once_when_its_audit_is_over),
        cmocka_unit_test(the_right_result_takes_the_place_of_the_wrong_one),
        cmocka_unit_test(a_wrong_second_result_changes_nothing),
        cmocka_unit_test(the_first_result_stays_where_nobody_knows),
        cmocka_unit_test(an_audit_that_is_given_up_folds_the_first_result),
        cmocka_unit_test(a_difference_is_described),
        cmocka_unit_test(reals_agree_within_a_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
