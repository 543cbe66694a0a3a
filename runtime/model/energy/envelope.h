/* Sharing out work by marginal energy, where no PU may work longer than T. Used by
 * model/energy/objective_curves. Pure functions; thread-safe.
 *
 * Each PU is capped at t_i⁻¹(T). Its energy curve from 0 to there is replaced by the lower convex envelope of
 * points on it. The straight pieces of all envelopes, in the order of joules per unit, are the order in which
 * work is shared out. Where a curve is convex, the envelope is the curve. A start cost, or a concave stretch,
 * is bridged by one piece, and one PU at most ends within such a piece (Shapley and Folkman). */
#ifndef PLB_MODEL_ENERGY_ENVELOPE_H
#define PLB_MODEL_ENERGY_ENVELOPE_H

#include "model/curve.h"

struct plb_envelope_piece {
    double slope; /* joules per unit */
    double work;
    int pu, index; /* its index in its PU's envelope */
};

/* Points on each curve. More: shares are more exact before they are polished, and a call takes longer. */
#define PLB_ENVELOPE_POINTS 48

struct plb_envelope {
    struct plb_envelope_piece *pieces; /* room for PLB_ENVELOPE_POINTS pieces of each PU */
    int n_pieces;
    double *cap; /* of each PU: the most work that it may get */
};

/* Makes the pieces of n PUs, sorted; PU i draws watts[i] while it works. */
void plb_envelope_make(struct plb_envelope *e, const struct plb_model *models, const double *watts, int n,
                       double work, double seconds);

/* Shares `work` out among the PUs with in[i] != 0, into x (n of them, 0 for the others). PU `last` gets what
 * the others leave; -1: none. False where it is more than they can take. */
bool plb_envelope_fill(const struct plb_envelope *e, const char *in, int n, double work, int last, double *x);
#endif
