/* Arithmetic on declarations: offsets and bytes of ranges. */
#include "app/dataset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app/chunks.h"
#include "app/fold_tree.h"
#include "app/reduce.h"
#include "base/crc32c.h"
#include "base/mapped.h"
#include "host/crash.h"
#include "host/topology.h"

#define ALIGNED 64 /* bytes; what plb/kernel.h promises of task->data */
#define PAGE 4096  /* bytes; what a file system keeps, and writes at once */

void plb_dataset_describe(struct plb_dataset *set, const struct plb_app *app)
{
    *set = (struct plb_dataset){.on_rank0 = true, .n = app->n_data, .units = app->units, .chunk = app->chunk};
    set->multiple = app->multiple;
    set->kernel = app->kernel;
    set->store = app->records;
    set->writes_all = app->kernel->writes_all;
    set->args_bytes = app->args_bytes;
    memcpy(set->at, app->data, sizeof set->at);
    memcpy(set->args, app->args, sizeof set->args);
    for (int i = 0; i < set->n; i++) {
        set->host[i] = set->at[i].data;
        set->shared[i] = plb_app_shares(app, set->at[i].data);
        int file = plb_files_find(&app->files, set->at[i].data);
        set->file[i] = file + 1;
        if (file >= 0) {
            set->file_in[i] = (char *)set->host[i] - app->files.at[file].data;
            set->file_at[i] = app->files.at[file].at + set->file_in[i];
        }
    }
}

void plb_dataset_fini(struct plb_dataset *set)
{
    for (int i = 0; i < set->n && !set->on_rank0; i++) {
        if (set->mapped[i] > 0)
            plb_unmap(set->host[i], set->mapped[i]);
        else if ((set->whole & PLB_BUFFER(i)) == 0)
            free(set->host[i]);
        free(set->first[i]);
        free(set->neutral[i]);
    }
    plb_fold_tree_free(set->tree);
    set->tree = NULL;
    set->n = 0;
}

void plb_dataset_make_tree(struct plb_dataset *set)
{
    size_t bytes[PLB_MAX_DATA] = {0};
    for (int i = 0; i < set->n; i++)
        bytes[i] = set->at[i].mode == PLB_REDUCE ? set->at[i].bytes : 0;
    if (set->chunk > 0)
        set->tree = plb_fold_tree_new((set->units - 1) / set->chunk + 1, set->n, bytes, set->host);
}

int64_t plb_dataset_partitioned(const struct plb_dataset *set)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++)
        buffers |= plb_data_is_partitioned(&set->at[i]) ? PLB_BUFFER(i) : 0;
    return buffers;
}

int64_t plb_dataset_results(const struct plb_dataset *set)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++)
        buffers |= plb_data_is_result(&set->at[i]) ? PLB_BUFFER(i) : 0;
    return buffers;
}

bool plb_dataset_in_place(const struct plb_dataset *set, int i)
{
    enum plb_data_mode mode = set->at[i].mode;
    bool own = mode == PLB_REDUCE || mode == PLB_RECORDS;
    return mode == PLB_REPLICATE || (!own && (set->on_rank0 || (set->whole & PLB_BUFFER(i)) != 0));
}

int64_t plb_dataset_apart(const struct plb_dataset *set)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++)
        buffers |= plb_dataset_in_place(set, i) ? 0 : PLB_BUFFER(i);
    return buffers;
}

int64_t plb_dataset_pulled(const struct plb_dataset *set)
{
    return plb_dataset_apart(set) & plb_dataset_partitioned(set);
}

int64_t plb_dataset_sent(const struct plb_dataset *set)
{
    return set->on_rank0 ? 0 : plb_dataset_apart(set) & plb_dataset_results(set);
}

bool plb_dataset_travels(const struct plb_dataset *set)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode != PLB_REDUCE && set->at[i].mode != PLB_RECORDS && !plb_dataset_in_place(set, i))
            return true;
    return false;
}

int64_t plb_dataset_records(const struct plb_dataset *set)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++)
        buffers |= set->at[i].mode == PLB_RECORDS ? PLB_BUFFER(i) : 0;
    return buffers;
}

bool plb_data_is_partitioned(const struct plb_data *d)
{
    return d->mode == PLB_PARTITION || d->mode == PLB_PARTITION_INDEXED;
}

bool plb_data_is_result(const struct plb_data *d)
{
    return d->mode == PLB_OUTPUT || d->mode == PLB_REDUCE;
}

/* The nodes of a range. A part of a chunk counts as all of it: first calls have no more than a unit. */
static void forest_of(const struct plb_dataset *set, struct plb_range r, struct plb_forest *forest)
{
    int64_t first = r.first / set->chunk, end = (r.first + r.count - 1) / set->chunk + 1;
    plb_forest_of(forest, first, end - first);
}

