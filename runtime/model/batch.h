/* Chunks that no measurement decides: the first ones of a run, and the last ones. */
#ifndef PLB_MODEL_BATCH_H
#define PLB_MODEL_BATCH_H

/* Parts of a fair share in a first block, where the user gives no size. More: starts waste time. Fewer: a
 * slow PU gets more at once than the run should wait for. */
#define PLB_FIRST_PARTS 1000.0

/* Part of the work in the first batch, whose chunks are equal. Larger: a slow PU may get more than it can
 * finish in the run. Smaller: the first measurement has fewer units, and weights count a batch later. */
#define PLB_FIRST_BATCH 0.1

/* Part of a PU's fair share: a chunk is kept ahead while chunks are larger. Larger: PUs wait for round trips
 * earlier. Smaller: the last chunks queue behind others, and PUs end apart. */
#define PLB_AHEAD_WHILE 0.01

#endif
