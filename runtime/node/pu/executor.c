/* Inputs to the device, results back. */
#include "node/pu/executor.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/reduce.h"
#include "base/memory.h"
#include "host/crash.h"
#include "node/pu/input_sums.h"

/* A first task of at least this many units runs one of them beforehand, to load libraries. Larger: the
 * loading counts as the work of more tasks. Smaller: the unit is a larger part of the task. A guess. */
#define MANY_UNITS 64

#define ALIGNED 64 /* bytes; what plb/kernel.h promises of task->data */

int plb_executor_open(struct plb_executor *e, const struct plb_device_driver *driver,
                      const struct plb_device_config *config, const struct plb_dataset *set,
                      struct plb_error *err)
{
    const struct plb_device_ops *ops = &driver->ops;
    *e = (struct plb_executor){
        .driver = driver, .ops = ops, .set = set, .config = *config, .until = INFINITY};
    memcpy(e->host, set->host, sizeof e->host);
    int status = ops->open(config, &e->device, err);
    if (status == PLB_OK)
        e->on_host = plb_device_on_host(ops, e->device);
    e->places = (struct plb_device_places){.ops = ops, .device = e->device, .set = set};
    e->renewal.stale = -1;
    if (status == PLB_OK && config->isolated) {
        plb_isolated_init(&e->isolated, ops, e->device);
        e->places.child = e->isolated.child;
        e->shares = true;
    }
    if (status == PLB_OK)
        e->room = plb_device_memory(ops, e->device);
    for (int i = 0; i < set->n; i++)
        e->room -= set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return status;
}

static int32_t *cancelled_flag(struct plb_executor *e, int lane)
{
    return e->isolated.child != NULL ? plb_isolated_cancelled(&e->isolated, lane) : &e->cancelled[lane];
}

void plb_executor_cancel(struct plb_executor *e, int lane, bool cancelled)
{
    __atomic_store_n(cancelled_flag(e, lane), cancelled, __ATOMIC_RELAXED);
}

void *plb_executor_grow(const struct plb_executor *e, void *old, size_t had, size_t bytes)
{
    if (!e->shares)
        return plb_pages_grow(old, had, bytes);
    plb_shared_free(old, had);
    return plb_child_alloc(e->isolated.child, bytes);
}

void plb_executor_close(struct plb_executor *e)
{
    plb_device_places_fini(&e->places);
    for (int i = 0; i < PLB_MAX_DATA; i++)
        plb_shared_free(e->aside[i], e->aside_bytes[i]);
    plb_isolated_fini(&e->isolated);
    plb_renewal_fini(&e->renewal);
    e->ops->close(e->device);
}

/* Says where a task's buffers are in device memory, where that is not known. */
static int lay_out(struct plb_executor *e, int lane, struct plb_range range, void *data[PLB_MAX_DATA])
{
    int64_t buffers = plb_arena_buffers(e->set, PLB_MODES_OF_TASKS);
    for (int i = 0; i < e->set->n; i++)
        buffers &= data[i] != NULL ? ~PLB_BUFFER(i) : -1;
    size_t at[PLB_MAX_DATA], needed = plb_arena_layout(e->set, buffers, range, at);
    char *memory = plb_device_lane(&e->places, lane, needed, e->room, &e->limit);
    if (memory == NULL) {
        e->full = plb_executor_failure(e)[0] == '\0'; /* else the device failed, and tells why */
        if (e->full)
            snprintf(e->failure, sizeof e->failure, "no device memory for the %zu bytes of a task", needed);
        return -1;
    }
    for (int i = 0; i < e->set->n; i++)
        if ((buffers & PLB_BUFFER(i)) != 0)
            data[i] = memory + at[i];
    return 0;
}

static int zero(struct plb_executor *e, int lane, void *memory, size_t bytes)
{
    if (e->ops->zero != NULL)
        return e->ops->zero(e->device, lane, memory, bytes);
    memset(memory, 0, bytes);
    return 0;
}

/* A buffer of a task on the host. */
struct part {
    char *host;           /* the task's own units */
    bool whole;           /* it is in the whole buffer */
    size_t bytes;         /* of these units */
    size_t before, after; /* of the halo */
};

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % ALIGNED == 0;
}

