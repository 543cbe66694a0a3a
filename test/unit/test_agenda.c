/* Which PU is asked, when, and what becomes of the answer: a balancer that says what the test tells it to. */
#include "master_fixture.h"

/* The answers of grant, and the questions that came. */
static struct {
    double answer[MOST_NODES]; /* work, PLB_WAIT or PLB_WAIT_OWN */
    int asked[MOST_NODES];
    int again_in_done, again_in_grant; /* so many calls set ask_again */
    double remaining, next;            /* as last seen */
    bool no_memory;
} script;

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)view;
    (void)params;
    return script.no_memory ? NULL : &script;
}

static double grant(void *state, const struct plb_view *view, int pu)
{
    (void)state;
    script.asked[pu]++;
    script.remaining = view->remaining;
    script.next = view->next;
    view->stats->ask_again |= script.again_in_grant-- > 0;
    return script.answer[pu];
}

static void done(void *state, const struct plb_view *view, int pu, const struct plb_sample *sample)
{
    (void)state;
    (void)pu;
    (void)sample;
    view->stats->ask_again |= script.again_in_done-- > 0;
}

static void fini(void *state)
{
    (void)state;
}

static struct plb_balancer scripted = {
    .name = "scripted",
    PLB_BALANCER_HEAD,
    .init = init,
    .grant = grant,
    .done = done,
    .fini = fini,
};

static void answer_all(double work)
{
    for (int p = 0; p < MOST_NODES; p++)
        script.answer[p] = work;
    memset(script.asked, 0, sizeof script.asked);
}

/* Units of these costs, or equal ones; every PU that is asked is granted `work`, at first. */
static void start_scripted(struct fixture *f, int nodes, int64_t units, plb_cost_fn cost, double work)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_master_config config = {.balancer = &scripted, .n_nodes = nodes, .resident = true};
    memset(f, 0, sizeof *f);
    memset(&script, 0, sizeof script);
    answer_all(work);
    f->nodes = nodes;
    for (int n = 0; n < nodes; n++)
        f->pus[n] = (struct plb_pu_info){.node = n, .power = 1.0, .memory = INFINITY};
    assert_int_equal(plb_cost_map_init(&f->map, units, cost, NULL, &err), PLB_OK);
    f->master = plb_master_new(&config, f->pus, nodes);
    begin(f, 0, 0, 10.0, nodes);
}

/* A node ends the first block that it was sent. */
static void end_first(struct fixture *f, int node)
{
    struct plb_message b = block_of(f, node);
    report(f, b, node, 0, b.block.range.count);
}

static void expect_asked(int n0, int n1, int n2)
{
    assert_int_equal(script.asked[0], n0);
    assert_int_equal(script.asked[1], n1);
    assert_int_equal(script.asked[2], n2);
    memset(script.asked, 0, sizeof script.asked);
}

static void who_waits_is_asked_on_request_alone(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 3, 1000, NULL, 10.0);
    expect_asked(2, 2, 2); /* until each has two blocks */
    answer_all(PLB_WAIT);
    end_first(&f, 0);
    expect_asked(1, 0, 0);
    end_first(&f, 1);
    expect_asked(0, 1, 0);
    script.again_in_done = 1;
    end_first(&f, 2);
    assert_true(script.asked[2] >= 1);
    script.asked[2] = 0;
    expect_asked(1, 1, 0);
    stop(&f);
}

/* A grant may change what others wait for, as where the last one reaches a barrier. */
static void a_grant_may_have_who_waits_asked(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 3, 1000, NULL, 10.0);
    answer_all(PLB_WAIT);
    end_first(&f, 0);
    end_first(&f, 1);
    answer_all(10.0);
    int before = f.out.n;
    script.again_in_grant = 1;
    end_first(&f, 2);
    expect_asked(1, 1, 1);
    assert_int_equal(sent(&f, before, PLB_BLOCK), 3);
    stop(&f);
}

/* Node 0 is idle from 12 s on. Node 1 has units that are expected to take a second, until 12 s, and does not
 * end them: they are late from 13 s on. Without `reported` nobody knows how long they take. Returns when node
 * 0 is asked again; infinite: not before 40 s. */
