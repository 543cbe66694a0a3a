/* Normally distributed random numbers: any element of a sequence, in any order. Pure; thread-safe. */
#ifndef PLB_BASE_NORMAL_H
#define PLB_BASE_NORMAL_H

#include <stdint.h>

/* Element `index` of the sequence `seed`; mean 0, standard deviation 1. */
double plb_random_normal(uint64_t seed, uint64_t index);

#endif
