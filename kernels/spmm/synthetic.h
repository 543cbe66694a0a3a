/* Synthetic sparse matrices, the same everywhere for the same seed. */
#ifndef SPMM_SYNTHETIC_H
#define SPMM_SYNTHETIC_H

#include "plb/kernel.h"

/* kind: "uniform" (every row has nnz_per_row entries in random columns), "powerlaw" (R-MAT,
 * Chakrabarti, Zhan and Faloutsos 2004, with a, b, c, d = 0.57, 0.19, 0.19, 0.05), "arrow" (a dense first
 * row and column, and the diagonal), or "li": this part of zeros, fewer in the first rows than in the last,
 * so that of two shares 1 : 3 of the rows the first has 1.73 times its share of the work, as Li et al.
 * measured (Table 2). Columns of a row ascend without duplicates, so a row may have fewer entries than were
 * drawn. Values in [-1, 1). */
void spmm_synthetic(struct plb_app *app, const char *kind, int64_t rows, int64_t columns,
                    int64_t nnz_per_row, double zeros, uint64_t seed, struct plb_csr *matrix);

#endif
