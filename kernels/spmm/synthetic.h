/* Synthetic sparse matrices. The same seed gives the same matrix everywhere. */
#ifndef SPMM_SYNTHETIC_H
#define SPMM_SYNTHETIC_H

#include "plb/kernel.h"

enum spmm_kind {
    SPMM_UNIFORM,  /* every row has nnz_per_row entries in random columns */
    SPMM_POWERLAW, /* R-MAT (Chakrabarti, Zhan and Faloutsos 2004): a, b, c, d = 0.57, 0.19, 0.19, 0.05 */
    SPMM_ARROW,    /* a dense first row and column, and the diagonal */
    SPMM_LI,       /* dense but for a part of zeros, which is smaller in the first rows than in the last */
};
#define SPMM_KINDS "uniform|powerlaw|arrow|li" /* as users name them, in the enum's order */

struct spmm_spec {
    enum spmm_kind kind;
    int64_t rows, columns;
    int64_t nnz_per_row; /* uniform, powerlaw: entries drawn */
    double zeros;        /* li: their part, 0 to 1. Of two shares 1 : 3 of the rows, the first has 1.73
                            times its share of the work, as Li et al. measured (Table 2) */
    uint64_t seed;
};

/* Makes a matrix with values in [-1, 1). Columns ascend in each row without duplicates, so a row may have
 * fewer entries than were drawn. The arrays belong to the app. Where there is no memory, plb_app_error has
 * said so and matrix->offsets is NULL. */
void spmm_synthetic(struct plb_app *app, const struct spmm_spec *spec, struct plb_csr *matrix);

#endif
