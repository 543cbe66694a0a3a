/* Least-squares fits over the paper's basis.
 *
 * Which terms are in is chosen by the corrected Akaike criterion (AICc), which pays for each, among
 * all sets of up to three terms whose curve is positive and does not decrease over the measured
 * sizes; where none is, a line; where that falls, or all sizes are nearly the same, proportionality.
 * One QR factorisation (LAPACKE) reduces the samples to at most eight rows; each set of terms is then
 * a tiny least-squares problem.
 * Cost: O(n) for the samples plus 92 tiny problems. Weak at: sizes far outside those measured, where
 * it deliberately knows only a line. */
#include "model/fit.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_POINTS 512      /* more are thinned to the most recent ones */
#define MAX_TERMS 3         /* in one curve */
#define LINE (1u << PLB_TERM_ONE | 1u << PLB_TERM_X)
#define SPREAD 1.5          /* largest over smallest size that a line can be read from */
#define WIDE 4.0            /* and a curve */
#define APART 1.25          /* sizes closer than this say the same about a shape */
#define CURVED 2.0          /* what a term beyond the line's costs on top: work is mostly linear */
#define CHECKS 16           /* sizes at which the best rate is looked for */
#define TRUSTED 0.7         /* of a straight line's slope is the least beyond the sizes measured */
#define HALVINGS 10         /* of the sizes measured, to prove that a candidate does not decrease */
#define RELATIVE_NOISE 1e-4 /* residuals below this are as good as none: keeps ln(0) out */

static double term_value(int term, double u)
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

static double term_slope(int term, double u)
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

static double inside(const struct plb_curve *c, double x)
{
    double sum = 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i))
            sum += c->a[i] * term_value(i, x / c->scale);
    return sum;
}

static double inside_slope(const struct plb_curve *c, double x)
{
    double sum = 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i))
            sum += c->a[i] * term_slope(i, x / c->scale) / c->scale;
    return sum;
}

static double slope_above(const struct plb_curve *c, double at_high)
{
    double mean = at_high / c->high;
    return fmin(fmax(inside_slope(c, c->high), fmax(mean / 8.0, c->least_slope)), 2.0 * mean);
}

double plb_curve_time(const struct plb_curve *c, double x)
{
    if (!(x > 0.0) || c->terms == 0)
        return 0.0;
    if (x > c->high) {
        double at_high = inside(c, c->high);
        return at_high + slope_above(c, at_high) * (x - c->high);
    }
    if (x < c->low) {
        double at_low = inside(c, c->low);
        return fmax(at_low + inside_slope(c, c->low) * (x - c->low), at_low * x / c->low);
    }
    return inside(c, x);
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

bool plb_model_known(const struct plb_model *model)
{
    return model->execute.terms != 0;
}

/* Of one task. */
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
    double best = 0.0, ratio = pow(m->execute.high / m->execute.low, 1.0 / (CHECKS - 1)), x = m->execute.low;
    for (int i = 0; i < CHECKS && plb_model_known(m); i++, x *= ratio)
        best = fmax(best, x / plb_model_time(m, x));
    return best;
}

/* The usable points, weighted: row i of the full problem is w[i] · f(x[i]) ≈ w[i] · t[i]. */
struct points {
    int n;
    int distinct;               /* sizes that differ by APART, counted up to PLB_TERMS */
    double x[MAX_POINTS], t[MAX_POINTS], w[MAX_POINTS];
    double low, high;
};

static void points_gather(struct points *p, const double *x, const double *t, const double *weight,
                          int n)
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
            seen = sizes[j] < APART * x[i] && x[i] < APART * sizes[j];
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

/* The reduced problem R · a ≈ q, with `rest` the squared residual that no choice of terms removes. */
struct reduced {
    int rows;
    double r[PLB_TERMS * PLB_TERMS]; /* column-major, leading dimension PLB_TERMS */
    double q[PLB_TERMS];
    double rest;
};

