/* The cost of a copy, and what it may cost. */
#include "node/scratch.h"

/* Seconds that a task costs more whose outputs are copied: per task, and per byte. */
#define COPY_START 5e-6
#define COPY_BYTE 0.25e-9

/* Of a task's time: what the copy may take although nobody else executes its units yet. Then another PU may
 * do so, should this one hang. Larger: the run lasts longer. Smaller: a PU of rank 0 that hangs in a task
 * with many outputs holds the run up. */
#define COPY_PART 0.01

bool plb_scratch_wanted(const struct plb_dataset *set, struct plb_range range, double unit_s,
                        const struct plb_rangeset *doubled)
{
    double bytes = 0.0;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_OUTPUT ? (double)set->at[i].unit_bytes : 0.0;
    double count = (double)range.count, copy_s = COPY_START + COPY_BYTE * bytes * count;
    return unit_s == 0.0 || copy_s <= COPY_PART * unit_s * count || plb_rangeset_overlaps(doubled, range);
}
