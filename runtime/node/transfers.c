/* Slots on their way to their PUs. */
#include "node/transfers.h"

#include "base/clock.h"
#include "base/crc32c.h"
#include "plb/kernel.h"

/* Bytes of inputs from which on a PU pulls for one task at a time. Larger: on a slow link a second task's
 * inputs delay the first tasks of others, and tasks are bound before they can begin. Smaller: a PU waits for
 * the way to rank 0 and back after each task. 8 MB last 0.8 ms on a network of 10 GB/s. */
#define LARGE 8e6

static void add(struct plb_transfers *transfers, struct plb_runner *r, struct plb_slot *slot, bool arrived)
{
    transfers->at[transfers->n++] = (struct plb_slot_transfer){r, slot, arrived};
}

/* Nothing is on its way to a slot any more. here: its inputs are as they should be. */
static void end_pull(struct plb_runner *r, struct plb_slot *slot, bool here)
{
    struct plb_mirror *mirror = r->shared->mirror;
    if (!slot->mirrored)
        return;
    if (slot->task.pass >= plb_mirror_since(mirror))
        plb_mirror_arrived(mirror, slot->pulled, here);
    slot->pulled.count = 0;
    slot->pulls = 0;
}

/* Whether the slot's task is over: its report and its results are sent. */
static bool is_over(const struct plb_slot *slot)
{
    return slot->state == PLB_SLOT_FREE || (slot->state == PLB_SLOT_SENDING && slot->pending == 0);
}

/* The units that the slot pulls are here: the PU may take it. False: other slots still pull a part of its
 * halo. Under the lock. */
static bool arrive(struct plb_runner *r, struct plb_slot *slot)
{
    end_pull(r, slot, true);
    if (slot->mirrored && !plb_mirror_has(r->shared->mirror, slot->task.range))
        return false;
    slot->arrived = plb_now();
    slot->state = PLB_SLOT_READY;
    r->wakes = true;
    return true;
}

bool plb_transfers_settle(struct plb_transfers *transfers, struct plb_runner *r)
{
    bool moved = false, checks = r->shared->config.checksums;
    for (int s = 0; s < PLB_SLOTS; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state == PLB_SLOT_SENDING && is_over(slot)) {
            slot->state = PLB_SLOT_FREE;
            r->wakes = true; /* its PU may take a task into it */
        }
        if (slot->state == PLB_SLOT_FORGOTTEN && slot->pending == 0) {
            plb_slot_abandon(slot, &r->shared->config.wire, r->shared->mirror);
            end_pull(r, slot, false);
            plb_runner_drop(r, slot);
        }
        if (slot->state != PLB_SLOT_FETCHING || slot->pending > 0
            || plb_slot_has_lost_inputs(slot, &r->shared->config.wire))
            continue;
        if (!checks || slot->pulls == 0) {
            bool ready = arrive(r, slot),
                 gets = ready || plb_mirror_pulls(r->shared->mirror, slot->task.range);
            moved |= ready;
            if (!gets && !r->shared->stopping) /* who pulled the rest was forgotten, or lost */
                add(transfers, r, slot, false);
        } else if (!r->shared->stopping) {
            add(transfers, r, slot, true);
        }
    }
    return moved;
}

/* Whether the inputs of the last task in line are on their way, and last long. */
static bool fetches_much(const struct plb_runner *r)
{
    const struct plb_dataset *set = r->shared->config.data;
    const struct plb_slot *last = r->n_line > 0 ? &r->slots[r->line[r->n_line - 1]] : NULL;
    int64_t pulled = plb_dataset_pulled(set);
    double sum = 0.0;
    for (int i = 0; i < set->n && last != NULL && last->state == PLB_SLOT_FETCHING; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, last->task.range, &offset, &bytes);
        sum += pulled & PLB_BUFFER(i) ? (double)bytes : 0.0;
    }
    return sum >= LARGE;
}

/* Tasks that may wait for a PU. None beside one that runs where no inputs come, and nobody else executes what
 * this PU has taken: others are to find them. */
static int most_ahead(const struct plb_runner *r)
{
    bool alone = r->shared->config.kernel->once && plb_dataset_pulled(r->shared->config.data) == 0;
    return !alone ? PLB_TASKS_AHEAD : plb_running_oldest(r->running) != NULL ? 0 : 1;
}

void plb_transfers_prefetch(struct plb_transfers *transfers, struct plb_runner *r)
{
    struct plb_node_shared *shared = r->shared;
    bool takes = !shared->stopping && !shared->resting
              && !plb_running_only_unwanted(r->running, r->pu.driver->ops.lanes);
    for (int s = 0; s < PLB_SLOTS && r->n_line < most_ahead(r) && takes; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state != PLB_SLOT_FREE || fetches_much(r)
            || !plb_worker_take(shared->worker, r->number, &slot->task))
            continue;
        slot->state = PLB_SLOT_FETCHING;
        slot->anew = true;
        r->line[r->n_line++] = s;
        add(transfers, r, slot, false);
    }
}

