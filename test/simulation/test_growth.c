/* The master's costs of a balancer do not grow with the number of PUs, for every balancer and
 * every mix of kinds: neither the questions per block, nor the solves, nor the time of a question
 * without a solve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "mixed.h"

#define FEW_NODES 2
#define MANY_NODES 200
#define UNITS_PER_PU 100.0
#define TIMED 40000 /* questions whose time is taken */

/* Questions per block, in a run on many PUs. Two is the least where each PU has a block ahead and
 * is then told to wait; barriers and solves ask a few times more. */
#define MOST_QUESTIONS 6.0

/* Solves in a run on many PUs; on few PUs a solve per report is cheap. A solve that many reports
 * bring would make it hundreds. */
#define MOST_SOLVES 60

/* How much longer a question may take on a hundred times as many PUs. One that goes through all PUs
 * takes many times longer. */
#define MOST_GROWTH 2.5
#define CLOCK_S 5e-8 /* seconds, about what reading the clock takes */

/* A machine that does other work as well makes some questions slow; one that goes through all PUs is slow in
 * every try. */
#define TRIES 5

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Runs a balancer; returns the time that four questions of five do not exceed: more than every second one is
 * only told to wait, on few PUs or on many. */
static double run(const struct plb_balancer *b, int nodes, enum mixed_case which, struct mixed_calls *calls,
                  int64_t *solves)
{
    static double times[TIMED];
    *calls = (struct mixed_calls){.grant_s = times, .max_times = TIMED};
    struct mixed_result r = mixed_run(b, nodes, which, UNITS_PER_PU, calls);
    if (r.err.status != PLB_OK)
        fail_msg("%s, %s: %s", b->name, mixed_case_names[which], r.err.text);
    *solves = r.solves;
    qsort(times, (size_t)calls->n_times, sizeof *times, by_value);
    return times[calls->n_times * 4 / 5];
}

static void check(const struct plb_balancer *b, enum mixed_case which)
{
    double few_s = 0.0, many_s = 0.0;
    for (int i = 0; i < TRIES; i++) {
        struct mixed_calls few, many;
        int64_t solves;
        few_s = run(b, FEW_NODES, which, &few, &solves);
        many_s = run(b, MANY_NODES, which, &many, &solves);
        double questions = (double)many.questions / (double)many.blocks;
        if (questions > MOST_QUESTIONS)
            fail_msg("%s, %s: %.1f questions per block", b->name, mixed_case_names[which], questions);
        if (solves > MOST_SOLVES)
            fail_msg("%s, %s: %lld solves", b->name, mixed_case_names[which], (long long)solves);
        if (many_s <= MOST_GROWTH * (few_s + CLOCK_S))
            return;
    }
    fail_msg("%s, %s: a question takes %.3g s on few PUs, %.3g s on many", b->name, mixed_case_names[which],
             few_s, many_s);
}

static void many_pus_cost_each_block_what_few_do(void **state)
{
    (void)state;
    for (int i = 0; plb_balancers[i] != NULL; i++)
        for (int which = 0; which < MIXED_CASES; which++)
            check(plb_balancers[i], (enum mixed_case)which);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_pus_cost_each_block_what_few_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
