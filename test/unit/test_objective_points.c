/* The cheapest points that do the work: every choice is tried for up to 4 PUs, and the bound is held for
 * many. */
#include <stdlib.h>
#include <time.h>

#include "model/energy/objective_points.h"
#include "numbers.h"

#define MOST_PUS 1000
#define MOST_POINTS 100

static struct plb_power_point points[MOST_PUS * MOST_POINTS];
static struct plb_point_set sets[MOST_PUS];

/* Points of PUs with unlike speeds and watts, those that take at most `limit` seconds; `rough`: by how much
 * they leave a line. */
static struct plb_points_job random_job(uint64_t *s, int pus, int each, double rough, double limit)
{
    double most = 0.0;
    for (int i = 0; i < pus; i++) {
        double speed = exp(3 * uniform(s)), watts = 10 * exp(3 * uniform(s));
        sets[i] = (struct plb_point_set){&points[i * each], 0};
        for (int k = 0; k < each; k++) {
            double seconds = (k + 1.0) / each * (1 + rough * uniform(s));
            double joules = watts * seconds * (1 + rough * uniform(s));
            if (seconds <= limit)
                points[i * each + sets[i].n++] = (struct plb_power_point){speed * (k + 1) / each, joules};
        }
        most += speed;
    }
    return (struct plb_points_job){sets, pus, most * (0.1 + 0.7 * uniform(s))};
}

/* E of the best of all choices. */
static double least_of_all(const struct plb_points_job *job)
{
    int n = 1;
    double least = INFINITY;
    for (int i = 0; i < job->n; i++)
        n *= job->sets[i].n + 1;
    for (int number = 0; number < n; number++) {
        double work = 0.0, joules = 0.0;
        for (int i = 0, rest = number; i < job->n; rest /= job->sets[i].n + 1, i++) {
            int k = rest % (job->sets[i].n + 1) - 1;
            if (k < 0)
                continue;
            work += job->sets[i].points[k].work;
            joules += job->sets[i].points[k].joules;
        }
        if (work >= job->work * (1 - 1e-12))
            least = fmin(least, joules);
    }
    return least;
}

/* That an answer is what its choice costs. */
static void check_choice(const struct plb_points_job *job, const struct plb_points_answer *a,
                         const int *choice)
{
    double work = 0.0, joules = 0.0;
    for (int i = 0; i < job->n; i++) {
        if (choice[i] < 0)
            continue;
        work += job->sets[i].points[choice[i]].work;
        joules += job->sets[i].points[choice[i]].joules;
    }
    assert_true(work >= job->work * (1 - 1e-11));
    near(a->joules, joules, 1e-9);
    assert_true(a->bound <= a->joules * (1 + 1e-12));
}

static void answers_for_a_few_pus_are_exact(void **state)
{
    (void)state;
    static const int each[] = {0, 0, 12, 7, 5};
    for (int seed = 0; seed < 3000; seed++) {
        uint64_t s = (uint64_t)seed;
        int pus = 2 + (int)(3 * uniform(&s)), choice[4];
        struct plb_points_job job = random_job(&s, pus, each[pus], uniform(&s), 2.0);
        struct plb_points_answer answer;
        assert_int_equal(plb_objective_points(&job, &answer, choice), 1);
        check_choice(&job, &answer, choice);
        near(answer.bound, answer.joules, 1e-12);
        near(answer.joules, least_of_all(&job), 1e-9);
    }
}

static void work_that_nobody_can_do_has_no_answer(void **state)
{
    (void)state;
    uint64_t s = 1;
    struct plb_points_job job = random_job(&s, 3, 10, 0.1, 2.0);
    struct plb_points_answer answer;
    int choice[3];
    job.work *= 100;
    assert_int_equal(plb_objective_points(&job, &answer, choice), 0);
}

/* Returns how far an answer is from its bound, at most. */
static double from_bound(int pus, int jobs)
{
    static int choice[MOST_PUS];
    clock_t begin = clock();
    double worst = 0.0;
    int exact = 0, possible = 0;
    for (int k = 1; k <= jobs; k++) {
        uint64_t s = 7;
        struct plb_points_job job = random_job(&s, pus, MOST_POINTS, 0.3, 1.3 * k / jobs);
        struct plb_points_answer answer;
        int found = plb_objective_points(&job, &answer, choice);
        possible += found;
        if (found == 0)
            continue;
        check_choice(&job, &answer, choice);
        worst = fmax(worst, answer.joules / answer.bound - 1);
        exact += answer.bound == answer.joules;
    }
    assert_true(4 * possible > jobs);
    print_message("%d PUs with %d points: %d answers in %.2g s, %d exact, the others within %.2g\n", pus,
                  MOST_POINTS, possible, (double)(clock() - begin) / CLOCKS_PER_SEC, exact, worst);
    return worst;
}

static void many_pus_are_near_their_bound(void **state)
{
    (void)state;
    assert_true(from_bound(10, 64) < 5e-2);
    assert_true(from_bound(1000, 32) < 5e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_for_a_few_pus_are_exact),
        cmocka_unit_test(work_that_nobody_can_do_has_no_answer),
        cmocka_unit_test(many_pus_are_near_their_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
