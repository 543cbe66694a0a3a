/* SLSQP starts from equal shares, with bounds 0 and 1 and the equality constraints of the papers. These have
 * no solution where a PU's start alone takes longer than the others need for all work. So there is an active
 * set: at first the PUs that lines through equal shares say can help. Then one is dropped where the system
 * has no answer, and one is taken back where it could have started in time.
 *
 * Sizes are fractions of the total, and times are in units of the finish time of these lines, so that the
 * system is well scaled. Cost: n³ for each evaluation, 3 to 20 of them. Weak where curves are flat or not
 * monotonic: the answer is refused. */
#include "model/slsqp.h"

#include <assert.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "model/rounding.h"

/* A size that is almost nothing, in fractions of the total: what a PU needs for it is its start. */
#define NOTHING 1e-12

enum state { OUT, ACTIVE, DROPPED }; /* DROPPED: with it the system had no answer, so it is not taken back */

struct problem {
    const struct plb_model **active; /* n of them */
    int n;
    double total, seconds; /* the units of size and time */
};

static double objective(unsigned n, const double *x, double *gradient, void *data)
{
    const struct problem *pb = data;
    if (gradient != NULL) {
        memset(gradient, 0, n * sizeof *gradient);
        gradient[0] = plb_model_slope(pb->active[0], x[0] * pb->total) * pb->total / pb->seconds;
    }
    return plb_model_time(pb->active[0], x[0] * pb->total) / pb->seconds;
}

/* n constraints: E_p - E_1 = 0 for p > 1 (rows 0 to n-2) and Σ x - 1 = 0 (row n-1). */
static void constraints(unsigned m, double *result, unsigned n, const double *x, double *gradient, void *data)
{
    const struct problem *pb = data;
    double first = objective(n, x, NULL, data), sum = 0.0;
    for (unsigned p = 0; p < n; p++)
        sum += x[p];
    for (unsigned p = 1; p < n; p++)
        result[p - 1] = plb_model_time(pb->active[p], x[p] * pb->total) / pb->seconds - first;
    result[m - 1] = sum - 1.0;
    if (gradient == NULL)
        return;
    memset(gradient, 0, (size_t)m * n * sizeof *gradient);
    for (unsigned p = 0; p < n; p++) {
        double slope = plb_model_slope(pb->active[p], x[p] * pb->total) * pb->total / pb->seconds;
        if (p > 0)
            gradient[(p - 1) * n + p] = slope;
        if (p == 0)
            for (unsigned row = 0; row + 1 < n; row++)
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
        double t = plb_model_time(pb->active[p], x[p] * pb->total);
        sum += x[p];
        shortest = fmin(shortest, t);
        longest = fmax(longest, t);
    }
    return fabs(sum - 1.0) <= PLB_SLSQP_ACCEPTED && longest - shortest <= PLB_SLSQP_ACCEPTED * longest;
}

/* Solves for fractions x, from equal ones; false where the answer is not acceptable. */
static bool solve(struct problem *pb, double *x)
{
    unsigned n = (unsigned)pb->n;
    assert(n > 0);
    double tolerance[n];
    for (unsigned p = 0; p < n; p++) {
        tolerance[p] = PLB_ROUNDING;
        x[p] = 1.0 / n;
    }
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, n);
    double value;
    bool fine = opt != NULL && nlopt_set_min_objective(opt, objective, pb) >= 0
             && nlopt_add_equality_mconstraint(opt, n, constraints, pb, tolerance) >= 0
             && nlopt_set_lower_bounds1(opt, 0.0) >= 0 && nlopt_set_upper_bounds1(opt, 1.0) >= 0
             && nlopt_set_xtol_rel(opt, PLB_ROUNDING) >= 0 && nlopt_set_ftol_rel(opt, PLB_SLSQP_ACCURACY) >= 0
             && nlopt_set_maxeval(opt, PLB_SLSQP_EVALUATIONS) >= 0;
    /* A result code such as "roundoff limited" may come with a perfect x: x alone is judged. */
    if (fine)
        nlopt_optimize(opt, x, &value);
    nlopt_destroy(opt);
    return fine && acceptable(pb, x);
}

static double start_of(const struct plb_model *m, double total)
{
    return plb_model_time(m, NOTHING * total);
}

/* The first active set, and the time that the work takes, from lines through nothing and an equal share. A
 * line whose start is longer than that is out. */
static double first_guess(const struct plb_model *models, int n, double total, enum state *state)
{
    double share = total / n, seconds = 0.0;
    for (int p = 0; p < n; p++)
        state[p] = plb_model_known(&models[p]) ? ACTIVE : DROPPED;
    for (bool changed = true; changed;) {
        double rates = 0.0, work = total;
        changed = false;
        for (int p = 0; p < n; p++) {
            double start = start_of(&models[p], total);
            double rate = share / fmax(plb_model_time(&models[p], share) - start, 1e-9 * start + 1e-300);
            if (state[p] == ACTIVE) {
                rates += rate;
                work += rate * start;
            }
        }
        seconds = work / rates;
        for (int p = 0; p < n; p++)
            if (state[p] == ACTIVE && start_of(&models[p], total) > seconds) {
                state[p] = OUT;
                changed = true;
            }
    }
    return seconds;
}

/* The active PU with the longest start; -1 where only one is left. */
static int longest_start(const struct plb_model *models, int n, double total, const enum state *state)
{
    int worst = -1, active = 0;
    for (int p = 0; p < n; p++)
        if (state[p] == ACTIVE) {
            active++;
            if (worst < 0 || start_of(&models[p], total) > start_of(&models[worst], total))
                worst = p;
        }
    return active > 1 ? worst : -1;
}

/* Takes back a PU that could have started in time; false where there is none. */
static bool take_back(const struct plb_model *models, int n, double total, double seconds, enum state *state)
{
    for (int p = 0; p < n; p++)
        if (state[p] == OUT && start_of(&models[p], total) < seconds * (1.0 - PLB_SLSQP_ACCEPTED)) {
            state[p] = ACTIVE;
            return true;
        }
    return false;
}

static bool with_active_set(struct problem *pb, const struct plb_model *models, int n, enum state *state,
                            double *x, double *seconds)
{
    pb->seconds = first_guess(models, n, pb->total, state);
    if (!isfinite(pb->seconds) || !(pb->seconds > 0.0))
        return false;
    for (;;) {
        pb->n = 0;
        for (int p = 0; p < n; p++)
            if (state[p] == ACTIVE)
                pb->active[pb->n++] = &models[p];
        if (!solve(pb, x)) {
            int worst = longest_start(models, n, pb->total, state);
            if (worst < 0)
                return false;
            state[worst] = DROPPED;
            continue;
        }
        *seconds = plb_model_time(pb->active[0], x[0] * pb->total);
        if (!take_back(models, n, pb->total, *seconds, state))
            return true;
    }
}

bool plb_slsqp(const struct plb_model *models, int n, double total, double *x, double *seconds)
{
    struct problem pb = {.active = malloc((size_t)n * sizeof *pb.active), .total = total};
    enum state *state = malloc((size_t)n * sizeof *state);
    bool known = false, solved = false;
    for (int p = 0; p < n; p++)
        known = known || plb_model_known(&models[p]);
    if (pb.active != NULL && state != NULL && known)
        solved = with_active_set(&pb, models, n, state, x, seconds);
    if (solved)
        for (int p = n - 1, a = pb.n - 1; p >= 0; p--) /* from the back, since x holds both */
            x[p] = state[p] == ACTIVE ? x[a--] * total : 0.0;
    free(state);
    free(pb.active);
    return solved;
}
