/* Random numbers by index: any element of a sequence, in any order (see plb/kernel.h). */
#include "plb/kernel.h"

uint64_t plb_random_bits(uint64_t seed, uint64_t index)
{
    /* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the index-th output of the stream `seed`. */
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double plb_random_real(uint64_t seed, uint64_t index)
{
    return (double)(plb_random_bits(seed, index) >> 11) * 0x1p-53;
}
