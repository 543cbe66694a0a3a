/* Time curves of a processing unit (PLB-HeC, eqs. 1 and 2), as fit.h finds them. Pure functions;
 * thread-safe.
 *
 * F_p(x), seconds to execute a task of x units of work, is a sum of terms of the paper's basis
 * {x, x², x³, eˣ, ln x, x·eˣ, x·ln x}, to which a constant is added: a launch overhead is not in
 * the span of the others. G_p(x), seconds to transfer it, is a line. E_p = F_p + G_p. */
#ifndef PLB_MODEL_CURVE_H
#define PLB_MODEL_CURVE_H

#include <stdbool.h>
#include <stddef.h>

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

/* start_s, and a sum of a[i] · f_i(x / scale) over the terms in `terms`, on [low, high]. Outside the measured
 * sizes the sum goes on as a straight line (see plb_curve_time). */
struct plb_curve {
    double start_s;      /* seconds of a start that is known apart from the terms; 0: they hold all of it */
    unsigned terms;      /* bit i: term i is in */
    double a[PLB_TERMS]; /* seconds */
    double scale;        /* work; x is divided by it, which keeps eˣ in range */
    double low, high;    /* smallest and largest size measured, work */
    double least_slope;  /* seconds per work: the slope above `high` is at least this */
    double r2;           /* coefficient of determination of the fit, unweighted */
};

/* A PU's E_p; all zero where nothing has been measured (plb_model_known). */
struct plb_model {
    struct plb_curve execute; /* F_p */
    double transfer_s;        /* G_p(x) = transfer_s + transfer_s_per_work · x */
    double transfer_s_per_work;
    double transfer_r2; /* coefficient of determination of G_p; 1 where no sample has a transfer */
    double grain;       /* a block of more work than this is executed as several tasks, and its
                           time is in proportion; 0 = one task whatever its size */
    double busy_s;      /* seconds before it can begin; for the solver */
};

/* All basis functions at u. */
void plb_term_values(double u, double values[PLB_TERMS]);

/* Seconds for x units of work; 0 for x <= 0. All that follows is said of the sum without the start,
 * which never looks like the time of work. Above `high` the curve continues along its last slope.
 * That slope is held between two bounds, so that no term of the basis runs away with an
 * extrapolation: least_slope or an eighth of the mean slope up to `high`, and twice that mean.
 * Below `low` the curve continues along its first tangent or the chord to the origin, whichever is
 * higher. The result is positive and does not decrease for x > 0. */
double plb_curve_time(const struct plb_curve *curve, double x);
double plb_curve_slope(const struct plb_curve *curve, double x); /* seconds per work */

/* Positive and not decreasing over the measured sizes: what a time curve must be. */
bool plb_curve_plausible(const struct plb_curve *curve);

/* Seconds that the curve has at every measured size: the start, and the constant term. */
double plb_curve_constant(const struct plb_curve *curve);

/* The curve as text for people, such as "2.1e-05 + 3.4e-07 x"; returns `text`. */
char *plb_curve_print(const struct plb_curve *curve, char *text, size_t size);

/* A term as a function of u = x / scale, such as "u ln u". */
const char *plb_term_name(enum plb_term term);

bool plb_model_known(const struct plb_model *model);
double plb_model_time(const struct plb_model *model, double x);  /* seconds for a block */
double plb_model_slope(const struct plb_model *model, double x); /* seconds per work */

/* Work per second at the measured size where that is best; 0 where nothing is known. */
double plb_model_best_rate(const struct plb_model *model);

#endif
