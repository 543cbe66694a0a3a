/* Words of 8 bytes, then their halves. */
#include "check/rounding.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "plb/kernel.h"

/* Larger: small mistakes pass for rounding. Smaller: sums of many numbers in another order are taken for
 * mistakes. Where the type is unknown they are so small that half of a float64 is seldom taken for a float32,
 * or two of these for one float64: then the one that stands in the low half may be off by half a percent. */
#define RELATIVE_64 1e-11
#define RELATIVE_32 1e-5
#define TYPED_64 1e-9
#define TYPED_32 1e-4

/* The value of a word that can be a number of so many bytes. */
static bool is_number(const char *at, size_t size, double *value)
{
    float number;
    if (size == sizeof number) {
        memcpy(&number, at, sizeof number);
        *value = (double)number;
        return number == 0.0F || isnormal(number);
    }
    memcpy(value, at, sizeof *value);
    return *value == 0.0 || isnormal(*value);
}

static bool near(const char *a, const char *b, size_t size, double relative, double largest)
{
    double x, y;
    if (memcmp(a, b, size) == 0)
        return true;
    return is_number(a, size, &x) && is_number(b, size, &y)
        && fabs(x - y) <= relative * fmax(fmax(fabs(x), fabs(y)), largest);
}

double plb_rounding_largest(const void *elements, size_t bytes, enum plb_reduce_type type)
{
    size_t size = type == PLB_FLOAT64 ? sizeof(double) : sizeof(float);
    double most = 0.0, value;
    if (type == PLB_FLOAT64 || type == PLB_FLOAT32)
        for (size_t i = 0; i + size <= bytes; i += size)
            if (is_number((const char *)elements + i, size, &value))
                most = fmax(most, fabs(value));
    return most;
}

/* Bytes of the element at byte i, if it differs by no more than rounding; else 0. */
static size_t step(const char *a, const char *b, size_t i, size_t bytes)
{
    if (bytes % sizeof(double) == 0 && i % sizeof(double) == 0
        && near(a + i, b + i, sizeof(double), RELATIVE_64, 0.0))
        return sizeof(double);
    if (bytes % sizeof(float) == 0)
        return near(a + i, b + i, sizeof(float), RELATIVE_32, 0.0) ? sizeof(float) : 0;
    return a[i] == b[i];
}

int64_t plb_rounding_differs(const void *one, const void *other, size_t bytes, enum plb_reduce_type type,
                             double largest)
{
    const char *a = one, *b = other;
    bool typed = type == PLB_FLOAT64 || type == PLB_FLOAT32;
    size_t size = type == PLB_FLOAT64 ? sizeof(double) : sizeof(float);
    double relative = type == PLB_FLOAT64 ? TYPED_64 : TYPED_32;
    if (memcmp(a, b, bytes) == 0)
        return PLB_SAME;
    for (size_t i = 0, n; i < bytes; i += n) {
        n = !typed ? step(a, b, i, bytes) : near(a + i, b + i, size, relative, largest) ? size : 0;
        if (n == 0)
            return (int64_t)i;
    }
    return PLB_SAME;
}