/* The aligned memory of a buffer on a device that works in host memory. It grows by half. */
static char *aside(struct plb_executor *e, int i, size_t bytes)
{
    if (e->aside[i] == NULL || bytes > e->aside_bytes[i]) {
        size_t grown = bytes + bytes / 2;
        e->aside[i] = plb_executor_grow(e, e->aside[i], e->aside_bytes[i], grown);
        e->aside_bytes[i] = grown;
    }
    return e->aside[i];
}

/* Where the entry finds a buffer on a device that works in host memory: in its place. A part that begins in
 * the middle of an aligned buffer is copied to aligned memory, and results are copied back. Cuts avoid such
 * parts (core/worker/queue.c). Indexed parts stay in place: they are as long as their inputs make them.
 * Results of isolated tasks are copied too, where their place in the whole buffer (`whole`) is not shared. */
static void *host_place(struct plb_executor *e, int i, const struct part *part)
{
    char *host = part->host;
    enum plb_data_mode mode = e->set->at[i].mode;
    bool by_unit = mode == PLB_PARTITION || mode == PLB_OUTPUT;
    bool aligned = is_aligned(host) || !is_aligned(e->host[i]);
    bool apart = e->shares && mode == PLB_OUTPUT && part->whole && !e->set->shared[i];
    if (!by_unit || (aligned && !apart))
        return host;
    size_t lead = (part->before + ALIGNED - 1) / ALIGNED * ALIGNED;
    char *data = aside(e, i, lead + part->bytes + part->after) + lead;
    if (mode == PLB_PARTITION)
        memcpy(data - part->before, host - part->before, part->before + part->bytes + part->after);
    return data;
}

/* Takes the results of a task out of where the entry had them. */
static int take_out(struct plb_executor *e, int lane, int i, char *host, char *data, size_t bytes)
{
    if (!plb_data_is_result(&e->set->at[i]) || host == NULL || host == data)
        return 0;
    if (!e->on_host)
        return plb_copy_out(&e->places, lane, host, data, bytes);
    size_t unit = e->set->at[i].unit_bytes, taken = (size_t)e->reported * unit; /* before */
    memcpy(host + taken, data + taken, (e->until_unit > 0 ? (size_t)e->until_unit * unit : bytes) - taken);
    return 0;
}

/* Launches a task, after the outputs of the mask were zeroed. Notes it for the sentence about a crash. */
static int launch(struct plb_executor *e, int lane, const struct plb_phase *phase,
                  const struct plb_task *task, int64_t zeroed)
{
    if (e->isolated.child != NULL)
        return plb_isolated_launch(&e->isolated, lane, phase, task, e->set->n, zeroed, e->failure);
    for (int i = 0; i < e->set->n; i++) {
        int status = zeroed & ((int64_t)1 << i) ? zero(e, lane, task->data[i], task->bytes[i]) : 0;
        if (status != 0)
            return status;
    }
    plb_crash_begin(phase->name, task->first, task->count);
    int status = e->ops->launch(e->device, lane, phase, task);
    plb_crash_end();
    return status;
}

/* Launches a task whose entry is watched: what it changes in an input is an error for all tasks that read it,
 * here and on other ranks, and no second result would tell. A task that nobody wants may see new inputs. */
static int launch_watched(struct plb_executor *e, int lane, const struct plb_phase *phase,
                          const struct plb_task *task, int64_t zeroed)
{
    uint32_t sums[PLB_INPUT_SUMS] = {0};
    bool watched = e->guards_inputs && e->on_host;
    if (watched)
        plb_input_sums(e->set, task, sums);
    int status = launch(e, lane, phase, task, zeroed);
    if (!watched || status != 0 || e->isolated.ended || plb_task_cancelled(task))
        return status;
    return plb_input_sums_check(e->set, task, sums);
}

/* Brings a buffer of a task to where the entry finds it: *data, which is known on a device with memory of its
 * own. results: they are wanted. */
static int bring(struct plb_executor *e, int lane, int i, const struct part *part, bool results, void **data)
{
    const struct plb_data *d = &e->set->at[i];
    if (d->mode == PLB_REDUCE && results)
        plb_reduce_clear(d, part->host);
    if (d->mode == PLB_RECORDS)
        *data = part->host;
    else if (e->on_host)
        *data = host_place(e, i, part);
    else if (d->mode != PLB_REPLICATE && d->mode != PLB_OUTPUT)
        return plb_copy_in(&e->places, lane, (char *)*data - part->before, part->host - part->before,
                           part->before + part->bytes + part->after);
    return 0;
}

