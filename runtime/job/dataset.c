/* Arithmetic on declarations: offsets and bytes of ranges. */
#include "job/dataset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/crash.h"
#include "base/crc32c.h"
#include "job/reduce.h"

void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app)
{
    *set = (struct plb_dataset){
        .n = app->n_data, .owner = true, .units = app->units, .multiple = app->multiple};
    set->kernel = app->kernel;
    set->writes_all = app->kernel->writes_all;
    set->args_bytes = app->args_bytes;
    memcpy(set->at, app->data, sizeof set->at);
    memcpy(set->args, app->args, sizeof set->args);
    for (int i = 0; i < set->n; i++)
        set->host[i] = set->at[i].data;
}

void plb_dataset_fini(struct plb_dataset *set)
{
    for (int i = 0; i < set->n && !set->owner; i++) {
        free(set->host[i]);
        free(set->first[i]);
        free(set->neutral[i]);
    }
    set->n = 0;
}

bool plb_dataset_travels(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (!set->owner && set->at[i].mode != PLB_REPLICATE && set->at[i].mode != PLB_REDUCE)
            return true;
    return false;
}

bool plb_data_is_input(const struct plb_data *d)
{
    return d->mode == PLB_PARTITION || d->mode == PLB_PARTITION_INDEXED;
}

bool plb_data_is_result(const struct plb_data *d)
{
    return d->mode == PLB_OUTPUT || d->mode == PLB_REDUCE;
}

void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range r, size_t *offset,
                       size_t *bytes)
{
    const struct plb_data *d = &set->at[i];
    if (d->mode == PLB_REPLICATE || d->mode == PLB_REDUCE) {
        *offset = 0;
        *bytes = d->bytes;
    } else if (d->mode == PLB_PARTITION_INDEXED) {
        const int64_t *offsets = set->host[d->offsets];
        *offset = (size_t)offsets[r.first] * d->element_bytes;
        *bytes = (size_t)(offsets[r.first + r.count] - offsets[r.first]) * d->element_bytes;
    } else {
        *offset = (size_t)r.first * d->unit_bytes;
        *bytes = (size_t)r.count * d->unit_bytes;
    }
}

static_assert(PLB_MAX_DATA <= 2 * PLB_MAX_INDEXED,
              "the core has room for all offsets: each indexes another buffer");

/* Adds an indexed buffer; buffers of the same offsets are one entry. */
static void add_indexed(struct plb_sizes *sizes, const int64_t *offsets, double element_bytes)
{
    int i = 0;
    while (i < sizes->n_indexed && sizes->indexed[i].offsets != offsets)
        i++;
    sizes->indexed[i].offsets = offsets;
    sizes->indexed[i].element_bytes += element_bytes;
    sizes->n_indexed += i == sizes->n_indexed;
}

struct plb_sizes plb_dataset_sizes(const struct plb_dataset *set)
{
    struct plb_sizes sizes = {.multiple = set->multiple};
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        const int64_t *offsets = d->mode == PLB_PARTITION_INDEXED ? set->host[d->offsets] : NULL;
        switch (d->mode) {
        case PLB_REPLICATE: sizes.replicated_bytes += (double)d->bytes; break;
        case PLB_REDUCE: sizes.task_bytes += (double)d->bytes; break;
        case PLB_PARTITION:
        case PLB_OUTPUT: sizes.unit_bytes += (double)d->unit_bytes; break;
        case PLB_PARTITION_INDEXED:
            if (offsets != NULL)
                add_indexed(&sizes, offsets, (double)d->element_bytes);
            break;
        }
    }
    return sizes;
}

int64_t plb_dataset_stride(const struct plb_dataset *set)
{
    int64_t stride = 1;
    for (int i = 0; i < set->n && set->owner; i++) {
        const struct plb_data *d = &set->at[i];
        bool by_unit = d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT;
        while (by_unit && (size_t)stride * d->unit_bytes % 64 != 0)
            stride *= 2;
    }
    return stride;
}

bool plb_dataset_reduces(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            return true;
    return false;
}

/* Folds one array of buffer i into another one. */
static void fold_one(const struct plb_dataset *set, int i, void *into, const void *from)
{
    const struct plb_data *d = &set->at[i];
    struct plb_folding folding = {i, into, from, d->bytes, set->args_bytes > 0 ? set->args : NULL};
    if (d->op == PLB_OWN_FOLD)
        set->kernel->fold(&folding);
    else
        plb_reduce_fold(d, into, from);
}

void plb_dataset_fold(const struct plb_dataset *set, void *const *arrays)
{
    for (int i = 0; i < set->n; i++) {
        bool own = set->at[i].mode == PLB_REDUCE && set->at[i].op == PLB_OWN_FOLD;
        if (own)
            plb_crash_call(set->kernel->name, "fold");
        if (set->at[i].mode == PLB_REDUCE)
            fold_one(set, i, set->host[i], arrays[i]);
        if (own)
            plb_crash_call(set->kernel->name, NULL);
    }
}

void plb_dataset_fold_into(const struct plb_dataset *set, void *const *into, void *const *from)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            fold_one(set, i, into[i], from[i]);
}

void plb_dataset_sort(const struct plb_dataset *set, void *const *arrays)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            plb_reduce_sort(&set->at[i], arrays[i]);
}

uint32_t plb_dataset_sum(const struct plb_dataset *set, struct plb_range range, void *const *parts,
                         bool (*wanted)(const struct plb_data *data))
{
    uint32_t sum = 0;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if (!wanted(&set->at[i]))
            continue;
        plb_dataset_bytes(set, i, range, &offset, &bytes);
        sum = plb_crc32c(sum, parts[i], bytes);
    }
    return sum;
}
