/* The bound of a finished run: the time in which its PUs together would have done the same work, if they
 * shared it perfectly at their measured rates. A pure function of what they reported.
 *
 * A PU's speed is what it held over the whole run, not its best moment. Where units cost what was told, its
 * tasks count as if all had been of the size in which it did most of its work: small tasks, as at the begin
 * and at the end of a run, pay for more starts.
 *
 * A PU that was busy b seconds at speed s has done s·b. The bound is Σ s·b / Σ s, a mean of the busy times,
 * so it is never above the longest of them, whatever the speeds. The speeds are work over seconds. Where
 * units cost other amounts than was told, these rates are doubtful. Then the bound depends on them where busy
 * times differ, and hardly where they are equal. So its error is known, and beyond PLB_BOUND_ERROR there is
 * no bound. Before that, the PUs of one model and power are taken for equally fast, and their rates are
 * pooled.
 *
 * Weak where each PU has done one kind of units: its tasks do not show that others' units cost more. */
#ifndef PLB_MODEL_BOUND_H
#define PLB_MODEL_BOUND_H

#include "model/tally.h"

/* Relative standard error beyond which the bound is unknown. Larger: a bound that may mislead is said.
 * Smaller: runs of unequal units have none more often. A choice: a mean loss of 10 % is what readers look
 * for. */
#define PLB_BOUND_ERROR 0.1

struct plb_bound_pu {
    const struct plb_tally *tally;
    int alike;        /* PUs of one model and power have the same number, from 0 to n - 1 */
    double best_rate; /* work per second of a PU that has reported nothing, by its curve; 0: unknown */
    bool refused;     /* it cannot take part */
};

/* Seconds for one phase; NAN where nobody can tell. `work` is what was done once; what was done twice was in
 * vain. `told`: the kernel says what units cost, which is believed until tasks show something else. */
double plb_bound(const struct plb_bound_pu *pus, int n, double work, bool told);

#endif
