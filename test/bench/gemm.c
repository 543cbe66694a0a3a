/* Plain OpenBLAS: seconds of one cblas_dgemm of order n (argument). */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "plb/kernel.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    size_t size = (size_t)n * (size_t)n;
    double *a = plb_alloc(size * sizeof *a), *b = plb_alloc(size * sizeof *b),
           *c = plb_alloc(size * sizeof *c);
    for (size_t i = 0; i < size; i++) {
        a[i] = 2.0 * plb_random_real(2, i) - 1.0;
        b[i] = 2.0 * plb_random_real(3, i) - 1.0;
    }
    double began = plb_now();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
    printf("%.6f\n", plb_now() - began);
    free(a);
    free(b);
    free(c);
    return 0;
}
