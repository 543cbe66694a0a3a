/* How long the master's arithmetic takes: the solver at 10 to 10,000 PUs, and a fit. Medians. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/fit.h"
#include "model/solve.h"
#include "plb/kernel.h"

#define REPEATS 21

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
    double *x = plb_alloc((size_t)n * sizeof *x), t[REPEATS];
    struct plb_solution s;
    for (int i = 0; i < REPEATS; i++) {
        double began = plb_now();
        plb_solve(models, n, 1000.0 * n, which, x, &s);
        t[i] = plb_now() - began;
    }
    double got = median(t);
    printf("%-34s %10.4f ms   bound %7.1f ms   ratio %.3f%s\n", name, got * 1e3, allowed * 1e3, got / allowed,
           which == PLB_SOLVER_SLSQP && s.used != which ? "  (fell back to bisection)" : "");
    free(models);
    free(x);
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

int main(void)
{
    solver("SLSQP at 10 PUs", 10, PLB_SOLVER_SLSQP, 0.2e-3);
    solver("bisection at 10 PUs", 10, PLB_SOLVER_BISECTION, 0.2e-3);
    solver("auto at 1,000 PUs", 1000, PLB_SOLVER_AUTO, 5e-3);
    solver("auto at 10,000 PUs", 10000, PLB_SOLVER_AUTO, 50e-3);
    fit();
    return 0;
}
