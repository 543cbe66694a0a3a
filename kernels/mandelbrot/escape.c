/* All points of a group make all steps, and each counts its own. |z| grows once it is above 2, up to
 * infinity, and then to no number, which compares as above 2. */
#include "escape.h"

#include <string.h>

/* Steps between two looks at whether all have escaped. More: steps for nothing. Fewer: more looks. */
#define STEPS 16

#define WIDE 8 /* numbers of a vector of AVX-512; others take several */
#define VECTORS (LANES / WIDE)

typedef double reals __attribute__((vector_size(WIDE * sizeof(double))));
typedef int64_t wholes __attribute__((vector_size(WIDE * sizeof(int64_t))));

PLB_CLONES static void escape_all(const double re[LANES], const double im[LANES], int64_t depth,
                                  int64_t counts[LANES])
{
    reals x[VECTORS], y[VECTORS], xx[VECTORS], yy[VECTORS], cx[VECTORS], cy[VECTORS];
    wholes n[VECTORS];
    memcpy(cx, re, sizeof cx);
    memcpy(cy, im, sizeof cy);
    for (int v = 0; v < VECTORS; v++) {
        x[v] = y[v] = xx[v] = yy[v] = (reals){0.0};
        n[v] = (wholes){0};
    }
    bool some = true;
    for (int64_t done = 0; done < depth && some; done += STEPS) {
        int64_t steps = depth - done < STEPS ? depth - done : STEPS;
        for (int64_t s = 0; s < steps; s++)
            for (int v = 0; v < VECTORS; v++) {
                reals xy = x[v] * y[v];
                x[v] = xx[v] - yy[v] + cx[v];
                y[v] = xy + xy + cy[v];
                xx[v] = x[v] * x[v];
                yy[v] = y[v] * y[v];
                n[v] -= (wholes)(xx[v] + yy[v] <= 4.0); /* true is -1 */
            }
        some = false;
        for (int v = 0; v < VECTORS; v++)
            for (int l = 0; l < WIDE; l++)
                some = some || n[v][l] == done + steps;
    }
    memcpy(counts, n, sizeof n);
}

void escape(const struct window *w, int64_t row, int64_t column, int64_t n, float *steps)
{
    double re[LANES], im[LANES];
    int64_t counts[LANES];
    for (int64_t l = 0; l < LANES; l++) {
        re[l] = w->left + w->pixel * ((double)(column + (l < n ? l : n - 1)) + 0.5);
        im[l] = w->top - w->pixel * ((double)row + 0.5);
    }
    escape_all(re, im, w->depth, counts);
    for (int64_t l = 0; l < n; l++)
        steps[l] = (float)counts[l];
}
