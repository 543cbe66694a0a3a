/* Inputs to the device, results back. */
#include "node/executor.h"

#include <stdio.h>
#include <string.h>

/* Units in the first call of a lane; a guess. More: the run starts later. Fewer: a library may choose another
 * kernel for them than for tasks, and load that one in the first task. */
#define WARMING_UNITS 32

int plb_executor_open(struct plb_executor *e, const struct plb_device_driver *driver,
                      const struct plb_device_config *config, const struct plb_dataset *set,
                      struct plb_error *err)
{
    const struct plb_device_ops *ops = &driver->ops;
    *e = (struct plb_executor){.driver = driver, .ops = ops, .set = set, .threads = config->threads};
    plb_executor_follow(e);
    int status = ops->open(config, &e->device, err);
    if (status == PLB_OK)
        e->on_host = ops->host_memory(e->device);
    if (status == PLB_OK)
        e->room = ops->memory(e->device);
    for (int i = 0; i < set->n; i++)
        e->room -= set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return status;
}

void plb_executor_follow(struct plb_executor *e)
{
    memcpy(e->host, e->set->host, sizeof e->host);
}

void plb_executor_cancel(struct plb_executor *e, int lane, bool cancelled)
{
    __atomic_store_n(&e->cancelled[lane], cancelled, __ATOMIC_RELAXED);
}

static void shrink(struct plb_executor *e, int lane)
{
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        if (e->memory[lane][i] != NULL)
            e->ops->free(e->device, e->memory[lane][i]);
        e->memory[lane][i] = NULL;
    }
}

void plb_executor_shrink(struct plb_executor *e)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        shrink(e, lane);
}

void plb_executor_close(struct plb_executor *e)
{
    plb_executor_shrink(e);
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if (e->resident[i] != NULL)
            e->ops->free(e->device, e->resident[i]);
    e->ops->close(e->device);
}

int plb_executor_update(struct plb_executor *e, int64_t mask, const char *name, struct plb_error *err)
{
    struct plb_device_times unused;
    for (int i = 0; i < e->set->n && !e->on_host; i++) {
        size_t bytes = e->set->at[i].bytes;
        if (e->set->at[i].mode != PLB_REPLICATE || !(mask & ((int64_t)1 << i)))
            continue;
        if (e->resident[i] == NULL)
            e->resident[i] = e->ops->alloc(e->device, bytes);
        if (e->resident[i] == NULL)
            return plb_fail(err, PLB_EFAILED, "%s: no device memory for the %zu bytes of a replicated buffer",
                            name, bytes);
        if (e->ops->copy_in(e->device, 0, e->resident[i], e->host[i], bytes) != 0)
            return plb_fail(err, PLB_EFAILED, "%s: copying %zu bytes to the device failed: %s", name, bytes,
                            plb_executor_failure(e));
    }
    if (e->ops->wait(e->device, 0, &unused) != 0)
        return plb_fail(err, PLB_EFAILED, "%s: copying to the device failed: %s", name,
                        plb_executor_failure(e));
    return PLB_OK;
}

/* Makes room for a buffer in a lane: half as much again, so that growing tasks seldom grow it, or exactly as
 * much where memory is tight. */
static bool make_room(struct plb_executor *e, int lane, int i, size_t bytes, bool tight)
{
    void **memory = &e->memory[lane][i];
    size_t *capacity = &e->capacity[lane][i];
    if (*memory != NULL && bytes <= *capacity)
        return true;
    if (*memory != NULL)
        e->ops->free(e->device, *memory);
    *capacity = tight ? bytes : bytes + bytes / 2;
    *memory = e->ops->alloc(e->device, *capacity);
    if (*memory == NULL && !tight) {
        *capacity = bytes;
        *memory = e->ops->alloc(e->device, bytes);
    }
    return *memory != NULL;
}

/* Whether buffers of half as much again would take the memory of the other lanes' tasks. */
static bool is_tight(const struct plb_executor *e, struct plb_range range)
{
    double sum = 0.0;
    size_t offset, bytes;
    for (int i = 0; i < e->set->n; i++) {
        plb_dataset_bytes(e->set, i, range, &offset, &bytes);
        sum += e->set->at[i].mode != PLB_REPLICATE ? (double)bytes : 0.0;
    }
    return 1.5 * sum * e->ops->lanes > e->room;
}

