/* Time curves of a processing unit, fitted by least squares (PLB-HeC, eqs. 1 and 2).
 *
 * F_p(x), seconds to execute a task of x units of work, is a sum of terms of the paper's basis
 * {x, x², x³, eˣ, ln x, x·eˣ, x·ln x}, to which a constant is added: a launch overhead is not in
 * the span of the others. G_p(x), seconds to transfer it, is a line. Pure functions of arrays;
 * thread-safe. */
#ifndef PLB_MODEL_FIT_H
#define PLB_MODEL_FIT_H

#include <stdbool.h>

#include "plb/balancer.h"

enum plb_term {
    PLB_TERM_ONE,
    PLB_TERM_X,
    PLB_TERM_X2,
    PLB_TERM_X3,
    PLB_TERM_EXP,
    PLB_TERM_LN,
    PLB_TERM_XEXP,
    PLB_TERM_XLN,
    PLB_TERMS,
};

/* One fitted curve: sum of a[i] · f_i(x / scale) over the terms in `terms`, on [low, high]. Outside
 * the measured sizes it goes on as a straight line (see plb_curve_time). */
struct plb_curve {
    unsigned terms;         /* bit i: term i is in */
    double a[PLB_TERMS];
    double scale;           /* work units; x is divided by it, which keeps e^x in range */
    double low, high;       /* smallest and largest size measured, work units */
    double least_slope;     /* above `high`: most of the slope of a straight line through all samples */
    double r2;              /* coefficient of determination of the fit, unweighted */
};

/* A PU's E_p = F_p + G_p; all zero where nothing has been measured (plb_model_known). */
struct plb_model {
    struct plb_curve execute;   /* F_p */
    double transfer_s;          /* G_p(x) = transfer_s + transfer_s_per_work · x */
    double transfer_s_per_work;
    double grain;               /* a block of more work than this is executed as several tasks, and its
                                   time is in proportion; 0 = one task whatever its size */
    double busy_s;              /* seconds before it can begin; for the solver */
};

/* Fits F_p to n points (x[i] units of work, t[i] seconds), counting point i weight[i] times
 * (weight = NULL: once each). Points that are not finite and positive are left out. Residuals count
 * relative to t, so that small blocks matter as much as large ones. Returns false, and leaves the
 * curve alone, where no usable point is left. */
bool plb_fit_curve(const double *x, const double *t, const double *weight, int n,
                   struct plb_curve *curve);

/* Fits G_p's line with both coefficients kept at or above zero; no usable point gives zeros. */
void plb_fit_line(const double *x, const double *t, int n, double *constant, double *slope);

/* Both curves of a PU from its samples; a sample counts half as much `half_life` samples later (0: all
 * count the same). The model becomes all zero, and the result false, where no sample is usable. */
bool plb_fit_samples(const struct plb_sample *samples, int n, double half_life, struct plb_model *model);

/* Seconds for x units of work; 0 for x <= 0. At or above `high` the curve continues along its last
 * slope, held between least_slope or 1/8 of the mean slope up to `high` and twice that, so that no term of
 * the basis runs away with an extrapolation; below `low`, along the first tangent or the chord to the origin,
 * whichever is higher. Positive and not decreasing for x > 0. */
double plb_curve_time(const struct plb_curve *curve, double x);
double plb_curve_slope(const struct plb_curve *curve, double x);

bool plb_model_known(const struct plb_model *model);
double plb_model_time(const struct plb_model *model, double x);
double plb_model_slope(const struct plb_model *model, double x);

/* Work per second at the measured size where that is best; 0 where nothing is known. */
double plb_model_best_rate(const struct plb_model *model);

/* The curve as text for people, such as "2.1e-05 + 3.4e-07 x"; returns `text`. */
char *plb_curve_print(const struct plb_curve *curve, char *text, unsigned long size);

#endif
