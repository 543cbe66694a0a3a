/* LAPACK's QR (dgeqrf) reduces the samples, the right side with them. A choice of columns of the triangle is
 * then made orthogonal one column after the other (modified Gram-Schmidt, the right side included), which is
 * as exact as reflections for the solution (Björck, BIT 7, 1967). That small solve stays here because a fit
 * makes up to 92 of them, and LAPACK's dgels takes six to nine times as long for three columns of eight
 * numbers: `make bench` measures both. Weak where columns nearly depend on each other: the coefficients are
 * then large, though the sum is not. */
#include "model/least_squares.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#define N PLB_LS_COLUMNS

/* A column whose part that the others do not explain is smaller than this fraction of it is taken for
 * dependent. Larger: columns that differ are refused. Smaller: rounding errors (1e-16) make coefficients. */
#define DEPENDENT 1e-12

/* Columns that dgeqrf may take at a time, for the size of its workspace: what LAPACK's ilaenv says for it.
 * With less it takes one column at a time. */
#define BLOCK 32

/* Four sums at a time, which do not wait for each other. */
static double dot(const double *a, const double *b, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* a -= s · b */
static void subtract(double *a, double s, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] -= s * b[i];
}

bool plb_reduce(double *matrix, int rows, struct plb_reduced *out)
{
    double tau[N + 1], work[(N + 1) * BLOCK];
    if (LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, N + 1, matrix, rows, tau, work, (N + 1) * BLOCK) != 0)
        return false;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++)
            out->r[j][i] = i <= j ? matrix[j * rows + i] : 0.0;
        out->squares[j] = dot(out->r[j], out->r[j], N);
    }
    memcpy(out->q, matrix + N * rows, sizeof out->q);
    double last = matrix[N * rows + N];
    out->rest = last * last;
    return isfinite(out->rest);
}

double plb_solve_columns(const struct plb_reduced *red, unsigned chosen, double a[N])
{
    double column[PLB_LS_CHOSEN][N], upper[PLB_LS_CHOSEN][PLB_LS_CHOSEN], x[PLB_LS_CHOSEN], rest[N];
    int which[PLB_LS_CHOSEN], k = 0, n = 0; /* rows from n on are zero in all of them */
    for (int j = 0; j < N; j++)
        if (chosen & (1u << j)) {
            memcpy(column[k], red->r[j], sizeof column[k]);
            which[k++] = j;
            n = j + 1;
        }
    memcpy(rest, red->q, sizeof rest);
    for (int c = 0; c < k; c++) {
        double left = dot(column[c], column[c], n);
        if (!(left > DEPENDENT * DEPENDENT * red->squares[which[c]]))
            return -1.0;
        for (int d = c + 1; d < k; d++) {
            upper[c][d] = dot(column[c], column[d], n) / left;
            subtract(column[d], upper[c][d], column[c], n);
        }
        x[c] = dot(column[c], rest, n) / left;
        subtract(rest, x[c], column[c], n);
    }
    memset(a, 0, N * sizeof *a);
    for (int c = k - 1; c >= 0; c--) {
        for (int d = c + 1; d < k; d++)
            x[c] -= upper[c][d] * x[d];
        if (!isfinite(x[c]))
            return -1.0;
        a[which[c]] = x[c];
    }
    double squares = red->rest + dot(rest, rest, N);
    return isfinite(squares) ? squares : -1.0;
}

/* Numbers of workspace that dgelsy takes for N rows and columns and one right side, by its manual. */
#define PIVOTING_WORK (3 * N + (N + 1) * BLOCK)

int plb_solve_all_columns(const struct plb_reduced *red, double tolerance, double a[N])
{
    double matrix[N * N], right[N], length[N], work[PIVOTING_WORK];
    lapack_int free_columns[N] = {0}, rank = 0; /* 0: dgelsy may move the column */
    for (int j = 0; j < N; j++) {
        length[j] = red->squares[j] > 0.0 ? sqrt(red->squares[j]) : 1.0;
        for (int i = 0; i < N; i++)
            matrix[j * N + i] = red->r[j][i] / length[j];
    }
    memcpy(right, red->q, sizeof right);
    if (LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, N, N, 1, matrix, N, right, N, free_columns, tolerance, &rank,
                            work, PIVOTING_WORK)
        != 0)
        return 0;
    for (int j = 0; j < N; j++) {
        a[j] = right[j] / length[j];
        if (!isfinite(a[j]))
            return 0;
    }
    return (int)rank;
}
