/* Fits the time curves of a processing unit to what was measured, by least squares. Pure functions of
 * arrays; thread-safe. */
#ifndef PLB_MODEL_FIT_H
#define PLB_MODEL_FIT_H

#include "model/curve.h"
#include "plb/balancer.h"

/* Points from which a curve can be read. More: longer training. Fewer: each set of terms fits. The four
 * rounds of PLB-HeC's training give four. */
#define PLB_FEWEST_POINTS 4

/* Reports from which times say anything of each other. Fewer: a line through two points foretells anything.
 * More: short runs say nothing. */
#define PLB_LINE_POINTS 3

/* Sizes that differ by less than this ratio say the same. Larger: a curve is found later, and caches look
 * like a change of speed. Smaller: two groups of sizes count as many, and the curve sags between them. */
#define PLB_APART 1.25

/* Largest over smallest size from which two tasks, or a line, tell starts from work. Larger: a real start
 * cost is found later. Smaller: noise is read as a start: with less one of 200 simulated PUs got twice its
 * share. */
#define PLB_LINE_RANGE 1.5

/* Relative scatter of times that machines have, whatever units cost: a standard deviation. Larger: unequal
 * units go unseen. Smaller: noise is taken for costs, and PUs are tried for longer where times are noisy. */
#define PLB_MACHINE_NOISE 0.1

/* Rates of a PU that differ by this factor come from unlike units, and not from a machine that has changed.
 * Larger: PUs that have met unlike units are compared. Smaller: noise keeps them from being compared, and a
 * change of speed is taken for one of units. */
#define PLB_UNLIKE_UNITS 4.0

/* Fits F_p to n points (x[i] units of work, t[i] seconds), counting point i weight[i] times
 * (weight = NULL: once each). Points that are not finite and positive are left out. Residuals count
 * relative to t, so that small blocks matter as much as large ones. Returns false, and leaves the
 * curve alone, where no usable point is left. */
bool plb_fit_curve(const double *x, const double *t, const double *weight, int n, struct plb_curve *curve);

/* Fits G_p's line with both coefficients kept at or above zero; no usable point gives zeros. */
void plb_fit_line(const double *x, const double *t, int n, double *constant, double *slope);

/* The weight of each sample: it halves with each `half_life` later ones. Samples of much smaller blocks do
 * not count as later: they tell nothing of its size, and the tail of a pass has many of them. */
void plb_fit_weights(const struct plb_sample *samples, int n, double half_life, double *weight);

/* Both curves of a PU from its samples. A sample counts half as much `half_life` samples later, as
 * plb_fit_weights has it (0: all count the same). The model becomes all zero, and the result false, where no
 * sample is usable. */
bool plb_fit_samples(const struct plb_sample *samples, int n, double half_life, struct plb_model *model);

/* The same with all terms in one sum, as equation 1 of PLB-HeC has it, and every sample counting the same.
 * Where the samples cannot distinguish the terms, the coefficients are the smallest ones that fit; where the
 * sum would decrease between the samples, it fits less closely. Otherwise as above. */
bool plb_fit_all_terms(const struct plb_sample *samples, int n, struct plb_model *model);

#endif
