/* Least squares with few of many columns: the residual is orthogonal to every chosen column, whatever the
 * choice, and is as long as the function says. */
#include <string.h>

#include "model/least_squares.h"
#include "numbers.h"

#define N PLB_LS_COLUMNS
#define MOST_ROWS 60

struct problem {
    int rows;
    double matrix[(N + 1) * MOST_ROWS]; /* the last column is the right side */
    struct plb_reduced reduced;
};

static double *column(struct problem *p, int j)
{
    return p->matrix + j * p->rows;
}

/* Columns as unlike in length as x³ and 1 are. */
static void make(struct problem *p, int rows, uint64_t seed)
{
    double copy[(N + 1) * MOST_ROWS];
    p->rows = rows;
    for (int j = 0; j <= N; j++)
        for (int i = 0; i < rows; i++)
            column(p, j)[i] = exp(6.0 * j) * (uniform(&seed) - 0.3);
    memcpy(copy, p->matrix, sizeof copy);
    assert_true(plb_reduce(copy, rows, &p->reduced));
}

static double length(const double *v, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Returns the squared residual of a solution, and checks that no chosen column could make it smaller. */
static double judge(struct problem *p, unsigned chosen, const double *a)
{
    double rest[MOST_ROWS];
    memcpy(rest, column(p, N), (size_t)p->rows * sizeof *rest);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < p->rows; i++)
            rest[i] -= a[j] * column(p, j)[i];
    for (int j = 0; j < N; j++) {
        double product = 0.0;
        for (int i = 0; i < p->rows; i++)
            product += rest[i] * column(p, j)[i];
        if (chosen & (1u << j))
            assert_true(fabs(product)
                        <= 1e-9 * length(column(p, j), p->rows) * length(column(p, N), p->rows));
        else
            assert_true(a[j] == 0.0);
    }
    return pow(length(rest, p->rows), 2.0);
}

static void no_choice_of_columns_leaves_more_than_it_must(void **state)
{
    (void)state;
    static const int rows[] = {N + 1, N + 2, 20, MOST_ROWS};
    for (int r = 0; r < 4; r++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct problem p;
            make(&p, rows[r], seed);
            for (unsigned chosen = 1; chosen < 1u << N; chosen++) {
                double a[N];
                if (__builtin_popcount(chosen) > PLB_LS_CHOSEN)
                    continue;
                double squares = plb_solve_columns(&p.reduced, chosen, a);
                near(squares, judge(&p, chosen, a), 1e-9);
            }
        }
}

static void exact_points_leave_nothing(void **state)
{
    (void)state;
    struct problem p;
    double a[N];
    make(&p, 20, 7);
    for (int i = 0; i < 20; i++)
        column(&p, N)[i] = 2.0 * column(&p, 1)[i] - 3.0 * column(&p, 2)[i];
    double size = pow(length(column(&p, N), 20), 2.0);
    assert_true(plb_reduce(p.matrix, 20, &p.reduced));
    assert_true(plb_solve_columns(&p.reduced, 1u << 1 | 1u << 2, a) <= 1e-20 * size);
    near(a[1], 2.0, 1e-10); /* its column is e⁶ times as short */
    near(a[2], -3.0, 1e-12);
    assert_true(plb_solve_columns(&p.reduced, 1u << 1, a) > 0.01 * size);
}

static void rows_of_zeros_do_no_harm(void **state)
{
    (void)state;
    struct problem p = {.rows = N + 1};
    double a[N];
    for (int i = 0; i < 2; i++) { /* 1 and x, through two points */
        column(&p, 0)[i] = 1.0;
        column(&p, 1)[i] = 1.0 + i;
        column(&p, N)[i] = 5.0 + 3.0 * i;
    }
    assert_true(plb_reduce(p.matrix, p.rows, &p.reduced));
    near(plb_solve_columns(&p.reduced, 3u, a) + 1.0, 1.0, 1e-12);
    near(a[0], 2.0, 1e-12);
    near(a[1], 3.0, 1e-12);
}

static void columns_that_cannot_be_told_apart_are_refused(void **state)
{
    (void)state;
    struct problem p;
    double a[N];
    make(&p, 20, 3);
    for (int i = 0; i < 20; i++) {
        column(&p, 4)[i] = 7.0 * column(&p, 2)[i];
        column(&p, 5)[i] = 0.0;
    }
    assert_true(plb_reduce(p.matrix, 20, &p.reduced));
    assert_true(plb_solve_columns(&p.reduced, 1u << 2 | 1u << 4, a) < 0.0);
    assert_true(plb_solve_columns(&p.reduced, 1u << 5, a) < 0.0);
    assert_true(plb_solve_columns(&p.reduced, 1u << 2 | 1u << 3, a) >= 0.0);
}

static void all_columns_leave_no_more_than_they_must(void **state)
{
    (void)state;
    for (int rows = 2; rows <= MOST_ROWS; rows += 3) {
        struct problem p = {.rows = rows > N ? rows : N + 1};
        double a[N], copy[(N + 1) * MOST_ROWS];
        uint64_t seed = (uint64_t)rows;
        for (int j = 0; j <= N; j++)
            for (int i = 0; i < rows; i++) /* the rest are zeros */
                column(&p, j)[i] = exp(2.0 * j) * (uniform(&seed) - 0.3);
        memcpy(copy, p.matrix, sizeof copy);
        assert_true(plb_reduce(copy, p.rows, &p.reduced));
        assert_int_equal(plb_solve_all_columns(&p.reduced, 1e-12, a), rows < N ? rows : N);
        double squares = judge(&p, (1u << N) - 1u, a);
        if (rows <= N)
            assert_true(squares <= 1e-18 * pow(length(column(&p, N), rows), 2.0));
    }
}

/* Of all solutions the shortest: columns that are alike share what they explain. A coarse one has fewer
 * directions, and the coarsest has one. */
static void columns_that_are_alike_share(void **state)
{
    (void)state;
    struct problem p;
    double a[N];
    make(&p, 20, 3);
    for (int i = 0; i < 20; i++) {
        column(&p, 4)[i] = 7.0 * column(&p, 2)[i];
        column(&p, 5)[i] = 0.0;
    }
    assert_true(plb_reduce(p.matrix, 20, &p.reduced));
    assert_int_equal(plb_solve_all_columns(&p.reduced, 1e-10, a), N - 2);
    near(7.0 * a[4], a[2], 1e-9);
    assert_true(a[5] == 0.0);
    assert_int_equal(plb_solve_all_columns(&p.reduced, 1.0, a), 1);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    struct problem p;
    make(&p, 20, 3);
    column(&p, 4)[7] = INFINITY;
    assert_false(plb_reduce(p.matrix, 20, &p.reduced));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_choice_of_columns_leaves_more_than_it_must),
        cmocka_unit_test(exact_points_leave_nothing),
        cmocka_unit_test(rows_of_zeros_do_no_harm),
        cmocka_unit_test(columns_that_cannot_be_told_apart_are_refused),
        cmocka_unit_test(all_columns_leave_no_more_than_they_must),
        cmocka_unit_test(columns_that_are_alike_share),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
