/* Nodes that fall silent, judged by core/liveness as real ranks are: when each is given up, and whether.
 * Worked out by hand on four nodes with one PU each, 250 units and 2.5 s of work apiece; it is 10 s in all.
 */
#include "small_cluster.h"

#include "core/liveness.h"

#define NODES 4

static struct fixture f;
static double lost_at; /* the first loss; negative: none */

static void see_loss(void *context, double now, const struct plb_master *master)
{
    (void)context;
    if (lost_at < 0.0 && plb_master_counts(master)->losses > 0)
        lost_at = now;
}

/* Nodes 1 and 2 share a host where they are mates. */
static const int mates[NODES] = {0, 1, 1, 3}, of_rank0[NODES] = {0, 0, 2, 3};

/* A run in which node 1 falls silent in second 1. Returns the seconds from there to its loss; negative: it
 * was not lost. */
static double silent(enum plb_fault_kind kind, double lasts, const int *hosts)
{
    const struct plb_fault fault = {.kind = kind, .node = 1, .pu = -1, .at = 1.0, .lasts = lasts};
    lost_at = -1.0;
    set_up(&f, NODES, "static");
    f.s.hosts = hosts;
    f.s.faults = &fault;
    f.s.n_faults = 1;
    f.s.watch.stepped = see_loss;
    f.s.max_events = 100000; /* nobody notices */
    run(&f);
    assert_int_equal(plb_master_accepted(f.result.master), UNITS);
    assert_int_equal(plb_master_counts(f.result.master)->losses, lost_at >= 0.0);
    tear_down(&f);
    return lost_at >= 0.0 ? lost_at - 1.0 : -1.0;
}

/* Nobody sees the process: silence alone decides. */
static void a_node_alone_is_lost_by_its_silence(void **state)
{
    (void)state;
    assert_in_beats(silent(PLB_DIES, 0.0, NULL), PLB_LOST_AFTER);
    assert_int_equal(f.result.stress.questions, 0);
    assert_int_equal(f.result.stress.suspects, 1);
    assert_in_beats(silent(PLB_HANGS, 0.0, NULL), PLB_LOST_AFTER);
    assert_in_beats(silent(PLB_STOPS, 1e9, NULL), PLB_LOST_AFTER);
    assert_int_equal(f.result.stress.lost_silent, 1);
}

static void a_host_sees_the_end_of_a_process(void **state)
{
    (void)state;
    assert_in_beats(silent(PLB_DIES, 0.0, mates), 0.0);
    assert_int_equal(f.result.stress.ended_seen, 1);
    assert_in_beats(silent(PLB_DIES, 0.0, of_rank0), 0.0);
    assert_int_equal(f.result.stress.ended_seen, 1);
    assert_int_equal(f.result.stress.lost_silent, 0);
}

/* A process that runs has longer, as another rank of its host or rank 0 says. */
static void a_process_that_runs_has_longer(void **state)
{
    (void)state;
    assert_in_beats(silent(PLB_HANGS, 0.0, mates), PLB_LOST_THOUGH_RUNNING);
    assert_true(f.result.stress.answers > 20 && f.result.stress.questions >= f.result.stress.answers);
    assert_int_equal(f.result.stress.lost_running, 1);
    assert_in_beats(silent(PLB_HANGS, 0.0, of_rank0), PLB_LOST_THOUGH_RUNNING);
    assert_int_equal(f.result.stress.questions, 0);
    assert_true(silent(PLB_UNHEARD, 1.4, mates) < 0.0);
    assert_int_equal(f.result.stress.recovered, 1);
}

/* One that is stopped does not run. */
static void a_stopped_process_has_not(void **state)
{
    (void)state;
    assert_in_beats(silent(PLB_STOPS, 1e9, mates), PLB_LOST_AFTER);
    assert_true(f.result.stress.questions > 0);
    assert_int_equal(f.result.stress.answers, 0);
    assert_in_beats(silent(PLB_STOPS, 1e9, of_rank0), PLB_LOST_AFTER);
}

/* Shorter than the time that a node has: nothing happens, and nothing is executed twice. */
static void a_short_silence_costs_nothing(void **state)
{
    (void)state;
    for (int kind = PLB_STOPS; kind <= PLB_UNHEARD; kind++)
        for (double lasts = 0.05; lasts < 0.7; lasts += 0.1) {
            assert_true(silent((enum plb_fault_kind)kind, lasts, NULL) < 0.0);
            assert_int_equal(f.result.stress.recovered, 1);
            assert_int_equal(f.result.stress.zombies, 0);
            assert_true(f.result.stress.suspects == (lasts > 0.5) || (lasts > 0.2 && lasts < 0.5));
            near(f.result.makespan_s, 2.5);
        }
}

/* It comes back 1.3 s later, and what it says counts for nothing. */
static void a_node_that_returns_too_late_is_not_heard(void **state)
{
    (void)state;
    for (int kind = PLB_STOPS; kind <= PLB_UNHEARD; kind++) {
        assert_in_beats(silent((enum plb_fault_kind)kind, 1.3, NULL), PLB_LOST_AFTER);
        assert_int_equal(f.result.stress.zombies, 1);
        assert_int_equal(f.result.stress.recovered, 0);
        assert_true(f.result.stress.from_zombies > 0);
    }
}

/* Rank 0 needs half a second for every message: what nodes could not tell it meanwhile does not count. */
static void a_busy_rank_0_gives_up_nobody_that_lives(void **state)
{
    (void)state;
    const struct plb_fault fault = {.kind = PLB_UNHEARD, .node = 1, .pu = -1, .at = 0.5, .lasts = 2.0};
    set_up(&f, NODES, "static");
    f.s.faults = &fault;
    f.s.n_faults = 1;
    f.s.message_s = 0.5;
    run(&f);
    assert_true(f.result.stress.late_looks > 0);
    assert_int_equal(f.result.stress.recovered, 1);
    assert_int_equal(plb_master_counts(f.result.master)->losses, 0);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_alone_is_lost_by_its_silence),
        cmocka_unit_test(a_host_sees_the_end_of_a_process),
        cmocka_unit_test(a_process_that_runs_has_longer),
        cmocka_unit_test(a_stopped_process_has_not),
        cmocka_unit_test(a_short_silence_costs_nothing),
        cmocka_unit_test(a_node_that_returns_too_late_is_not_heard),
        cmocka_unit_test(a_busy_rank_0_gives_up_nobody_that_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