size_t plb_dataset_step(const struct plb_dataset *set, int i)
{
    return (set->at[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

int plb_dataset_arrays(const struct plb_dataset *set, struct plb_range r)
{
    struct plb_forest forest;
    if (set->chunk == 0 || r.count == 0)
        return 1;
    forest_of(set, r, &forest);
    return forest.n;
}

struct plb_range plb_dataset_around(const struct plb_dataset *set, int i, struct plb_range r)
{
    const struct plb_data *d = &set->at[i];
    return d->mode == PLB_PARTITION ? plb_range_around(r, d->before, d->after, set->units) : r;
}

void plb_dataset_bytes(const struct plb_dataset *set, int i, struct plb_range r, size_t *offset,
                       size_t *bytes)
{
    const struct plb_data *d = &set->at[i];
    if (d->mode == PLB_RECORDS) {
        *offset = *bytes = 0;
    } else if (d->mode == PLB_REPLICATE || d->mode == PLB_REDUCE) {
        *offset = 0;
        *bytes = d->bytes;
        if (d->mode == PLB_REDUCE && set->chunk > 0)
            *bytes += (size_t)(plb_dataset_arrays(set, r) - 1) * plb_dataset_step(set, i);
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

/* Adds the halo of a partition, of a single unit at most all others. Tasks at the borders of the job have
 * less. */
static void add_halo(struct plb_sizes *sizes, const struct plb_data *d, int64_t units)
{
    int64_t halo = d->before + d->after < units ? d->before + d->after : units - 1;
    sizes->halo_bytes += (double)halo * (double)d->unit_bytes;
    sizes->before = d->before > sizes->before ? d->before : sizes->before;
    sizes->after = d->after > sizes->after ? d->after : sizes->after;
}

/* Of the buffers of a mask. */
static struct plb_sizes sizes_of(const struct plb_dataset *set, int64_t buffers)
{
    struct plb_sizes sizes = {.multiple = set->chunk > 0 ? set->chunk : set->multiple, .chunk = set->chunk};
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        const int64_t *offsets = d->mode == PLB_PARTITION_INDEXED ? set->host[d->offsets] : NULL;
        switch (d->mode) {
        case PLB_REPLICATE: sizes.replicated_bytes += (double)d->bytes; break;
        case PLB_RECORDS: break; /* nobody knows them before */
        case PLB_REDUCE: sizes.task_bytes += (double)d->bytes; break;
        case PLB_PARTITION:
            add_halo(&sizes, d, set->units);
            sizes.unit_bytes += (double)d->unit_bytes;
            break;
        case PLB_OUTPUT: sizes.unit_bytes += (double)d->unit_bytes; break;
        case PLB_PARTITION_INDEXED:
            if (offsets != NULL)
                add_indexed(&sizes, offsets, (double)d->element_bytes);
            break;
        }
    }
    return sizes;
}

struct plb_sizes plb_dataset_sizes(const struct plb_dataset *set)
{
    return sizes_of(set, -1);
}

bool plb_dataset_may_store(const struct plb_dataset *set, int i, bool same_system)
{
    bool whole_pages = set->at[i].unit_bytes % PAGE == 0 && set->file_at[i] % PAGE == 0;
    return set->kernel->next == NULL && (same_system || whole_pages);
}

struct plb_sizes plb_dataset_link_sizes(const struct plb_dataset *set, bool results)
{
    int64_t buffers = 0;
    for (int i = 0; i < set->n; i++) {
        bool is_result = plb_data_is_result(&set->at[i]);
        bool near = set->file[i] > 0 && (!is_result || plb_dataset_may_store(set, i, false));
        buffers |= is_result == results && !near ? PLB_BUFFER(i) : 0;
    }
    return sizes_of(set, buffers);
}

int64_t plb_dataset_stride(const struct plb_dataset *set, int64_t also)
{
    int64_t stride = 1;
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        bool by_unit = d->mode == PLB_PARTITION || d->mode == PLB_OUTPUT;
        bool in_place = plb_dataset_in_place(set, i) || (also & PLB_BUFFER(i)) != 0;
        while (by_unit && in_place && (size_t)stride * d->unit_bytes % 64 != 0)
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

/* Folds one array of buffer i of the dataset into another one. */
static void fold_one(const void *context, int i, void *into, const void *from)
{
    const struct plb_dataset *set = context;
    const struct plb_data *d = &set->at[i];
    struct plb_folding folding = {i, into, from, d->bytes, set->args_bytes > 0 ? set->args : NULL};
    if (d->op != PLB_OWN_FOLD) {
        plb_reduce_fold(d, into, from);
        return;
    }
    set->kernel->fold(&folding); /* NOLINT(clang-analyzer-core*): without a kernel nothing folds */
}

/* Hands the nodes of a range to the tree. The root is rank 0's array. */
static void fold_into_tree(const struct plb_dataset *set, struct plb_range range, void *const *arrays)
{
    struct plb_forest forest;
    void *node[PLB_MAX_DATA] = {NULL};
    forest_of(set, range, &forest);
    for (int k = 0; k < forest.n; k++) {
        for (int i = 0; i < set->n; i++)
            if (set->at[i].mode == PLB_REDUCE)
                node[i] = (char *)arrays[i] + (size_t)k * plb_dataset_step(set, i);
        plb_fold_tree_add(set->tree, forest.at[k].first, forest.at[k].level, node, fold_one, set);
    }
}

void plb_dataset_fold(const struct plb_dataset *set, struct plb_range range, void *const *arrays)
{
    const struct plb_kernel *own = set->kernel != NULL && set->kernel->fold != NULL ? set->kernel : NULL;
    if (own != NULL)
        plb_crash_call(own->name, "fold");
    plb_own_cores_leave(own != NULL ? set->cores : NULL);
    if (set->chunk == 0)
        plb_dataset_fold_into(set, range, set->host, range, arrays);
    else
        fold_into_tree(set, range, arrays);
    plb_own_cores_return(own != NULL ? set->cores : NULL);
    if (own != NULL)
        plb_crash_call(own->name, NULL);
}

void plb_dataset_fold_rest(const struct plb_dataset *set)
{
    if (set->tree != NULL)
        plb_fold_tree_end(set->tree, fold_one, set);
}

/* Arrays of a forest that grows. */
struct growing {
    const struct plb_dataset *set;
    void *const *arrays;
};

static void fold_neighbours(void *context, int into, int from)
{
    const struct growing *g = context;
    for (int i = 0; i < g->set->n; i++) {
        size_t step = plb_dataset_step(g->set, i);
        char *array = g->arrays[i];
        if (g->set->at[i].mode == PLB_REDUCE)
            fold_one(g->set, i, array + (size_t)into * step, array + (size_t)from * step);
    }
}

/* Copies array number `from` of one set of arrays behind `to` of another one. */
static void copy_arrays(const struct plb_dataset *set, void *const *into, int to, void *const *arrays,
                        int from)
{
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            memcpy((char *)into[i] + (size_t)to * plb_dataset_step(set, i),
                   (const char *)arrays[i] + (size_t)from * plb_dataset_step(set, i), set->at[i].bytes);
}

void plb_dataset_fold_into(const struct plb_dataset *set, struct plb_range before, void *const *into,
                           struct plb_range range, void *const *from)
{
    struct plb_forest forest, added;
    struct growing growing = {set, into};
    const struct plb_chunk_fold fold = {&growing, fold_neighbours};
    if (set->chunk == 0)
        for (int i = 0; i < set->n; i++)
            if (set->at[i].mode == PLB_REDUCE)
                fold_one(set, i, into[i], from[i]);
    if (set->chunk == 0)
        return;
    forest_of(set, before, &forest);
    forest_of(set, range, &added);
    for (int k = 0; k < added.n; k++) {
        copy_arrays(set, into, forest.n, from, k);
        plb_forest_add(&forest, added.at[k].first, added.at[k].level, &fold);
    }
}

void plb_dataset_add_chunk(const struct plb_dataset *set, struct plb_range before, void *const *arrays,
                           struct plb_range chunk)
{
    struct plb_forest forest = {.n = 0};
    struct growing growing = {set, arrays};
    const struct plb_chunk_fold fold = {&growing, fold_neighbours};
    if (before.count > 0)
        forest_of(set, before, &forest);
    plb_forest_add(&forest, chunk.first / set->chunk, 0, &fold);
}

void plb_dataset_sort(const struct plb_dataset *set, struct plb_range range, void *const *arrays)
{
    int n = plb_dataset_arrays(set, range);
    for (int i = 0; i < set->n; i++)
        for (int k = 0; k < n && set->at[i].mode == PLB_REDUCE; k++)
            plb_reduce_sort(&set->at[i], (char *)arrays[i] + (size_t)k * plb_dataset_step(set, i));
}

uint32_t plb_dataset_sum(const struct plb_dataset *set, struct plb_range range, bool halo, void *const *parts,
                         int64_t buffers)
{
    uint32_t sum = 0;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(set, i, halo ? plb_dataset_around(set, i, range) : range, &offset, &bytes);
        sum = plb_crc32c(sum, parts[i], bytes);
    }
    return sum;
}
