/* Whether two results differ by more than rounding, where the kernel has no `agree`. Pure functions. */
#ifndef PLB_CHECK_ROUNDING_H
#define PLB_CHECK_ROUNDING_H

#include <stddef.h>
#include <stdint.h>

#include "plb/reduce.h"

/* The first byte of an element that differs by more than rounding; PLB_SAME: there is none.
 *
 * type 0: nobody knows the elements. Then words that can be float64 or float32 may differ by 1e-11 and 1e-5
 * of their magnitude, and others not at all; whole numbers below 2^23 are no such words. PLB_FLOAT64,
 * PLB_FLOAT32: elements may differ by 1e-9 and 1e-4 of their magnitude or, where it is more, of `largest`. */
int64_t plb_rounding_differs(const void *one, const void *other, size_t bytes, enum plb_reduce_type type,
                             double largest);

/* The largest magnitude of elements of a type; 0: whole numbers, and type 0. */
double plb_rounding_largest(const void *elements, size_t bytes, enum plb_reduce_type type);

#endif
