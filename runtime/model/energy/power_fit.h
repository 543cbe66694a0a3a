/* Idle and busy watts from windows of time, by least squares without negative watts. Pure functions of
 * arrays; thread-safe.
 *
 * A meter counts y joules in a window. Column 0 is the window's length in seconds, and its watts are those
 * that are drawn all the time. Each other column is the busy seconds of some PUs that are alike, and its
 * watts are those that one of them draws besides. So y = Σ watts[j] · x[j], but for noise, whose square grows
 * as the window's length. Where windows cannot tell columns apart, their watts are as small as they can be.
 */
#ifndef PLB_MODEL_ENERGY_POWER_FIT_H
#define PLB_MODEL_ENERGY_POWER_FIT_H

#define PLB_POWER_COLUMNS 17 /* at most */

/* Numbers that the sums over windows of n columns have. Zeroed: there was no window. */
#define PLB_POWER_SUMS(n) ((n) * ((n) + 1))

/* Adds a window; x[0] is above 0. O(n²). */
void plb_power_fit_add(double *sums, int n, const double *x, double y);

/* The watts of each column; and the seconds of it that the other columns do not explain: 0: it cannot be told
 * apart from them. O(n³). */
void plb_power_fit(const double *sums, int n, double *watts, double *apart_s);

#endif
