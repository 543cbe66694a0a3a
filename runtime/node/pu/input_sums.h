/* The inputs of a task, which it may only read, before its entry ran and after. */
#ifndef PLB_NODE_PU_INPUT_SUMS_H
#define PLB_NODE_PU_INPUT_SUMS_H

#include "node/pu/device_places.h"

#define PLB_INPUT_SUMS (PLB_MAX_DATA + 1)

/* The checksum of each input of a task in host memory, halo included, and of the constant block. Costs a
 * read of all. */
void plb_input_sums(const struct plb_dataset *set, const struct plb_task *task,
                    uint32_t sums[PLB_INPUT_SUMS]);

/* Compares with these sums. 0; or 1, after plb_task_error has named what was changed. */
int plb_input_sums_check(const struct plb_dataset *set, const struct plb_task *task,
                         const uint32_t sums[PLB_INPUT_SUMS]);

/* Compares what the task of a lane finds in places of the device with what the host has. 0; 1 and `why`,
 * which has PLB_TASK_WHY bytes; or the status that the device failed with. By the thread that opened the
 * device. */
int plb_input_places_check(const struct plb_device_places *places, int lane, char *why);

#endif
