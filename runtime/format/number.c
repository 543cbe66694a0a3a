/* Most numbers in files are short. Up to 2^53 for the digits and 10^22 for the power of ten, both are exact
 * doubles, so one multiplication or division gives the nearest double (Clinger, PLDI 1990). strtod reads the
 * others. */
#include "format/number.h"

#include <stddef.h>
#include <stdlib.h>

#define EXACT_POWER 22       /* 10^22 is the largest power of ten that is a double */
#define MOST_EXPONENT 100000 /* larger exponents are not told apart: the number is infinite or 0 */

/* A number as its digits, without the point, times ten to the power of `scale`. */
struct decimal {
    uint64_t digits;
    int64_t scale;
    bool exact; /* `digits` has all of them */
};

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *plb_scan_whole(const char *from, int64_t *value)
{
    const char *at = from + (*from == '-' || *from == '+');
    int64_t sum = 0;
    if (!digit(*at))
        return NULL;
    for (; digit(*at); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *at - '0', &sum))
            sum = INT64_MAX;
    if (!plb_word_ends(at))
        return NULL;
    *value = *from == '-' ? -sum : sum;
    return at;
}

/* The digits, with at most one point among them. Returns their end, or NULL where there is no digit. */
static inline const char *scan_digits(const char *at, bool whole, struct decimal *d)
{
    const uint64_t most = ((uint64_t)1 << 53) / 10 - 1; /* one digit more stays below 2^53 */
    bool any = false, fraction = false;
    for (; digit(*at) || (*at == '.' && !fraction && !whole); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        any = true;
        d->exact = d->exact && d->digits <= most;
        if (d->exact)
            d->digits = d->digits * 10 + (uint64_t)(*at - '0');
        d->scale -= fraction;
    }
    return any ? at : NULL;
}

/* Reads the digits after the e. Returns its end, or NULL where there is no digit. */
static inline const char *scan_exponent(const char *at, struct decimal *d)
{
    bool down = *at == '-';
    int64_t exponent = 0;
    at += *at == '-' || *at == '+';
    if (!digit(*at))
        return NULL;
    for (; digit(*at); at++)
        exponent = exponent < MOST_EXPONENT ? exponent * 10 + (*at - '0') : exponent;
    d->scale += down ? -exponent : exponent;
    return at;
}

const char *plb_scan_decimal(const char *from, bool whole, double *value)
{
    static const double tens[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal d = {.exact = true};
    const char *at = scan_digits(from + (*from == '-' || *from == '+'), whole, &d);
    if (at != NULL && !whole && (*at == 'e' || *at == 'E'))
        at = scan_exponent(at + 1, &d);
    if (at == NULL || !plb_word_ends(at))
        return NULL;
    if (d.exact && d.scale >= -EXACT_POWER && d.scale <= EXACT_POWER) {
        double size = d.scale < 0 ? (double)d.digits / tens[-d.scale] : (double)d.digits * tens[d.scale];
        *value = *from == '-' ? -size : size;
        return at;
    }
    char *stop;
    double nearest = strtod(from, &stop);
    if (stop != at) /* the locale has another decimal sign */
        return NULL;
    *value = nearest;
    return at;
}
