/* Training rounds: the sizes that follow from the seconds of the round before, or of the first block. */
#include "model/training.h"
#include "numbers.h"

enum { PUS = 3, ROUNDS = 4 };
#define FIRST 10.0

struct round {
    struct plb_pu pus[PUS];
    struct plb_view view;
    struct plb_balancer_stats stats;
    struct plb_training training;
};

static void begin_with(struct round *r, double least, bool flows)
{
    const struct plb_training_rules rules = {FIRST, 0.1, flows ? 2 : ROUNDS, least, flows};
    *r = (struct round){.view = {.n_pus = PUS, .living = PUS, .idle = PUS, .total = 1e6, .remaining = 1e6}};
    r->view.next = 1.0;
    r->view.pus = r->pus;
    r->view.stats = &r->stats;
    assert_true(plb_training_init(&r->training, &r->view, &rules));
    for (int p = 0; p < PUS; p++)
        near(plb_training_block(&r->training, &r->view, p), FIRST, 0.0);
}

static void begin(struct round *r)
{
    begin_with(r, 0.0, false);
}

/* A PU has executed so much of its first block, in so many seconds. */
static void execute(struct round *r, int p, double work, double seconds)
{
    const struct plb_sample sample = {.work = work, .execute_s = seconds, .tasks = 1};
    r->pus[p].granted = work;
    if (work > 0.0)
        plb_training_reported(&r->training, p, &sample);
}

/* The sizes of the second round. */
static void expect(struct round *r, double a, double b, double c)
{
    const double sizes[PUS] = {a, b, c};
    assert_true(plb_training_round_over(&r->training, &r->view));
    plb_training_next_round(&r->training, &r->view);
    for (int p = 0; p < PUS; p++)
        near(plb_training_block(&r->training, &r->view, p), sizes[p], 1e-9);
    plb_training_fini(&r->training);
}

static void blocks_are_as_long_as_that_of_the_fastest(void **state)
{
    struct round r;
    (void)state;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    execute(&r, 1, FIRST, 2.0);
    execute(&r, 2, FIRST, 4.0);
    expect(&r, 20.0, 10.0, 5.0);
}

/* Its units are free again, so that it has had no work, and needed no time. */
static void a_pu_whose_block_has_crashed_counts_as_the_slowest(void **state)
{
    struct round r;
    (void)state;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    execute(&r, 1, 0.0, 0.0);
    execute(&r, 2, FIRST, 4.0);
    expect(&r, 20.0, 5.0, 5.0);
}

static void a_pu_that_executed_a_part_is_judged_by_it(void **state)
{
    struct round r;
    (void)state;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    execute(&r, 1, 5.0, 1.0);
    execute(&r, 2, FIRST, 4.0);
    expect(&r, 20.0, 10.0, 5.0);
}

/* Training that begins anew meets blocks that were granted before: their seconds are those of their work. */
static void a_pu_that_executed_more_than_its_block_is_judged_by_that(void **state)
{
    const struct plb_sample older = {.work = 90.0, .execute_s = 18.0, .tasks = 1};
    struct round r;
    (void)state;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    execute(&r, 1, FIRST, 2.0);
    execute(&r, 2, FIRST, 4.0);
    plb_training_reported(&r.training, 1, &older);
    expect(&r, 20.0, 10.0, 5.0);
}

/* It would seem to need no time for it. */
static void a_pu_whose_block_was_taken_counts_as_the_slowest(void **state)
{
    struct round r;
    (void)state;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    r.pus[1].granted = FIRST;
    execute(&r, 2, FIRST, 4.0);
    expect(&r, 20.0, 5.0, 5.0);
}

static void all_may_have_crashed(void **state)
{
    struct round r;
    (void)state;
    begin(&r);
    for (int p = 0; p < PUS; p++)
        execute(&r, p, 0.0, 0.0);
    expect(&r, 20.0, 20.0, 20.0);
}