static double asked_again_at(struct fixture *f, bool beliefs, bool reported)
{
    double now = 0.0;
    int ticks = 0;
    scripted.beliefs = beliefs;
    start_scripted(f, 2, 1000, NULL, 10.0);
    struct plb_message late = block_of(f, 1);
    answer_all(PLB_WAIT);
    if (reported)
        report(f, late, 1, 0, late.block.range.count);
    for (int i = 0, n = f->out.n; i < n; i++)
        if (f->out.at[i].type == PLB_BLOCK && f->out.at[i].to == 0) {
            struct plb_message done = done_of(f, &f->out.at[i], 0, 0, f->out.at[i].block.range.count);
            receive(f, &done, 12.0);
        }
    answer_all(10.0);
    for (; script.asked[0] == 0 && plb_master_due(f->master) < 40.0; ticks++) {
        now = plb_master_due(f->master);
        plb_master_tick(f->master, now, &f->out);
    }
    assert_in_range(ticks, 0, 30);
    scripted.beliefs = false;
    return script.asked[0] > 0 ? now : INFINITY;
}

static void who_waits_is_asked_where_another_is_late(void **state)
{
    struct fixture f;
    (void)state;
    double at = asked_again_at(&f, true, true);
    assert_true(at > 13.0 && at < 13.5);
    stop(&f);
    assert_true(isinf(asked_again_at(&f, false, true)));
    stop(&f);
}

/* A PU that has reported nothing is late when what was believed of it is over. */
static void who_waits_is_asked_where_an_unknown_pu_is_late(void **state)
{
    struct fixture f;
    (void)state;
    assert_true(isfinite(asked_again_at(&f, true, false)));
    stop(&f);
}

/* Nothing is queued behind a task that lasts, though the balancer would grant more. */
static void a_pu_whose_task_lasts_gets_nothing_ahead(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 2, 1000, NULL, 10.0);
    answer_all(PLB_WAIT);
    end_first(&f, 0); /* it has another block, as long as this one: a second */
    struct plb_message other = block_of(&f, 1), done = done_of(&f, &other, 1, 0, 10);
    answer_all(10.0);
    script.again_in_done = 1;
    int before = f.out.n;
    receive(&f, &done, 14.0);
    assert_int_equal(script.asked[0], 0);
    assert_int_equal(sent(&f, before, PLB_BLOCK), 1);
    stop(&f);
}

static void who_waits_for_its_own_is_not_asked_on_request(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 3, 1000, NULL, 10.0);
    answer_all(PLB_WAIT_OWN);
    end_first(&f, 0);
    expect_asked(1, 0, 0);
    script.again_in_done = 1;
    end_first(&f, 2);
    expect_asked(0, 0, 1);
    lose(&f, 1); /* a loss has everybody asked */
    expect_asked(1, 0, 1);
    stop(&f);
}

/* While nothing at all is outstanding, everybody is asked before the run is given up. */
static void nobody_is_forgotten_when_all_are_idle(void **state)
{
    (void)state;
    for (int wait = -1; wait <= 0; wait++) {
        struct fixture f;
        start_scripted(&f, 2, 1000, NULL, 10.0);
        answer_all(wait);
        end_first(&f, 0);
        for (int i = 1; i < 4; i++) {
            if (i == 3)
                script.answer[0] = 10.0; /* it has nothing, and is asked by and by */
            finish(&f, i);
        }
        assert_null(plb_master_failure(f.master));
        assert_int_equal(f.out.n, 6); /* two more for node 0 */
        script.answer[0] = wait;
        finish(&f, 4);
        assert_null(plb_master_failure(f.master));
        finish(&f, 5);
        const char *why = plb_master_failure(f.master);
        assert_non_null(strstr(why, "scripted grants nothing, although 940 units remain"));
        stop(&f);
    }
}

static void without_memory_there_is_no_run(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 2, 1000, NULL, 10.0);
    script.no_memory = true;
    begin(&f, 0, 0, 20.0, 2);
    assert_non_null(strstr(plb_master_failure(f.master), "scripted has no memory"));
    struct plb_message b = block_of(&f, 0);
    assert_int_equal(report(&f, b, 0, 0, 5), 0);
    move(&f, b, 0, 1, 0, 5, 1);
    lose(&f, 1);
    stop(&f);
}

/* Unit u costs u + 1. */
static double triangle(const void *context, int64_t first, int64_t count)
{
    (void)context;
    double n = (double)count;
    return n * ((double)first + 1.0) + n * (n - 1.0) / 2.0;
}

/* Units of cost 1 to 10: a cost of 9.9 means three of them; a fourth, heavier one could last long. */
static void unequal_units_are_rounded_down(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 2, 10, triangle, 9.9 / 5.5);
    assert_int_equal(f.out.at[0].block.range.count, 3); /* 1 + 2 + 3 */
    assert_int_equal(f.out.at[1].block.range.count, 2); /* 4 + 5 */
    assert_int_equal(f.out.at[2].block.range.count, 1); /* 6, and never nothing */
    stop(&f);
    start_scripted(&f, 2, 10, triangle, 10.0 / 5.5);
    assert_int_equal(f.out.at[0].block.range.count, 4); /* 1 + 2 + 3 + 4, just so */
    stop(&f);
}

