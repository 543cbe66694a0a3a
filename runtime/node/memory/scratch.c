/* The cost of a copy, and what it may cost. */
#include "node/memory/scratch.h"

#include <math.h>

/* Seconds that a task costs more whose outputs are copied: per task, and per byte. */
#define COPY_START 5e-6
#define COPY_BYTE 0.25e-9

/* Of a task's time: what the copy may take although nobody else executes its units yet. Then another PU may
 * do so, should this one hang. Larger: the run lasts longer. Smaller: a PU of rank 0 that hangs in a task
 * with many outputs holds the run up. */
#define COPY_PART 0.01

/* A task foretells the time of one that has at most so many times as many units: the rest of its time may
 * have been a start, or a hiccup. Larger: after a slow first unit large outputs are copied. Smaller: tasks
 * that grow write in place. As sure's blocks grow. */
#define FORETOLD 4.0

bool plb_scratch_wanted(const struct plb_dataset *set, const struct plb_slice *task,
                        const struct plb_latest *latest, bool doubled)
{
    double bytes = 0.0;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_OUTPUT ? (double)set->at[i].unit_bytes : 0.0;
    double count = (double)task->range.count, copy_s = COPY_START + COPY_BYTE * bytes * count;
    double task_s = latest->seconds * fmin(count / (double)latest->units, FORETOLD);
    return task->audit || latest->units == 0 || copy_s <= COPY_PART * task_s || doubled;
}