/* A PU whose block rounds to no unit waits, and its speed is remembered: in the next round, of 4 times the
 * first block, its block is 0.8 of a unit, and so one. Or every block is a unit at least. */
static void a_block_may_round_to_none(void **state)
{
    (void)state;
    for (int least = 0; least < 2; least++) {
        struct round r;
        begin_with(&r, least, false);
        execute(&r, 0, FIRST, 1.0);
        execute(&r, 1, FIRST, 2.0);
        execute(&r, 2, FIRST, 50.0);
        plb_training_next_round(&r.training, &r.view);
        near(plb_training_block(&r.training, &r.view, 2), least, 0.0);
        near(plb_training_block(&r.training, &r.view, 0), 20.0, 1e-9);
        near(plb_training_block(&r.training, &r.view, 1), 10.0, 1e-9);
        r.pus[0].granted = 20.0 + FIRST;
        r.pus[1].granted = 10.0 + FIRST;
        const struct plb_sample a = {.work = 20.0, .execute_s = 2.0, .tasks = 1};
        const struct plb_sample b = {.work = 10.0, .execute_s = 2.0, .tasks = 1};
        const struct plb_sample c = {.work = 1.0, .execute_s = 5.0, .tasks = 1};
        plb_training_reported(&r.training, 0, &a);
        plb_training_reported(&r.training, 1, &b);
        if (least) {
            r.pus[2].granted = 1.0 + FIRST;
            plb_training_reported(&r.training, 2, &c);
        }
        expect(&r, 40.0, 20.0, 1.0);
    }
}

/* Where the next unit costs a hundred times a block, the fastest PU takes it. Else a round would have no
 * block, and no report would ever come. */
static void the_fastest_has_a_block_whatever_comes_next(void **state)
{
    (void)state;
    struct round r;
    begin(&r);
    execute(&r, 0, FIRST, 1.0);
    execute(&r, 1, FIRST, 2.0);
    execute(&r, 2, FIRST, 4.0);
    r.view.next = 100.0 * FIRST;
    expect(&r, 100.0 * FIRST, 0.0, 0.0);
}

/* Without a barrier between the two: PU 1 is the first to finish, and goes on at once. */
static void blocks_may_follow_at_once(void **state)
{
    struct round r;
    (void)state;
    begin_with(&r, 0.0, true);
    r.pus[0].outstanding = r.pus[2].outstanding = 1;
    execute(&r, 1, FIRST, 1.0);
    near(plb_training_block(&r.training, &r.view, 1), 20.0, 1e-9);
    assert_true(plb_training_block(&r.training, &r.view, 0) == PLB_WAIT_OWN);
    r.pus[0].outstanding = 0;
    execute(&r, 0, FIRST, 4.0);
    near(plb_training_block(&r.training, &r.view, 0), 5.0, 1e-9);
    assert_true(!plb_training_round_over(&r.training, &r.view));
    r.pus[2].outstanding = 0;
    near(plb_training_block(&r.training, &r.view, 2), 0.0, 0.0); /* others have executed its block */
    assert_true(plb_training_round_over(&r.training, &r.view));
    assert_true(r.stats.ask_again);
    plb_training_next_round(&r.training, &r.view);
    assert_int_equal(r.training.round, 2);
    plb_training_fini(&r.training);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_as_long_as_that_of_the_fastest),
        cmocka_unit_test(a_pu_whose_block_has_crashed_counts_as_the_slowest),
        cmocka_unit_test(a_pu_that_executed_a_part_is_judged_by_it),
        cmocka_unit_test(a_pu_that_executed_more_than_its_block_is_judged_by_that),
        cmocka_unit_test(a_pu_whose_block_was_taken_counts_as_the_slowest),
        cmocka_unit_test(all_may_have_crashed),
        cmocka_unit_test(a_block_may_round_to_none),
        cmocka_unit_test(the_fastest_has_a_block_whatever_comes_next),
        cmocka_unit_test(blocks_may_follow_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
