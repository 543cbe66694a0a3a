/* A sparse matrix as (row, column, value) in the order of a file, and its conversion to compressed sparse
 * rows. */
#ifndef PLB_FORMAT_MTX_TRIPLETS_H
#define PLB_FORMAT_MTX_TRIPLETS_H

#include "base/error.h"
#include "plb/kernel.h"

enum plb_symmetry { PLB_GENERAL, PLB_SYMMETRIC, PLB_SKEW_SYMMETRIC };

struct plb_triplet {
    int64_t row;    /* from 0 */
    int32_t column; /* from 0 */
    double value;
};

struct plb_triplets {
    enum plb_symmetry symmetry; /* unless general, `at` has one triangle and the diagonal */
    int64_t rows, columns;
    int64_t n;
    struct plb_triplet *at;
};

/* Makes compressed sparse rows. Symmetric and skew-symmetric matrices get both triangles, the columns of a
 * row ascend, duplicates are summed in the order of the file. The arrays are from plb_alloc, to be freed. */
void plb_triplets_compress(const struct plb_triplets *triplets, struct plb_csr *matrix);

#endif
