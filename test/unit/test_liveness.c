/* Tests which ranks are taken for alive, by when each was heard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "core/liveness.h"

#define RANKS 4
#define STEP PLB_BEAT_SECONDS

static const int hosts[RANKS] = {0, 1, 1, 3};

/* All ranks but `silent` are heard, and looked at, until a time. Returns the rank that is given up first. */
static int beat(struct plb_liveness *l, int silent, double from, double until)
{
    int lost = -1;
    for (int i = 1; from + i * STEP < until + 1e-9 && lost < 0; i++) {
        double now = from + i * STEP;
        for (int rank = 1; rank < RANKS; rank++)
            if (rank != silent)
                plb_liveness_heard(l, rank, now);
        lost = plb_liveness_look(l, now);
    }
    return lost;
}

static void who_beats_is_alive(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 5.0);
    (void)state;
    assert_int_equal(beat(l, 0, 5.0, 100.0), -1); /* rank 0 is the judge */
    for (int rank = 1; rank < RANKS; rank++)
        assert_int_equal(plb_liveness_of(l, rank), PLB_RANK_ALIVE);
    plb_liveness_free(l);
}

static void who_is_silent_is_a_suspect_and_then_lost(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    assert_int_equal(beat(l, 2, 0.0, 0.7), -1);
    assert_int_equal(plb_liveness_of(l, 2), PLB_RANK_SUSPECT);
    assert_int_equal(plb_liveness_of(l, 1), PLB_RANK_ALIVE);
    assert_int_equal(beat(l, 2, 0.7, 1.1), 2);
    assert_true(plb_liveness_lose(l, 2));
    assert_int_equal(plb_liveness_of(l, 2), PLB_RANK_LOST);
    assert_false(plb_liveness_lose(l, 2));
    plb_liveness_heard(l, 2, 1.2); /* it comes back */
    assert_int_equal(plb_liveness_of(l, 2), PLB_RANK_LOST);
    assert_int_equal(beat(l, 2, 1.1, 9.0), -1); /* and is told once */
    plb_liveness_free(l);
}

/* A judge that was held up for a minute hears nobody in that time. */
static void time_without_a_look_does_not_count(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    assert_int_equal(beat(l, 3, 0.0, 0.4), -1);
    assert_int_equal(plb_liveness_look(l, 60.4), -1);
    assert_int_equal(plb_liveness_of(l, 1), PLB_RANK_ALIVE);
    assert_int_equal(beat(l, 3, 60.4, 60.5), -1);
    assert_int_equal(beat(l, 3, 60.5, 61.0), 3); /* its own silence before goes on */
    plb_liveness_free(l);
}

/* Rank 1 says nothing; its host says that it runs, until a time. Returns the rank that is given up first. */
static int vouched_beat(struct plb_liveness *l, double from, double until)
{
    int lost = -1;
    for (double now = from + 1.1 * STEP; now < until && lost < 0; now += 1.1 * STEP) {
        for (int rank = 2; rank < RANKS; rank++)
            plb_liveness_heard(l, rank, now);
        plb_liveness_vouch(l, 1, now);
        lost = plb_liveness_look(l, now);
    }
    return lost;
}

static void who_runs_but_is_silent_has_longer(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    assert_int_equal(vouched_beat(l, 0.0, 5.0), -1);
    assert_float_equal(plb_liveness_last(l, 1), 0.0, 1e-9); /* its own word */
    assert_int_equal(beat(l, 1, 5.0, 5.6), -1);
    assert_int_equal(beat(l, 1, 5.6, 7.0), 1); /* nobody vouches any more */
    plb_liveness_free(l);
    l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    assert_int_equal(vouched_beat(l, 0.0, PLB_LOST_THOUGH_RUNNING), -1);
    assert_int_equal(vouched_beat(l, PLB_LOST_THOUGH_RUNNING, PLB_LOST_THOUGH_RUNNING + 1.0), 1);
    plb_liveness_free(l);
    l = plb_liveness_new(RANKS, hosts, 20.0, 0.0); /* the user's patience is longer */
    assert_int_equal(vouched_beat(l, 0.0, 19.5), -1);
    plb_liveness_free(l);
}

/* Rank 3 dies in the last collective of the start, and rank 1 waits for it there, for ever. */
static void who_has_not_begun_when_another_is_lost_waits_for_it(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    assert_int_equal(vouched_beat(l, 0.0, 1.0), -1);
    assert_true(plb_liveness_lose(l, 3));
    assert_int_equal(vouched_beat(l, 1.0, 1.9), -1); /* it may come yet */
    assert_int_equal(vouched_beat(l, 1.9, 2.6), 1);
    plb_liveness_free(l);
    l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    plb_liveness_heard(l, 1, 0.0);
    assert_true(plb_liveness_lose(l, 3));
    assert_int_equal(vouched_beat(l, 0.0, 9.5), -1); /* it has begun */
    plb_liveness_free(l);
}

static void who_sends_data_has_longer(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    plb_liveness_spare(l, 1, 2.0);
    assert_int_equal(beat(l, 1, 0.0, 2.6), -1);
    assert_int_equal(beat(l, 1, 2.6, 4.0), 1);
    plb_liveness_free(l);
}

