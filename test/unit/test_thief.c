/* Whom an idle node asks, and what it forgets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/thief.h"
#include "dice.h"

#define NODES 8
#define OWN 3

static struct plb_thief *thief_of(enum plb_victim victim, uint64_t seed)
{
    const struct plb_migration migration = {.on = true, .victim = victim, .seed = seed};
    return plb_thief_new(OWN, NODES, &migration);
}

static void tell_rates(struct plb_thief *t, int n, const int32_t *victims, const double *amounts,
                       const double *rates)
{
    struct plb_empty empty = {.n_victims = n};
    for (int i = 0; i < n; i++) {
        empty.victims[i] = victims[i];
        empty.amounts[i] = amounts[i];
        empty.rates[i] = rates[i];
    }
    plb_thief_hint(t, &empty);
}

static void tell(struct plb_thief *t, int n, const int32_t *victims, const double *amounts)
{
    static const double unknown[PLB_VICTIMS];
    tell_rates(t, n, victims, amounts, unknown);
}

/* The answer of a node that gives nothing, or one unit, has `left`, and is this fast. */
static void answer_rate(struct plb_thief *t, int victim, int n, double left, double rate)
{
    struct plb_gifts gifts = {.n = n, .thief = OWN, .left = left, .rate = rate, .at = {{{0, 1}, 0, 1}}};
    plb_thief_answered(t, victim, &gifts);
}

static void answer(struct plb_thief *t, int victim, int n, double left)
{
    answer_rate(t, victim, n, left, 0.0);
}

static const int32_t two[] = {5, 1};
static const double of_two[] = {20.0, 10.0};

