/* Arithmetic on declarations: offsets and bytes of ranges, and the three reductions. */
#include "job/dataset.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"

void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app)
{
    *set = (struct plb_dataset){
        .n = app->n_data, .owner = true, .units = app->units, .multiple = app->multiple};
    set->writes_all = app->kernel->writes_all;
    set->args_bytes = app->args_bytes;
    memcpy(set->at, app->data, sizeof set->at);
    memcpy(set->args, app->args, sizeof set->args);
    for (int i = 0; i < set->n; i++) {
        set->host[i] = set->at[i].data;
        set->shared[i] = plb_app_shares(app, set->at[i].data);
    }
}

void plb_dataset_fini(struct plb_dataset *set)
{
    for (int i = 0; i < set->n && !set->owner; i++) {
        free(set->host[i]);
        free(set->first[i]);
    }
    set->n = 0;
}

bool plb_dataset_travels(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE || (!set->owner && set->at[i].mode != PLB_REPLICATE))
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

void plb_reduce_clear(const struct plb_data *d, void *array)
{
    double *reals = array;
    int64_t *ints = array;
    for (size_t i = 0; i < d->bytes / 8; i++) {
        if (d->type == PLB_FLOAT64)
            reals[i] = d->op == PLB_SUM ? 0.0 : d->op == PLB_MIN ? INFINITY : -INFINITY;
        else
            ints[i] = d->op == PLB_SUM ? 0 : d->op == PLB_MIN ? INT64_MAX : INT64_MIN;
    }
}

static double fold_real(enum plb_reduce_op op, double a, double b)
{
    return op == PLB_SUM ? a + b : op == PLB_MIN ? fmin(a, b) : fmax(a, b);
}

static int64_t fold_int(enum plb_reduce_op op, int64_t a, int64_t b)
{
    if (op == PLB_SUM)
        return (int64_t)((uint64_t)a + (uint64_t)b);
    return (op == PLB_MIN) == (a < b) ? a : b;
}

void plb_reduce_fold(const struct plb_data *d, void *into, const void *from)
{
    double *reals = into;
    int64_t *ints = into;
    for (size_t i = 0; i < d->bytes / 8; i++) {
        if (d->type == PLB_FLOAT64)
            reals[i] = fold_real(d->op, reals[i], ((const double *)from)[i]);
        else
            ints[i] = fold_int(d->op, ints[i], ((const int64_t *)from)[i]);
    }
}

bool plb_dataset_reduces(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            return true;
    return false;
}

void plb_dataset_fold(const struct plb_dataset *set, void *const *arrays)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            plb_reduce_fold(&set->at[i], set->host[i], arrays[i]);
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
