/* The daemon: PU threads on one side of the lock (pu_thread.c), the communication thread on the other. */
#include <stdlib.h>

#include "node/daemon.h"
#include "node/daemon_state.h"
#include "job/phase.h"

#define PAGE 4096

/* The buffers of rank 0 that are split by unit, which devices copy from and to in place. */
static void pin_buffers(struct plb_node *node, const struct pu *pu)
{
    const struct plb_dataset *set = node->config.data;
    size_t offset, bytes;
    for (int i = 0; i < set->n && set->owner; i++) {
        bool split = plb_data_is_input(&set->at[i]) || set->at[i].mode == PLB_OUTPUT;
        bool pages = (uintptr_t)set->host[i] % PAGE == 0; /* else a kernel's own, which may share them with another */
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        if (split && pages && bytes > 0 && !node->pinned[i])
            pu->as.driver->ops.pin(pu->executor.device, set->host[i], bytes);
        node->pinned[i] |= split && pages && bytes > 0;
    }
}

static void unpin_buffers(struct plb_node *node, const struct pu *pu)
{
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        if (node->pinned[i])
            pu->as.driver->ops.unpin(node->config.data->host[i]);
        node->pinned[i] = false;
    }
}

int plb_node_start(const struct plb_node_config *config, struct plb_node_pu *pus, int n_pus,
                   struct plb_node **result, struct plb_error *err)
{
    struct plb_node *node = plb_alloc(sizeof *node);
    node->config = *config;
    node->worker = plb_worker_new(config->rank, n_pus);
    double powers[n_pus + 1];
    for (int p = 0; p < n_pus; p++)
        powers[p] = pus[p].info.power;
    plb_worker_migrate(node->worker, &config->migration, config->n_nodes, powers);
    node->n_pus = n_pus;
    node->uses_slots = plb_dataset_travels(config->data);
    node->pus = plb_alloc((size_t)n_pus * sizeof *node->pus);
    pthread_mutex_init(&node->lock, NULL);
    plb_condition_init(&node->wake);
    for (int p = 0; p < n_pus; p++) { /* all of them, also where a thread cannot be started */
        struct pu *pu = &node->pus[p];
        pu->node = node;
        pu->number = p;
        pu->as = pus[p];
        pu->trace.on = config->trace;
        plb_condition_init(&pu->work);
    }
    for (int p = 0; p < n_pus; p++) {
        struct pu *pu = &node->pus[p];
        pu->started = pthread_create(&pu->thread, NULL, plb_pu_thread, pu) == 0;
        if (!pu->started) {
            plb_fail(err, PLB_EFAILED, "cannot start a thread for PU %d of rank %d; raise the limit on processes", p, config->rank);
            break;
        }
    }
    pthread_mutex_lock(&node->lock);
    for (int p = 0; p < n_pus; p++) {
        while (node->pus[p].started && !node->pus[p].opened)
            pthread_cond_wait(&node->wake, &node->lock);
        pus[p].info = node->pus[p].as.info;
        if (node->pus[p].err.status != PLB_OK)
            plb_fail(err, PLB_EFAILED, "%s", node->pus[p].err.text);
        else if (node->pus[p].started && pus[p].driver->ops.pin != NULL)
            pin_buffers(node, &node->pus[p]);
    }
    pthread_mutex_unlock(&node->lock);
    *result = node;
    return err->status;
}

void plb_node_pass(struct plb_node *node, int pass, int phase, int64_t replaced)
{
    pthread_mutex_lock(&node->lock);
    node->pass = pass;
    node->phase = plb_phase_at(node->config.kernel, phase);
    plb_worker_pass(node->worker, pass, &node->config.maps[phase]);
    for (int p = 0; p < node->n_pus; p++) {
        struct pu *pu = &node->pus[p];
        pu->stale |= replaced;
        pu->n_line = 0;
        for (int s = 0; s < SLOTS; s++)
            if (pu->slots[s].state == READY || pu->slots[s].state == FINISHED)
                pu->slots[s].state = FREE;
    }
    pthread_mutex_unlock(&node->lock);
}

