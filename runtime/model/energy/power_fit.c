/* Normal equations, with a little of the identity added, so that they can always be solved; LAPACK's Cholesky
 * (dpotrf, dpotri) solves them. */
#include "model/energy/power_fit.h"

#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define N PLB_POWER_COLUMNS

/* The part of the largest diagonal that is added to all. Larger: watts are too small. Smaller: rounding
 * errors (1e-16) make watts of columns that are alike. */
#define RIDGE 1e-7

void plb_power_fit_add(double *sums, int n, const double *x, double y)
{
    double weight = 1.0 / x[0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            sums[i * n + j] += weight * x[i] * x[j];
        sums[n * n + i] += weight * x[i] * y;
    }
}

/* Inverts a positive definite matrix in place; false where it is none. */
static bool invert(double a[N][N], int n)
{
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a[0], N) != 0
        || LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', n, a[0], N) != 0)
        return false;
    for (int i = 0; i < n; i++) /* LAPACK's lower half is the upper one here */
        for (int j = 0; j < i; j++)
            a[i][j] = a[j][i];
    return true;
}

/* Solves for the columns that are used. `inverse` is of these. Returns false, with all watts 0, where the
 * sums have no solution. */
static bool solve(const double *sums, int n, double ridge, const bool *used, double inverse[N][N],
                  double *watts)
{
    int which[N], k = 0;
    for (int j = 0; j < n; j++)
        if (used[j])
            which[k++] = j;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            inverse[i][j] = sums[which[i] * n + which[j]] + (i == j ? ridge : 0.0);
    memset(watts, 0, (size_t)n * sizeof *watts);
    if (!invert(inverse, k))
        return false;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            watts[which[i]] += inverse[i][j] * sums[n * n + which[j]];
    return true;
}

void plb_power_fit(const double *sums, int n, double *watts, double *apart_s)
{
    double inverse[N][N], most = 0.0;
    bool used[N];
    for (int j = 0; j < n; j++) {
        most = fmax(most, sums[j * n + j]);
        used[j] = true;
        watts[j] = apart_s[j] = 0.0;
    }
    if (!(most > 0.0) || !solve(sums, n, RIDGE * most, used, inverse, watts))
        return;
    for (int j = 0; j < n; j++)
        apart_s[j] = fmax(1.0 / inverse[j][j] - 2.0 * RIDGE * most, 0.0);
    for (int left = n; left > 1; left--) { /* the most negative one becomes 0 */
        int least = 0;
        for (int j = 1; j < n; j++)
            least = watts[j] < watts[least] ? j : least;
        if (watts[least] >= 0.0)
            return;
        used[least] = false;
        if (!solve(sums, n, RIDGE * most, used, inverse, watts))
            return;
    }
    for (int j = 0; j < n; j++)
        watts[j] = fmax(watts[j], 0.0);
}
