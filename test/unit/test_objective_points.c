/* The front of time and energy of measured points: every choice is tried for up to 4 PUs, and the bound is
 * held for many. */
#include <stdlib.h>
#include <time.h>

#include "model/energy/objective_points.h"
#include "numbers.h"

#define MOST_PUS 1000
#define MOST_POINTS 100

static struct plb_power_point points[MOST_PUS * MOST_POINTS];
static struct plb_point_set sets[MOST_PUS];

/* Points of PUs with unlike speeds and watts; `rough`: by how much they leave a line. */
static struct plb_points_job random_job(uint64_t *s, int pus, int each, double rough)
{
    double most = 0.0;
    for (int i = 0; i < pus; i++) {
        double speed = exp(3 * uniform(s)), watts = 10 * exp(3 * uniform(s));
        sets[i] = (struct plb_point_set){&points[i * each], each};
        for (int k = 0; k < each; k++) {
            struct plb_power_point *p = &points[i * each + k];
            p->work = speed * (k + 1) / each;
            p->seconds = (k + 1.0) / each * (1 + rough * uniform(s));
            p->joules = watts * p->seconds * (1 + rough * uniform(s));
        }
        most += speed;
    }
    return (struct plb_points_job){sets, pus, uniform(s) < 0.3 ? 0.0 : 100 * uniform(s),
                                   most * (0.1 + 0.7 * uniform(s))};
}

/* E of the best choice within `limit` seconds, of all choices. */
static double least_of_all(const struct plb_points_job *job, double limit)
{
    int n = 1;
    double least = INFINITY;
    for (int i = 0; i < job->n; i++)
        n *= job->sets[i].n + 1;
    for (int number = 0; number < n; number++) {
        double work = 0.0, seconds = 0.0, joules = 0.0;
        for (int i = 0, rest = number; i < job->n; rest /= job->sets[i].n + 1, i++) {
            int k = rest % (job->sets[i].n + 1) - 1;
            if (k < 0)
                continue;
            work += job->sets[i].points[k].work;
            seconds = fmax(seconds, job->sets[i].points[k].seconds);
            joules += job->sets[i].points[k].joules;
        }
        if (work >= job->work * (1 - 1e-12) && seconds <= limit)
            least = fmin(least, joules + job->static_watts * seconds);
    }
    return least;
}

/* That an answer is what its choice costs. */
static void check_choice(const struct plb_points_job *job, const struct plb_points_answer *a,
                         const int *choice)
{
    double work = 0.0, seconds = 0.0, joules = 0.0;
    for (int i = 0; i < job->n; i++) {
        if (choice[i] < 0)
            continue;
        work += job->sets[i].points[choice[i]].work;
        seconds = fmax(seconds, job->sets[i].points[choice[i]].seconds);
        joules += job->sets[i].points[choice[i]].joules;
    }
    assert_true(work >= job->work * (1 - 1e-11));
    near(a->seconds, seconds, 1e-12);
    near(a->dynamic, joules, 1e-9);
    near(a->joules, joules + job->static_watts * seconds, 1e-9);
    assert_true(a->seconds <= a->limit && a->bound <= a->dynamic * (1 + 1e-12));
}

static void fronts_of_a_few_pus_are_exact(void **state)
{
    (void)state;
    static const int each[] = {0, 0, 12, 7, 5};
    for (int seed = 0; seed < 300; seed++) {
        uint64_t s = (uint64_t)seed;
        int pus = 2 + (int)(3 * uniform(&s)), choice[4 * 100];
        struct plb_points_job job = random_job(&s, pus, each[pus], uniform(&s));
        struct plb_points_answer front[100];
        int n = plb_objective_points(&job, 100, front, choice);
        assert_true(n > 0);
        for (int k = 0; k < n; k++) {
            check_choice(&job, &front[k], choice + k * pus);
            near(front[k].bound, front[k].dynamic, 1e-12);
            /* at this T, and just before the next one, nothing is better */
            near(front[k].joules, least_of_all(&job, front[k].seconds), 1e-9);
            double next = k + 1 < n ? front[k + 1].seconds * (1 - 1e-9) : INFINITY;
            near(front[k].joules, least_of_all(&job, next), 1e-9);
        }
        assert_true(isinf(least_of_all(&job, front[0].seconds * (1 - 1e-9))));
    }
}

static void work_that_nobody_can_do_has_no_front(void **state)
{
    (void)state;
    uint64_t s = 1;
    struct plb_points_job job = random_job(&s, 3, 10, 0.1);
    struct plb_points_answer front[40];
    int choice[3 * 40];
    job.work *= 100;
    assert_int_equal(plb_objective_points(&job, 40, front, choice), 0);
}

/* Returns how far an answer is from its bound, at most. */
static double large_front(int pus, int levels)
{
    uint64_t s = 7;
    struct plb_points_job job = random_job(&s, pus, MOST_POINTS, 0.3);
    struct plb_points_answer front[64];
    static int choice[64 * MOST_PUS];
    clock_t begin = clock();
    int n = plb_objective_points(&job, levels, front, choice), exact = 0;
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC, worst = 0.0;
    assert_true(n > 1);
    for (int k = 0; k < n; k++) {
        check_choice(&job, &front[k], choice + k * pus);
        assert_true(k == 0
                    || (front[k].seconds > front[k - 1].seconds && front[k].joules < front[k - 1].joules));
        worst = fmax(worst, front[k].dynamic / front[k].bound - 1);
        exact += front[k].bound == front[k].dynamic;
    }
    print_message("%d PUs with %d points: %d answers in %.2g s, %d exact, the others within %.2g\n", pus,
                  MOST_POINTS, n, seconds, exact, worst);
    return worst;
}

static void many_pus_are_near_their_bound(void **state)
{
    (void)state;
    assert_true(large_front(10, 64) < 5e-2);
    assert_true(large_front(1000, 32) < 5e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts_of_a_few_pus_are_exact),
        cmocka_unit_test(work_that_nobody_can_do_has_no_front),
        cmocka_unit_test(many_pus_are_near_their_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
