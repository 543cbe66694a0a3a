/* The daemon: PU threads on one side of the lock, the communication thread on the other.
 *
 * A slot is a task with buffers of its own. Its life: FREE → FETCHING (inputs are on their way) →
 * READY → RUNNING → FINISHED → SENDING (results are) → FREE. The communication thread moves it to
 * FETCHING, READY, SENDING and FREE, the PU's thread to RUNNING and FINISHED. Buffers grow to the
 * largest task and are reused, so a node holds its inputs once plus SLOTS tasks per PU. */
#include "run/node.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/topology.h"
#include "core/worker.h"
#include "run/phase.h"

#define SLOTS 4             /* per PU: one running, two ahead, one being sent */
#define AHEAD 2

enum slot_state { FREE, FETCHING, READY, RUNNING, FINISHED, SENDING };

struct slot {
    enum slot_state state;
    struct plb_piece piece;
    int pass;
    void *buffer[PLB_MAX_DATA]; /* NULL: the whole buffer is here */
    size_t capacity[PLB_MAX_DATA];
    int pending;                /* transfers; the communication thread's alone */
    double asked, arrived;      /* when inputs were asked for, and there */
};

struct pu {
    struct plb_node *node;
    struct plb_node_pu as;
    int number;                 /* on this node */
    pthread_t thread;
    pthread_cond_t work;        /* something for this PU */
    struct plb_device *device;
    void *memory[PLB_MAX_DATA]; /* device memory, where it is not the host's */
    size_t memory_bytes[PLB_MAX_DATA];
    struct slot slots[SLOTS];
    int line[SLOTS], n_line;    /* slots fetching or ready, in order */
    int64_t stale;              /* replicated buffers to fetch before the next task */
    bool opened, started;
    struct plb_error err;
    struct plb_trace trace;
};

struct plb_node {
    struct plb_node_config config;
    struct plb_worker *worker;
    struct pu *pus;
    int n_pus, pass;
    struct plb_phase phase;     /* of this pass */
    bool uses_slots;            /* some data must travel or be folded */
    bool stopping;
    bool awaiting;              /* another node's answer; the communication thread's alone */
    bool finished;              /* a PU has finished something, or found nothing, since the last step */
    pthread_mutex_t lock;
    pthread_cond_t wake;        /* the communication thread */
    struct plb_outbox reports;
};

static double run_clock(const struct plb_node *node)
{
    return plb_now() + node->config.clock;
}

static void trace(struct pu *pu, int pass, enum plb_trace_type type, double start, double end, struct plb_piece p)
{
    const struct plb_pu_info *info = &pu->as.info;
    plb_trace_add(&pu->trace, (struct plb_trace_event){(int32_t)type, info->node, info->local, pass, start, end - start, p.range.first, p.range.count, p.block});
}

/* A task that has just ended, and the wait before it. Returns when it ended. */
static double trace_task(struct pu *pu, int pass, const struct plb_piece *piece, double idle_since, double began, double copied)
{
    double ended = run_clock(pu->node);
    trace(pu, pass, PLB_TRACE_WAIT, idle_since, began, (struct plb_piece){{0, 0}, 0});
    trace(pu, pass, PLB_TRACE_TRANSFER, began, copied < ended ? copied : ended, *piece);
    trace(pu, pass, PLB_TRACE_TASK, copied, ended > copied ? ended : copied, *piece);
    return ended;
}

/* ---------------------------------------------------------------- PU thread */

static int grow_memory(struct pu *pu, int i, size_t bytes)
{
    if (bytes <= pu->memory_bytes[i] && pu->memory[i] != NULL)
        return PLB_OK;
    if (pu->memory[i] != NULL)
        pu->as.ops->free(pu->device, pu->memory[i]);
    pu->memory[i] = pu->as.ops->alloc(pu->device, bytes);
    pu->memory_bytes[i] = pu->memory[i] != NULL ? bytes : 0;
    if (pu->memory[i] != NULL)
        return PLB_OK;
    return plb_fail(&pu->err, PLB_EFAILED, "%s: no device memory for %zu bytes of buffer %d", pu->as.info.name, bytes, i);
}

