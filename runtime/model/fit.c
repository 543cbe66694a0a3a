/* Least-squares fits over the paper's basis.
 *
 * Which terms are in is chosen by the corrected Akaike criterion (AICc), which makes each term pay.
 * The candidates are all sets of up to three terms whose curve is plausible (positive, not
 * decreasing). Where none is, the curve is a line. Where the line falls, or all sizes are nearly
 * the same, time is proportional to work. A sum of all terms (plb_fit_all_terms) is the finest one that does
 * not swing between the samples.
 *
 * Cost: O(n) to reduce the samples (model/least_squares), plus at most 92 tiny problems. Weak far outside the
 * measured sizes, where only a line is known. */
#include "model/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/least_squares.h"

/* Points in a fit; of more, the latest count. More: a fit costs more. Fewer: noise averages out less. */
#define MAX_POINTS 512

/* Terms in one curve. More: with the few sizes of a training they cannot be told apart, and the curve
 * sags between them. Fewer: a bend with a start cost cannot be described. */
#define MAX_TERMS PLB_LS_CHOSEN

/* Largest over smallest size from which a curve can be read. Larger: a real bend is found later. Smaller:
 * noise is read as a shape: with less than 4 a PU got several times its share in one run of a hundred. */
#define CURVE_RANGE 4.0

/* Cost in the criterion of each term that a line does not have. Larger: real bends are overlooked.
 * Smaller: noise bends the curve. Work is mostly linear, so such a term must win clearly. */
#define BEND_COST 2.0

/* The slope beyond the measured sizes is at least this part of a straight line's through all samples.
 * Larger: a real flattening counts for nothing. Smaller: a curve that flattens at its end by chance
 * gives the PU several times its share. */
#define LINE_SLOPE 0.7

/* Relative residuals below this are as good as none: that keeps ln(0) out of the criterion. Larger: fine
 * differences between sets of terms are lost. Smaller: rounding errors decide. */
#define RELATIVE_NOISE 1e-4

/* Powers of two among which sizes are told apart, and of how many a block is much smaller than another one.
 * More: many small blocks take longer to replace what was known of large ones. Fewer: a PU that becomes
 * slower, and gets smaller blocks, is believed later; with 3, a GPU that is 8 times slower after 33 s, and
 * not 20. */
#define OCTAVES 96
#define FAR_BELOW 5

#define LINE (1u << PLB_TERM_ONE | 1u << PLB_TERM_X)
#define ALL_TERMS ((1u << PLB_TERMS) - 1u)

/* Factor by which the tolerance grows until a sum of all terms is a time curve. Larger: real bends may be
 * lost with the noise. Smaller: a fit costs more. */
#define COARSER 10.0
#define COARSEST 4 /* powers of it: a tolerance of 1 leaves one direction */

_Static_assert((int)PLB_TERMS == PLB_LS_COLUMNS, "a column for each term");

/* The usable points, weighted: row i of the full problem is w[i] · f(x[i]) ≈ w[i] · t[i]. */
struct points {
    int n;
    int distinct; /* sizes that differ by PLB_APART, counted up to PLB_TERMS */
    double x[MAX_POINTS], t[MAX_POINTS], w[MAX_POINTS];
    double low, high;
};

static void points_gather(struct points *p, const double *x, const double *t, const double *weight, int n)
{
    double sizes[PLB_TERMS];
    p->n = p->distinct = 0;
    p->low = DBL_MAX;
    p->high = 0.0;
    for (int i = n > MAX_POINTS ? n - MAX_POINTS : 0; i < n; i++) {
        double w = weight != NULL ? weight[i] : 1.0;
        if (!(isfinite(x[i]) && x[i] > 0.0 && isfinite(t[i]) && t[i] > 0.0 && isfinite(w) && w > 0.0))
            continue;
        bool seen = false;
        for (int j = 0; j < p->distinct && !seen; j++)
            seen = sizes[j] < PLB_APART * x[i] && x[i] < PLB_APART * sizes[j];
        if (p->distinct < PLB_TERMS && !seen)
            sizes[p->distinct++] = x[i];
        p->x[p->n] = x[i];
        p->t[p->n] = t[i];
        p->w[p->n] = sqrt(w) / t[i];
        p->low = fmin(p->low, x[i]);
        p->high = fmax(p->high, x[i]);
        p->n++;
    }
}

