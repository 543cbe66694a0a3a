/* The cost of a start of a task, from the times of tasks alone. */
#ifndef PLB_MODEL_STARTS_H
#define PLB_MODEL_STARTS_H

#include "model/tally.h"

/* Seconds that a task takes beyond its work, by a line through the medians of small and of large tasks: a few
 * times that noise has spoilt do not move it. 0 where it is a small part of small tasks, where there are too
 * few of either, or where times differ so much that units probably differ. Cost: O(n log n). */
double plb_starts_by_medians(const struct plb_tally *tally);

#endif
