/* Whether a PU has become faster or slower, by its reports: pure arithmetic on its samples.
 *
 * A report is compared with what those before it predict for its size. How far reports usually are off is
 * kept too: the median of the latest ones, in logarithms, which a change or a few hiccups do not move. A
 * change is believed when three reports in a row are off by more than 15 % in one direction, or a single one
 * by half and by more than half a second, which is no hiccup; and by clearly more than is usual. So a steady
 * PU is followed at once, and a PU on a busy machine, whose times scatter, only where reports say the same
 * in spite of that. A single report that was a hiccup after all is taken back by the next one. A block that
 * was under way when its PU changed tells of a smaller change than there was. So where a single report showed
 * the change, the next ones of such sizes correct it. Cost: O(1) per report. */
#ifndef PLB_CORE_MEASURE_SPEED_CHANGE_H
#define PLB_CORE_MEASURE_SPEED_CHANGE_H

#include <stdint.h>

#include "plb/balancer.h"

#define PLB_SPEED_OFFS \
    32 /* reports whose errors are kept. More: a machine that calms down is doubted longer. */

/* A zeroed struct is that of a new PU. */
struct plb_speed_change {
    int drawn;        /* samples that there were when the line was drawn */
    double low, high; /* sizes that it was drawn through, in work */
    double constant,
        slope; /* seconds, and seconds per work: a straight line, a first look that costs little */
    double offs[PLB_SPEED_OFFS]; /* by which the latest reports were off, as logarithms: a ring */
    int n_offs;                  /* how many there were */
    int changed;                 /* samples up to the single one that showed a change; 0 or less: none */
};

/* The change that the latest of n samples shows, as a factor on the seconds of samples [0, *from): 1 where it
 * shows none. `fits` counts fits; may be NULL. */
double plb_speed_change(struct plb_speed_change *change, const struct plb_sample *at, int n, int *from,
                        int64_t *fits);

/* By how much more [0, *from) are to be scaled: the middle of what the first eight reports since the change
 * say. 1 where there is none to correct, or they say nothing. A fit for each of these reports. */
double plb_speed_change_correction(struct plb_speed_change *change, const struct plb_sample *at, int n,
                                   int *from, int64_t *fits);

/* The first `n` samples are dropped. */
void plb_speed_change_forget(struct plb_speed_change *change, int n);

/* The work of samples has changed: they are compared anew. */
void plb_speed_change_recount(struct plb_speed_change *change);

#endif
