/* Block sizes with equal finish times: minimise E_1(x_1) subject to E_1(x_1) = … = E_n(x_n) and
 * Σ x_p = X, x_p >= 0 (PLB-HeC, eqs. 3 to 5; PLB-HAC, eq. 3). Pure functions; thread-safe. */
#ifndef PLB_MODEL_SOLVE_H
#define PLB_MODEL_SOLVE_H

#include <stdbool.h>

#include "model/curve.h"

enum plb_solver { PLB_SOLVER_AUTO, PLB_SOLVER_SLSQP, PLB_SOLVER_BISECTION };
#define PLB_SOLVER_CHOICES "auto|slsqp|bisection" /* as users name them, in the enum's order */

/* PUs that get work, up to which `auto` lets SLSQP decide. Larger: a solve takes longer, by n³. Smaller:
 * the papers' own formulation decides less often. At 24 PUs it takes up to 0.7 ms from equal shares. */
#define PLB_SLSQP_LIMIT 24

struct plb_solution {
    double seconds;       /* the common finish time T */
    enum plb_solver used; /* SLSQP or BISECTION: whose answer x is */
    bool refused; /* SLSQP was asked; its answer broke a constraint or ended later: x is the bisection's */
};

/* Shares `total` (> 0) units of work among n PUs. x[p] becomes 0 for a PU whose model is unknown
 * and for one that could only slow the run (its E_p at almost nothing exceeds T). Returns false,
 * leaving x alone, where no PU has a model or memory is short. */
bool plb_solve(const struct plb_model *models, int n, double total, enum plb_solver solver, double *x,
               struct plb_solution *solution);

/* The work of one step, where `total` is shared out in equal steps, each solved for equal finish times: at
 * most `steps` of them, and so few that starts make them PLB_STEPS_COST slower than one step at most. */
double plb_step_work(const struct plb_model *models, int n, double total, double steps, double *x);

/* Larger: more start costs. Smaller: fewer, longer blocks, so that PUs end further apart. */
#define PLB_STEPS_COST 0.02

/* The work that E_p finishes in these seconds, at most `limit`; 0 where nothing can be finished. */
double plb_model_work(const struct plb_model *model, double seconds, double limit);
#endif