/* The full problem, weighted, of all terms; false where it has no solution. */
static bool reduce(const struct points *p, double scale, struct plb_reduced *out)
{
    double matrix[(PLB_TERMS + 1) * MAX_POINTS];
    int rows = p->n > PLB_TERMS + 1 ? p->n : PLB_TERMS + 1;
    memset(matrix, 0, sizeof *matrix * (size_t)(PLB_TERMS + 1) * (size_t)rows);
    for (int i = 0; i < p->n; i++) {
        double values[PLB_TERMS];
        plb_term_values(p->x[i] / scale, values);
        for (int j = 0; j < PLB_TERMS; j++)
            matrix[j * rows + i] = p->w[i] * values[j];
        matrix[PLB_TERMS * rows + i] = p->w[i] * p->t[i];
    }
    return plb_reduce(matrix, rows, out);
}

static double r_squared(const struct plb_curve *c, const struct points *p)
{
    double mean = 0.0, total = 0.0, residual = 0.0;
    for (int i = 0; i < p->n; i++)
        mean += p->t[i] / p->n;
    if (p->high < PLB_LINE_RANGE * p->low)
        mean = 0.0; /* one size: a curve cannot explain its scatter */
    for (int i = 0; i < p->n; i++) {
        double error = p->t[i] - plb_curve_time(c, p->x[i]);
        residual += error * error;
        total += (p->t[i] - mean) * (p->t[i] - mean);
    }
    return total > 0.0 ? 1.0 - residual / total : 1.0;
}

/* The two parts of the corrected Akaike criterion (AICc) for n points: how badly a curve fits them, and what
 * its terms cost. A term that a line does not have costs more. */
static double misfit(double squares, double n)
{
    return n * log(fmax(squares / n, RELATIVE_NOISE * RELATIVE_NOISE));
}

static double cost_of_terms(double n, double k, double bends)
{
    return 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0) + BEND_COST * bends;
}

/* The best set of terms by AICc; false where no set gives a plausible curve. A curve of k terms needs
 * k + 1 sizes: between fewer it could sag or bulge. No set fits better than all terms together: one that
 * would lose even so is not solved. */
static bool choose_terms(const struct points *p, const struct plb_reduced *red, struct plb_curve *best)
{
    double best_score = DBL_MAX, n = p->n, least = misfit(red->rest, n);
    bool found = false;
    for (unsigned terms = 1; terms < 1u << PLB_TERMS; terms++) {
        int k = __builtin_popcount(terms);
        if (k > MAX_TERMS || k > p->distinct || p->n - k - 1 <= 0)
            continue;
        int bends = __builtin_popcount(terms & ~LINE);
        double cost = cost_of_terms(n, k, bends);
        if (k > p->distinct - (bends > 0) || least + cost >= best_score)
            continue;
        struct plb_curve c = {.terms = terms, .scale = p->high, .low = p->low, .high = p->high};
        double squares = plb_solve_columns(red, terms, c.a), score = misfit(squares, n) + cost;
        if (squares >= 0.0 && score < best_score && plb_curve_plausible(&c)) {
            best_score = score;
            *best = c;
            found = true;
        }
    }
    return found;
}

/* Time in proportion to work: what is left where sizes are nearly the same, or a line falls. */
static struct plb_curve proportional(const struct points *p)
{
    struct plb_curve c = {.terms = 1u << PLB_TERM_X, .scale = p->high, .low = p->low, .high = p->high};
    double weights = 0.0, rate = 0.0;
    for (int i = 0; i < p->n; i++) {
        weights += p->w[i] * p->w[i] * p->x[i] * p->x[i];
        rate += p->w[i] * p->w[i] * p->x[i] * p->t[i];
    }
    c.a[PLB_TERM_X] = rate / weights * p->high;
    return c;
}

/* All terms in one sum: the finest fit that is a time curve. With the coarsest one direction counts. */
static bool sum_all_terms(const struct points *p, const struct plb_reduced *red, struct plb_curve *best)
{
    double tolerance = RELATIVE_NOISE;
    for (int i = 0; i <= COARSEST; i++, tolerance *= COARSER) {
        struct plb_curve c = {.terms = ALL_TERMS, .scale = p->high, .low = p->low, .high = p->high};
        if (plb_solve_all_columns(red, tolerance, c.a) > 0 && plb_curve_plausible(&c)) {
            *best = c;
            return true;
        }
    }
    return false;
}

/* The best curve of several terms, or else the line; false where neither is plausible. */
static bool fit_shape(const struct points *p, bool all_terms, struct plb_curve *c)
{
    struct plb_reduced red;
    if (p->high < PLB_LINE_RANGE * p->low || !reduce(p, p->high, &red))
        return false;
    struct plb_curve line = {.terms = LINE, .scale = p->high, .low = p->low, .high = p->high};
    bool straight = plb_solve_columns(&red, LINE, line.a) >= 0.0 && plb_curve_plausible(&line);
    bool bent = all_terms
                  ? sum_all_terms(p, &red, c)
                  : p->n >= PLB_FEWEST_POINTS && p->high >= CURVE_RANGE * p->low && choose_terms(p, &red, c);
    if (!bent && straight)
        *c = line;
    if (straight)
        c->least_slope = LINE_SLOPE * plb_curve_slope(&line, p->high);
    return bent || straight;
}

