/* Curves: their values, slopes and how they go on beyond the sizes measured. Every function costs a
 * few evaluations of the terms. Weak far outside the measured sizes, where only a line is known. */
#include "model/curve.h"

#include <math.h>
#include <stdio.h>

/* The slope above the measured sizes lies between these parts of the mean slope up to there. Wider
 * apart: a term such as eˣ runs away with an extrapolation. Nearer: a real bend counts for nothing.
 * A PU's rate seldom changes by more with size, once blocks are large. */
#define LEAST_SLOPE (1.0 / 8.0)
#define MOST_SLOPE 2.0

/* Halvings of the measured sizes to prove that a curve does not decrease. More: a fit costs more.
 * Fewer: a sound curve with a gentle bend is refused. Ten tell bends of a thousandth of the range. */
#define HALVINGS 10

/* Sizes at which the best rate is looked for, in equal ratios. More: a fit costs more. Fewer: the
 * best size may lie between two of them, which matters little, since rates change slowly. */
#define RATES 16

static double term_value(enum plb_term term, double u)
{
    switch (term) {
    case PLB_TERM_ONE: return 1.0;
    case PLB_TERM_X: return u;
    case PLB_TERM_X2: return u * u;
    case PLB_TERM_X3: return u * u * u;
    case PLB_TERM_EXP: return exp(u);
    case PLB_TERM_LN: return log(u);
    case PLB_TERM_XEXP: return u * exp(u);
    default: return u * log(u);
    }
}

/* As term_value, with one exponential and one logarithm. */
void plb_term_values(double u, double values[PLB_TERMS])
{
    double e = exp(u), l = log(u);
    values[PLB_TERM_ONE] = 1.0;
    values[PLB_TERM_X] = u;
    values[PLB_TERM_X2] = u * u;
    values[PLB_TERM_X3] = u * u * u;
    values[PLB_TERM_EXP] = e;
    values[PLB_TERM_LN] = l;
    values[PLB_TERM_XEXP] = u * e;
    values[PLB_TERM_XLN] = u * l;
}

static double term_slope(enum plb_term term, double u)
{
    switch (term) {
    case PLB_TERM_ONE: return 0.0;
    case PLB_TERM_X: return 1.0;
    case PLB_TERM_X2: return 2.0 * u;
    case PLB_TERM_X3: return 3.0 * u * u;
    case PLB_TERM_EXP: return exp(u);
    case PLB_TERM_LN: return 1.0 / u;
    case PLB_TERM_XEXP: return (1.0 + u) * exp(u);
    default: return 1.0 + log(u);
    }
}

/* The sum of terms itself, for sizes that were measured. */
static double inside(const struct plb_curve *c, double x)
{
    double sum = 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i))
            sum += c->a[i] * term_value((enum plb_term)i, x / c->scale);
    return sum;
}

static double inside_slope(const struct plb_curve *c, double x)
{
    double sum = 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i))
            sum += c->a[i] * term_slope((enum plb_term)i, x / c->scale) / c->scale;
    return sum;
}

static double slope_above(const struct plb_curve *c, double at_high)
{
    double mean = at_high / c->high;
    return fmin(fmax(inside_slope(c, c->high), fmax(mean * LEAST_SLOPE, c->least_slope)), MOST_SLOPE * mean);
}

double plb_curve_time(const struct plb_curve *c, double x)
{
    if (!(x > 0.0) || c->terms == 0)
        return 0.0;
    if (x > c->high) {
        double at_high = inside(c, c->high);
        return c->start_s + at_high + slope_above(c, at_high) * (x - c->high);
    }
    if (x < c->low) {
        double at_low = inside(c, c->low);
        return c->start_s + fmax(at_low + inside_slope(c, c->low) * (x - c->low), at_low * x / c->low);
    }
    return c->start_s + inside(c, x);
}

