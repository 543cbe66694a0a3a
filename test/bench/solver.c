/* How long the master's arithmetic takes: the solver at 2 to 10,000 PUs, and a fit. Medians. The papers'
 * solves took 170 ms (PLB-HeC, at most 12 PUs) and 100 ms (PLB-HAC, at most 13), with IPOPT. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/fit.h"
#include "model/least_squares.h"
#include "model/solve.h"
#include "plb/kernel.h"

#define REPEATS 21
#define SYSTEMS 1000

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *t)
{
    qsort(t, REPEATS, sizeof *t, ascending);
    return t[REPEATS / 2];
}

/* PUs of rates from 1 to 1000 with overheads and x·ln x terms, as fits give them. */
static struct plb_model *make_models(int n)
{
    struct plb_model *m = plb_alloc((size_t)n * sizeof *m);
    for (int p = 0; p < n; p++) {
        double rate = exp(6.9 * plb_random_real(1, (uint64_t)p));
        m[p].execute = (struct plb_curve){.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X
                                                 | (p % 2 ? 1u << PLB_TERM_XLN : 0u),
                                          .scale = 100.0,
                                          .low = 1.0,
                                          .high = 100.0,
                                          .r2 = 1.0};
        m[p].execute.a[PLB_TERM_ONE] = 0.05 / rate;
        m[p].execute.a[PLB_TERM_X] = 100.0 / rate;
        m[p].execute.a[PLB_TERM_XLN] = p % 2 ? 3.0 / rate : 0.0;
    }
    return m;
}

static void solver(const char *name, int n, enum plb_solver which, double allowed)
{
    struct plb_model *models = make_models(n);
    double *x = plb_alloc((size_t)n * sizeof *x), t[REPEATS], cold = 0.0;
    struct plb_solution s;
    for (int i = 0; i < REPEATS; i++) {
        double began = plb_now();
        plb_solve(models, n, 1000.0 * n, which, x, &s);
        t[i] = plb_now() - began;
        cold = i == 0 ? t[i] : cold;
    }
    double got = median(t);
    printf("%-34s %10.4f ms   bound %7.1f ms   ratio %.3f, the first %.4f ms\n", name, got * 1e3,
           allowed * 1e3, got / allowed, cold * 1e3);
    free(models);
    free(x);
}

/* A curve as fits give them: a start cost, a rate of 1 to `unlike`, sometimes a bend; `wild` ones have cubic
 * and exponential terms. */
static struct plb_model draw(uint64_t seed, int p, double unlike, bool wild)
{
    double u[8];
    for (int i = 0; i < 8; i++)
        u[i] = plb_random_real(seed, (uint64_t)(8 * p + i));
    double rate = pow(unlike, u[0]), high = rate * exp(3.0 * u[1]);
    enum plb_term bend = wild ? (enum plb_term)(PLB_TERM_X2 + (int)(5.0 * u[4])) : PLB_TERM_XLN;
    struct plb_model m = {.execute = {.terms = 1u << PLB_TERM_ONE | 1u << PLB_TERM_X,
                                      .scale = high,
                                      .low = 0.01 * high,
                                      .high = high},
                          .transfer_s = 1e-3 * u[5],
                          .transfer_s_per_work = 0.05 * u[6] / rate};
    m.execute.a[PLB_TERM_ONE] = 0.1 * u[2];
    m.execute.a[PLB_TERM_X] = high / rate;
    if (wild || u[3] < 0.3) {
        m.execute.terms |= 1u << bend;
        m.execute.a[bend] = (wild ? 2.0 : 0.1) * u[7] * high / rate;
    }
    return m;
}

/* SLSQP from equal shares on SYSTEMS systems of n PUs: its time, how often its answer is refused, and how far
 * its finish time is from that of bisection. */
static void from_equal_shares(int n, bool wild)
{
    struct plb_model models[PLB_SLSQP_LIMIT];
    double x[PLB_SLSQP_LIMIT], sum = 0.0, longest = 0.0, apart = 0.0;
    struct plb_solution s = {0}, check = {0};
    int refused = 0;
    for (int seed = 1; seed <= SYSTEMS; seed++) {
        double total = 0.0;
        for (int p = 0; p < n; p++) {
            models[p] = draw((uint64_t)seed, p, seed % 2 ? 10.0 : 1e4, wild);
            total += 3.0 * models[p].execute.high;
        }
        double began = plb_now();
        plb_solve(models, n, total, PLB_SOLVER_SLSQP, x, &s);
        double took = plb_now() - began;
        sum += took;
        longest = fmax(longest, took);
        refused += s.refused;
        plb_solve(models, n, total, PLB_SOLVER_BISECTION, x, &check);
        apart = fmax(apart, fabs(s.seconds / check.seconds - 1.0));
    }
    printf("%-6s curves, %2d PUs: mean %7.4f ms, longest %7.3f ms, %5.2f %% refused, finish times within "
           "%.0e of bisection's\n",
           wild ? "wild" : "fitted", n, sum / SYSTEMS * 1e3, longest * 1e3, 100.0 * refused / SYSTEMS, apart);
}