static bool fit_points(const struct points *p, bool all_terms, struct plb_curve *curve)
{
    struct plb_curve c = {.terms = 0};
    if (p->n == 0)
        return false;
    if (!fit_shape(p, all_terms, &c))
        c = proportional(p);
    c.r2 = r_squared(&c, p);
    *curve = c;
    return true;
}

bool plb_fit_curve(const double *x, const double *t, const double *weight, int n, struct plb_curve *curve)
{
    struct points p;
    points_gather(&p, x, t, weight, n);
    return fit_points(&p, false, curve);
}

void plb_fit_line(const double *x, const double *t, int n, double *constant, double *slope)
{
    double count = 0.0, sx = 0.0, st = 0.0, sxx = 0.0, sxt = 0.0;
    for (int i = 0; i < n; i++) {
        if (!(isfinite(x[i]) && x[i] > 0.0 && isfinite(t[i]) && t[i] >= 0.0))
            continue;
        count += 1.0;
        sx += x[i];
        st += t[i];
        sxx += x[i] * x[i];
        sxt += x[i] * t[i];
    }
    *constant = *slope = 0.0;
    if (count == 0.0)
        return;
    double spread = count * sxx - sx * sx;
    double b = spread > 1e-12 * count * sxx ? (count * sxt - sx * st) / spread : sxt / sxx;
    double a = (st - b * sx) / count;
    if (b < 0.0) {
        *constant = st / count;
    } else if (a < 0.0) {
        *slope = sxt / sxx;
    } else {
        *constant = a;
        *slope = b;
    }
}

/* Coefficient of determination of a line through the usable points; 1 where all values are the same. */
static double line_r_squared(const double *x, const double *t, int n, double constant, double slope)
{
    double count = 0.0, sum = 0.0, squares = 0.0, residual = 0.0;
    for (int i = 0; i < n; i++) {
        if (!(isfinite(x[i]) && x[i] > 0.0 && isfinite(t[i]) && t[i] >= 0.0))
            continue;
        double error = t[i] - constant - slope * x[i];
        count += 1.0;
        sum += t[i];
        squares += t[i] * t[i];
        residual += error * error;
    }
    double total = count > 0.0 ? squares - sum * sum / count : 0.0;
    return total > FLT_EPSILON * squares ? 1.0 - residual / total : 1.0;
}

/* The power of two below a block's size, from 0 to OCTAVES - 1. */
static int octave_of(double work)
{
    int exponent;
    frexp(work > 0.0 && isfinite(work) ? work : 1.0, &exponent);
    exponent += OCTAVES / 2;
    return exponent < 0 ? 0 : exponent < OCTAVES ? exponent : OCTAVES - 1;
}

void plb_fit_weights(const struct plb_sample *samples, int n, double half_life, double *weight)
{
    int later[OCTAVES] = {0};
    for (int i = n - 1; i >= 0; i--) {
        int octave = octave_of(samples[i].work), least = octave - FAR_BELOW, age = 0;
        for (int o = least > 0 ? least : 0; o < OCTAVES; o++)
            age += later[o];
        weight[i] = exp2(-age / half_life);
        later[octave]++;
    }
}

static bool fit_both(const struct plb_sample *samples, int n, double half_life, bool all_terms,
                     struct plb_model *model)
{
    double x[MAX_POINTS], t[MAX_POINTS], g[MAX_POINTS], w[MAX_POINTS];
    *model = (struct plb_model){0};
    if (n <= 0)
        return false;
    if (n > MAX_POINTS) {
        samples += n - MAX_POINTS;
        n = MAX_POINTS;
    }
    for (int i = 0; i < n; i++) {
        x[i] = samples[i].work;
        t[i] = samples[i].execute_s;
        g[i] = samples[i].transfer_s;
        w[i] = 1.0;
    }
    if (half_life > 0.0)
        plb_fit_weights(samples, n, half_life, w);
    plb_fit_line(x, g, n, &model->transfer_s, &model->transfer_s_per_work);
    model->transfer_r2 = line_r_squared(x, g, n, model->transfer_s, model->transfer_s_per_work);
    struct points p;
    points_gather(&p, x, t, w, n);
    return fit_points(&p, all_terms, &model->execute);
}

bool plb_fit_samples(const struct plb_sample *samples, int n, double half_life, struct plb_model *model)
{
    return fit_both(samples, n, half_life, false, model);
}

bool plb_fit_all_terms(const struct plb_sample *samples, int n, struct plb_model *model)
{
    return fit_both(samples, n, 0.0, true, model);
}
