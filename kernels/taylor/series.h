/* Functions of a complex number, and the polynomials that Taylor's series around 0 begin with. */
#ifndef SERIES_H
#define SERIES_H

#include "plb/kernel.h"

/* Points whose polynomials are computed side by side: four vectors of AVX-512 each for the real and imaginary
 * parts. Fewer: steps wait for each other. More: they leave the registers. */
#define LANES 32

enum function { EXP, SIN, COS, LOG1P, GEOMETRIC }; /* the option `function`; the same as in taylor.cu */
#define FUNCTIONS "exp|sin|cos|log1p|geometric"    /* geometric: 1 / (1 - z) */

/* The n coefficients of z^0 to z^(n - 1). */
void series_coefficients(enum function f, int64_t n, double *coefficients);

/* The polynomial at LANES points, by Horner's scheme from coefficient n - 1 down. */
void series_sum(const double *coefficients, int64_t n, const double x[LANES], const double y[LANES],
                double re[LANES], double im[LANES]);

/* The function at a point. */
void series_function(enum function f, double x, double y, double *re, double *im);

#endif