double plb_curve_slope(const struct plb_curve *c, double x)
{
    if (c->terms == 0)
        return 0.0;
    if (x > c->high)
        return slope_above(c, inside(c, c->high));
    if (x < c->low) {
        double chord = inside(c, c->low) / c->low;
        return fmin(inside_slope(c, c->low), chord);
    }
    return inside_slope(c, x);
}

/* The slope is nowhere negative on [from, to]. Each term's slope is monotone in x, so its values at
 * the two ends bound it. Where these bounds do not decide, each half must rise. */
static bool rises(const struct plb_curve *c, double from, double to, int halvings)
{
    double bound = 0.0, middle = sqrt(from) * sqrt(to);
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i)) {
            enum plb_term term = (enum plb_term)i;
            bound += fmin(c->a[i] * term_slope(term, from / c->scale),
                          c->a[i] * term_slope(term, to / c->scale));
        }
    if (bound >= 0.0)
        return true;
    return halvings > 0 && inside_slope(c, middle) >= 0.0 && rises(c, from, middle, halvings - 1)
        && rises(c, middle, to, halvings - 1);
}

bool plb_curve_plausible(const struct plb_curve *c)
{
    return inside(c, c->low) > 0.0 && inside_slope(c, c->low) >= 0.0 && inside_slope(c, c->high) >= 0.0
        && rises(c, c->low, c->high, HALVINGS);
}

double plb_curve_constant(const struct plb_curve *c)
{
    return c->start_s + (c->terms & 1u << PLB_TERM_ONE ? c->a[PLB_TERM_ONE] : 0.0);
}

char *plb_curve_print(const struct plb_curve *c, char *text, size_t size)
{
    static const char *const names[PLB_TERMS] = {"",     " x",    " x^2",   " x^3",
                                                 " e^u", " ln u", " x e^u", " x ln u"};
    static const int powers[PLB_TERMS] = {0, 1, 2, 3, 0, 0, 1, 1};
    size_t used = 0;
    bool scaled = false; /* a term is of u = x / scale */
    text[0] = '\0';
    for (int i = 0; i < PLB_TERMS && used < size; i++) {
        if (!(c->terms & (1u << i)))
            continue;
        scaled = scaled || i >= PLB_TERM_EXP;
        int wrote = snprintf(text + used, size - used, "%s%.3g%s", used > 0 ? " + " : "",
                             c->a[i] / pow(c->scale, powers[i]), names[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (scaled && used < size)
        snprintf(text + used, size - used, " (u = x/%.4g)", c->scale);
    return text;
}

const char *plb_term_name(enum plb_term term)
{
    static const char *const names[PLB_TERMS] = {"1", "u", "u^2", "u^3", "e^u", "ln u", "u e^u", "u ln u"};
    return names[term];
}

bool plb_model_known(const struct plb_model *model)
{
    return model->execute.terms != 0;
}

static double task_time(const struct plb_model *m, double x)
{
    return plb_curve_time(&m->execute, x) + m->transfer_s + m->transfer_s_per_work * x;
}

double plb_model_time(const struct plb_model *m, double x)
{
    if (!(x > 0.0))
        return 0.0;
    if (m->grain > 0.0 && x > m->grain)
        return m->busy_s + x / m->grain * task_time(m, m->grain);
    return m->busy_s + task_time(m, x);
}

double plb_model_slope(const struct plb_model *m, double x)
{
    if (m->grain > 0.0 && x > m->grain)
        return task_time(m, m->grain) / m->grain;
    return plb_curve_slope(&m->execute, x) + m->transfer_s_per_work;
}

double plb_model_best_rate(const struct plb_model *m)
{
    double ratio = pow(m->execute.high / m->execute.low, 1.0 / (RATES - 1)), best = 0.0, x = m->execute.low;
    if (plb_model_known(m))
        for (int i = 0; i < RATES; i++, x *= ratio)
            best = fmax(best, x / plb_model_time(m, x));
    return best;
}