static bool reduce(const struct points *p, double scale, struct reduced *out)
{
    double matrix[(PLB_TERMS + 1) * MAX_POINTS], tau[PLB_TERMS + 1], work[64 * (PLB_TERMS + 1)];
    int n = p->n, ld = n > PLB_TERMS + 1 ? n : PLB_TERMS + 1;
    memset(matrix, 0, sizeof *matrix * (size_t)(PLB_TERMS + 1) * (size_t)ld);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < PLB_TERMS; j++)
            matrix[j * ld + i] = p->w[i] * term_value(j, p->x[i] / scale);
        matrix[PLB_TERMS * ld + i] = p->w[i] * p->t[i];
    }
    /* Factorising [F | t] at once leaves Qᵀt in the last column: no second call is needed. */
    if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, ld, PLB_TERMS + 1, matrix, ld, tau, work,
                            (lapack_int)(sizeof work / sizeof *work)) != 0)
        return false;
    out->rows = n < PLB_TERMS ? n : PLB_TERMS;
    for (int j = 0; j < PLB_TERMS; j++)
        for (int i = 0; i < PLB_TERMS; i++)
            out->r[j * PLB_TERMS + i] = i <= j ? matrix[j * ld + i] : 0.0;
    for (int i = 0; i < PLB_TERMS; i++)
        out->q[i] = matrix[PLB_TERMS * ld + i];
    double last = matrix[PLB_TERMS * ld + PLB_TERMS];
    out->rest = last * last;
    return true;
}

/* Solves the reduced problem for one set of terms; returns the squared residual or a negative. */
static double solve_terms(const struct reduced *red, unsigned terms, double *a)
{
    double columns[PLB_TERMS * MAX_TERMS], rhs[PLB_TERMS], work[64];
    int which[MAX_TERMS], k = 0;
    for (int j = 0; j < PLB_TERMS; j++)
        if (terms & (1u << j)) {
            memcpy(columns + k * PLB_TERMS, red->r + j * PLB_TERMS, sizeof *columns * PLB_TERMS);
            which[k++] = j;
        }
    memcpy(rhs, red->q, sizeof rhs);
    if (LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', PLB_TERMS, k, 1, columns, PLB_TERMS, rhs,
                           PLB_TERMS, work, (lapack_int)(sizeof work / sizeof *work)) != 0)
        return -1.0;
    memset(a, 0, sizeof *a * PLB_TERMS);
    for (int i = 0; i < k; i++) {
        if (!isfinite(rhs[i]))
            return -1.0;
        a[which[i]] = rhs[i];
    }
    double squares = red->rest;
    for (int i = k; i < PLB_TERMS; i++)
        squares += rhs[i] * rhs[i];
    return squares;
}

/* The slope is nowhere negative on [from, to]: each term's slope is monotone in x, so that its ends
 * bound it; where the bounds do not decide, each half must rise. */
static bool rises(const struct plb_curve *c, double from, double to, int halvings)
{
    double bound = 0.0, middle = sqrt(from) * sqrt(to);
    for (int i = 0; i < PLB_TERMS; i++)
        if (c->terms & (1u << i))
            bound += fmin(c->a[i] * term_slope(i, from / c->scale), c->a[i] * term_slope(i, to / c->scale));
    if (bound >= 0.0)
        return true;
    return halvings > 0 && inside_slope(c, middle) >= 0.0 && rises(c, from, middle, halvings - 1)
        && rises(c, middle, to, halvings - 1);
}

/* Positive and not decreasing over the sizes measured. */
static bool plausible(const struct plb_curve *c)
{
    return inside(c, c->low) > 0.0 && inside_slope(c, c->low) >= 0.0 && inside_slope(c, c->high) >= 0.0
        && rises(c, c->low, c->high, HALVINGS);
}

static double r_squared(const struct plb_curve *c, const struct points *p)
{
    double mean = 0.0, total = 0.0, residual = 0.0;
    for (int i = 0; i < p->n; i++)
        mean += p->t[i] / p->n;
    if (p->high < SPREAD * p->low)
        mean = 0.0; /* one size: its scatter is noise, not something a curve could explain */
    for (int i = 0; i < p->n; i++) {
        double error = p->t[i] - plb_curve_time(c, p->x[i]);
        residual += error * error;
        total += (p->t[i] - mean) * (p->t[i] - mean);
    }
    return total > 0.0 ? 1.0 - residual / total : 1.0;
}

/* The best set of terms by AICc; false where no set gives a plausible curve. A curve of k terms needs k + 1
 * sizes: between few of them it could sag or bulge as it likes. */
