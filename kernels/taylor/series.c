/* Horner's scheme for complex points: four multiplications and additions a coefficient, fused. */
#include "series.h"

#include <math.h>
#include <string.h>

void series_coefficients(enum function f, int64_t n, double *coefficients)
{
    long double over = 1.0L; /* 1 / k!, with more digits than the result has */
    for (int64_t k = 0; k < n; k++) {
        const double sign = k / 2 % 2 == 0 ? 1.0 : -1.0;
        over = k > 0 ? over / (long double)k : over;
        switch (f) {
        case EXP: coefficients[k] = (double)over; break;
        case SIN: coefficients[k] = k % 2 == 1 ? sign * (double)over : 0.0; break;
        case COS: coefficients[k] = k % 2 == 0 ? sign * (double)over : 0.0; break;
        case LOG1P: coefficients[k] = k == 0 ? 0.0 : (k % 2 == 1 ? 1.0 : -1.0) / (double)k; break;
        case GEOMETRIC: coefficients[k] = 1.0; break;
        }
    }
}

PLB_CLONES static void horner(const double *coefficients, int64_t n, const double x[LANES],
                              const double y[LANES], double re[LANES], double im[LANES])
{
    double a[LANES], b[LANES], p[LANES], q[LANES]; /* of their own, so that they may stay in registers */
    memcpy(a, x, sizeof a);
    memcpy(b, y, sizeof b);
    memset(p, 0, sizeof p);
    memset(q, 0, sizeof q);
    for (int64_t k = n - 1; k >= 0; k--)
        for (int l = 0; l < LANES; l++) {
            double next = fma(p[l], a[l], fma(-q[l], b[l], coefficients[k]));
            q[l] = fma(p[l], b[l], q[l] * a[l]);
            p[l] = next;
        }
    memcpy(re, p, sizeof p);
    memcpy(im, q, sizeof q);
}

void series_sum(const double *coefficients, int64_t n, const double x[LANES], const double y[LANES],
                double re[LANES], double im[LANES])
{
    horner(coefficients, n, x, y, re, im);
}

/* The logarithm of |1 + z|: near 0 of z as log1p, near -1 and far away as log, so that nothing cancels. */
static double log_distance(double x, double y)
{
    const double square = (1.0 + x) * (1.0 + x) + y * y;
    return square < 0.5 || square > 2.0 ? 0.5 * log(square) : 0.5 * log1p(x * (2.0 + x) + y * y);
}

void series_function(enum function f, double x, double y, double *re, double *im)
{
    switch (f) {
    case EXP:
        *re = exp(x) * cos(y);
        *im = exp(x) * sin(y);
        break;
    case SIN:
        *re = sin(x) * cosh(y);
        *im = cos(x) * sinh(y);
        break;
    case COS:
        *re = cos(x) * cosh(y);
        *im = -sin(x) * sinh(y);
        break;
    case LOG1P:
        *re = log_distance(x, y);
        *im = atan2(y, 1.0 + x);
        break;
    case GEOMETRIC:
        *re = (1.0 - x) / ((1.0 - x) * (1.0 - x) + y * y);
        *im = y / ((1.0 - x) * (1.0 - x) + y * y);
        break;
    }
}
