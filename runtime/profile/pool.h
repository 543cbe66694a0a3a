/* A profile: the times of a kernel on a processing unit, by size. It is made from what a run measured.
 *
 * Pure functions; thread-safe. */
#ifndef PLB_PROFILE_POOL_H
#define PLB_PROFILE_POOL_H

#include <stdbool.h>

#include "plb/balancer.h"

/* Samples of a profile at most. More: a larger file, and nothing that a curve shows. Fewer: a curve with
 * several bends loses some. A curve is fitted to the last PLB_MAX_SAMPLES, of which a run needs some for its
 * own. */
#define PLB_PROFILE_ROWS 32

/* The largest size of a profile is at least this multiple of the smallest; below, it has no shape. Larger:
 * short runs leave no profile. Smaller: curves rest on sizes that hardly differ. */
#define PLB_PROFILE_SPREAD 1.5

/* By size. In a sample, `work` is the kernel's cost of a task, whatever the input it was measured on; `time`
 * is 0. */
struct plb_profile {
    int n;
    struct plb_sample at[PLB_PROFILE_ROWS];
};

/* Chooses a profile's samples among any number of them. The sizes are divided into classes of equal width on
 * a logarithmic scale; each class gives its sample of median speed. The first `old` samples come from an
 * earlier profile: they count only in classes that have nothing newer. Samples that are not finite and
 * positive are left out. */
void plb_profile_pool(const struct plb_sample *samples, int n, int old, struct plb_profile *profile);

/* Whether the sizes differ enough for a profile. */
bool plb_profile_spreads(const struct plb_profile *profile);

#endif
