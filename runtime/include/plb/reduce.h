/* Part of the kernel API (plb/kernel.h, which includes it): how reduced arrays (PLB_REDUCE) become one. */
#ifndef PLB_REDUCE_H
#define PLB_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How two arrays become one. */
enum plb_reduce_op {
    PLB_SUM,     /* numbers, element by element. Sums of whole numbers wrap around */
    PLB_MIN,     /* numbers, element by element. A NaN never counts; where all are NaN: infinity */
    PLB_MAX,     /* the same */
    PLB_ARG_MIN, /* pairs, element by element: the one with the smallest value */
    PLB_ARG_MAX, /* pairs, element by element: the one with the largest value */
    PLB_TOP_MIN, /* lists of pairs: those with the smallest values, the smallest first */
    PLB_TOP_MAX, /* lists of pairs: those with the largest values, the largest first */
    PLB_OWN_FOLD /* anything: plb_kernel.fold does it */
};

/* The type of a number, and of the value in a pair. 0 is none, so that nobody gets one by forgetting it. */
enum plb_reduce_type { PLB_FLOAT64 = 1, PLB_INT64, PLB_FLOAT32, PLB_INT32 };

/* The pairs of PLB_ARG_MIN to PLB_TOP_MAX, one struct for each type. `index` is what the kernel likes, such
 * as the number of a unit. Of equal values the smaller index counts, so that the order of tasks does not
 * matter. A pair whose value is NaN never counts. `unused` is 0. */
struct plb_pair_float64 {
    double value;
    int64_t index;
};
struct plb_pair_int64 {
    int64_t value, index;
};
struct plb_pair_float32 {
    float value;
    uint32_t unused;
    int64_t index;
};
struct plb_pair_int32 {
    int32_t value;
    uint32_t unused;
    int64_t index;
};

/* The index in a pair that nobody has written. It loses against each other one. */
#define PLB_NO_INDEX INT64_MAX

/* Puts a pair into a sorted list of n pairs, and drops the last one of them, if it ranks before that. So an
 * entry makes its list of PLB_TOP_MIN or PLB_TOP_MAX; with n = 1 also an element of PLB_ARG_MIN or
 * PLB_ARG_MAX. `pair` and the list are structs of the type. A pure function; a cpu entry may call it. */
void plb_top_add(enum plb_reduce_op op, enum plb_reduce_type type, void *list, size_t n, const void *pair);

#ifdef __cplusplus
}
#endif

#endif
