/* Box and Muller (1958), the cosine half. */
#include "base/normal.h"

#include <math.h>

#include "plb/kernel.h"

#define TWO_PI 6.283185307179586

double plb_random_normal(uint64_t seed, uint64_t index)
{
    double u = 1.0 - plb_random_real(seed, 2 * index), v = plb_random_real(seed, 2 * index + 1);
    return sqrt(-2.0 * log(u)) * cos(TWO_PI * v);
}
