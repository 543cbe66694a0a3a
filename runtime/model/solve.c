/* The solver: NLopt's SLSQP on the papers' own formulation, and a bisection that checks it.
 *
 * The bisection finds T with Σ E_p⁻¹(T) = X. Each E_p is monotone, so the sum is. Newton's step (the
 * slope of E_p⁻¹ is 1/E_p') gives way to halving the bracket where it leaves it. So it tells which PUs
 * can help at all, and the unit of time in which the system is well scaled. SLSQP starts from equal
 * shares of these PUs. Its answer decides, unless it breaks a constraint by more than ACCEPTED.
 *
 * Cost: the bisection takes about ten steps of n inversions each, SLSQP n³, so `auto` uses SLSQP for a
 * few PUs only. Weak where curves are flat: any share on the flat stretch ends at the same time. */
#include "model/solve.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

/* Steps at most on the finish time, of which those after NEWTON_STEPS only halve the bracket, and steps
 * on one PU's share. More: only time. Fewer: a hard system ends inexact. 60 halvings close any bracket
 * of doubles to the last digits; smooth systems need about ten steps. */
#define OUTER_STEPS 100
#define NEWTON_STEPS 40
#define INNER_STEPS 60

/* Relative error of Σ x that ends the iteration. Larger: shares do not sum up. Smaller: rounding errors of
 * thousands of PUs keep it from ending. */
#define TOLERANCE 1e-10

/* Relative difference of times that may lie on the same flat stretch of a curve. Larger: the answer there is
 * less exact. Smaller: the two sides of a stretch cannot be told apart. */
#define FLAT 1e-9

/* Relative difference of finish times, and of Σ x from X, in an acceptable answer of SLSQP. Larger: a poor
 * answer is used. Smaller: good ones are refused for their last digits. With 1e-6 it refuses none of 7,000
 * systems of fitted curves, and 1 % of those with exponential and cubic terms (bench/solver). */
#define ACCEPTED 1e-6

/* Accuracies that SLSQP is asked for, in fractions of the total, and its evaluations at most. Looser:
 * answers are refused. Tighter, or more evaluations: a system without a smooth answer takes longer. Most
 * systems need 3 to 20 evaluations. */
#define SLSQP_CONSTRAINT 1e-9
#define SLSQP_X 1e-9
#define SLSQP_F 1e-10
#define SLSQP_EVALUATIONS 300

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
    double slope, below = sum_at(models, n, total, low * (1.0 - FLAT), scratch, &slope),
                  above = sum_at(models, n, total, high * (1.0 + FLAT), x, &slope);
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

/* SLSQP sees fractions of the total and times in units of the bisection's T. */
struct problem {
    const struct plb_model *models; /* of the PUs in use, n of them */
    int n;
    double total, seconds;
};

static double objective(unsigned n, const double *x, double *gradient, void *data)
{
    const struct problem *pb = data;
    if (gradient != NULL) {
        memset(gradient, 0, n * sizeof *gradient);
        gradient[0] = plb_model_slope(&pb->models[0], x[0] * pb->total) * pb->total / pb->seconds;
    }
    return plb_model_time(&pb->models[0], x[0] * pb->total) / pb->seconds;
}

/* n constraints: E_p - E_1 = 0 for p > 1 (rows 0 to n-2) and Σ x - 1 = 0 (row n-1). */
static void constraints(unsigned m, double *result, unsigned n, const double *x, double *gradient, void *data)
{
    const struct problem *pb = data;
    double first = objective(n, x, NULL, data), sum = 0.0;
    for (unsigned p = 0; p < n; p++)
        sum += x[p];
    for (unsigned p = 1; p < n; p++)
        result[p - 1] = plb_model_time(&pb->models[p], x[p] * pb->total) / pb->seconds - first;
    result[m - 1] = sum - 1.0;
    if (gradient == NULL)
        return;
    memset(gradient, 0, (size_t)m * n * sizeof *gradient);
    for (unsigned p = 0; p < n; p++) {
        double slope = plb_model_slope(&pb->models[p], x[p] * pb->total) * pb->total / pb->seconds;
        if (p > 0)
            gradient[(p - 1) * n + p] = slope;
        for (unsigned row = 0; p == 0 && row + 1 < n; row++)
            gradient[row * n] = -slope;
        gradient[(m - 1) * n + p] = 1.0;
    }
}

