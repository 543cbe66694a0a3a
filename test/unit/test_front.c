/* The rows of the front of time and energy, beside every set of PUs with its cheapest ones filled first. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/energy/front.h"
#include "numbers.h"

#define MOST_PUS 1000

static struct plb_model models[MOST_PUS];
static double speed[MOST_PUS], start_s[MOST_PUS], watts[MOST_PUS], static_watts[MOST_PUS];
static int node[MOST_PUS];

/* start_s + x / speed */
static struct plb_model line(double start, double rate, double work)
{
    struct plb_model m = {.execute = {.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                      .scale = work,
                                      .low = 1e-6 * work,
                                      .high = work,
                                      .least_slope = 1 / rate}};
    m.execute.a[PLB_TERM_ONE] = start;
    m.execute.a[PLB_TERM_X] = work / rate;
    return m;
}

/* Unlike PUs, up to two on a node; starts: at most this part of the time that all need. */
static struct plb_power_curves random_job(uint64_t *s, int n, double starts, enum plb_static_rule rule)
{
    struct plb_power_curves job = {models, watts, node, static_watts, n, (n + 1) / 2, rule, 1000.0};
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += speed[i] = exp(3 * uniform(s));
    for (int i = 0; i < n; i++) {
        watts[i] = 10 * exp(3 * uniform(s));
        start_s[i] = starts * uniform(s) * job.work / sum;
        node[i] = i / 2;
        static_watts[i / 2] = 20 * uniform(s);
        models[i] = line(start_s[i], speed[i], job.work);
    }
    return job;
}

/* The least energy within so many seconds of one set of PUs that all start; infinite: they cannot do it. */
static double least_of_set(const struct plb_power_curves *job, unsigned set, double seconds)
{
    double left = job->work, joules = 0.0, ends = 0.0;
    bool on[MOST_PUS] = {false};
    unsigned rest = set;
    while (rest != 0) {
        int best = -1;
        for (int i = 0; i < job->n; i++)
            if (rest & 1u << i && (best < 0 || watts[i] / speed[i] < watts[best] / speed[best]))
                best = i;
        rest &= ~(1u << best);
        double x = fmin(left, fmax(seconds - start_s[best], 0.0) * speed[best]);
        double t = start_s[best] + x / speed[best];
        left -= x;
        joules += watts[best] * t;
        ends = fmax(ends, t);
        on[node[best]] = true;
    }
    for (int k = 0; k < job->n_nodes; k++)
        joules += job->rule == PLB_STATIC_JOB || on[k] ? static_watts[k] * ends : 0.0;
    return left > 1e-9 * job->work ? INFINITY : joules;
}

static double least(const struct plb_power_curves *job, double seconds)
{
    double joules = INFINITY;
    for (unsigned set = 1; set < 1u << job->n; set++)
        joules = fmin(joules, least_of_set(job, set, seconds * (1 + 1e-12)));
    return joules;
}

/* Checks what a row says of itself. */
static void check_row(const struct plb_power_curves *job, const struct plb_front_row *row)
{
    double work = 0.0, joules = 0.0, seconds = 0.0;
    bool on[MOST_PUS] = {false};
    int working = 0;
    for (int i = 0; i < job->n; i++) {
        if (!(row->x[i] > 0.0))
            continue;
        double t = start_s[i] + row->x[i] / speed[i];
        work += row->x[i];
        joules += watts[i] * t;
        seconds = fmax(seconds, t);
        on[node[i]] = true;
        working++;
    }
    for (int k = 0; k < job->n_nodes; k++)
        joules += job->rule == PLB_STATIC_JOB || on[k] ? static_watts[k] * seconds : 0.0;
    near(work, job->work, 1e-6);
    near(seconds, row->seconds, 1e-6);
    near(joules, row->joules, 1e-6);
    assert_int_equal(working, row->working);
}

/* Compares all rows with brute force, within `part` of the energy. */
static void check_front(const struct plb_power_curves *job, const struct plb_front *front, double part)
{
    double best_edp = INFINITY;
    assert_true(front->n > 0 && front->n <= PLB_FRONT_ROWS);
    for (int k = 0; k < front->n; k++) {
        const struct plb_front_row *row = &front->rows[k];
        double joules = least(job, row->seconds);
        check_row(job, row);
        if (!(row->joules <= joules * (1 + part)) || !(row->joules >= joules * (1 - 1e-6)))
            fail_msg("%d PUs, row %d of %d: %.9g J, brute force %.9g", job->n, k, front->n, row->joules,
                     joules);
        assert_true(k == 0 || (row->seconds > row[-1].seconds && row->joules < row[-1].joules));
        best_edp = fmin(best_edp, row->seconds * row->joules);
    }
    const struct plb_front_row *edp = &front->rows[front->least_edp], *last = &front->rows[front->n - 1];
    near(edp->seconds * edp->joules, best_edp, 1e-12);
    assert_true(isinf(least(job, front->rows[0].seconds * (1 - 2 * part - 1e-6))));
    for (double t = last->seconds; t < 100 * last->seconds; t *= 1.1)
        assert_true(least(job, t) >= last->joules * (1 - part));
    double then_s = 1.3 * front->rows[0].seconds, then_j = least(job, then_s);
    for (int k = 0; k < front->n; k++)
        then_j = front->rows[k].seconds <= then_s ? fmin(then_j, front->rows[k].joules) : then_j;
    assert_true(front->then_joules <= then_j * (1 + part));
    assert_true(last->seconds <= then_s || front->then_joules > last->joules);
}

