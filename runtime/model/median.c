/* The order of numbers. */
#include "model/median.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void plb_sort(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
}

double plb_median(double *values, int n)
{
    plb_sort(values, n);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}
