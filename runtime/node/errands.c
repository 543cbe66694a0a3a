/* Slots on their way to their PUs. */
#include "node/errands.h"

#include "base/clock.h"

static void add(struct plb_errands *errands, struct plb_runner *r, struct plb_slot *slot, bool arrived)
{
    errands->at[errands->n++] = (struct plb_errand){r, slot, arrived};
}

/* The inputs are here: the PU may take the slot. Under the lock. */
static void arrive(struct plb_runner *r, struct plb_slot *slot)
{
    slot->arrived = plb_now();
    slot->state = PLB_SLOT_READY;
    pthread_cond_signal(&r->work);
}

bool plb_errands_settle(struct plb_errands *errands, struct plb_runner *r)
{
    bool moved = false, checks = r->shared->config.checksums;
    for (int s = 0; s < PLB_SLOTS; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state == PLB_SLOT_SENDING && slot->pending == 0) {
            slot->state = PLB_SLOT_FREE;
            pthread_cond_signal(&r->work); /* its PU may take a task into it */
        }
        if (slot->state == PLB_SLOT_FORGOTTEN && slot->pending == 0)
            plb_runner_drop(r, slot);
        if (slot->state != PLB_SLOT_FETCHING || slot->pending > 0)
            continue;
        if (!checks || slot->pulls == 0) {
            arrive(r, slot);
            moved = true;
        } else if (slot->summed && !r->shared->stopping) {
            add(errands, r, slot, true);
        }
    }
    return moved;
}

void plb_errands_take_ahead(struct plb_errands *errands, struct plb_runner *r)
{
    struct plb_node_shared *shared = r->shared;
    bool takes = !shared->stopping && !shared->resting
              && !plb_running_may_hang(r->running, r->pu.driver->ops.lanes);
    for (int s = 0; s < PLB_SLOTS && r->n_line < PLB_TASKS_AHEAD && takes; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state != PLB_SLOT_FREE || !plb_worker_take(shared->worker, r->number, &slot->task))
            continue;
        slot->state = PLB_SLOT_FETCHING;
        r->line[r->n_line++] = s;
        add(errands, r, slot, false);
    }
}

/* Asks for the inputs of a task; again: those that came were damaged. */
static void fetch(const struct plb_errand *errand, bool again, struct plb_outbox *out)
{
    const struct plb_node_config *config = &errand->runner->shared->config;
    struct plb_slot *slot = errand->slot;
    if (!plb_slot_fetch(slot, config->data, &errand->runner->executor, &config->wire))
        return;
    struct plb_message *m = plb_outbox_add(out, PLB_PULL, config->rank, 0, slot->task.pass);
    m->pu = errand->runner->number;
    m->pull = (struct plb_pull){
        .range = slot->task.range, .slot = slot->tag, .again = again, .buffers = slot->pulls};
}

static void run(const struct plb_errand *errand, struct plb_outbox *out)
{
    struct plb_node_shared *shared = errand->runner->shared;
    const struct plb_slot *slot = errand->slot;
    const struct plb_dataset *set = shared->config.data;
    bool damaged = errand->arrived
                && plb_dataset_sum(set, slot->task.range, slot->buffer, slot->pulls) != slot->sum;
    if (!errand->arrived || damaged)
        fetch(errand, damaged, out);
    if (slot->pending > 0 || damaged || (shared->config.checksums && slot->pulls != 0 && !errand->arrived))
        return;
    pthread_mutex_lock(&shared->lock);
    arrive(errand->runner, errand->slot);
    pthread_mutex_unlock(&shared->lock);
}

void plb_errands_run(const struct plb_errands *errands, struct plb_outbox *out)
{
    for (int i = 0; i < errands->n; i++)
        run(&errands->at[i], out);
}

/* A slot that was forgotten may wait for other inputs meanwhile. */
bool plb_errands_sum(struct plb_runner *r, int number, const struct plb_message *m)
{
    struct plb_slot *slot = &r->slots[number];
    const struct plb_range *range = &slot->task.range;
    if (slot->state != PLB_SLOT_FETCHING || slot->task.pass != m->pass || range->first != m->sum.range.first
        || range->count != m->sum.range.count)
        return false;
    slot->sum = (uint32_t)m->sum.sum;
    slot->summed = true;
    return true;
}

void plb_errands_send(struct plb_slot *slot, const struct plb_node_config *config, struct plb_done *done)
{
    const struct plb_dataset *set = config->data;
    done->buffers = plb_slot_sent(slot, set);
    if (config->checksums && !set->owner)
        done->sum = plb_dataset_sum(set, done->range, slot->buffer, done->buffers);
    plb_slot_send(slot, set, &config->wire);
}
