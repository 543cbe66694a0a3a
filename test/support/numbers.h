/* For tests of formulas: comparison of doubles, and random numbers that are the same everywhere. */
#ifndef TEST_NUMBERS_H
#define TEST_NUMBERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

static inline void near_at(double got, double expected, double relative, int line)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("line %d: got %.15g, expected %.15g within %g", line, got, expected, relative);
}

/* The two differ by at most this part of the expected value. */
#define near(got, expected, relative) near_at(got, expected, relative, __LINE__)

/* Knuth's 64-bit LCG: uniform in [0, 1). */
static inline double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

#endif
