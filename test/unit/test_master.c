/* The master's ledger, message by message, with the greedy balancer: each DONE is written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/master.h"
#include "params.h"
#include "job/balancer_table.h"

struct fixture {
    struct plb_cost_map map;
    struct plb_param params[MAX_PARAMS];
    struct plb_pu_info pus[4];
    struct plb_outbox out;
    struct plb_master *master;
};

static void start(struct fixture *f, int nodes, int64_t units, double pieces, const struct plb_master_config *base)
{
    struct plb_error err = {.status = PLB_OK};
    memset(f, 0, sizeof *f);
    struct plb_master_config config = base != NULL ? *base : (struct plb_master_config){0};
    config.balancer = plb_balancer_find("greedy", "test", &err);
    assert_non_null(config.balancer);
    default_params(config.balancer, f->params);
    f->params[0].value = pieces;
    config.params = f->params;
    assert_int_equal(plb_cost_map_init(&f->map, units, NULL, NULL, &err), PLB_OK);
    for (int n = 0; n < nodes; n++)
        f->pus[n] = (struct plb_pu_info){.node = n, .power = 1.0, .memory = n == 3 ? 1000.0 : INFINITY};
    f->master = plb_master_new(&config, f->pus, nodes);
    plb_master_begin(f->master, 1, 0, &f->map, 10.0, &f->out);
}

static void stop(struct fixture *f)
{
    plb_master_free(f->master);
    plb_cost_map_fini(&f->map);
    plb_outbox_fini(&f->out);
}

/* The DONE that answers the i-th message in the outbox, for part of its range. */
static struct plb_message answer(const struct fixture *f, int i, int64_t skip, int64_t count)
{
    struct plb_message m = f->out.at[i];
    m.type = PLB_DONE;
    m.from = m.to;
    m.range.first += skip;
    m.range.count = count;
    m.tasks = 1;
    m.execute_s = 1.0;
    return m;
}

static int64_t finish(struct fixture *f, int i)
{
    struct plb_message m = answer(f, i, 0, f->out.at[i].range.count);
    return plb_master_done(f->master, &m, 11.0, &f->out);
}

static void one_block_ahead_at_each_pu(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 100, 10.0, NULL);
    assert_int_equal(f.out.n, 4); /* 2 PUs × (one to execute, one waiting) */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f.out.at[i].type, PLB_BLOCK);
        assert_int_equal(f.out.at[i].range.count, 10);
    }
    stop(&f);
}

static void a_finished_block_brings_the_next(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 100, 10.0, NULL);
    assert_int_equal(finish(&f, 0), 10);
    assert_int_equal(f.out.n, 5);
    assert_int_equal(f.out.at[4].to, f.out.at[0].to);
    assert_int_equal(f.out.at[4].range.first, 40);
    stop(&f);
}

static void a_result_counts_once(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 100, 10.0, NULL);
    assert_int_equal(finish(&f, 0), 10);
    assert_int_equal(finish(&f, 0), 0);
    struct plb_message m = answer(&f, 0, 5, 10); /* five of block 0 again, five of the next one */
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 5);
    assert_int_equal(plb_master_accepted(f.master), 15);
    assert_int_equal(plb_master_totals(f.master, 0)->units + plb_master_totals(f.master, 1)->units, 15);
    stop(&f);
}

static void parts_of_a_block_add_up(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 1, 100, 10.0, NULL);
    struct plb_message half = answer(&f, 0, 0, 4);
    assert_int_equal(plb_master_done(f.master, &half, 11.0, &f.out), 4);
    assert_int_equal(f.out.n, 2); /* the block is not finished: nothing new */
    half = answer(&f, 0, 4, 6);
    assert_int_equal(plb_master_done(f.master, &half, 11.0, &f.out), 6);
    assert_int_equal(f.out.n, 3);
    stop(&f);
}

static void a_lost_node_gives_back_what_was_not_accepted(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 60, 6.0, NULL);
    int first_of_lost = f.out.at[0].to == 1 ? 0 : f.out.at[1].to == 1 ? 1 : 2;
    struct plb_message part = answer(&f, first_of_lost, 0, 3);
    assert_int_equal(plb_master_done(f.master, &part, 11.0, &f.out), 3);
    plb_master_lost(f.master, 1, 12.0, &f.out);
    assert_int_equal(plb_master_done(f.master, &part, 13.0, &f.out), 0); /* too late */
    for (int i = 0; i < f.out.n; i++)
        if (f.out.at[i].to == 0)
            finish(&f, i); /* grants append while we go */
    assert_true(plb_master_over(f.master));
    assert_int_equal(plb_master_totals(f.master, 0)->units, 57);
    assert_null(plb_master_failure(f.master));
    stop(&f);
}

static void what_does_not_belong_is_dropped(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 100, 10.0, NULL);
    struct plb_message m = answer(&f, 0, 0, 10);
    m.pass = 2;
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 0);
    m = answer(&f, 0, 0, 10);
    m.pu = 7;
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 0);
    m = answer(&f, 0, 95, 10); /* beyond the last unit */
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 0);
    m = answer(&f, 0, INT64_MAX - 5, 10);
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 0);
    m = answer(&f, 0, 0, -1);
    assert_int_equal(plb_master_done(f.master, &m, 11.0, &f.out), 0);
    assert_int_equal(plb_master_accepted(f.master), 0);
    stop(&f);
}

