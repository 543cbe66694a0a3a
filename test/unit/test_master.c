/* The master, message by message: blocks and results, memory, and what is dropped. */
#include "master_fixture.h"

/* Greedy: equal pieces. */
static void start_greedy(struct fixture *f, int nodes, int64_t units, double pieces,
                         const struct plb_master_config *base)
{
    start(f, "greedy", pieces, nodes, units, base);
}

static void one_block_ahead_at_each_pu(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    assert_int_equal(f.out.n, 4); /* 2 PUs × (one to execute, one waiting) */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f.out.at[i].type, PLB_BLOCK);
        assert_int_equal(f.out.at[i].block.range.count, 10);
        assert_int_equal(f.out.at[i].block.id % 2, f.out.at[i].to); /* its PU is in its number */
    }
    stop(&f);
}

static void a_finished_block_brings_the_next(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    assert_int_equal(finish(&f, 0), 10);
    assert_int_equal(f.out.n, 5);
    assert_int_equal(f.out.at[4].to, f.out.at[0].to);
    assert_int_equal(f.out.at[4].block.range.first, 40);
    stop(&f);
}

static void a_result_counts_once(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    struct plb_message first = f.out.at[0];
    assert_int_equal(finish(&f, 0), 10);
    assert_int_equal(finish(&f, 0), 0);
    assert_int_equal(report(&f, first, first.to, 5, 10), 5); /* five of block 0 again, five of the next one */
    assert_int_equal(plb_master_accepted(f.master), 15);
    assert_int_equal(plb_master_totals(f.master, 0)->units + plb_master_totals(f.master, 1)->units, 15);
    assert_int_equal(plb_master_counts(f.master)->twice, 15);
    stop(&f);
}

static void parts_of_a_block_add_up(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 1, 100, 10.0, NULL);
    struct plb_message block = f.out.at[0];
    assert_int_equal(report(&f, block, 0, 0, 4), 4);
    assert_int_equal(f.out.n, 2); /* the block is not finished: nothing new */
    assert_int_equal(report(&f, block, 0, 4, 6), 6);
    assert_int_equal(f.out.n, 3);
    stop(&f);
}

static void the_pass_ends_with_its_last_unit(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    for (int i = 0; i < f.out.n; i++) {
        assert_false(plb_master_over(f.master));
        finish(&f, i);
    }
    assert_true(plb_master_over(f.master));
    assert_int_equal(f.out.n, 10);
    int64_t blocks = 0;
    for (int p = 0; p < 2; p++) {
        const struct plb_pu_totals *t = plb_master_totals(f.master, p);
        assert_true(t->blocks > 0 && t->tasks == t->blocks && t->units == 10 * t->blocks);
        assert_true(t->execute_s == (double)t->blocks && t->stolen_in == 0 && t->stolen_out == 0);
        blocks += t->blocks;
    }
    assert_int_equal(blocks, 10);
    stop(&f);
}

static void a_report_is_judged_before_its_data_is_taken(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    struct plb_message m = done_of(&f, &f.out.at[0], f.out.at[0].to, 0, 10), part = m;
    part.done.range.count = 5;
    assert_int_equal(plb_master_judge(f.master, &m), PLB_ALL_NEW);
    receive(&f, &part, 11.0);
    assert_int_equal(plb_master_judge(f.master, &m), PLB_SOME_NEW);
    assert_int_equal(plb_master_judge(f.master, &part), PLB_NONE_NEW);
    m.pass = 2;
    assert_int_equal(plb_master_judge(f.master, &m), PLB_NOT_SENSIBLE);
    assert_int_equal(plb_master_accepted(f.master), 5); /* to judge is not to take */
    stop(&f);
}

/* A message without sense has no effect at all: no unit, no total, no message. */
static void expect_dropped(struct fixture *f, struct plb_message m, bool stale)
{
    int sent_before = f->out.n;
    struct plb_master_counts before = *plb_master_counts(f->master);
    if (m.type == PLB_DONE)
        assert_int_equal(plb_master_judge(f->master, &m), PLB_NOT_SENSIBLE);
    assert_int_equal(plb_master_receive(f->master, &m, 11.0, &f->out), 0);
    assert_int_equal(plb_master_counts(f->master)->stale, before.stale + stale);
    assert_int_equal(plb_master_counts(f->master)->dropped, before.dropped + !stale);
    assert_int_equal(plb_master_accepted(f->master), 0);
    assert_int_equal(plb_master_totals(f->master, 0)->tasks, 0);
    assert_int_equal(f->out.n, sent_before);
    expect_sound(f);
}