/* A front, and once more with a time that its first row tells. */
static void make_and_check(const struct plb_power_curves *job, double part)
{
    struct plb_front front;
    assert_true(plb_front_make(job, INFINITY, (double)NAN, &front));
    double shortest = front.rows[0].seconds;
    assert_true(isnan(front.then_joules));
    plb_front_fini(&front);
    assert_true(plb_front_make(job, INFINITY, 1.3 * shortest, &front));
    check_front(job, &front, part);
    plb_front_fini(&front);
}

static void lines_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t s = seed;
        enum plb_static_rule rule = seed % 2 == 0 ? PLB_STATIC_JOB : PLB_STATIC_OFF_WHEN_IDLE;
        struct plb_power_curves job = random_job(&s, 1 + (int)(7 * uniform(&s)), 0.0, rule);
        make_and_check(&job, 1e-6);
    }
}

static void start_costs_of_few_pus_count(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t s = seed;
        struct plb_power_curves job = random_job(&s, 2 + (int)(2 * uniform(&s)), 0.5, PLB_STATIC_JOB);
        make_and_check(&job, 1e-3);
    }
}

static void start_costs_of_more_pus_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint64_t s = seed;
        struct plb_power_curves job = random_job(&s, 6 + (int)(4 * uniform(&s)), 0.5, PLB_STATIC_JOB);
        make_and_check(&job, 1e-6);
    }
}

static void start_costs_of_thirteen_pus_count(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        uint64_t s = seed;
        struct plb_power_curves job = random_job(&s, 13, 0.5, PLB_STATIC_JOB);
        make_and_check(&job, 2e-2);
    }
}

static void a_cap_keeps_dear_sets_out(void **state)
{
    (void)state;
    uint64_t s = 3;
    struct plb_front front;
    struct plb_power_curves job = random_job(&s, 4, 0.0, PLB_STATIC_JOB);
    double cap = static_watts[0] + static_watts[1] + 0.6 * (watts[0] + watts[1] + watts[2] + watts[3]);
    assert_true(plb_front_make(&job, cap, (double)NAN, &front));
    assert_true(front.n > 0);
    for (int k = 0; k < front.n; k++) {
        double drawn = static_watts[0] + static_watts[1];
        for (int i = 0; i < job.n; i++)
            drawn += front.rows[k].x[i] > 0.0 ? watts[i] : 0.0;
        check_row(&job, &front.rows[k]);
        assert_true(drawn <= cap);
    }
    plb_front_fini(&front);
    assert_true(plb_front_make(&job, 1.0, (double)NAN, &front));
    assert_int_equal(front.n, 0);
    plb_front_fini(&front);
}

static void nobody_known_is_no_front(void **state)
{
    (void)state;
    uint64_t s = 4;
    struct plb_front front;
    struct plb_power_curves job = random_job(&s, 7, 0.3, PLB_STATIC_JOB);
    memset(models, 0, sizeof models);
    assert_true(plb_front_make(&job, INFINITY, 1.0, &front));
    assert_int_equal(front.n, 0);
    plb_front_fini(&front);
}

static void say_seconds(int n, double starts)
{
    uint64_t s = 5;
    struct plb_front front;
    struct plb_power_curves job = random_job(&s, n, starts, PLB_STATIC_JOB);
    clock_t begin = clock();
    assert_true(plb_front_make(&job, INFINITY, (double)NAN, &front));
    print_message("%d PUs%s: %d rows in %.2g s\n", n, starts > 0.0 ? " with start costs" : "", front.n,
                  (double)(clock() - begin) / CLOCKS_PER_SEC);
    assert_true(front.n > 5);
    for (int k = 0; k < front.n; k++)
        check_row(&job, &front.rows[k]);
    plb_front_fini(&front);
}

static void many_pus_have_a_front(void **state)
{
    (void)state;
    say_seconds(5, 0.5);
    say_seconds(10, 0.0);
    say_seconds(10, 0.5);
    say_seconds(1000, 0.0);
    say_seconds(1000, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_exact),
        cmocka_unit_test(start_costs_of_few_pus_count),
        cmocka_unit_test(start_costs_of_more_pus_are_exact),
        cmocka_unit_test(start_costs_of_thirteen_pus_count),
        cmocka_unit_test(a_cap_keeps_dear_sets_out),
        cmocka_unit_test(nobody_known_is_no_front),
        cmocka_unit_test(many_pus_have_a_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