static void losing_everybody_is_a_failure(void **state)
{
    struct fixture f;
    (void)state;
    start(&f, 2, 100, 10.0, NULL);
    plb_master_lost(f.master, 0, 11.0, &f.out);
    assert_null(plb_master_failure(f.master));
    plb_master_lost(f.master, 1, 11.0, &f.out);
    assert_non_null(strstr(plb_master_failure(f.master), "100 units"));
    stop(&f);
}

static void a_pu_with_too_little_memory_is_refused(void **state)
{
    struct fixture f;
    (void)state;
    struct plb_master_config config = {.replicated_bytes = 500.0, .unit_bytes = 200.0};
    start(&f, 4, 100, 10.0, &config); /* node 3 has 1000 bytes: 500 left, three units need 600 */
    assert_true(plb_master_refused(f.master, 3));
    assert_false(plb_master_refused(f.master, 0));
    for (int i = 0; i < f.out.n; i++)
        assert_int_not_equal(f.out.at[i].to, 3);
    stop(&f);
}

static void memory_and_pulled_bytes_bound_a_task(void **state)
{
    struct fixture f;
    (void)state;
    struct plb_master_config config = {.replicated_bytes = 400.0, .unit_bytes = 50.0, .task_bytes = 350.0};
    start(&f, 4, 1000, 10.0, &config); /* blocks of 100 units */
    for (int i = 0; i < f.out.n; i++) {
        int to = f.out.at[i].to;
        /* node 0 pulls nothing; others 350 / 50 = 7 units; node 3 holds (1000 - 400) / (3 · 50) = 4 */
        assert_int_equal(f.out.at[i].grain, to == 0 ? 100 : to == 3 ? 4 : 7);
    }
    stop(&f);
}

/* Finishes every block of the pass, each in `seconds` per unit. */
static void finish_pass(struct fixture *f, double seconds)
{
    for (int i = 0; i < f->out.n; i++) { /* grants append while we go */
        struct plb_message m = answer(f, i, 0, f->out.at[i].range.count);
        m.execute_s = seconds * (double)m.range.count;
        plb_master_done(f->master, &m, 11.0, &f->out);
    }
    assert_true(plb_master_over(f->master));
    f->out.n = 0;
}

/* Both PUs together have `n` samples of the kernel, each of so many seconds per unit. */
static void expect_samples(const struct fixture *f, int kernel, int n, double seconds)
{
    int found = 0;
    for (int p = 0; p < 2; p++) {
        const struct plb_history *h = plb_master_history(f->master, kernel, p);
        found += h->n;
        for (int i = 0; i < h->n; i++)
            assert_true(h->at[i].execute_s == seconds * h->at[i].work);
    }
    assert_int_equal(found, n);
}

static void a_kernel_s_samples_are_its_own_and_last(void **state)
{
    struct fixture f;
    (void)state;
    struct plb_master_config config = {.kernels = 2};
    start(&f, 2, 40, 10.0, &config); /* ten blocks of four units in a pass */
    finish_pass(&f, 1.0);
    expect_samples(&f, 0, 10, 1.0);
    expect_samples(&f, 1, 0, 0.0);
    plb_master_begin(f.master, 2, 1, &f.map, 20.0, &f.out);
    finish_pass(&f, 8.0);
    expect_samples(&f, 0, 10, 1.0);
    expect_samples(&f, 1, 10, 8.0);
    plb_master_begin(f.master, 3, 0, &f.map, 30.0, &f.out);
    finish_pass(&f, 1.0);
    expect_samples(&f, 0, 20, 1.0);
    expect_samples(&f, 1, 10, 8.0);
    stop(&f);
}

/* Small tasks are for thieves: where there is nobody else, nothing is announced and blocks stay whole. */
static void a_pu_that_is_alone_gets_no_small_tasks(void **state)
{
    (void)state;
    struct plb_master_config config = {.migration = true};
    for (int nodes = 1; nodes <= 2; nodes++) {
        struct fixture f;
        int announced = 0;
        start(&f, nodes, 1000, nodes, &config); /* a piece per PU: all is granted at once */
        for (int i = 0; i < f.out.n; i++)
            announced += f.out.at[i].type == PLB_EMPTY;
        assert_int_equal(announced, nodes == 1 ? 0 : nodes);
        assert_true(nodes == 1 ? f.out.at[0].grain >= f.out.at[0].range.count : f.out.at[0].grain < f.out.at[0].range.count);
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pu_that_is_alone_gets_no_small_tasks),
        cmocka_unit_test(one_block_ahead_at_each_pu),
        cmocka_unit_test(a_finished_block_brings_the_next),
        cmocka_unit_test(a_result_counts_once),
        cmocka_unit_test(parts_of_a_block_add_up),
        cmocka_unit_test(a_lost_node_gives_back_what_was_not_accepted),
        cmocka_unit_test(what_does_not_belong_is_dropped),
        cmocka_unit_test(losing_everybody_is_a_failure),
        cmocka_unit_test(a_pu_with_too_little_memory_is_refused),
        cmocka_unit_test(memory_and_pulled_bytes_bound_a_task),
        cmocka_unit_test(a_kernel_s_samples_are_its_own_and_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
