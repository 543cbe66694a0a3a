/* The solver: NLopt's SLSQP on the papers' own formulation (model/slsqp), and a bisection that checks it and
 * takes over where there are many PUs.
 *
 * SLSQP gives the PUs that take part, the finish time T and the sizes. The bisection finds T with
 * Σ E_p⁻¹(T) = X. Each E_p is monotone, so the sum is. Newton's step (the slope of E_p⁻¹ is 1/E_p') gives way
 * to halving the bracket where it leaves it. SLSQP's answer is refused where the two times differ.
 *
 * Cost: the bisection takes about ten steps of n inversions each, SLSQP n³, so `auto` uses SLSQP up to
 * PLB_SLSQP_LIMIT PUs. Weak where curves are flat: any share on the flat stretch ends at the same time. */
#include "model/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/rounding.h"
#include "model/slsqp.h"

/* Steps at most on the finish time, of which those after NEWTON_STEPS only halve the bracket, and steps
 * on one PU's share. More: only time. Fewer: a hard system ends inexact. 60 halvings close any bracket
 * of doubles to the last digits; smooth systems need about ten steps. */
#define OUTER_STEPS 100
#define NEWTON_STEPS 40
#define INNER_STEPS 60

/* Relative error of Σ x that ends the iteration. Larger: shares do not sum up. Smaller: rounding errors of
 * thousands of PUs keep it from ending. */
#define TOLERANCE 1e-10

/* x with E(x) = seconds, in [0, total]; start: a guess, or 0. */
static double invert(const struct plb_model *m, double seconds, double total, double start)
{
    double low = 0.0, high = total;
    if (plb_model_time(m, total) <= seconds)
        return total;
    if (plb_model_time(m, total * 1e-12) >= seconds)
        return 0.0;
    double x = start > low && start < high ? start : 0.5 * high;
    for (int i = 0; i < INNER_STEPS; i++) {
        double error = plb_model_time(m, x) - seconds;
        if (fabs(error) <= TOLERANCE * 1e-2 * seconds)
            break;
        if (error > 0.0)
            high = x;
        else
            low = x;
        double slope = plb_model_slope(m, x);
        double next = slope > 0.0 ? x - error / slope : low;
        x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
}

double plb_model_work(const struct plb_model *model, double seconds, double limit)
{
    return plb_model_known(model) && seconds > 0.0 ? invert(model, seconds, limit, 0.0) : 0.0;
}

static double sum_at(const struct plb_model *models, int n, double total, double seconds, double *x,
                     double *slope)
{
    double sum = 0.0;
    *slope = 0.0;
    for (int p = 0; p < n; p++) {
        if (!plb_model_known(&models[p])) {
            x[p] = 0.0;
            continue;
        }
        x[p] = invert(&models[p], seconds, total, x[p]);
        sum += x[p];
        double s = plb_model_slope(&models[p], x[p]);
        if (x[p] > 0.0 && x[p] < total && s > 0.0)
            *slope += 1.0 / s;
    }
    return sum;
}

/* Where curves are flat, no T gives Σ = X: the sum jumps between `low` and `high`. Then the answer lies
 * between the shares a little below and a little above the jump, in proportion. At T itself any x of
 * the flat stretch is an inverse, so the sum there could lie on either side. */
static void bridge(const struct plb_model *models, int n, double total, double low, double high, double *x,
                   double *scratch)
{
    double slope, below = sum_at(models, n, total, low * (1.0 - PLB_ROUNDING), scratch, &slope),
                  above = sum_at(models, n, total, high * (1.0 + PLB_ROUNDING), x, &slope);
    double part = above > below ? (total - below) / (above - below) : 1.0;
    for (int p = 0; p < n; p++)
        x[p] = scratch[p] + part * (x[p] - scratch[p]);
}

static bool bisection(const struct plb_model *models, int n, double total, double *x, double *scratch,
                      double *seconds)
{
    double low = 0.0, high = INFINITY, slope, error = INFINITY;
    for (int p = 0; p < n; p++) {
        x[p] = scratch[p] = 0.0;
        if (plb_model_known(&models[p]))
            high = fmin(high, plb_model_time(&models[p], total)); /* here Σ >= X */
    }
    if (!isfinite(high) || !(high > 0.0))
        return false;
    double t = high / n;
    for (int i = 0; i < OUTER_STEPS && high - low > 1e-15 * high; i++) {
        error = sum_at(models, n, total, t, x, &slope) - total;
        if (fabs(error) <= TOLERANCE * total)
            break;
        if (error > 0.0)
            high = t;
        else
            low = t;
        double next = slope > 0.0 ? t - error / slope : low;
        t = next > low && next < high && i < NEWTON_STEPS ? next : 0.5 * (low + high);
    }
    if (fabs(error) > TOLERANCE * total) {
        bridge(models, n, total, low, high, x, scratch);
        t = high;
    }
    double sum = 0.0;
    for (int p = 0; p < n; p++)
        sum += x[p];
    if (!(sum > 0.0))
        return false;
    for (int p = 0; p < n; p++)
        x[p] *= total / sum; /* the last digits */
    *seconds = t;
    return true;
}

/* Whether SLSQP's answer is the right one: bisection finds the same time. */
static bool agree(double slsqp, double bisection)
{
    return fabs(slsqp - bisection) <= PLB_SLSQP_ACCEPTED * bisection;
}

bool plb_solve(const struct plb_model *models, int n, double total, enum plb_solver solver, double *x,
               struct plb_solution *solution)
{
    double *share = malloc((size_t)n * 3 * sizeof *share);
    if (share == NULL)
        return false;
    double *scratch = share + n, *papers = share + 2 * n, seconds;
    struct plb_solution found = {.used = PLB_SOLVER_BISECTION};
    bool solved = bisection(models, n, total, share, scratch, &found.seconds);
    if (solved && (solver == PLB_SOLVER_SLSQP || (solver == PLB_SOLVER_AUTO && n <= PLB_SLSQP_LIMIT))) {
        found.refused = !plb_slsqp(models, n, total, papers, &seconds) || !agree(seconds, found.seconds);
        if (!found.refused) {
            found.used = PLB_SOLVER_SLSQP;
            found.seconds = seconds;
            memcpy(share, papers, (size_t)n * sizeof *share);
        }
    }
    if (solved) {
        memcpy(x, share, (size_t)n * sizeof *x);
        *solution = found;
    }
    free(share);
    return solved;
}

double plb_step_work(const struct plb_model *models, int n, double total, double steps, double *x)
{
    struct plb_solution all = {0}, step = {0};
    if (!plb_solve(models, n, total, PLB_SOLVER_BISECTION, x, &all))
        return total / steps;
    while (steps > 1.0) {
        if (plb_solve(models, n, total / steps, PLB_SOLVER_BISECTION, x, &step)
            && steps * step.seconds <= (1.0 + PLB_STEPS_COST) * all.seconds)
            return total / steps;
        steps *= 0.5;
    }
    return total;
}
