/* A CRC32C of each; of those in the device's memory, the bytes themselves. */
#include "node/pu/input_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/memory.h"

/* Bytes that are compared at a time. Larger: more host memory. Smaller: more copies that wait. */
#define PIECE ((size_t)4 << 20)

static bool is_for_reading(const struct plb_data *d)
{
    return plb_data_is_partitioned(d) || d->mode == PLB_REPLICATE;
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

static int sync(const struct plb_device_places *p, int lane)
{
    return p->ops->sync != NULL ? p->ops->sync(p->device, lane) : 0;
}

/* Compares an input on the device with what the host has. piece: memory for a part of it. */
static int compare(const struct plb_device_places *p, int lane, const char *device, const char *host,
                   size_t bytes, char *piece, bool *same)
{
    int status = 0;
    for (size_t at = 0; at < bytes && status == 0; at += PIECE) {
        size_t n = bytes - at < PIECE ? bytes - at : PIECE;
        status = p->ops->copy_out(p->device, lane, piece, device + at, n);
        status = status == 0 ? sync(p, lane) : status;
        *same = *same && (status != 0 || memcmp(piece, host + at, n) == 0);
    }
    return status;
}

int plb_input_places_check(const struct plb_device_places *p, int lane, char *why)
{
    char *piece = plb_alloc_unset(PIECE);
    int status = sync(p, lane);
    bool same = true;
    for (int i = 0; i < p->set->n && status == 0 && same; i++) {
        const struct plb_place *in = &p->at[i];
        if (in->read[lane].count == 0)
            continue;
        const bool whole = p->set->at[i].mode == PLB_REPLICATE;
        size_t offset, bytes;
        plb_dataset_bytes(p->set, i, in->read[lane], &offset, &bytes);
        status = compare(p, lane, plb_device_place(p, i, in->read[lane].first), in->host[lane], bytes, piece,
                         &same);
        if (!same)
            snprintf(why, PLB_TASK_WHY, "it changed its buffer %d, which is an input and read-only%s", i,
                     whole ? "" : ", or `next` did: try plbrun --check");
    }
    sync(p, lane); /* nothing is copied to the piece any more, not even where a copy has failed */
    free(piece);
    return status != 0 ? status : !same;
}
