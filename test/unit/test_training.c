/* Training rounds: the sizes that follow from the seconds of the round before. */
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

static void begin(struct round *r)
{
    *r = (struct round){.view = {.n_pus = PUS, .living = PUS, .idle = PUS, .total = 1e6, .remaining = 1e6}};
    r->view.pus = r->pus;
    r->view.stats = &r->stats;
    assert_true(plb_training_init(&r->training, &r->view, FIRST, 0.1, ROUNDS));
    for (int p = 0; p < PUS; p++)
        near(plb_training_block(&r->training, &r->view, p), FIRST, 0.0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_as_long_as_that_of_the_fastest),
        cmocka_unit_test(a_pu_whose_block_has_crashed_counts_as_the_slowest),
        cmocka_unit_test(a_pu_that_executed_a_part_is_judged_by_it),
        cmocka_unit_test(a_pu_that_executed_more_than_its_block_is_judged_by_that),
        cmocka_unit_test(a_pu_whose_block_was_taken_counts_as_the_slowest),
        cmocka_unit_test(all_may_have_crashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