static void what_does_not_belong_is_dropped(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    const struct plb_message right = done_of(&f, &f.out.at[0], f.out.at[0].to, 0, 10);
    struct plb_message m = right;
    m.pass = 2;
    expect_dropped(&f, m, true);
    m.pass = 0;
    expect_dropped(&f, m, true);
    m = right;
    m.pu = 7;
    expect_dropped(&f, m, false);
    m = right;
    m.done.range.first = 95; /* beyond the last unit */
    expect_dropped(&f, m, false);
    for (int type = 1; type < PLB_MESSAGE_TYPES; type++)
        if (type != PLB_DONE && type != PLB_MOVED && type != PLB_IDLE && type != PLB_CRASH)
            expect_dropped(&f, message(&f, (enum plb_message_type)type, 1), false);
    m = message(&f, PLB_CRASH, 1);
    m.pu = 7;
    expect_dropped(&f, m, false);
    m = right;
    m.done.range.first = INT64_MAX - 5;
    assert_non_null(plb_message_check(&m, m.size, 2));
    m.done.range = (struct plb_range){0, -1};
    assert_non_null(plb_message_check(&m, m.size, 2));
    assert_int_equal(receive(&f, &right, 11.0), 10);
    stop(&f);
}

static void moves_that_cannot_be_are_dropped(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 2, 100, 10.0, NULL);
    struct plb_message right = message(&f, PLB_MOVED, 0), m;
    right.gifts = (struct plb_gifts){.thief = 1, .n = 2, .at = {{{0, 5}, 0, 1}, {{95, 5}, 0, 1}}};
    m = right;
    m.pass = 7;
    expect_dropped(&f, m, true);
    m = right;
    m.gifts.at[1].range.count = 6; /* beyond the last unit: then the other part is not believed either */
    expect_dropped(&f, m, false);
    stop(&f);
}

static void before_the_first_pass_nothing_is_accepted(void **state)
{
    struct fixture f = {0};
    (void)state;
    prepare(&f, "greedy", 10.0, 2, 100, NULL);
    struct plb_message m = message(&f, PLB_DONE, 1);
    m.done = (struct plb_done){.range = {0, 5}, .slot = PLB_NO_SLOT, .tasks = 1};
    expect_dropped(&f, m, false);
    m = message(&f, PLB_MOVED, 1);
    m.gifts = (struct plb_gifts){.thief = 0, .n = 1, .at = {{{0, 5}, 0, 1}}};
    expect_dropped(&f, m, false);
    assert_false(plb_master_over(f.master));
    stop(&f);
}

static void a_pu_with_too_little_memory_is_refused(void **state)
{
    struct fixture f;
    const struct plb_sizes sizes = {.replicated_bytes = 500.0, .unit_bytes = 200.0};
    const struct plb_master_config config = {.sizes = &sizes};
    (void)state;
    memset(&f, 0, sizeof f);
    f.pus[3].memory = 1000.0; /* 500 left, three units need 600 */
    prepare(&f, "greedy", 10.0, 4, 100, &config);
    begin(&f, 0, 0, 10.0, 4);
    assert_int_equal(plb_master_state(f.master, 3), PLB_PU_REFUSED);
    assert_int_equal(plb_master_state(f.master, 0), PLB_PU_SERVED);
    for (int i = 0; i < f.out.n; i++)
        assert_int_not_equal(f.out.at[i].to, 3);
    stop(&f);
}

static void memory_and_pulled_bytes_bound_a_task(void **state)
{
    struct fixture f;
    const struct plb_sizes sizes = {.replicated_bytes = 400.0, .unit_bytes = 50.0};
    const struct plb_master_config config = {.sizes = &sizes, .pulled_bytes = 350.0};
    (void)state;
    memset(&f, 0, sizeof f);
    f.pus[3].memory = 1000.0;
    prepare(&f, "greedy", 10.0, 4, 1000, &config); /* blocks of 100 units */
    begin(&f, 0, 0, 10.0, 4);
    for (int i = 0; i < f.out.n; i++) {
        int to = f.out.at[i].to;
        /* node 0 pulls nothing; others 350 / 50 = 7 units; node 3 holds (1000 - 400) / (3 · 50) = 4 */
        assert_int_equal(f.out.at[i].block.grain, to == 0 ? 100 : to == 3 ? 4 : 7);
    }
    stop(&f);
}

/* Reduced arrays are part of each task: 3 · (100 + 50) bytes do not fit into 400, although 3 · 50 do. */
static void reduced_arrays_need_memory_too(void **state)
{
    (void)state;
    for (int reduced = 0; reduced <= 1; reduced++) {
        struct fixture f;
        const struct plb_sizes sizes = {.task_bytes = reduced * 100.0, .unit_bytes = 50.0};
        const struct plb_master_config config = {.sizes = &sizes, .units = 100};
        memset(&f, 0, sizeof f);
        f.pus[0].memory = 1200.0;
        f.pus[1].memory = 400.0;
        prepare(&f, "greedy", 2.0, 2, 100, &config);
        begin(&f, 0, 0, 10.0, 2);
        assert_int_equal(plb_master_state(f.master, 1) == PLB_PU_REFUSED, reduced);
        /* (1200 / 3 - 100) / 50, or 1200 / 3 / 50 */
        assert_int_equal(block_of(&f, 0).block.grain, reduced ? 6 : 8);
        stop(&f);
    }
}