void plb_node_receive(struct plb_node *node, const struct plb_message *m, struct plb_outbox *out)
{
    pthread_mutex_lock(&node->lock);
    switch (m->type) {
    case PLB_BLOCK: plb_worker_block(node->worker, m); break;
    case PLB_EMPTY: plb_worker_empty(node->worker, m); break;
    case PLB_GIFT: plb_worker_gift(node->worker, m); break;
    default: plb_worker_steal(node->worker, m, out); break;
    }
    for (int p = 0; p < node->n_pus && m->type != PLB_STEAL; p++) /* others may take from who got it */
        pthread_cond_signal(&node->pus[p].work);
    pthread_mutex_unlock(&node->lock);
}

/* Host memory of a slot, such as the PU's device copies best; ends the run where there is none. */
static void *allocate(const struct pu *pu, size_t bytes)
{
    if (pu->as.driver->ops.pin == NULL)
        return plb_alloc(bytes);
    bytes = bytes < PAGE ? PAGE : bytes;
    void *memory = plb_alloc(bytes);
    pu->as.driver->ops.pin(pu->executor.device, memory, bytes);
    return memory;
}

static void release(const struct pu *pu, void *memory)
{
    if (pu->as.driver->ops.unpin != NULL && memory != NULL)
        pu->as.driver->ops.unpin(memory);
    free(memory);
}

/* Gives the slot's task its buffers and asks for its inputs. */
static void fetch(struct plb_node *node, struct pu *pu, int s, struct plb_outbox *out)
{
    const struct plb_dataset *set = node->config.data;
    struct slot *slot = &pu->slots[s];
    int number = pu->number * SLOTS + s;
    bool pulls = false;
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        size_t offset, bytes;
        if (d->mode == PLB_REPLICATE || (set->owner && d->mode != PLB_REDUCE))
            continue;
        plb_dataset_bytes(set, i, slot->piece.range, &offset, &bytes);
        if (bytes > slot->capacity[i] || slot->buffer[i] == NULL) {
            release(pu, slot->buffer[i]);
            slot->buffer[i] = allocate(pu, bytes);
            slot->capacity[i] = bytes;
        }
        if (plb_data_is_input(d)) {
            pulls = true;
            node->config.wire.get(node->config.wire.context, number, slot->buffer[i], bytes, &slot->pending);
        }
    }
    slot->asked = slot->arrived = plb_now();
    slot->state = FETCHING;
    slot->pass = node->pass;
    pu->line[pu->n_line++] = s;
    if (pulls) {
        struct plb_message *m = plb_outbox_add(out, PLB_PULL, 0);
        m->from = node->config.rank;
        m->pass = node->pass;
        m->slot = number;
        m->range = slot->piece.range;
    }
}

/* Takes tasks ahead for one PU and marks the fetched ones ready. */
static bool stage(struct plb_node *node, struct pu *pu, struct plb_outbox *out)
{
    bool moved = false;
    for (int s = 0; s < SLOTS; s++) {
        struct slot *slot = &pu->slots[s];
        if (slot->state == SENDING && slot->pending == 0)
            slot->state = FREE;
    }
    for (int s = 0; s < SLOTS && pu->n_line < AHEAD && !node->stopping; s++) {
        if (pu->slots[s].state != FREE || !plb_worker_take(node->worker, pu->number, &pu->slots[s].piece))
            continue;
        fetch(node, pu, s, out);
        moved = true;
    }
    for (int s = 0; s < SLOTS; s++) {
        struct slot *slot = &pu->slots[s];
        if (slot->state != FETCHING || slot->pending > 0)
            continue;
        slot->arrived = plb_now();
        slot->state = slot->pass == node->pass ? READY : FREE;
        pthread_cond_signal(&pu->work);
        moved = true;
    }
    return moved;
}

