/* Sums of bytes, each rounded up. */
#include "node/memory/arena.h"

#include "app/chunks.h"

/* Memory that is too small grows by this factor, up to the largest task. Larger: small tasks have much more
 * memory than they need. Smaller: memory is taken more often. A guess. */
#define STEP 4

static size_t rounded(size_t bytes)
{
    return (bytes + PLB_ARENA_ALIGNMENT - 1) / PLB_ARENA_ALIGNMENT * PLB_ARENA_ALIGNMENT;
}

int64_t plb_arena_buffers(const struct plb_dataset *set, unsigned modes)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++)
        buffers |= modes & PLB_MODE(set->at[i].mode) ? PLB_BUFFER(i) : 0;
    return buffers;
}

size_t plb_arena_layout(const struct plb_dataset *set, int64_t buffers, struct plb_range range,
                        size_t at[PLB_MAX_DATA])
{
    size_t total = 0, offset, bytes;
    for (int i = 0; i < set->n; i++) {
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        if (set->at[i].mode == PLB_REDUCE && set->chunk > 0) /* a forest that grows */
            bytes = PLB_FOREST * plb_dataset_step(set, i);
        struct plb_range around = plb_dataset_around(set, i, range);
        at[i] = total + rounded((size_t)(range.first - around.first) * set->at[i].unit_bytes);
        bytes += (size_t)(around.first + around.count - range.first - range.count) * set->at[i].unit_bytes;
        total = at[i] + rounded(bytes);
    }
    return total > 0 ? total : 1;
}

size_t plb_arena_most(const struct plb_dataset *set, int64_t buffers, const struct plb_task_limit *limit)
{
    size_t at[PLB_MAX_DATA];
    struct plb_sizes sizes = plb_dataset_sizes(set);
    struct plb_range range = {0, set->units};
    if (sizes.n_indexed == 0)
        range.count = plb_sizes_fit(&sizes, limit, range);
    int64_t rest = set->units - range.count; /* in the middle there is more halo than at the borders */
    range.first = sizes.before < rest ? sizes.before : rest;
    size_t bytes = plb_arena_layout(set, buffers, range, at);
    double most = limit->bytes + (sizes.halo_bytes > 0.0 ? 2 : 1) * set->n * PLB_ARENA_ALIGNMENT;
    return sizes.n_indexed > 0 && (double)bytes > most ? (size_t)most : bytes;
}

size_t plb_arena_bytes(size_t needed, size_t first, size_t most)
{
    size_t bytes = first;
    while (bytes < needed && bytes < most)
        bytes *= STEP;
    bytes = bytes < most ? bytes : most;
    return bytes > needed ? bytes : needed;
}