static bool acceptable(const struct problem *pb, const double *x)
{
    double sum = 0.0, shortest = INFINITY, longest = 0.0;
    for (int p = 0; p < pb->n; p++) {
        if (!isfinite(x[p]) || x[p] < 0.0 || x[p] > 1.0)
            return false;
        double t = plb_model_time(&pb->models[p], x[p] * pb->total) / pb->seconds;
        sum += x[p];
        shortest = fmin(shortest, t);
        longest = fmax(longest, t);
    }
    return fabs(sum - 1.0) <= ACCEPTED && longest - shortest <= ACCEPTED;
}

/* Solves for fractions x, from equal ones; false where the answer is not acceptable. */
static bool slsqp(struct problem *pb, double *x)
{
    unsigned n = (unsigned)pb->n;
    double tolerance[n];
    for (unsigned p = 0; p < n; p++) {
        tolerance[p] = SLSQP_CONSTRAINT;
        x[p] = 1.0 / n;
    }
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, n);
    double value;
    bool fine = opt != NULL && nlopt_set_min_objective(opt, objective, pb) >= 0
             && nlopt_add_equality_mconstraint(opt, n, constraints, pb, tolerance) >= 0
             && nlopt_set_lower_bounds1(opt, 0.0) >= 0 && nlopt_set_upper_bounds1(opt, 1.0) >= 0
             && nlopt_set_xtol_rel(opt, SLSQP_X) >= 0 && nlopt_set_ftol_rel(opt, SLSQP_F) >= 0
             && nlopt_set_maxeval(opt, SLSQP_EVALUATIONS) >= 0;
    /* A result code such as "roundoff limited" may come with a perfect x: x alone is judged. */
    if (fine)
        nlopt_optimize(opt, x, &value);
    nlopt_destroy(opt);
    return fine && acceptable(pb, x);
}

/* SLSQP on the PUs that the bisection gave a share. Replaces the shares where its answer is acceptable. */
static void try_slsqp(const struct plb_model *models, int n, double total, int active, double *share,
                      double *fraction, struct plb_model *used, struct plb_solution *solution)
{
    for (int p = 0, a = 0; p < n; p++)
        if (share[p] > 0.0)
            used[a++] = models[p];
    struct problem pb = {used, active, total, solution->seconds};
    solution->refused = !slsqp(&pb, fraction);
    if (solution->refused)
        return;
    for (int p = 0, a = 0; p < n; p++)
        if (share[p] > 0.0)
            share[p] = fraction[a++] * total;
    solution->used = PLB_SOLVER_SLSQP;
    solution->seconds = plb_model_time(&used[0], fraction[0] * total);
}

bool plb_solve(const struct plb_model *models, int n, double total, enum plb_solver solver, double *x,
               struct plb_solution *solution)
{
    double *share = malloc((size_t)n * (2 * sizeof *share + sizeof *models));
    if (share == NULL)
        return false;
    double *scratch = share + n;
    struct plb_model *used = (struct plb_model *)(void *)(scratch + n);
    struct plb_solution found = {.used = PLB_SOLVER_BISECTION};
    bool solved = bisection(models, n, total, share, scratch, &found.seconds);
    if (solved) {
        int active = 0;
        for (int p = 0; p < n; p++)
            active += share[p] > 0.0;
        bool wanted = solver == PLB_SOLVER_SLSQP || (solver == PLB_SOLVER_AUTO && active <= PLB_SLSQP_LIMIT);
        if (wanted && active > 1)
            try_slsqp(models, n, total, active, share, scratch, used, &found);
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
    for (; steps > 1.0; steps *= 0.5)
        if (plb_solve(models, n, total / steps, PLB_SOLVER_BISECTION, x, &step)
            && steps * step.seconds <= (1.0 + PLB_STEPS_COST) * all.seconds)
            return total / steps;
    return total;
}