static void who_has_said_all_may_be_silent(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    plb_liveness_excuse(l, 1);
    plb_liveness_spare(l, 1, 0.0); /* changes nothing any more */
    assert_int_equal(beat(l, 1, 0.0, 60.0), -1);
    assert_int_equal(plb_liveness_of(l, 1), PLB_RANK_EXCUSED);
    assert_int_equal(beat(l, 2, 60.0, 62.0), 2);
    plb_liveness_free(l);
}

/* Ranks 1 and 2 share a host. */
static void ranks_of_a_host_answer_for_each_other(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    assert_int_equal(plb_liveness_witness(l, 1), 2);
    assert_int_equal(plb_liveness_witness(l, 2), 1);
    assert_int_equal(plb_liveness_witness(l, 3), -1);
    assert_false(plb_liveness_alone(l, 1));
    assert_true(plb_liveness_alone(l, 3));
    assert_int_equal(beat(l, 1, 0.0, 0.6), -1);
    assert_int_equal(plb_liveness_witness(l, 1), 2);
    assert_int_equal(plb_liveness_witness(l, 2), -1); /* the other one is a suspect itself */
    plb_liveness_free(l);
}

/* 4,001 ranks say 2,500 BEATs a second together, each one every 1.6 s, and may be held up for as long as few.
 */
static void many_ranks_beat_less_often(void **state)
{
    enum { MANY = 4001 };
    static int alone[MANY];
    (void)state;
    assert_float_equal(plb_liveness_beat(2), STEP, 1e-9);
    assert_float_equal(plb_liveness_beat(251), STEP, 1e-9);
    assert_float_equal(plb_liveness_beat(MANY), 1.6, 1e-9);
    assert_float_equal(plb_liveness_together(4, 1.0), 1.0, 1e-9); /* to leave MPI, for example */
    assert_float_equal(plb_liveness_together(1001, 1.0), 4.0, 1e-9);
    for (int i = 0; i < MANY; i++)
        alone[i] = i;
    struct plb_liveness *l = plb_liveness_new(MANY, alone, 0.8, 0.0);
    for (int i = 1; i <= 24; i++) {
        for (int rank = 2; rank < MANY && i % 16 == 0; rank++)
            plb_liveness_heard(l, rank, i * STEP);
        assert_int_equal(plb_liveness_look(l, i * STEP), i > 23 ? 1 : -1);
        assert_int_equal(plb_liveness_of(l, 1), i > 18 ? PLB_RANK_SUSPECT : PLB_RANK_STARTING);
        assert_int_equal(plb_liveness_of(l, 2), i < 16 ? PLB_RANK_STARTING : PLB_RANK_ALIVE);
    }
    plb_liveness_free(l);
}

/* Nobody waits for one that may join: a rank that has not begun has all its time. */
static void who_may_join_is_not_lost(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    plb_liveness_await(l, 3);
    assert_int_equal(plb_liveness_of(l, 3), PLB_RANK_AWAITED);
    assert_false(plb_liveness_lose(l, 3));
    assert_int_equal(vouched_beat(l, 0.0, 9.5), -1);
    assert_int_equal(plb_liveness_of(l, 3), PLB_RANK_AWAITED);
    plb_liveness_free(l);
}

/* It has all its time from the moment at which it comes. */
static void who_joins_is_alive_from_then_on(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    plb_liveness_await(l, 3);
    assert_int_equal(beat(l, 3, 0.0, 5.0), -1);
    plb_liveness_join(l, 3, 5.0);
    assert_int_equal(plb_liveness_of(l, 3), PLB_RANK_ALIVE);
    assert_int_equal(beat(l, 3, 5.0, 5.7), -1);
    assert_int_equal(beat(l, 3, 5.7, 8.0), 3);
    plb_liveness_free(l);
}

/* A rank that closes its devices may be silent, and one that had stopped before may not. */
static void who_was_silent_at_a_time(void **state)
{
    struct plb_liveness *l = plb_liveness_new(RANKS, hosts, 0.8, 0.0);
    (void)state;
    plb_liveness_heard(l, 1, 10.0);
    plb_liveness_heard(l, 3, 10.4);
    assert_true(plb_liveness_spoke_at(l, 1, 10.2));
    assert_false(plb_liveness_spoke_at(l, 1, 10.5));
    assert_true(plb_liveness_spoke_at(l, 3, 10.5));
    plb_liveness_vouch(l, 1, 10.5); /* its process runs, as another says */
    assert_false(plb_liveness_spoke_at(l, 1, 10.5));
    plb_liveness_heard(l, 1, 11.0); /* it speaks again */
    assert_true(plb_liveness_spoke_at(l, 1, 10.5));
    assert_false(plb_liveness_spoke_at(l, 1, INFINITY));
    plb_liveness_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_beats_is_alive),
        cmocka_unit_test(many_ranks_beat_less_often),
        cmocka_unit_test(ranks_of_a_host_answer_for_each_other),
        cmocka_unit_test(who_is_silent_is_a_suspect_and_then_lost),
        cmocka_unit_test(time_without_a_look_does_not_count),
        cmocka_unit_test(who_runs_but_is_silent_has_longer),
        cmocka_unit_test(who_sends_data_has_longer),
        cmocka_unit_test(who_has_not_begun_when_another_is_lost_waits_for_it),
        cmocka_unit_test(who_has_said_all_may_be_silent),
        cmocka_unit_test(who_may_join_is_not_lost),
        cmocka_unit_test(who_joins_is_alive_from_then_on),
        cmocka_unit_test(who_was_silent_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
