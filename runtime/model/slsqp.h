/* The papers' formulation as it stands, solved by NLopt's SLSQP. Use plb_solve() (model/solve.h), which
 * checks the answer. Pure functions; thread-safe. */
#ifndef PLB_MODEL_SLSQP_H
#define PLB_MODEL_SLSQP_H

#include <stdbool.h>

#include "model/curve.h"

/* Minimises E_1(x_1) subject to E_1(x_1) = … = E_n(x_n) and Σ x_p = total (PLB-HeC, eqs. 3 to 5) over the PUs
 * that can help, which it finds itself; the others get x[p] = 0. *seconds becomes the common finish time.
 * Returns false, with x of no use, where there is no answer within the accuracy below or memory is short. */
bool plb_slsqp(const struct plb_model *models, int n, double total, double *x, double *seconds);

/* Relative accuracy that SLSQP is asked for, and its evaluations at most. Looser: answers are refused.
 * Tighter, or more evaluations: a system without a smooth answer takes longer. Most need 3 to 20 evaluations.
 */
#define PLB_SLSQP_ACCURACY 1e-10
#define PLB_SLSQP_EVALUATIONS 300

/* Relative difference of finish times, and of Σ x from the total, in an acceptable answer. Larger: a poor
 * answer is used. Smaller: good ones are refused for their last digits. With 1e-6 it refuses none of 7,000
 * systems of fitted curves (`make bench`, solver). */
#define PLB_SLSQP_ACCEPTED 1e-6

#endif