static bool choose_terms(const struct points *p, const struct reduced *red, struct plb_curve *best)
{
    double best_score = DBL_MAX;
    bool found = false;
    for (unsigned terms = 1; terms < 1u << PLB_TERMS; terms++) {
        int k = __builtin_popcount(terms);
        bool line = (terms & ~LINE) == 0;
        if (k > MAX_TERMS || k > p->distinct - (line ? 0 : 1) || p->n - k - 1 <= 0)
            continue;
        struct plb_curve c = {.terms = terms, .scale = p->high, .low = p->low, .high = p->high};
        double squares = solve_terms(red, terms, c.a);
        if (squares < 0.0)
            continue;
        double n = p->n, variance = fmax(squares / n, RELATIVE_NOISE * RELATIVE_NOISE);
        double score = n * log(variance) + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
                     + CURVED * __builtin_popcount(terms & ~LINE);
        if (score < best_score && plausible(&c)) {
            best_score = score;
            *best = c;
            found = true;
        }
    }
    return found;
}

bool plb_fit_curve(const double *x, const double *t, const double *weight, int n,
                   struct plb_curve *curve)
{
    struct points p;
    struct reduced red;
    points_gather(&p, x, t, weight, n);
    if (p.n == 0)
        return false;
    struct plb_curve c = {.terms = 0};
    bool done = false;
    if (p.high >= SPREAD * p.low && reduce(&p, p.high, &red)) {
        done = p.n >= 4 && p.high >= WIDE * p.low && choose_terms(&p, &red, &c);
        struct plb_curve line = {.terms = LINE, .scale = p.high, .low = p.low, .high = p.high};
        bool straight = solve_terms(&red, LINE, line.a) >= 0.0 && plausible(&line);
        if (!done && straight) {
            c = line;
            done = true;
        }
        if (straight)
            c.least_slope = TRUSTED * inside_slope(&line, p.high);
    }
    if (!done) {
        double weights = 0.0, rate = 0.0;
        for (int i = 0; i < p.n; i++) {
            weights += p.w[i] * p.w[i] * p.x[i] * p.x[i];
            rate += p.w[i] * p.w[i] * p.x[i] * p.t[i];
        }
        c = (struct plb_curve){.terms = 1u << PLB_TERM_X, .scale = p.high, .low = p.low, .high = p.high};
        c.a[PLB_TERM_X] = rate / weights * p.high;
    }
    c.r2 = r_squared(&c, &p);
    *curve = c;
    return true;
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

bool plb_fit_samples(const struct plb_sample *samples, int n, double half_life, struct plb_model *model)
{
    double x[MAX_POINTS], t[MAX_POINTS], g[MAX_POINTS], w[MAX_POINTS];
    if (n > MAX_POINTS) {
        samples += n - MAX_POINTS;
        n = MAX_POINTS;
    }
    for (int i = 0; i < n; i++) {
        x[i] = samples[i].work;
        t[i] = samples[i].execute_s;
        g[i] = samples[i].transfer_s;
        w[i] = half_life > 0.0 ? exp2(-(n - 1 - i) / half_life) : 1.0;
    }
    *model = (struct plb_model){0};
    plb_fit_line(x, g, n, &model->transfer_s, &model->transfer_s_per_work);
    return plb_fit_curve(x, t, w, n, &model->execute);
}

char *plb_curve_print(const struct plb_curve *c, char *text, unsigned long size)
{
    static const char *const names[PLB_TERMS] = {"", " x", " x^2", " x^3", " e^u", " ln u", " x e^u", " x ln u"};
    static const int powers[PLB_TERMS] = {0, 1, 2, 3, 0, 0, 1, 1};
    unsigned long used = 0;
    bool exponent = false;
    text[0] = '\0';
    for (int i = 0; i < PLB_TERMS && used < size; i++) {
        if (!(c->terms & (1u << i)))
            continue;
        exponent = exponent || i >= PLB_TERM_EXP;
        int wrote = snprintf(text + used, size - used, "%s%.3g%s", used > 0 ? " + " : "",
                             c->a[i] / pow(c->scale, powers[i]), names[i]);
        used += wrote > 0 ? (unsigned long)wrote : 0;
    }
    if (exponent && used < size)
        snprintf(text + used, size - used, " (u = x/%.4g)", c->scale);
    return text;
}
