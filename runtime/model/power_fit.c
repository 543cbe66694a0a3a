/* Normal equations, with a little of the identity added, so that they can always be solved. */
#include "model/power_fit.h"

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

/* Inverts a positive definite matrix in place (Gauss, Jordan; no pivots are needed). */
static void invert(double a[N][N], int n)
{
    for (int k = 0; k < n; k++) {
        double pivot = a[k][k];
        a[k][k] = 1.0;
        for (int j = 0; j < n; j++)
            a[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = a[i][k];
            if (i == k)
                continue;
            a[i][k] = 0.0;
            for (int j = 0; j < n; j++)
                a[i][j] -= factor * a[k][j];
        }
    }
}

/* Solves for the columns that are used. `inverse` is of these. */
static void solve(const double *sums, int n, double ridge, const bool *used, double inverse[N][N],
                  double *watts)
{
    int which[N], k = 0;
    for (int j = 0; j < n; j++)
        if (used[j])
            which[k++] = j;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            inverse[i][j] = sums[which[i] * n + which[j]] + (i == j ? ridge : 0.0);
    invert(inverse, k);
    memset(watts, 0, (size_t)n * sizeof *watts);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            watts[which[i]] += inverse[i][j] * sums[n * n + which[j]];
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
    if (!(most > 0.0))
        return;
    solve(sums, n, RIDGE * most, used, inverse, watts);
    for (int j = 0; j < n; j++)
        apart_s[j] = fmax(1.0 / inverse[j][j] - 2.0 * RIDGE * most, 0.0);
    for (int left = n; left > 1; left--) { /* the most negative one becomes 0 */
        int least = 0;
        for (int j = 1; j < n; j++)
            least = watts[j] < watts[least] ? j : least;
        if (watts[least] >= 0.0)
            return;
        used[least] = false;
        solve(sums, n, RIDGE * most, used, inverse, watts);
    }
    for (int j = 0; j < n; j++)
        watts[j] = fmax(watts[j], 0.0);
}