/* Copies replicated buffers to a device with memory of its own. */
static int make_resident(struct pu *pu, int64_t mask)
{
    const struct plb_dataset *set = pu->node->config.data;
    struct plb_device_times unused;
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].mode != PLB_REPLICATE || !(mask & ((int64_t)1 << i)))
            continue;
        if (grow_memory(pu, i, set->at[i].bytes) != PLB_OK)
            return pu->err.status;
        if (pu->as.ops->copy_in(pu->device, pu->memory[i], set->host[i], set->at[i].bytes) != 0)
            return plb_fail(&pu->err, PLB_EFAILED, "%s: copying buffer %d to the device failed", pu->as.info.name, i);
    }
    return pu->as.ops->wait(pu->device, &unused) == 0 ? PLB_OK : plb_fail(&pu->err, PLB_EFAILED, "%s: copying to the device failed", pu->as.info.name);
}

/* Where the bytes of a piece are on the host. */
static void *host_address(struct pu *pu, const struct slot *slot, int i, struct plb_range range, size_t *bytes)
{
    const struct plb_dataset *set = pu->node->config.data;
    size_t offset;
    plb_dataset_bytes(set, i, range, &offset, bytes);
    if (slot != NULL && slot->buffer[i] != NULL)
        return slot->buffer[i];
    return (char *)set->host[i] + offset;
}