static void fit(void)
{
    double x[100], t[100], seconds[REPEATS];
    struct plb_curve c;
    for (int i = 0; i < 100; i++) {
        x[i] = 1.0 + 10.0 * i;
        t[i] = (1e-3 + 1e-4 * x[i]) * (1.0 + 0.06 * (plb_random_real(2, (uint64_t)i) - 0.5));
    }
    for (int i = 0; i < REPEATS; i++) {
        double began = plb_now();
        plb_fit_curve(x, t, NULL, 100, &c);
        seconds[i] = plb_now() - began;
    }
    double got = median(seconds);
    printf("%-34s %10.4f ms   bound %7.1f ms   ratio %.3f\n", "fit of 100 samples, whole basis", got * 1e3,
           1.0, got / 1e-3);
}

/* Seconds of one call, a median of REPEATS times CALLS of them. */
#define CALLS 200
static double microseconds(void (*call)(void *), void *data)
{
    double seconds[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        double began = plb_now();
        for (int k = 0; k < CALLS; k++)
            call(data);
        seconds[i] = (plb_now() - began) / CALLS;
    }
    return median(seconds) * 1e6;
}

#define COLUMNS (PLB_LS_COLUMNS + 1) /* the right side is one of them */
struct system {
    int rows;
    double given[COLUMNS * 360], copy[COLUMNS * 360];
    struct plb_reduced reduced;
};

static void reduce_rows(void *data)
{
    struct system *s = data;
    memcpy(s->copy, s->given, sizeof *s->copy * (size_t)(COLUMNS * s->rows));
    plb_reduce(s->copy, s->rows, &s->reduced);
}

static void own_three_columns(void *data)
{
    double a[PLB_LS_COLUMNS];
    plb_solve_columns(&((struct system *)data)->reduced, 7u, a);
}

/* The same three columns of the triangle by LAPACK. */
static void lapack_three_columns(void *data)
{
    struct system *s = data;
    double a[3 * PLB_LS_COLUMNS], b[PLB_LS_COLUMNS], work[128];
    memcpy(a, s->reduced.r, sizeof a);
    memcpy(b, s->reduced.q, sizeof b);
    LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', PLB_LS_COLUMNS, 3, 1, a, PLB_LS_COLUMNS, b, PLB_LS_COLUMNS,
                       work, 128);
}

/* The parts of a fit: samples are reduced once by LAPACK, then up to 92 sets of columns are solved. */
static void least_squares(void)
{
    static struct system s;
    for (int i = 0; i < COLUMNS * 360; i++)
        s.given[i] = plb_random_real(3, (uint64_t)i);
    for (s.rows = 10; s.rows <= 360; s.rows *= s.rows == 10 ? 4 : 3)
        printf("reduction of %3d samples by dgeqrf: %6.2f us\n", s.rows, microseconds(reduce_rows, &s));
    s.rows = 40;
    reduce_rows(&s);
    double own = microseconds(own_three_columns, &s), lapack = microseconds(lapack_three_columns, &s);
    printf("a set of three terms: %.2f us, by LAPACKE's dgels %.2f us, %.1f times as long\n", own, lapack,
           lapack / own);
}

int main(void)
{
    solver("SLSQP at 10 PUs", 10, PLB_SOLVER_SLSQP, 0.2e-3);
    solver("bisection at 10 PUs", 10, PLB_SOLVER_BISECTION, 0.2e-3);
    solver("auto at 1,000 PUs", 1000, PLB_SOLVER_AUTO, 5e-3);
    solver("auto at 10,000 PUs", 10000, PLB_SOLVER_AUTO, 50e-3);
    fit();
    least_squares();
    for (int wild = 0; wild < 2; wild++)
        for (int n = 2; n <= PLB_SLSQP_LIMIT; n += n < 4 ? 2 : 4)
            from_equal_shares(n, wild);
    return 0;
}
