/* Whole numbers become float64, half precision float32: both are exact, or refused. */
#include "format/npy/type.h"

#include <math.h>
#include <string.h>

#define LARGEST ((uint64_t)1 << 53) /* every whole number up to it is a double */

static const struct plb_npy_type types[] = {
    {"<f4", PLB_NPY_REAL, 4, 4},     {"<f8", PLB_NPY_REAL, 8, 8},     {"<f2", PLB_NPY_HALF, 2, 4},
    {"|b1", PLB_NPY_UNSIGNED, 1, 8}, {"|u1", PLB_NPY_UNSIGNED, 1, 8}, {"<u2", PLB_NPY_UNSIGNED, 2, 8},
    {"<u4", PLB_NPY_UNSIGNED, 4, 8}, {"<u8", PLB_NPY_UNSIGNED, 8, 8}, {"|i1", PLB_NPY_SIGNED, 1, 8},
    {"<i2", PLB_NPY_SIGNED, 2, 8},   {"<i4", PLB_NPY_SIGNED, 4, 8},   {"<i8", PLB_NPY_SIGNED, 8, 8},
};

const struct plb_npy_type *plb_npy_type_find(const char *descr)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].descr, descr) == 0)
            return &types[i];
    return NULL;
}

/* IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. */
static float half(uint64_t bits)
{
    double fraction = (double)(bits & 0x3ff), sign = bits & 0x8000 ? -1.0 : 1.0;
    int exponent = (int)(bits >> 10 & 0x1f);
    if (exponent == 0x1f)
        return (float)(fraction != 0.0 ? NAN : sign * INFINITY);
    if (exponent > 0)
        fraction += 0x400;
    return (float)(sign * ldexp(fraction, (exponent > 0 ? exponent : 1) - 25));
}

/* The magnitude of a whole number of so many bytes; *negative: its sign. */
static uint64_t magnitude(uint64_t bits, size_t bytes, bool is_signed, bool *negative)
{
    uint64_t top = (uint64_t)1 << (8 * bytes - 1);
    *negative = is_signed && (bits & top) != 0;
    return *negative ? (top - (bits & (top - 1))) : bits;
}

size_t plb_npy_convert(const struct plb_npy_type *type, const void *from, size_t n, void *to)
{
    size_t size = type->file_bytes;
    if (type->kind == PLB_NPY_REAL) {
        memcpy(to, from, n * size);
        return n;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        bool negative;
        memcpy(&bits, (const char *)from + i * size, size);
        if (type->kind == PLB_NPY_HALF) {
            ((float *)to)[i] = half(bits);
            continue;
        }
        uint64_t value = magnitude(bits, size, type->kind == PLB_NPY_SIGNED, &negative);
        if (value > LARGEST)
            return i;
        ((double *)to)[i] = negative ? -(double)value : (double)value;
    }
    return n;
}