/* Asks for the inputs of a task; again: those that came were damaged. */
static void fetch(const struct plb_slot_transfer *transfer, bool again, struct plb_outbox *out)
{
    const struct plb_node_config *config = &transfer->runner->shared->config;
    struct plb_slot *slot = transfer->slot;
    struct plb_mirror *mirror = transfer->runner->shared->mirror;
    struct plb_staying *staying = transfer->runner->shared->staying;
    if (slot->anew)
        slot->staying = staying != NULL && plb_staying_take(staying, slot->task.range) ? staying : NULL;
    plb_slot_bind(slot, config->data, &transfer->runner->executor, mirror);
    if (!plb_slot_pull(slot, config->data, &config->wire, config->checksums))
        return;
    struct plb_message *m = plb_outbox_add(out, PLB_FETCH, config->rank, 0, slot->task.pass);
    m->pu = transfer->runner->number;
    m->fetch = (struct plb_fetch){slot->pulled, slot->tag, slot->pulls, config->rank, !slot->mirrored, again};
}

static void run(const struct plb_slot_transfer *transfer, struct plb_outbox *out)
{
    struct plb_node_shared *shared = transfer->runner->shared;
    struct plb_slot *slot = transfer->slot;
    const struct plb_dataset *set = shared->config.data;
    bool damaged = transfer->arrived && plb_slot_sum(slot, set) != slot->sum;
    if (damaged)
        end_pull(transfer->runner, slot, false);
    if (!transfer->arrived || damaged)
        fetch(transfer, damaged, out);
    if (slot->pending > 0 || damaged)
        return;
    pthread_mutex_lock(&shared->lock);
    if (slot->state == PLB_SLOT_FETCHING) /* else its PU has left meanwhile */
        arrive(transfer->runner, slot);
    pthread_mutex_unlock(&shared->lock);
    plb_runner_wake(transfer->runner);
}

void plb_transfers_run(const struct plb_transfers *transfers, struct plb_outbox *out)
{
    for (int i = 0; i < transfers->n; i++)
        run(&transfers->at[i], out);
}

/* Whether the outputs of a task are written, or will be. */
static bool may_write(const struct plb_slot *slot)
{
    return slot->staying != NULL
        && (slot->state == PLB_SLOT_FETCHING || slot->state == PLB_SLOT_READY
            || slot->state == PLB_SLOT_RUNNING);
}

/* Tells the mirror what this pass is fed with, and which tasks of earlier ones are under way. */
static void feed(struct plb_mirror *mirror, const struct plb_runner *runners, int n,
                 const struct plb_message *m)
{
    struct plb_mirror_tasks tasks = {0};
    for (int p = 0; p < n; p++)
        for (int s = 0; s < PLB_SLOTS; s++) {
            const struct plb_slot *slot = &runners[p].slots[s];
            if (is_over(slot))
                continue;
            if (slot->state != PLB_SLOT_SENDING) {
                plb_rangeset_add(&tasks.read, slot->task.range);
                continue;
            }
            if (slot->gives == NULL)
                continue;
            plb_rangeset_add(&tasks.sent, slot->task.range);
            if (slot->task.pass < m->pass - 1)
                plb_rangeset_add(&tasks.sent_on, slot->task.range);
        }
    plb_sends_under_way(&runners->shared->sends, &tasks.read);
    plb_unasked_under_way(&runners->shared->unasked, &tasks.read);
    plb_mirror_feed(mirror, m->pass, &m->begin, &tasks);
    plb_rangeset_fini(&tasks.read);
    plb_rangeset_fini(&tasks.sent);
    plb_rangeset_fini(&tasks.sent_on);
}

/* Nobody says any more whether results of earlier passes count. */
static void end_waiting(struct plb_runner *runners, int n)
{
    for (int p = 0; p < n; p++)
        for (int s = 0; s < PLB_SLOTS; s++) {
            struct plb_slot *slot = &runners[p].slots[s];
            slot->pending -= slot->waits;
            slot->waits = false;
        }
}

void plb_transfers_begin_pass(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                              const struct plb_message *pass)
{
    struct plb_mirror *mirror = shared->mirror;
    struct plb_staying *staying = shared->staying;
    plb_own_set_begin(shared->set, pass);
    end_waiting(runners, n);
    if (pass->begin.again && staying != NULL)
        plb_staying_go_on(staying, pass->pass);
    if (pass->begin.again || n == 0)
        return;
    struct plb_rangeset busy = {0}, written = {0};
    for (int p = 0; p < n; p++)
        for (int s = 0; s < PLB_SLOTS; s++) {
            const struct plb_slot *slot = &runners[p].slots[s];
            if (!is_over(slot))
                plb_rangeset_add(&busy, slot->task.range);
            if (may_write(slot))
                plb_rangeset_add(&written, slot->task.range);
        }
    plb_unasked_under_way(&shared->unasked, &busy);
    if (mirror != NULL)
        feed(mirror, runners, n, pass);
    if (mirror != NULL)
        plb_mirror_begin_pass(mirror, &busy);
    if (staying != NULL)
        plb_staying_begin_pass(staying, pass->pass, pass->begin.stays, &written);
    plb_rangeset_fini(&busy);
    plb_rangeset_fini(&written);
}