/* Nothing is left of a task that has crashed. Where it wrote in place, nobody else writes yet. */
static void clear(const struct plb_executor *e, const struct plb_task *task, void *const *host)
{
    for (int i = 0; i < e->set->n; i++)
        if (e->set->at[i].mode == PLB_OUTPUT && host[i] != NULL && host[i] == task->data[i])
            memset(host[i], 0, task->bytes[i]);
}

/* Statuses of entries that say something of their PU. */
static void note_status(struct plb_executor *e, int status)
{
    e->full |= status == PLB_DEVICE_FULL;
    const char *why = status == PLB_DEVICE_FULL  ? "its entry found no device memory"
                    : status == PLB_TASK_LEAVES  ? "it cannot go on"
                    : status == PLB_TASK_RETIRES ? "it retires"
                                                 : NULL;
    if (why != NULL)
        snprintf(e->failure, sizeof e->failure, "%s", why);
}

/* Takes out the results of a task that was launched, but for those that stay. */
static int take_results(struct plb_executor *e, int lane, struct plb_range range, int64_t found,
                        void *host[PLB_MAX_DATA], void *const *data)
{
    int status = 0;
    e->stayed = found & e->may_stay;
    for (int i = 0; i < e->set->n && status == 0; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(e->set, i, range, &offset, &bytes);
        if ((e->stayed & PLB_BUFFER(i)) == 0)
            status = take_out(e, lane, i, host[i], data[i], bytes);
        else if (e->set->on_rank0) /* also where the slot has memory for them */
            host[i] = (char *)e->host[i] + offset;
    }
    if (status != 0)
        return status;
    return plb_device_places_launched(&e->places, lane, range, found, e->stayed, data, host);
}

/* Puts all operations of a task into a lane; `results`: they are wanted. */
static int enqueue(struct plb_executor *e, int lane, const struct plb_phase *phase, struct plb_range range,
                   void *const *buffers, bool results)
{
    const struct plb_dataset *set = e->set;
    void *data[PLB_MAX_DATA] = {NULL}, *host[PLB_MAX_DATA] = {NULL};
    size_t bytes[PLB_MAX_DATA], offset;
    int64_t before[PLB_MAX_DATA], after[PLB_MAX_DATA];
    int64_t found = plb_device_places_find(&e->places, lane, range, results, data);
    int status = e->on_host ? 0 : lay_out(e, lane, range, data), n = set->n;
    const int64_t to_zero = plb_zeroed_buffers(set, results, e->on_host);
    int64_t zeroed = e->reported = e->until_unit = 0;
    e->why[0] = '\0';
    for (int i = 0; i < n && status == 0; i++) {
        bool whole = buffers == NULL || buffers[i] == NULL;
        plb_dataset_bytes(set, i, range, &offset, &bytes[i]);
        host[i] = whole ? (char *)e->host[i] + offset : buffers[i];
        struct plb_range around = plb_dataset_around(set, i, range);
        before[i] = range.first - around.first;
        after[i] = around.count - range.count - before[i];
        size_t unit = set->at[i].unit_bytes;
        struct part part = {host[i], whole, bytes[i], (size_t)before[i] * unit, (size_t)after[i] * unit};
        if ((found & PLB_BUFFER(i)) != 0 && set->at[i].mode != PLB_OUTPUT)
            status = plb_device_places_bring(&e->places, lane, i, range, host[i], data[i]);
        else if (set->at[i].mode == PLB_PARTITION && !plb_device_places_on_host(&e->places, i, around))
            status = PLB_INPUT_LOST;
        else if (set->at[i].mode != PLB_REDUCE || (to_zero & PLB_BUFFER(i)) == 0)
            status = bring(e, lane, i, &part, results, &data[i]);
        zeroed |= to_zero & PLB_BUFFER(i);
    }
    struct plb_task task = {.first = range.first,
                            .count = range.count,
                            .data = data,
                            .bytes = bytes,
                            .before = before,
                            .after = after,
                            .args = set->args_bytes > 0 ? set->args : NULL,
                            .threads = e->config.threads,
                            .slot = e->config.slot,
                            .cores = e->config.cores,
                            .gpu = e->config.gpu[0] != '\0' ? e->config.gpu : NULL,
                            .until = e->until,
                            .cancelled = cancelled_flag(e, lane),
                            .why = e->why,
                            .reporter = &e->reporter};
    status = status == 0 ? launch_watched(e, lane, phase, &task, zeroed) : status;
    note_status(e, status);
    if (e->isolated.ended)
        clear(e, &task, host);
    return status == 0 && results ? take_results(e, lane, range, found, host, data) : status;
}

