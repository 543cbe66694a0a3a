/* A copy, and a report; or units that go back to the queue. */
#include "node/pu/reported.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "node/pu/next_task.h"
#include "node/pu/task_trace.h"

/* The running task, and *first, how many of its units are the first `count` ones of what the entry got; NULL
 * where it cannot be divided. Under the lock. */
static struct plb_running *divisible(struct plb_runner *r, const struct plb_task *task, int64_t count,
                                     int64_t *first)
{
    struct plb_running *running = &r->running[0];
    bool wanted = running->runs && !running->told && !running->lost && !running->task.audit
               && !plb_worker_obsolete(r->shared->worker, &running->task);
    *first = task->first + count - running->task.range.first;
    bool within = *first > 0 && *first <= running->task.range.count;
    return wanted && within && running->task.more == 0 ? running : NULL;
}

/* The results of the units of `to` move to it from the task that runs. */
static void move_results(struct plb_runner *r, const struct plb_task *task, struct plb_slot *to)
{
    const struct plb_dataset *set = r->shared->config.data;
    struct plb_range range = to->task.range;
    size_t begin, offset, bytes;
    plb_slot_make_room(to, set, &r->executor);
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_OUTPUT) {
            plb_dataset_bytes(set, i, (struct plb_range){task->first, 0}, &begin, &bytes);
            plb_dataset_bytes(set, i, range, &offset, &bytes);
            memcpy(to->buffer[i], (const char *)task->data[i] + (offset - begin), bytes);
        }
    if (to->records != NULL)
        plb_records_move(r->reported.slot->records, plb_range_end(range), to->records);
    plb_slot_complete(to, set, range);
}

/* The task that runs has these units alone. */
static void narrow(struct plb_runner *r, struct plb_running *running, struct plb_range rest)
{
    struct plb_slot *slot = r->reported.slot;
    const struct plb_dataset *set = r->shared->config.data;
    if (slot != NULL)
        for (int i = 0; i < set->n; i++)
            if (set->at[i].mode != PLB_RECORDS)
                slot->buffer[i] = plb_slot_buffer(slot, set, i, rest.first);
    if (slot != NULL)
        slot->task.range = rest;
    running->task.range = rest;
    r->reported.narrowed = true;
    r->steps++;
    plb_crash_begin(r->shared->phase.name, rest.first, rest.count);
}

static void trace(struct plb_runner *r, const struct plb_slice *units, double seconds)
{
    struct plb_reported_task *reported = &r->reported;
    reported->until += seconds;
    if (r->trace.on)
        plb_task_trace(&r->trace, &r->pu.info, units, &(struct plb_device_times){.execute_s = seconds},
                       reported->idle_since, 0.0, reported->until);
    reported->idle_since = reported->until;
}

/* Whether so many seconds can have passed since the task began, or since its last part. Under the lock. */
static bool can_have_passed(const struct plb_runner *r, double seconds)
{
    return seconds >= 0.0 && r->reported.until + seconds <= plb_now() + r->shared->config.clock;
}

static bool report(void *runner, const struct plb_task *task, int64_t count, double seconds)
{
    struct plb_runner *r = runner;
    struct plb_node_shared *shared = r->shared;
    pthread_mutex_lock(&shared->lock);
    int64_t n;
    struct plb_running *running = divisible(r, task, count, &n);
    bool takes = running != NULL && n < running->task.range.count && can_have_passed(r, seconds);
    struct plb_slot *to = takes ? plb_next_task_slot(r) : NULL;
    if (to == NULL) {
        plb_node_unlock(shared);
        return false;
    }
    struct plb_range all = running->task.range, ended = {all.first, n}, rest = {all.first + n, all.count - n};
    to->state = PLB_SLOT_RUNNING;
    to->scratch = shared->config.data->on_rank0;
    to->task = running->task;
    to->task.range = ended;
    plb_node_unlock(shared);
    move_results(r, task, to);
    pthread_mutex_lock(&shared->lock);
    bool wanted = !running->lost && plb_worker_part(shared->worker, r->number, &to->task, seconds, to->tag);
    to->state = wanted ? PLB_SLOT_FINISHED : PLB_SLOT_FREE;
    narrow(r, running, rest);
    trace(r, &to->task, seconds);
    r->reported.seconds += seconds;
    r->executor.reported = count;
    plb_node_wake(shared);
    plb_node_unlock(shared);
    return true;
}

/* Tasks that the PU has taken ahead, and that have not begun, are in its queue again. Under the lock. */
static void put_back_line(struct plb_runner *r)
{
    for (; r->n_line > 0; r->n_line--) {
        struct plb_slot *slot = &r->slots[r->line[r->n_line - 1]];
        if (slot->state != PLB_SLOT_READY || !plb_worker_put_back(r->shared->worker, r->number, &slot->task))
            return;
        slot->state = PLB_SLOT_FREE;
        plb_worker_forget(r->shared->worker, r->number);
    }
}

static bool shorten(void *runner, const struct plb_task *task, int64_t count, double seconds)
{
    struct plb_runner *r = runner;
    struct plb_node_shared *shared = r->shared;
    pthread_mutex_lock(&shared->lock);
    int64_t n;
    struct plb_running *running = shared->resting ? NULL : divisible(r, task, count, &n);
    bool shorter = running != NULL && can_have_passed(r, seconds);
    if (shorter) {
        struct plb_range all = running->task.range;
        struct plb_slice behind = running->task;
        behind.range = (struct plb_range){all.first + n, all.count - n};
        put_back_line(r);
        shorter = behind.range.count == 0
               || (r->n_line == 0 && plb_worker_put_back(shared->worker, r->number, &behind));
        if (shorter && behind.range.count > 0) {
            narrow(r, running, (struct plb_range){all.first, n});
            r->executor.until_unit = count;
        }
        plb_worker_lasts(shared->worker, r->number, &running->task, seconds);
        shared->returned = true;
        plb_node_wake(shared);
    }
    plb_node_unlock(shared);
    return shorter;
}

void plb_reported_init(struct plb_runner *r)
{
    const struct plb_node_config *config = &r->shared->config;
    const struct plb_dataset *set = config->data;
    bool divides = r->executor.on_host && !r->executor.shares && !config->audits && r->shared->has_slots
                && !plb_dataset_reduces(set) && plb_dataset_records(set) != 0 && set->chunk == 0
                && set->stored == 0 && r->shared->staying == NULL && r->shared->mirror == NULL
                && r->pu.driver->ops.lanes == 1 && r->pu.driver->count != NULL;
    if (divides)
        r->executor.reporter = (struct plb_task_reporter){report, shorten, r};
}

void plb_reported_begin(struct plb_runner *r, struct plb_slot *slot, double idle_since)
{
    r->executor.reported = 0;
    r->reported = (struct plb_reported_task){
        .slot = slot, .until = plb_now() + r->shared->config.clock, .idle_since = idle_since};
}

void plb_reported_end(const struct plb_runner *r, struct plb_device_times *times, double *idle_since)
{
    if (r->executor.reported == 0)
        return;
    times->execute_s = fmax(times->execute_s - r->reported.seconds, 0.0);
    *idle_since = r->reported.idle_since;
}