static double first_half_only(const void *context, int64_t first, int64_t count)
{
    (void)context;
    return first < 5 ? (double)count : 0.0;
}

/* Units that cost nothing have to be executed too: balancers see that something remains. */
static void units_without_cost_are_granted(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 1, 10, first_half_only, 10.0 / 5.0 * 2.0);
    answer_all(1e-3);
    for (int i = 0; i < f.out.n; i++) {
        finish(&f, i);
        if (!plb_master_over(f.master))
            assert_true(script.remaining > 0.0 && script.next > 0.0);
    }
    assert_true(plb_master_over(f.master));
    stop(&f);
}

/* Greedy pieces of a hundred units. With times that follow the size, blocks are whole tasks to the end; where
 * equal pieces last 1 ms and 3 ms in turn, those of the end are cut. */
static void surprising_times_cut_the_last_blocks(void **state)
{
    static const struct plb_master_config migrating = {.migration = true, .backups = true};
    (void)state;
    for (int surprising = 0; surprising <= 1; surprising++) {
        struct fixture f;
        start(&f, "greedy", 20.0, 2, 2000, &migrating);
        int cut_early = 0, cut_late = 0;
        for (int i = 0; i < f.out.n; i++) {
            if (f.out.at[i].type != PLB_BLOCK)
                continue;
            const struct plb_block b = f.out.at[i].block;
            *(b.range.first < 1000 ? &cut_early : &cut_late) += b.grain < b.range.count;
            struct plb_message m = done_of(&f, &f.out.at[i], f.out.at[i].to, 0, b.range.count);
            m.done.execute_s = surprising && b.range.first / 100 % 2 == 0 ? 3e-3 : 1e-3;
            receive(&f, &m, 10.0 + i);
        }
        assert_true(plb_master_over(f.master));
        assert_int_equal(cut_early, 0);
        assert_true(surprising ? cut_late >= 4 : cut_late <= 2); /* what is granted last is cut in any case */
        stop(&f);
    }
}

static void expect_block(const struct fixture *f, int i, int64_t id, int64_t first, int64_t count)
{
    assert_int_equal(f->out.at[i].type, PLB_BLOCK);
    assert_int_equal(f->out.at[i].block.id, id);
    assert_int_equal(f->out.at[i].block.range.first, first);
    assert_int_equal(f->out.at[i].block.range.count, count);
}

/* In the first pass node 1 executes units 20 to 39 and 50 to 59. Then a block of 25 units is two messages
 * with one number. The next one ends with units of others. */
static void a_later_pass_grants_what_a_node_has(void **state)
{
    (void)state;
    struct fixture f;
    start_scripted(&f, 2, 60, NULL, 10.0);
    end_first(&f, 0);
    end_first(&f, 1);
    for (int i = 1; i < 6; i++)
        if (i != 2) /* the first block of node 1 */
            finish(&f, i);
    assert_true(plb_master_over(f.master));
    f.out.n = 0;
    script.answer[0] = PLB_WAIT;
    script.answer[1] = 25.0;
    begin(&f, 0, 0, 20.0, 2);
    int64_t first = f.out.at[0].block.id, second = f.out.at[2].block.id;
    assert_true(second > first);
    expect_block(&f, 0, first, 20, 20);
    expect_block(&f, 1, first, 50, 5);
    expect_block(&f, 2, second, 55, 5);
    expect_block(&f, 3, second, 40, 10);
    expect_block(&f, 4, second, 10, 10);
    assert_int_equal(f.out.n, 5);
    script.answer[0] = 10.0;
    for (int i = 0; i < f.out.n; i++)
        if (f.out.at[i].type == PLB_BLOCK)
            assert_int_equal(finish(&f, i), f.out.at[i].block.range.count);
    assert_true(plb_master_over(f.master));
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_is_asked_on_request_alone),
        cmocka_unit_test(a_grant_may_have_who_waits_asked),
        cmocka_unit_test(a_pu_whose_task_lasts_gets_nothing_ahead),
        cmocka_unit_test(who_waits_is_asked_where_another_is_late),
        cmocka_unit_test(who_waits_is_asked_where_an_unknown_pu_is_late),
        cmocka_unit_test(who_waits_for_its_own_is_not_asked_on_request),
        cmocka_unit_test(nobody_is_forgotten_when_all_are_idle),
        cmocka_unit_test(without_memory_there_is_no_run),
        cmocka_unit_test(unequal_units_are_rounded_down),
        cmocka_unit_test(units_without_cost_are_granted),
        cmocka_unit_test(surprising_times_cut_the_last_blocks),
        cmocka_unit_test(a_later_pass_grants_what_a_node_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
