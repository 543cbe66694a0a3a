/* The types of elements that .npy files have, and how they become real numbers. */
#ifndef PLB_FORMAT_NPY_TYPE_H
#define PLB_FORMAT_NPY_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plb_npy_kind { PLB_NPY_REAL, PLB_NPY_HALF, PLB_NPY_SIGNED, PLB_NPY_UNSIGNED };

struct plb_npy_type {
    const char *descr; /* as the header has it */
    enum plb_npy_kind kind;
    size_t file_bytes, bytes; /* of an element: in the file, and when it is read: 4 float32, 8 float64 */
};

/* NULL for a type that is not read. */
const struct plb_npy_type *plb_npy_type_find(const char *descr);

/* Makes real numbers of n elements, little-endian. `to` and `from` are apart. Returns n, or the first element
 * that no double is equal to: a whole number beyond 2^53. Types that are real already are copied. */
size_t plb_npy_convert(const struct plb_npy_type *type, const void *from, size_t n, void *to);

#endif
