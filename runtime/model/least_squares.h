/* Linear least squares with few columns, of which only some are used at a time: all samples are reduced once
 * to a small triangle, and each choice of columns is then a tiny problem. Pure functions; thread-safe. */
#ifndef PLB_MODEL_LEAST_SQUARES_H
#define PLB_MODEL_LEAST_SQUARES_H

#include <stdbool.h>

#define PLB_LS_COLUMNS 8 /* of the full problem */
#define PLB_LS_CHOSEN 3  /* columns used at a time, at most */

/* R · a ≈ q. The full problem F · a ≈ t with F = Q · R has the same solution for any choice of columns. */
struct plb_reduced {
    double r[PLB_LS_COLUMNS][PLB_LS_COLUMNS]; /* r[j]: column j; zero below the diagonal */
    double squares[PLB_LS_COLUMNS];           /* of the columns' lengths */
    double q[PLB_LS_COLUMNS];
    double rest; /* squared residual that no choice of columns removes */
};

/* Reduces a problem of `rows` rows, at least PLB_LS_COLUMNS + 1 of them; rows of zeros do no harm. `matrix`
 * has the columns one after the other, and then the right side. It is overwritten. O(rows). Returns false
 * where numbers overflow or are not finite; `out` is then of no use. */
bool plb_reduce(double *matrix, int rows, struct plb_reduced *out);

/* Solves for the columns whose bits are set in `chosen`, 1 to PLB_LS_CHOSEN of them; the other a[j] become 0.
 * Returns the squared residual; negative where the columns cannot be told apart or numbers overflow. */
double plb_solve_columns(const struct plb_reduced *reduced, unsigned chosen, double a[PLB_LS_COLUMNS]);

/* Solves for all columns, which may be more than the samples, by LAPACK's QR with pivoting (dgelsy). The
 * columns are scaled to one length. Directions in which they are less than `tolerance` (0 to 1) of their
 * length count as zero, and of all solutions then a[] is the shortest. Returns the rank: the number of
 * directions that counted; 0 where numbers overflow, and a[] is of no use then. */
int plb_solve_all_columns(const struct plb_reduced *reduced, double tolerance, double a[PLB_LS_COLUMNS]);

#endif
