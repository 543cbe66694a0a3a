/* exp, log, sine, cosine and the normal distribution, written so that compilers vectorise loops over them:
 * no branch, no table, no call. A loop and a single call give the same bits, on every instruction set, since
 * each step is rounded as it stands here; fma() says where two steps are one. libmvec's functions are faster
 * in loops only, where the last few elements get libm's others, so results would depend on how work is cut.
 *
 * Errors in units of 2^-53, measured against 40 digits: exp 2.0, log 1.3, sine and cosine 1.5 absolute, the
 * normal distribution 5.3. */
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

#include <math.h>
#include <stdint.h>

#define ELEMENTARY static inline __attribute__((always_inline))

/* 1.5 * 2^52: added to a small number, its last bits are the number rounded to a whole one. */
#define ROUNDER 0x1.8p52

ELEMENTARY uint64_t bits_of(double x)
{
    union {
        double real;
        uint64_t bits;
    } u = {.real = x};
    return u.bits;
}

ELEMENTARY double real_of(uint64_t bits)
{
    union {
        uint64_t bits;
        double real;
    } u = {.bits = bits};
    return u.real;
}

/* e^x; below -708 as there, above 709 likewise. */
ELEMENTARY double fast_exp(double x)
{
    x = x < -708.0 ? -708.0 : x;
    x = x > 709.0 ? 709.0 : x;
    double shifted = fma(x, 0x1.71547652b82fep0, ROUNDER), n = shifted - ROUNDER;
    double r = fma(n, -0x1.62e42fefa39efp-1, x); /* log 2 in two parts */
    r = fma(n, -0x1.abc9e3b39803fp-56, r);
    double r2 = r * r, r4 = r2 * r2; /* Taylor's series up to r^13 / 13!, by Estrin's scheme */
    double p0 = 1.0 + r, p2 = fma(r, 1.0 / 6.0, 0.5), p4 = fma(r, 1.0 / 120.0, 1.0 / 24.0);
    double p6 = fma(r, 1.0 / 5040.0, 1.0 / 720.0), p8 = fma(r, 1.0 / 362880.0, 1.0 / 40320.0);
    double p10 = fma(r, 1.0 / 39916800.0, 1.0 / 3628800.0);
    double p12 = fma(r, 1.0 / 6227020800.0, 1.0 / 479001600.0);
    double tail = fma(r4, fma(r2, p12, p10), fma(r2, p8, p6));
    tail = fma(r4, tail, fma(r2, p4, p2));
    double p = fma(r2, tail, p0);
    return real_of(bits_of(p) + (bits_of(shifted) << 52));
}

/* The natural logarithm of a positive, normal number, as fdlibm does it: x = 2^k m, and m is near 1. */
ELEMENTARY double fast_log(double x)
{
    uint64_t shifted = bits_of(x) + (0x3ff0000000000000 - 0x3fe6a09e667f3bcd);
    double k = real_of((shifted >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
    double m = real_of((shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd);
    double f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    double even = w
                * fma(w, fma(w, 1.531383769920937332e-01, 2.222219843214978396e-01),
                      3.999999999940941908e-01);
    double odd = z
               * fma(w,
                     fma(w, fma(w, 1.479819860511658591e-01, 1.818357216161805012e-01),
                         2.857142874366239149e-01),
                     6.666666666666735130e-01);
    double low = fma(s, half + (odd + even), k * 1.90821492927058770002e-10);
    return k * 6.93147180369123816490e-01 - ((half - low) - f);
}

/* Sine and cosine of 2 pi u, for u from 0 to 1. */
ELEMENTARY void fast_sincos_turns(double u, double *sine, double *cosine)
{
    double shifted = fma(u, 4.0, ROUNDER), n = shifted - ROUNDER;
    double x = (u - 0.25 * n) * 6.283185307179586, z = x * x; /* |x| is pi / 4 at most */
    uint64_t quarter = bits_of(shifted);
    double s = fma(z,
                   fma(z,
                       fma(z,
                           fma(z, fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08),
                               2.75573137070700676789e-06),
                           -1.98412698298579493134e-04),
                       8.33333333332248946124e-03),
                   -1.66666666666666324348e-01);
    double c = fma(z,
                   fma(z,
                       fma(z,
                           fma(z, fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09),
                               -2.75573143513906633035e-07),
                           2.48015872894767294178e-05),
                       -1.38888888888741095749e-03),
                   4.16666666666666019037e-02);
    s = fma(x * z, s, x);
    c = fma(z * z, c, fma(z, -0.5, 1.0));
    double a = (quarter & 1) != 0 ? c : s, b = (quarter & 1) != 0 ? s : c;
    *sine = real_of(bits_of(a) ^ ((quarter & 2) << 62));
    *cosine = real_of(bits_of(b) ^ (((quarter + 1) & 2) << 62));
}

/* The normal distribution function at x, and e^(-x^2/2) in *bell. For a = |x| / sqrt 2 a polynomial of
 * (a - 4) / (a + 4) gives (1 + 2 a) e^(a^2) erfc(a), as Shepherd and Laframboise (1981) do; interpolated
 * in 24 Chebyshev nodes with 60 digits. */
ELEMENTARY double normal_below(double x, double *bell)
{
    double a = fabs(x) * 0.70710678118654752440, q = (a - 4.0) / (a + 4.0), q2 = q * q, q4 = q2 * q2;
    double square = 0.5 * x * x, rest = fma(0.5 * x, x, -square);
    double e = fast_exp(-square);
    e = fma(-rest, e, e);
#define TERM(low, high) fma(q, high, low)
    double p = fma(q2, TERM(0x1.afe473b552685p-30, 0x1.0967e527911a9p-30),
                   TERM(-0x1.1904891a069b4p-26, -0x1.af097381d257bp-27));
    p = fma(q4, p,
            fma(q2, TERM(0x1.31744dd9b56d0p-24, 0x1.cad9b27d6d663p-24),
                TERM(0x1.400a0021a32f1p-22, -0x1.b9339da7bf70bp-21)));
    p = fma(q4, p,
            fma(q2, TERM(-0x1.78a738afaf645p-17, 0x1.7f01a118598aep-18),
                TERM(0x1.3be12bafabe1fp-13, -0x1.99551e5f87e20p-16)));
    p = fma(q4, p,
            fma(q2, TERM(-0x1.8d4aaa8fbedbcp-11, -0x1.a1df4a1e543bcp-13),
                TERM(-0x1.0962386da3254p-6, 0x1.49c672b9685cep-8)));
    p = fma(q4, p,
            fma(q2, TERM(-0x1.0fb06dfee4790p-4, 0x1.3079edf5d9d05p-5),
                TERM(-0x1.9ddb23c3e0c24p-4, 0x1.7fee004e16d41p-4)));
    p = fma(q4, p,
            fma(q2, TERM(0x1.f7f5df66fc17fp-7, 0x1.16ecefcfa5214p-4),
                TERM(0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3)));
#undef TERM
    double tail = 0.5 * e * p / fma(2.0, a, 1.0);
    *bell = e;
    return x > 0.0 ? 1.0 - tail : tail;
}

#endif
