/* Rows of numbers become columns in vectors; number by number that takes as long as much arithmetic. */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <stdint.h>

#define WIDE 8 /* numbers of a vector of AVX-512; others take several */
typedef double reals __attribute__((vector_size(WIDE * sizeof(double))));
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int64_t places __attribute__((vector_size(WIDE * sizeof(int64_t))));
#define PICK(a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

/* Exchanges rows and columns: parts of 1, 2 and 4 numbers between pairs of vectors. */
static inline __attribute__((always_inline)) void transpose(reals v[WIDE])
{
    reals a[WIDE], b[WIDE];
    for (int i = 0; i < WIDE; i += 2) {
        a[i] = PICK(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = PICK(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < WIDE; i += 4)
        for (int j = i; j < i + 2; j++) {
            b[j] = PICK(a[j], a[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[j + 2] = PICK(a[j], a[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int j = 0; j < 4; j++) {
        v[j] = PICK(b[j], b[j + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[j + 4] = PICK(b[j], b[j + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif
