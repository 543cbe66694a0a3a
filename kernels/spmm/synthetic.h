/* Synthetic sparse matrices, the same everywhere for the same seed. */
#ifndef SPMM_SYNTHETIC_H
#define SPMM_SYNTHETIC_H

#include "plb/kernel.h"

enum spmm_kind {
    SPMM_UNIFORM,   /* every row has nnz_per_row entries in random columns */
    SPMM_POWERLAW,  /* R-MAT (Chakrabarti, Zhan and Faloutsos 2004), with a, b, c, d = 0.57, 0.19, 0.19, 0.05 */
    SPMM_ARROW,     /* a dense first row and column, and the diagonal */
    SPMM_LI,        /* this part of zeros, fewer in the first rows than in the last: of two shares 1 : 3 of the
                       rows, the first has 1.73 times its share of the work, as Li et al. measured (Table 2) */
};
#define SPMM_KINDS "uniform|powerlaw|arrow|li" /* as users name them, in the enum's order */

/* Makes a matrix whose values are in [-1, 1). Columns of a row ascend without duplicates, so a row may have
 * fewer entries than were drawn. nnz_per_row serves the first two kinds, `zeros` the last. The arrays belong
 * to the app. Where there is no memory, plb_app_error has said so and matrix->offsets is NULL. */
void spmm_synthetic(struct plb_app *app, enum spmm_kind kind, int64_t rows, int64_t columns,
                    int64_t nnz_per_row, double zeros, uint64_t seed, struct plb_csr *matrix);

#endif