static void who_has_most_is_asked_first(void **state)
{
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell(t, 2, two, of_two);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    answer(t, 5, 1, 15.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 5); /* it has more than the other yet */
    answer(t, 5, 1, 4.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 1);
    answer(t, 1, 1, 0.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    answer(t, 5, 0, 4.0); /* too little to give */
    assert_int_not_equal(plb_thief_ask(t, 0.0), 5);
    plb_thief_free(t);
}

/* Nodes of rates 9 and 1, with 20 and 10 left: the slow one ends last. */
static void a2ws_asks_who_ends_last(void **state)
{
    static const double rates[] = {9.0, 1.0};
    (void)state;
    struct plb_thief *t = thief_of(PLB_A2WS, 1);
    tell_rates(t, 2, two, of_two, rates);
    assert_int_equal(plb_thief_ask(t, 0.0), 1);
    answer(t, 1, 1, 2.0); /* 2 s, and 2.2 s there */
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    answer(t, 5, 1, 15.0); /* its rate is as the hint says: 1.7 s */
    assert_int_equal(plb_thief_ask(t, 0.0), 1);
    answer_rate(t, 1, 1, 1.9, 1.2); /* it is faster than the hint says: 1.6 s */
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    answer_rate(t, 5, 1, 15.0, 10.0); /* and so is this one: 1.5 s */
    assert_int_equal(plb_thief_ask(t, 0.0), 1);
    plb_thief_free(t);
}

/* Who has told of no task yet ends last, as far as anybody knows; of two of them the one with most left. */
static void a2ws_takes_unknown_rates_for_slow(void **state)
{
    static const int32_t three[] = {5, 1, 6};
    static const double amounts[] = {20.0, 1.0, 2.0}, rates[] = {1.0, 0.0, 0.0};
    (void)state;
    struct plb_thief *t = thief_of(PLB_A2WS, 1);
    tell_rates(t, 3, three, amounts, rates);
    assert_int_equal(plb_thief_ask(t, 0.0), 6);
    answer(t, 6, 0, 0.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 1);
    answer(t, 1, 0, 0.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    plb_thief_free(t);
}

/* For the others rates do not matter. */
static void most_remaining_goes_by_amounts_alone(void **state)
{
    static const double rates[] = {9.0, 1.0};
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell_rates(t, 2, two, of_two, rates);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    answer_rate(t, 5, 1, 15.0, 100.0);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    plb_thief_free(t);
}

static void an_answer_is_waited_for(void **state)
{
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell(t, 2, two, of_two);
    assert_false(plb_thief_awaits(t));
    assert_int_equal(plb_thief_ask(t, 7.0), 5);
    assert_true(plb_thief_awaits(t));
    assert_int_equal(plb_thief_ask(t, 7.0 + 0.9 * PLB_PATIENCE), PLB_NOBODY);
    assert_true(plb_thief_awaits(t));
    answer(t, 1, 1, 30.0); /* late, of an earlier question: another answer is awaited */
    assert_true(plb_thief_awaits(t));
    assert_int_equal(plb_thief_ask(t, 7.0 + 0.9 * PLB_PATIENCE), PLB_NOBODY);
    answer(t, 5, 1, 1.0);
    assert_false(plb_thief_awaits(t));
    assert_int_equal(plb_thief_ask(t, 7.0 + 0.9 * PLB_PATIENCE), 1);
    plb_thief_free(t);
}

static void patience_ends(void **state)
{
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell(t, 2, two, of_two);
    assert_int_equal(plb_thief_ask(t, 0.0), 5);
    assert_int_equal(plb_thief_ask(t, 1.1 * PLB_PATIENCE), 1);
    answer(t, 1, 0, 0.0);
    assert_int_not_equal(plb_thief_ask(t, 1.2 * PLB_PATIENCE), 5); /* it has not answered */
    answer(t, 5, 1, 25.0); /* late: it is asked again, since it does answer */
    assert_int_equal(plb_thief_ask(t, 5.0 * PLB_PATIENCE), 5);
    plb_thief_free(t);
}

/* Nodes that a hint does not name have less than those that it names; some of them are asked all the same,
 * then nobody. */
static void a_hint_is_used_up(void **state)
{
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell(t, 2, two, of_two);
    int asked = 0;
    bool seen[NODES] = {false};
    for (int i = 0; i < 20; i++) {
        int victim = plb_thief_ask(t, (double)i);
        if (victim == PLB_NOBODY)
            continue;
        assert_true(victim >= 0 && victim < NODES && victim != OWN && !seen[victim]);
        assert_true(i >= 2 || victim == two[i]);
        seen[victim] = true;
        asked++;
        answer(t, victim, 0, 0.0);
    }
    assert_in_range(asked, 3, 5);
    assert_false(plb_thief_awaits(t));
    tell(t, 1, two, of_two);
    assert_int_equal(plb_thief_ask(t, 30.0), 5); /* it had refused before the hint */
    plb_thief_free(t);
}

static void a_hint_replaces_the_one_before(void **state)
{
    static const int32_t other[] = {6};
    static const double little[] = {1.0};
    (void)state;
    struct plb_thief *t = thief_of(PLB_MOST_REMAINING, 1);
    tell(t, 2, two, of_two);
    tell(t, 1, other, little);
    assert_int_equal(plb_thief_ask(t, 0.0), 6);
    plb_thief_free(t);
}

/* Refusals, amounts and a question under way are of one pass. */
static void a_pass_forgets_the_one_before(void **state)
{
    (void)state;
    for (int victim = PLB_MOST_REMAINING; victim <= PLB_A2WS; victim++) {
        struct plb_thief *t = thief_of((enum plb_victim)victim, 1);
        double now = 0.0;
        tell(t, 2, two, of_two);
        for (int i = 0; i < 50; i++) {
            int asked = plb_thief_ask(t, now++);
            if (asked != PLB_NOBODY)
                answer(t, asked, 0, 0.0);
        }
        assert_int_equal(plb_thief_ask(t, now), PLB_NOBODY);
        plb_thief_begin(t);
        tell(t, 0, NULL, NULL);
        int asked = plb_thief_ask(t, now);
        assert_int_not_equal(asked, PLB_NOBODY);
        plb_thief_begin(t); /* with a question under way */
        assert_false(plb_thief_awaits(t));
        tell(t, 1, two, of_two);
        assert_int_not_equal(plb_thief_ask(t, now), PLB_NOBODY);
        plb_thief_begin(t);
        if (victim == PLB_MOST_REMAINING
            || victim == PLB_A2WS) { /* what was known is forgotten: three unknown ones, then nobody */
            int unknown = 0;
            for (int i = 0; i < 10; i++) {
                asked = plb_thief_ask(t, now++);
                unknown += asked != PLB_NOBODY;
                if (asked != PLB_NOBODY)
                    answer(t, asked, 0, 0.0);
            }
            assert_int_equal(unknown, 3);
        }
        plb_thief_free(t);
    }
}

static void li_asks_in_order(void **state)
{
    (void)state;
    struct plb_thief *t = thief_of(PLB_FIRST, 1);
    tell(t, 2, two, of_two);
    for (int node = 0; node < NODES; node++) {
        if (node == OWN)
            continue;
        assert_int_equal(plb_thief_ask(t, 0.0), node);
        answer(t, node, 1, 5.0);
        assert_int_equal(plb_thief_ask(t, 0.0), node); /* again, until it refuses */
        answer(t, node, 0, 0.0);
    }
    assert_int_equal(plb_thief_ask(t, 0.0), PLB_NOBODY);
    plb_thief_free(t);
}

/* Every other node, in an order that the seed repeats; each once where all refuse. */
static void random_victims_are_spread(void **state)
{
    int first[NODES] = {0};
    (void)state;
    for (uint64_t seed = 0; seed < 700; seed++) {
        struct plb_thief *t = thief_of(PLB_RANDOM, 10 * seed), *same = thief_of(PLB_RANDOM, 10 * seed);
        bool seen[NODES] = {false};
        for (int i = 0; i < NODES - 1; i++) {
            int asked = plb_thief_ask(t, 0.0);
            assert_true(asked >= 0 && asked < NODES && asked != OWN && !seen[asked]);
            assert_int_equal(plb_thief_ask(same, 0.0), asked);
            first[asked] += i == 0;
            seen[asked] = true;
            answer(t, asked, 0, 0.0);
            answer(same, asked, 0, 0.0);
        }
        assert_int_equal(plb_thief_ask(t, 0.0), PLB_NOBODY);
        plb_thief_free(t);
        plb_thief_free(same);
    }
    for (int node = 0; node < NODES; node++)
        assert_true(node == OWN ? first[node] == 0 : first[node] >= 60 && first[node] <= 150); /* 100 each */
}

static void who_is_alone_asks_nobody(void **state)
{
    (void)state;
    for (int victim = PLB_MOST_REMAINING; victim <= PLB_A2WS; victim++) {
        const struct plb_migration migration = {.on = true, .victim = (enum plb_victim)victim};
        struct plb_thief *t = plb_thief_new(0, 1, &migration);
        const int32_t itself[] = {0};
        tell(t, 1, itself, of_two);
        assert_int_equal(plb_thief_ask(t, 0.0), PLB_NOBODY);
        assert_false(plb_thief_awaits(t));
        plb_thief_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_most_is_asked_first),
        cmocka_unit_test(a2ws_asks_who_ends_last),
        cmocka_unit_test(a2ws_takes_unknown_rates_for_slow),
        cmocka_unit_test(most_remaining_goes_by_amounts_alone),
        cmocka_unit_test(an_answer_is_waited_for),
        cmocka_unit_test(patience_ends),
        cmocka_unit_test(a_hint_is_used_up),
        cmocka_unit_test(a_hint_replaces_the_one_before),
        cmocka_unit_test(a_pass_forgets_the_one_before),
        cmocka_unit_test(li_asks_in_order),
        cmocka_unit_test(random_victims_are_spread),
        cmocka_unit_test(who_is_alone_asks_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