/* 99 units of a byte and one of 400: the mean fits, the largest does not. */
static void the_largest_unit_must_fit(void **state)
{
    static const double memory[] = {1199.0, 1200.0};
    int64_t offsets[101] = {0};
    (void)state;
    for (int u = 0; u < 100; u++)
        offsets[u + 1] = offsets[u] + (u == 70 ? 400 : 1);
    for (int enough = 0; enough <= 1; enough++) {
        struct fixture f;
        const struct plb_sizes sizes = {.n_indexed = 1, .indexed = {{offsets, 1.0}}};
        const struct plb_master_config config = {.sizes = &sizes, .units = 100};
        memset(&f, 0, sizeof f);
        f.pus[1].memory = memory[enough];
        prepare(&f, "greedy", 10.0, 2, 100, &config);
        assert_int_equal(plb_master_state(f.master, 1) == PLB_PU_REFUSED, !enough);
        stop(&f);
    }
}

/* Finishes every block of the pass, each in `seconds` per unit. */
static void finish_pass(struct fixture *f, double seconds)
{
    for (int i = 0; i < f->out.n; i++) { /* grants append while we go */
        struct plb_message m = done_of(f, &f->out.at[i], f->out.at[i].to, 0, f->out.at[i].block.range.count);
        m.done.execute_s = seconds * (double)m.done.range.count;
        receive(f, &m, 11.0);
    }
    assert_true(plb_master_over(f->master));
    f->out.n = 0;
}

/* Both PUs together have `n` samples of the phase, each of so many seconds per unit. */
static void expect_samples(const struct fixture *f, int phase, int n, double seconds)
{
    int found = 0;
    for (int p = 0; p < 2; p++) {
        const struct plb_history *h = plb_master_history(f->master, phase, p);
        found += h->n;
        for (int i = 0; i < h->n; i++)
            assert_true(h->at[i].execute_s == seconds * h->at[i].work);
    }
    assert_int_equal(found, n);
}

static void a_phase_s_samples_are_its_own_and_last(void **state)
{
    struct fixture f;
    (void)state;
    struct plb_master_config config = {.phases = 2};
    start_greedy(&f, 2, 40, 10.0, &config); /* ten blocks of four units in a pass */
    finish_pass(&f, 1.0);
    expect_samples(&f, 0, 10, 1.0);
    expect_samples(&f, 1, 0, 0.0);
    begin(&f, 1, 5, 20.0, 2);
    finish_pass(&f, 8.0);
    expect_samples(&f, 0, 10, 1.0);
    expect_samples(&f, 1, 10, 8.0);
    begin(&f, 0, 0, 30.0, 2);
    finish_pass(&f, 1.0);
    expect_samples(&f, 0, 20, 1.0);
    expect_samples(&f, 1, 10, 8.0);
    stop(&f);
}

static void everybody_is_stopped_once(void **state)
{
    struct fixture f;
    (void)state;
    start_greedy(&f, 3, 100, 10.0, NULL);
    lose(&f, 1);
    f.out.n = 0;
    plb_master_stop(f.master, 3, &f.out);
    plb_master_stop(f.master, 0, &f.out);
    assert_int_equal(f.out.n, 2);
    assert_int_equal(f.out.at[0].to, 2);
    assert_int_equal(f.out.at[1].to, 0); /* rank 0 last */
    for (int i = 0; i < 2; i++)
        assert_true(f.out.at[i].type == PLB_STOP && f.out.at[i].stop.status == 3);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_ahead_at_each_pu),
        cmocka_unit_test(a_finished_block_brings_the_next),
        cmocka_unit_test(a_result_counts_once),
        cmocka_unit_test(parts_of_a_block_add_up),
        cmocka_unit_test(the_pass_ends_with_its_last_unit),
        cmocka_unit_test(a_report_is_judged_before_its_data_is_taken),
        cmocka_unit_test(what_does_not_belong_is_dropped),
        cmocka_unit_test(moves_that_cannot_be_are_dropped),
        cmocka_unit_test(before_the_first_pass_nothing_is_accepted),
        cmocka_unit_test(a_pu_with_too_little_memory_is_refused),
        cmocka_unit_test(memory_and_pulled_bytes_bound_a_task),
        cmocka_unit_test(reduced_arrays_need_memory_too),
        cmocka_unit_test(the_largest_unit_must_fit),
        cmocka_unit_test(a_phase_s_samples_are_its_own_and_last),
        cmocka_unit_test(everybody_is_stopped_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
