/* One function for several instruction sets: a part of the kernel API (plb/kernel.h, which includes it). */
#ifndef PLB_CLONES_H
#define PLB_CLONES_H

#include <stdint.h>

/* Before a function with loops that the compiler vectorises: it is compiled for AVX-512, for AVX2 and for any
 * x86-64, and the processor decides at load time which one runs. Functions that it calls are inlined to be
 * part of that. A parallel region of OpenMP is no part of it: call the function from there. Where each step
 * is rounded as written (-ffp-contract=off, the default of gcc -std=c11), all give the same bits.
 *
 * Nothing for other processors, compilers and C libraries. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) \
    && (__GNUC__ >= 12 || __clang_major__ >= 14)
#define PLB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PLB_CLONES
#endif

#endif
