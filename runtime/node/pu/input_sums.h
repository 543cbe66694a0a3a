/* The inputs of a task, which it may only read, before its entry ran and after. In host memory.
 * Thread-safe. */
#ifndef PLB_NODE_PU_INPUT_SUMS_H
#define PLB_NODE_PU_INPUT_SUMS_H

#include "app/dataset.h"

#define PLB_INPUT_SUMS (PLB_MAX_DATA + 1)

/* The checksum of each input of a task, halo included, and of the constant block. Costs a read of all. */
void plb_input_sums(const struct plb_dataset *set, const struct plb_task *task,
                    uint32_t sums[PLB_INPUT_SUMS]);

/* Compares with these sums. 0; or 1, after plb_task_error has named what was changed. */
int plb_input_sums_check(const struct plb_dataset *set, const struct plb_task *task,
                         const uint32_t sums[PLB_INPUT_SUMS]);

#endif
