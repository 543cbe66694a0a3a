/* Most numbers in files are short. Up to 2^53 for the digits and 10^22 for the power of ten, both are exact
 * doubles, so one multiplication or division gives the nearest double (Clinger, PLDI 1990). Those of programs
 * that print all digits have 17. Up to 19 digits and 10^27, a product or quotient of whole numbers is exact
 * in 128 bits and a remainder, and is rounded once. strtod reads the others. */
#include "format/number.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_POWER 22       /* 10^22 is the largest power of ten that is a double */
#define MOST_POWER 27        /* 5^27 is the largest power of five below 2^63 */
#define MOST_EXPONENT 100000 /* larger exponents are not told apart: the number is infinite or 0 */

/* A number as its digits, without the point, times ten to the power of `scale`. */
struct decimal {
    uint64_t digits;
    int64_t scale;
    bool exact; /* `digits` has all of them */
};

__extension__ typedef unsigned __int128 wide;

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
    const uint64_t most = UINT64_MAX / 10 - 1; /* one digit more stays below 2^64 */
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

/* The double that is nearest to m * 2^power, of two equally near ones the even one; rest: m is less than one
 * too small. m is at least 2^62, and the result a normal number. */
static double nearest_double(uint64_t m, int power, bool rest)
{
    int up = __builtin_clzll(m);
    m <<= up;
    uint64_t kept = m >> 11, cut = m & 0x7ff, half = 0x400;
    kept += cut > half || (cut == half && (rest || (kept & 1) != 0));
    uint64_t bits = kept + ((uint64_t)(power - up + 11 + 52 + 1022) << 52); /* a carry goes to the exponent */
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Powers of five. */
static const uint64_t fives[MOST_POWER + 1] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    6103515625,
    30517578125,
    152587890625,
    762939453125,
    3814697265625,
    19073486328125,
    95367431640625,
    476837158203125,
    2384185791015625,
    11920928955078125,
    59604644775390625,
    298023223876953125,
    1490116119384765625,
    7450580596923828125,
};

/* digits * 10^scale, for digits above 0 and powers of at most MOST_POWER. */
static double scaled(uint64_t digits, int scale)
{
    if (scale >= 0) {
        wide product = (wide)digits * fives[scale];
        int up = (product >> 64) != 0 ? __builtin_clzll((uint64_t)(product >> 64))
                                      : 64 + __builtin_clzll((uint64_t)product);
        product <<= up;
        return nearest_double((uint64_t)(product >> 64), scale + 64 - up, (uint64_t)product != 0);
    }
    int up = __builtin_clzll(digits), five_up = __builtin_clzll(fives[-scale]);
    uint64_t five = fives[-scale] << five_up;
    wide top = (wide)(digits << up) << 63; /* so that the quotient is from 2^62 to 2^64 */
    uint64_t quotient = (uint64_t)(top / five);
    return nearest_double(quotient, scale - up - 63 + five_up, (wide)quotient * five != top);
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
    bool small = d.exact && d.digits <= (uint64_t)1 << 53;
    if (small && d.scale >= -EXACT_POWER && d.scale <= EXACT_POWER) {
        double size = d.scale < 0 ? (double)d.digits / tens[-d.scale] : (double)d.digits * tens[d.scale];
        *value = *from == '-' ? -size : size;
        return at;
    }
    if (d.exact && d.digits > 0 && d.scale >= -MOST_POWER && d.scale <= MOST_POWER) {
        double size = scaled(d.digits, (int)d.scale);
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