/* Starts the results of a DONE on their way; rank 0's own wait in the slot instead. */
static void send_results(struct plb_node *node, const struct plb_message *done)
{
    const struct plb_dataset *set = node->config.data;
    struct slot *slot = &node->pus[done->slot / SLOTS].slots[done->slot % SLOTS];
    slot->state = SENDING;
    if (set->owner) {
        slot->pending++; /* until plb_node_release */
        return;
    }
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, done->range, &offset, &bytes);
        if (plb_data_is_result(&set->at[i]))
            node->config.wire.put(node->config.wire.context, done->slot, slot->buffer[i], bytes, &slot->pending);
    }
}

bool plb_node_step(struct plb_node *node, struct plb_outbox *out)
{
    bool moved = false;
    pthread_mutex_lock(&node->lock);
    for (int p = 0; p < node->n_pus && node->uses_slots; p++)
        moved |= stage(node, &node->pus[p], out);
    node->reports.n = 0;
    node->finished = false;
    node->awaiting = plb_worker_collect(node->worker, plb_now(), &node->reports);
    for (int i = 0; i < node->reports.n; i++) {
        const struct plb_message *m = &node->reports.at[i];
        if (m->type == PLB_DONE && m->slot != PLB_NO_SLOT)
            send_results(node, m);
        *plb_outbox_add(out, (enum plb_message_type)m->type, 0) = *m;
    }
    moved |= node->reports.n > 0;
    pthread_mutex_unlock(&node->lock);
    return moved;
}

enum plb_node_attention plb_node_attention(struct plb_node *node)
{
    pthread_mutex_lock(&node->lock);
    bool shares = plb_worker_shares(node->worker);
    pthread_mutex_unlock(&node->lock);
    return node->awaiting ? PLB_AWAITING : shares ? PLB_ASKED_FOR : PLB_CALM;
}

void plb_node_wait(struct plb_node *node, double seconds)
{
    pthread_mutex_lock(&node->lock);
    if (!node->finished)
        plb_condition_wait_until(&node->wake, &node->lock, plb_now() + seconds);
    pthread_mutex_unlock(&node->lock);
}

void *plb_node_result(struct plb_node *node, int slot, int data)
{
    return node->pus[slot / SLOTS].slots[slot % SLOTS].buffer[data];
}

void plb_node_release(struct plb_node *node, int slot)
{
    node->pus[slot / SLOTS].slots[slot % SLOTS].pending--;
}

void plb_node_stop(struct plb_node *node)
{
    pthread_mutex_lock(&node->lock);
    node->stopping = true;
    plb_worker_stop(node->worker);
    for (int p = 0; p < node->n_pus; p++)
        pthread_cond_signal(&node->pus[p].work);
    pthread_mutex_unlock(&node->lock);
    for (int p = 0; p < node->n_pus; p++)
        if (node->pus[p].started)
            pthread_join(node->pus[p].thread, NULL);
    for (int p = 0; p < node->n_pus; p++) {
        node->pus[p].started = false;
        if (node->pus[p].as.driver->ops.unpin != NULL)
            unpin_buffers(node, &node->pus[p]);
    }
}

void plb_node_collect_trace(const struct plb_node *node, struct plb_trace *trace)
{
    for (int p = 0; p < node->n_pus; p++)
        plb_trace_append(trace, node->pus[p].trace.at, node->pus[p].trace.n);
}

void plb_node_free(struct plb_node *node)
{
    if (node == NULL)
        return;
    plb_node_stop(node);
    for (int p = 0; p < node->n_pus; p++) {
        struct pu *pu = &node->pus[p];
        for (int s = 0; s < SLOTS; s++)
            for (int i = 0; i < PLB_MAX_DATA; i++)
                release(pu, pu->slots[s].buffer[i]);
        plb_trace_fini(&pu->trace);
        pthread_cond_destroy(&pu->work);
    }
    pthread_cond_destroy(&node->wake);
    pthread_mutex_destroy(&node->lock);
    plb_worker_free(node->worker);
    plb_outbox_fini(&node->reports);
    free(node->pus);
    free(node);
}