/* Runs one piece: inputs to the device, the phase, results back. Returns the kernel's status. */
static int execute(struct pu *pu, const struct plb_phase *phase, const struct plb_piece *piece, const struct slot *slot,
                   struct plb_device_times *times)
{
    const struct plb_device_ops *ops = pu->as.ops;
    const struct plb_dataset *set = pu->node->config.data;
    bool on_host = ops->host_memory(pu->device);
    void *data[PLB_MAX_DATA], *host[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    int status = 0;
    for (int i = 0; i < set->n && status == 0; i++) {
        const struct plb_data *d = &set->at[i];
        host[i] = host_address(pu, slot, i, piece->range, &bytes[i]);
        if (d->mode == PLB_REDUCE)
            plb_reduce_clear(d, host[i]);
        data[i] = on_host ? host[i] : pu->memory[i];
        if (on_host || d->mode == PLB_REPLICATE)
            continue;
        status = grow_memory(pu, i, bytes[i]);
        data[i] = pu->memory[i];
        if (status == 0 && d->mode != PLB_OUTPUT)
            status = ops->copy_in(pu->device, data[i], host[i], bytes[i]);
    }
    struct plb_task task = {piece->range.first, piece->range.count, data, set->args_bytes > 0 ? set->args : NULL, NULL, pu->as.device.threads};
    if (status == 0)
        status = ops->launch(pu->device, phase, &task);
    for (int i = 0; i < set->n && status == 0 && !on_host; i++)
        if (plb_data_is_result(&set->at[i]))
            status = ops->copy_out(pu->device, host[i], data[i], bytes[i]);
    int waited = ops->wait(pu->device, times);
    return status != 0 ? status : waited;
}

static void wake_communication(struct plb_node *node)
{
    if (!node->finished)
        pthread_cond_signal(&node->wake);
    node->finished = true;
}

/* The next task for this PU: in *slot, or where no data has to travel in *piece alone. Waits for it;
 * false: stop. `exposed` becomes the seconds that inputs made it wait. Called under the lock. */
static bool next_task(struct pu *pu, struct plb_piece *piece, struct slot **slot, double *exposed)
{
    struct plb_node *node = pu->node;
    double began = node->uses_slots ? plb_now() : 0.0;
    *slot = NULL;
    *exposed = 0.0;
    for (;;) {
        if (node->stopping)
            return false;
        if (!node->uses_slots && plb_worker_take(node->worker, pu->number, piece))
            return true;
        struct slot *head = pu->n_line > 0 ? &pu->slots[pu->line[0]] : NULL;
        if (head != NULL && head->state == READY) {
            memmove(pu->line, pu->line + 1, (size_t)--pu->n_line * sizeof *pu->line);
            head->state = RUNNING;
            *slot = head;
            *piece = head->piece;
            double waiting = head->arrived - (head->asked > began ? head->asked : began);
            *exposed = waiting > 0.0 ? waiting : 0.0;
            return true;
        }
        if (!node->uses_slots) /* the communication thread may want to ask other nodes */
            wake_communication(node);
        pthread_cond_wait(&pu->work, &node->lock);
    }
}

static void run_tasks(struct pu *pu)
{
    struct plb_node *node = pu->node;
    struct plb_piece piece;
    struct slot *slot;
    double exposed, idle_since = run_clock(node), began = 0.0;
    pthread_mutex_lock(&node->lock);
    while (next_task(pu, &piece, &slot, &exposed)) {
        int pass = node->pass;
        struct plb_phase phase = node->phase; /* what the task runs, whatever begins meanwhile */
        int64_t stale = pu->stale;
        pu->stale = 0;
        pthread_mutex_unlock(&node->lock);
        struct plb_device_times times = {0};
        int status = stale != 0 && !pu->as.ops->host_memory(pu->device) ? make_resident(pu, stale) : 0;
        if (pu->trace.on)
            began = run_clock(node);
        if (status == 0)
            status = execute(pu, &phase, &piece, slot, &times);
        if (pu->trace.on)
            idle_since = trace_task(pu, pass, &piece, idle_since, began, began + times.transfer_s);
        pthread_mutex_lock(&node->lock);
        bool over = pass != node->pass; /* what it did is wanted no more */
        bool urgent = true;
        if (!over && status != 0)
            plb_worker_fail(node->worker, pu->number, &piece, status);
        else if (!over)
            urgent = plb_worker_done(node->worker, pu->number, &piece, times.execute_s, times.transfer_s + exposed,
                            slot != NULL ? (int)(pu->number * SLOTS + (slot - pu->slots)) : PLB_NO_SLOT);
        if (slot != NULL)
            slot->state = over ? FREE : FINISHED;
        if (urgent) /* else it looks by itself soon enough */
            wake_communication(node);
    }
    pthread_mutex_unlock(&node->lock);
}

static void *pu_main(void *argument)
{
    struct pu *pu = argument;
    struct plb_node *node = pu->node;
    if (pu->as.bind_parts > 1)
        plb_topology_bind(pu->as.bind_index, pu->as.bind_parts, pu->as.info.cores, sizeof pu->as.info.cores);
    int status = pu->as.ops->open(&pu->as.device, &pu->device, &pu->err);
    if (status == PLB_OK && !pu->as.ops->host_memory(pu->device))
        make_resident(pu, -1);
    pthread_mutex_lock(&node->lock);
    pu->opened = true;
    pthread_cond_signal(&node->wake);
    pthread_mutex_unlock(&node->lock);
    if (pu->err.status == PLB_OK)
        run_tasks(pu);
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if (pu->memory[i] != NULL)
            pu->as.ops->free(pu->device, pu->memory[i]);
    if (status == PLB_OK)
        pu->as.ops->close(pu->device);
    return NULL;
}

/* ---------------------------------------------------- communication thread */

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
    for (int p = 0; p < n_pus; p++) {
        struct pu *pu = &node->pus[p];
        pu->node = node;
        pu->number = p;
        pu->as = pus[p];
        pu->trace.on = config->trace;
        plb_condition_init(&pu->work);
        pu->started = pthread_create(&pu->thread, NULL, pu_main, pu) == 0;
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
            free(slot->buffer[i]);
            slot->buffer[i] = plb_alloc(bytes);
            slot->capacity[i] = bytes;
        }
        if (plb_data_is_input(d)) {
            pulls = true;
            plb_mpi_get(node->config.mpi, 0, number, slot->buffer[i], bytes, &slot->pending);
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
            plb_mpi_put(node->config.mpi, 0, done->slot, slot->buffer[i], bytes, &slot->pending);
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
    for (int p = 0; p < node->n_pus; p++)
        node->pus[p].started = false;
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
                free(pu->slots[s].buffer[i]);
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