/* Waits for what is in a lane. */
static int end(struct plb_executor *e, int lane, struct plb_device_times *times)
{
    int status = e->ops->wait(e->device, lane, times);
    plb_device_places_end(&e->places, lane, status == 0);
    if (e->shares && times != NULL) /* the way to the child and back belongs to the task */
        times->execute_s = fmax(times->execute_s, e->isolated.took);
    e->isolated.took = 0.0;
    return status;
}

void plb_executor_follow(struct plb_executor *e, struct plb_renewal *renewal)
{
    memcpy(e->host, e->set->host, sizeof e->host);
    plb_renewal_take(&e->renewal, renewal);
}

int plb_executor_renew(struct plb_executor *e, struct plb_error *err)
{
    return e->on_host ? PLB_OK : plb_device_places_renew(&e->places, &e->renewal, e->host, err);
}

/* Whether an entry has not run in a lane. It has from now on. */
static bool is_new(struct plb_executor *e, int lane, plb_entry_fn entry)
{
    for (int i = 0; i < PLB_MAX_PHASES && e->warm[lane][i] != entry; i++)
        if (e->warm[lane][i] == NULL) {
            e->warm[lane][i] = entry;
            return true;
        }
    return false;
}

/* The first call of an entry in a lane, with unit `first`. Returns the status that the device failed with; 0
 * where the kernel failed, since the task itself will fail again. */
static int warm_up(struct plb_executor *e, int lane, const struct plb_phase *phase, int64_t first,
                   void *const *buffers)
{
    int status = enqueue(e, lane, phase, (struct plb_range){first, 1}, buffers, false);
    int waited = end(e, lane, NULL);
    if (e->full) { /* the task itself may still fit */
        e->full = false;
        e->failure[0] = '\0';
        plb_device_lane_free(&e->places, lane);
        return 0;
    }
    return plb_executor_failure(e)[0] == '\0' ? 0 : status != 0 ? status : waited;
}

int plb_executor_warm_up(struct plb_executor *e, const struct plb_phase *phase, int lanes)
{
    int status = 0;
    if (e->ops->lanes > 1)
        for (int lane = 0; lane < lanes && status == 0; lane++)
            if (is_new(e, lane, e->driver->entry(phase)))
                status = warm_up(e, lane, phase, 0, e->set->first);
    return status;
}

int plb_executor_submit(struct plb_executor *e, int lane, const struct plb_phase *phase,
                        struct plb_range range, void *const *buffers)
{
    int status = 0;
    e->full = false;
    e->isolated.ended = false;
    e->failure[0] = '\0';
    if (!e->on_host) /* before the task begins: it is not a part of its time */
        plb_copies_lock_task(&e->places, e->host, range, buffers);
    if (e->ops->lanes > 1 && is_new(e, lane, e->driver->entry(phase)) && range.count >= MANY_UNITS)
        status = warm_up(e, lane, phase, range.first, buffers);
    if (status == 0)
        status = enqueue(e, lane, phase, range, buffers, true);
    if (status != 0)
        end(e, lane, NULL);
    return status;
}

bool plb_executor_done(struct plb_executor *e, int lane)
{
    return e->ops->done == NULL || e->ops->done(e->device, lane);
}

int plb_executor_wait(struct plb_executor *e, int lane, struct plb_device_times *times)
{
    const bool guards = e->guards_inputs && !e->on_host;
    int changed = guards && __atomic_load_n(cancelled_flag(e, lane), __ATOMIC_RELAXED) == 0
                    ? plb_input_places_check(&e->places, lane, e->why)
                    : 0;
    int status = end(e, lane, times);
    return status != 0 ? status : changed;
}

const char *plb_executor_failure(const struct plb_executor *e)
{
    return e->failure[0] != '\0' || e->ops->failure == NULL ? e->failure : e->ops->failure(e->device);
}
