/* Who works for least time, energy or energy times delay, where time is a curve of the work, start costs
 * included. The same question as model/energy/objective, with t_i(x) in place of x / S_i. Pure function;
 * thread-safe.
 *
 * For a given T each PU is capped at t_i⁻¹(T), and work is shared out by marginal energy: exact where the
 * curves are convex. A start cost makes a PU cost something at almost no work, so sets of PUs are tried
 * too: all sets of up to PLB_CURVE_SETS PUs; with more, one set: those that fit under the cap. The
 * best answers are polished by NLopt's SLSQP over shares and T together: Σ x = W is an equality constraint,
 * t_i(x_i) <= T are inequalities. A polished answer counts where it is better and keeps all limits. */
#ifndef PLB_MODEL_ENERGY_OBJECTIVE_CURVES_H
#define PLB_MODEL_ENERGY_OBJECTIVE_CURVES_H

#include "model/curve.h"
#include "model/energy/objective.h"

/* Up to this many PUs all sets are tried. Larger: a call takes longer, twice for each. */
#define PLB_CURVE_SETS 5

/* Borrowed for the time of a call. A PU whose model is unknown gets no work. */
struct plb_power_curves {
    const struct plb_model *models; /* n of them */
    const double *dynamic_watts;    /* n of them */
    const int *node;                /* n indices of static_watts */
    const double *static_watts;     /* n_nodes of them */
    int n, n_nodes;
    enum plb_static_rule rule; /* BUSY: a node with several PUs counts as with OFF_WHEN_IDLE */
    double work;
};

/* The best shares found: n of them in x where the state is MET or LATE. answer->bound is 0 and answer->exact
 * false, since curves of any shape allow no proof. The answer is never worse than all PUs with equal finish
 * times, nor than the best single PU, where these keep the limits. False, with nothing filled in, where
 * memory is short. */
bool plb_objective_curves(const struct plb_power_curves *job, const struct plb_aim *aim, double *x,
                          struct plb_aim_answer *answer);
#endif
