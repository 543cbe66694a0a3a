/* A CRC32C of each. */
#include "node/pu/input_sums.h"

#include "base/crc32c.h"

static bool is_for_reading(const struct plb_data *d)
{
    return plb_data_is_input(d) || d->mode == PLB_REPLICATE;
}

void plb_input_sums(const struct plb_dataset *set, const struct plb_task *task, uint32_t sums[PLB_INPUT_SUMS])
{
    for (int i = 0; i < set->n; i++) {
        size_t unit = set->at[i].unit_bytes, before = (size_t)task->before[i] * unit;
        if (is_for_reading(&set->at[i]))
            sums[i] = plb_crc32c(0, (const char *)task->data[i] - before,
                                 before + task->bytes[i] + (size_t)task->after[i] * unit);
    }
    sums[PLB_MAX_DATA] = plb_crc32c(0, set->args, set->args_bytes);
}

int plb_input_sums_check(const struct plb_dataset *set, const struct plb_task *task,
                         const uint32_t sums[PLB_INPUT_SUMS])
{
    uint32_t now[PLB_INPUT_SUMS] = {0};
    plb_input_sums(set, task, now);
    for (int i = 0; i < set->n; i++)
        if (is_for_reading(&set->at[i]) && sums[i] != now[i])
            return plb_task_error(task, "it changed its buffer %d, which is an input and read-only", i);
    if (sums[PLB_MAX_DATA] != now[PLB_MAX_DATA])
        return plb_task_error(task, "it changed its constant block, which is read-only");
    return 0;
}