static int copy_in(struct plb_executor *e, int lane, int i, const void *host, size_t bytes, bool tight)
{
    if (!make_room(e, lane, i, bytes, tight)) {
        e->full = plb_executor_failure(e)[0] == '\0'; /* else the device failed, and tells why */
        if (e->full)
            snprintf(e->failure, sizeof e->failure, "no device memory for the %zu bytes of a buffer", bytes);
        return -1;
    }
    if (e->set->at[i].mode == PLB_OUTPUT)
        return 0;
    return e->ops->copy_in(e->device, lane, e->memory[lane][i], host, bytes);
}

/* Puts all operations of a task into a lane; `results`: they are wanted. */
static int enqueue(struct plb_executor *e, int lane, const struct plb_phase *phase, struct plb_range range,
                   void *const *buffers, bool results)
{
    const struct plb_dataset *set = e->set;
    void *data[PLB_MAX_DATA], *host[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA], offset;
    int status = 0, n = set->n;
    bool tight = !e->on_host && is_tight(e, range);
    for (int i = 0; i < n && status == 0; i++) {
        const struct plb_data *d = &set->at[i];
        plb_dataset_bytes(set, i, range, &offset, &bytes[i]);
        host[i] = buffers != NULL && buffers[i] != NULL ? buffers[i] : (char *)e->host[i] + offset;
        if (d->mode == PLB_REDUCE && results)
            plb_reduce_clear(d, host[i]);
        bool resident = d->mode == PLB_REPLICATE;
        if (!e->on_host && !resident)
            status = copy_in(e, lane, i, host[i], bytes[i], tight);
        data[i] = e->on_host ? host[i] : resident ? e->resident[i] : e->memory[lane][i];
    }
    struct plb_task task = {.first = range.first,
                            .count = range.count,
                            .data = data,
                            .bytes = bytes,
                            .args = set->args_bytes > 0 ? set->args : NULL,
                            .threads = e->threads,
                            .cancelled = &e->cancelled[lane]};
    if (status == 0)
        status = e->ops->launch(e->device, lane, phase, &task);
    for (int i = 0; i < n && status == 0 && !e->on_host && results; i++)
        if (plb_data_is_result(&set->at[i]))
            status = e->ops->copy_out(e->device, lane, host[i], data[i], bytes[i]);
    return status;
}

/* The first call of an entry in a lane. Returns the status that the device failed with; 0 where the kernel
 * failed, since the task itself will fail again. */
static int warm_up(struct plb_executor *e, int lane, const struct plb_phase *phase, struct plb_range range,
                   void *const *buffers)
{
    struct plb_device_times unused;
    plb_entry_fn entry = e->driver->entry(phase);
    int i = 0;
    while (i < PLB_MAX_PHASES && e->warm[lane][i] != NULL && e->warm[lane][i] != entry)
        i++;
    if (i == PLB_MAX_PHASES || e->warm[lane][i] == entry)
        return 0;
    e->warm[lane][i] = entry;
    range.count = range.count < WARMING_UNITS ? range.count : WARMING_UNITS;
    int status = enqueue(e, lane, phase, range, buffers, false);
    int waited = e->ops->wait(e->device, lane, &unused);
    if (e->full) { /* the task itself may still fit */
        e->full = false;
        e->failure[0] = '\0';
        shrink(e, lane);
        return 0;
    }
    return plb_executor_failure(e)[0] == '\0' ? 0 : status != 0 ? status : waited;
}

int plb_executor_warm_up(struct plb_executor *e, const struct plb_phase *phase, struct plb_range *range)
{
    int status = 0;
    range->count = range->count < WARMING_UNITS ? range->count : WARMING_UNITS;
    for (int lane = 0; lane < e->ops->lanes && e->ops->lanes > 1 && status == 0; lane++)
        status = warm_up(e, lane, phase, *range, NULL);
    return status;
}

int plb_executor_submit(struct plb_executor *e, int lane, const struct plb_phase *phase,
                        struct plb_range range, void *const *buffers)
{
    struct plb_device_times unused;
    e->full = false;
    e->failure[0] = '\0';
    int status = e->ops->lanes > 1 ? warm_up(e, lane, phase, range, buffers) : 0;
    if (status == 0)
        status = enqueue(e, lane, phase, range, buffers, true);
    if (status != 0)
        e->ops->wait(e->device, lane, &unused);
    return status;
}

bool plb_executor_done(struct plb_executor *e, int lane)
{
    return e->ops->done(e->device, lane);
}

int plb_executor_wait(struct plb_executor *e, int lane, struct plb_device_times *times)
{
    return e->ops->wait(e->device, lane, times);
}

const char *plb_executor_failure(const struct plb_executor *e)
{
    return e->failure[0] != '\0' || e->ops->failure == NULL ? e->failure : e->ops->failure(e->device);
}
