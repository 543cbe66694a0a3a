/* A sparse matrix as (row, column, value) in the order of a file, and what the file says of it. */
#ifndef PLB_FORMAT_TRIPLETS_H
#define PLB_FORMAT_TRIPLETS_H

#include "base/error.h"
#include "plb/kernel.h"

enum field { REAL, INTEGER, PATTERN, FIELDS };
enum symmetry { GENERAL, SYMMETRIC, SKEW, SYMMETRIES };

struct entry {
    int64_t row;    /* from 0 */
    int32_t column;
    double value;
};

struct triplets {
    enum field field;
    enum symmetry symmetry;
    int64_t rows, columns;
    int64_t count;          /* entries in the file */
    struct entry *entries;
    int64_t upper, lower;   /* how many lie above and below the diagonal */
};

/* Compressed sparse rows of the triplets: both triangles where they are symmetric or skew-symmetric,
 * columns ascending in each row, duplicates summed. The arrays are from plb_alloc. */
void plb_triplets_compress(const struct triplets *triplets, struct plb_csr *matrix);

#endif