/* The reduced arrays of a slot whose report is sent stay here, or go with it. */
static void hold_arrays(struct plb_slot *slot, const struct plb_node_shared *shared)
{
    const struct plb_dataset *set = shared->config.data;
    bool waits = plb_own_set_folds(shared->set, slot->task.pass);
    for (int i = 0; i < set->n; i++) {
        int64_t buffer = set->at[i].mode == PLB_REDUCE ? PLB_BUFFER(i) : 0;
        slot->stored = waits ? slot->stored | buffer : slot->stored & ~buffer;
    }
    slot->waits = waits;
    slot->pending += waits;
}

void plb_transfers_send(struct plb_slot *slot, const struct plb_node_shared *shared, struct plb_done *done)
{
    const struct plb_node_config *config = &shared->config;
    const struct plb_dataset *set = config->data;
    size_t bytes;
    const void *records = plb_slot_records(slot, &bytes);
    hold_arrays(slot, shared);
    done->folds = slot->waits;
    if (slot->staying != NULL && !set->on_rank0)
        plb_staying_reported(slot->staying, slot->task.pass, done->range);
    if (slot->gives != NULL)
        plb_mirror_reported(slot->gives, slot->task.pass, done->range);
    done->buffers = plb_slot_sent(slot, set);
    done->records = (int64_t)bytes;
    if (config->checksums && !set->on_rank0)
        done->sum = plb_crc32c(plb_dataset_sum(set, done->range, false, slot->buffer, done->buffers), records,
                               bytes);
    plb_slot_send(slot, set, &config->wire);
}

static bool on_from(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                    const struct plb_message *m)
{
    int64_t number = m->sources.slot;
    if (number == PLB_HALO_SLOT)
        return plb_unasked_hear(&shared->unasked, &shared->config, shared->mirror, m);
    if (number >= (int64_t)n * PLB_SLOTS)
        return false;
    struct plb_slot *slot = &runners[number / PLB_SLOTS].slots[number % PLB_SLOTS];
    return plb_slot_from(slot, shared->config.data, &shared->config.wire, shared->mirror, &shared->results,
                         m);
}

/* Whether the result of a slot counts. */
static bool on_taken(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                     const struct plb_message *m, struct plb_outbox *out)
{
    if (m->fold.slot >= (int64_t)n * PLB_SLOTS)
        return false;
    struct plb_slot *slot = &runners[m->fold.slot / PLB_SLOTS].slots[m->fold.slot % PLB_SLOTS];
    if (!slot->waits || slot->task.pass != m->pass)
        return false;
    if (m->fold.counts)
        plb_own_set_add(shared->set, slot->buffer, out);
    slot->waits = false;
    slot->pending--;
    return true;
}

/* Which results of a PU counted. */
static bool on_counted(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                       const struct plb_message *m)
{
    if (m->pu >= n)
        return false;
    plb_mirror_counted(shared->mirror, m);
    if (!shared->config.data->on_rank0)
        plb_device_results_counted(&shared->results, m);
    pthread_mutex_lock(&shared->lock);
    plb_renewal_counted(&runners[m->pu].renewal, m);
    pthread_mutex_unlock(&shared->lock);
    return true;
}

static bool about_sets(const struct plb_message *m)
{
    return m->type == PLB_HAND || m->type == PLB_ARRAYS || m->type == PLB_DROP;
}

bool plb_transfers_data(struct plb_node_shared *shared, struct plb_runner *runners, int n,
                        const struct plb_message *m, struct plb_outbox *out)
{
    if (about_sets(m))
        return plb_own_set_hear(shared->set, m, out);
    if (n == 0)
        return false;
    switch ((enum plb_message_type)m->type) {
    case PLB_TAKEN: return on_taken(shared, runners, n, m, out);
    case PLB_COUNTED: return on_counted(shared, runners, n, m);
    case PLB_FROM: return on_from(shared, runners, n, m);
    default:
        return plb_send(
            &shared->sends,
            &(struct plb_node_memory){&shared->config, shared->mirror, shared->staying, &shared->results}, m,
            out);
    }
}

bool plb_transfers_await(const struct plb_runner *runners, int n)
{
    for (int p = 0; p < n; p++)
        for (int s = 0; s < PLB_SLOTS; s++)
            if (runners[p].slots[s].awaits)
                return true;
    return false;
}

void plb_transfers_free_data(struct plb_node_shared *shared)
{
    plb_page_unlock_parts(&shared->locks);
    pthread_mutex_destroy(&shared->locks.lock);
    pthread_mutex_destroy(&shared->locks.changing);
    plb_mirror_free(shared->mirror);
    plb_staying_free(shared->staying);
    plb_sends_fini(&shared->sends);
    plb_unasked_fini(&shared->unasked);
    plb_own_set_free(shared->set);
}
