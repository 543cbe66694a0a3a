/* The daemon: what the communication thread does for the PUs of its rank.
 *
 * It decides under the node's lock what is to be done, and does it without: page-locking and MPI calls may
 * last long, and no PU waits for them. */
#include "node/daemon.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "job/phase.h"
#include "node/runner.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Seconds that a report may wait for the next ones, where the master does not need it soon. Larger: balancers
 * hear later. Smaller: the two threads take the lock from each other, and each report costs a
 * message. As long as the shortest task of a large block. */
#define REPORT_DELAY 5e-3

/* A slot that has just been given a task, whose inputs are to be fetched. */
struct errand {
    struct plb_runner *runner;
    struct plb_slot *slot;
};

struct plb_node {
    struct plb_node_shared shared;
    struct plb_runner *runners;
    int n_pus;
    struct plb_sizes sizes;    /* of the job's data */
    bool awaiting;             /* another node's answer */
    bool pinned[PLB_MAX_DATA]; /* whole buffers, for copies to devices */
    struct errand *errands;    /* room for every slot */
    int n_errands;
    struct plb_outbox reports;
    double collected; /* plb_now() when reports were last collected */
};

/* ------------------------------------------------------------ start and end */

/* Locks the pages of rank 0's buffers that are split by unit: devices copy from and to them in place. Only
 * buffers of whole pages: another one may share a page with other memory of the kernel. */
static void pin_buffers(struct plb_node *node, const struct plb_runner *r)
{
    const struct plb_dataset *set = node->shared.config.data;
    size_t offset, bytes;
    for (int i = 0; i < set->n && set->owner && r->pu.driver->ops.pin != NULL; i++) {
        bool split = plb_data_is_input(&set->at[i]) || set->at[i].mode == PLB_OUTPUT;
        bool whole_pages = (uintptr_t)set->host[i] % PAGE == 0;
        plb_dataset_bytes(set, i, (struct plb_range){0, set->units}, &offset, &bytes);
        if (!split || !whole_pages || bytes == 0 || node->pinned[i])
            continue;
        r->pu.driver->ops.pin(r->executor.device, set->host[i], bytes);
        node->pinned[i] = true;
    }
}

static void unpin_buffers(struct plb_node *node, const struct plb_runner *r)
{
    for (int i = 0; i < PLB_MAX_DATA && r->pu.driver->ops.unpin != NULL; i++) {
        if (node->pinned[i])
            r->pu.driver->ops.unpin(node->shared.config.data->host[i]);
        node->pinned[i] = false;
    }
}

/* Makes the worker: once all PUs are open, since only then their memory is known. */
static void make_worker(struct plb_node *node)
{
    const struct plb_node_config *config = &node->shared.config;
    struct plb_worker_pu *pus = plb_alloc((size_t)node->n_pus * sizeof *pus);
    node->sizes = plb_dataset_sizes(config->data);
    for (int p = 0; p < node->n_pus; p++) {
        const struct plb_pu_info *info = &node->runners[p].pu.info;
        bool one_by_one = node->runners[p].pu.driver->ops.lanes == 1;
        bool bursts = one_by_one && !node->shared.uses_slots && !config->trace;
        pus[p] = (struct plb_worker_pu){
            info->power, plb_task_limit(&node->sizes, info, config->grain, config->pulled_bytes), bursts};
    }
    struct plb_worker_config worker = {.node = config->rank,
                                       .n_nodes = config->n_nodes,
                                       .n_pus = node->n_pus,
                                       .pus = pus,
                                       .sizes = &node->sizes,
                                       .maps = config->maps,
                                       .n_phases = plb_phase_count(config->kernel),
                                       .migration = config->migration};
    pthread_mutex_lock(&node->shared.lock);
    node->shared.worker = plb_worker_new(&worker);
    pthread_mutex_unlock(&node->shared.lock);
    free(pus);
}

/* Waits until the PU is open. Tells what it is, or why it is not. */
static void await_open(struct plb_node *node, struct plb_runner *r, struct plb_node_pu *pu,
                       struct plb_error *err)
{
    pthread_mutex_lock(&node->shared.lock);
    while (r->started && !r->opened)
        pthread_cond_wait(&node->shared.wake, &node->shared.lock);
    bool is_open = r->opened && r->err.status == PLB_OK;
    pthread_mutex_unlock(&node->shared.lock);
    pu->info = r->pu.info;
    if (r->err.status != PLB_OK)
        plb_fail(err, PLB_EFAILED, "%s", r->err.text);
    else if (is_open)
        pin_buffers(node, r);
}

int plb_node_start(const struct plb_node_config *config, struct plb_node_pu *pus, int n_pus,
                   struct plb_node **started, struct plb_error *err)
{
    struct plb_node *node = *started = plb_alloc(sizeof *node);
    struct plb_node_shared *shared = &node->shared;
    shared->config = *config;
    shared->uses_slots = plb_dataset_travels(config->data);
    pthread_mutex_init(&shared->lock, NULL);
    plb_condition_init(&shared->wake);
    node->n_pus = n_pus;
    node->runners = plb_alloc((size_t)n_pus * sizeof *node->runners);
    node->errands = plb_alloc((size_t)(n_pus * PLB_SLOTS) * sizeof *node->errands);
    for (int p = 0; p < n_pus; p++) /* all of them, also where a thread cannot be started */
        plb_runner_init(&node->runners[p], shared, &pus[p], p);
    for (int p = 0; p < n_pus && err->status == PLB_OK; p++)
        if (!plb_runner_start(&node->runners[p]))
            plb_fail(err, PLB_EFAILED,
                     "cannot start a thread for PU %d of rank %d; raise the limit on processes", p,
                     config->rank);
    for (int p = 0; p < n_pus; p++)
        await_open(node, &node->runners[p], &pus[p], err);
    make_worker(node);
    return err->status;
}

/* Has the PUs look again for tasks. Under the lock. */
static void wake_pus(struct plb_node *node)
{
    for (int p = 0; p < node->n_pus; p++)
        pthread_cond_signal(&node->runners[p].work);
}

void plb_node_stop(struct plb_node *node)
{
    pthread_mutex_lock(&node->shared.lock);
    node->shared.stopping = true;
    wake_pus(node);
    pthread_mutex_unlock(&node->shared.lock);
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_join(&node->runners[p]);
    for (int p = 0; p < node->n_pus; p++)
        unpin_buffers(node, &node->runners[p]);
}

void plb_node_collect_trace(const struct plb_node *node, struct plb_trace *trace)
{
    for (int p = 0; p < node->n_pus; p++)
        plb_trace_append(trace, node->runners[p].trace.at, node->runners[p].trace.n);
}

void plb_node_free(struct plb_node *node)
{
    if (node == NULL)
        return;
    plb_node_stop(node);
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_fini(&node->runners[p]);
    pthread_cond_destroy(&node->shared.wake);
    pthread_mutex_destroy(&node->shared.lock);
    plb_worker_free(node->shared.worker);
    plb_outbox_fini(&node->reports);
    free(node->errands);
    free(node->runners);
    free(node);
}

/* ----------------------------------------------------------------- messages */

/* Under the lock. */
static void begin_pass(struct plb_node *node, int64_t replaced)
{
    struct plb_node_shared *shared = &node->shared;
    shared->phase = plb_phase_at(shared->config.kernel, plb_worker_phase(shared->worker));
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_begin_pass(&node->runners[p], replaced);
}

bool plb_node_receive(struct plb_node *node, const struct plb_message *m, struct plb_outbox *out)
{
    pthread_mutex_lock(&node->shared.lock);
    bool sensible = plb_worker_receive(node->shared.worker, m, out);
    if (sensible && m->type == PLB_PASS)
        begin_pass(node, m->begin.replaced);
    if (sensible && m->type != PLB_STEAL) { /* all PUs: one may take from the queue of another */
        wake_pus(node);
        atomic_store(&node->shared.news, true);
    }
    pthread_mutex_unlock(&node->shared.lock);
    return sensible;
}

/* --------------------------------------------------------------------- step */

/* The inputs are here: the PU may take the slot, unless its pass is over. Under the lock. */
static void arrive(struct plb_runner *r, struct plb_slot *slot)
{
    slot->arrived = plb_now();
    bool over = slot->task.pass != plb_worker_pass(r->shared->worker);
    slot->state = over ? PLB_SLOT_FREE : PLB_SLOT_READY;
    pthread_cond_signal(&r->work);
}

/* Moves the slots whose transfers have ended. Under the lock. */
static bool settle(struct plb_runner *r)
{
    bool moved = false;
    for (int s = 0; s < PLB_SLOTS; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state == PLB_SLOT_SENDING && slot->pending == 0)
            slot->state = PLB_SLOT_FREE;
        if (slot->state != PLB_SLOT_FETCHING || slot->pending > 0)
            continue;
        arrive(r, slot);
        moved = true;
    }
    return moved;
}

/* Takes tasks for a PU into free slots, and notes an errand for each. Under the lock. */
static void take_ahead(struct plb_node *node, struct plb_runner *r)
{
    struct plb_node_shared *shared = &node->shared;
    for (int s = 0; s < PLB_SLOTS && r->n_line < PLB_TASKS_AHEAD && !shared->stopping; s++) {
        struct plb_slot *slot = &r->slots[s];
        if (slot->state != PLB_SLOT_FREE || !plb_worker_take(shared->worker, r->number, &slot->task))
            continue;
        slot->state = PLB_SLOT_FETCHING;
        r->line[r->n_line++] = s;
        node->errands[node->n_errands++] = (struct errand){r, slot};
    }
}

static struct plb_slot *slot_of(struct plb_node *node, int64_t number)
{
    return &node->runners[number / PLB_SLOTS].slots[number % PLB_SLOTS];
}

/* Decides what there is to do: which inputs to fetch, which reports to send. Takes the lock, but leaves it to
 * the PUs where only reports may be there that can wait. */
static bool plan(struct plb_node *node)
{
    struct plb_node_shared *shared = &node->shared;
    double now = plb_now();
    bool moved = false;
    node->n_errands = 0;
    node->reports.n = 0;
    if (!shared->uses_slots && !atomic_load(&shared->news) && now - node->collected < REPORT_DELAY)
        return false;
    node->collected = now;
    pthread_mutex_lock(&shared->lock);
    for (int p = 0; p < node->n_pus && shared->uses_slots; p++) {
        moved |= settle(&node->runners[p]);
        take_ahead(node, &node->runners[p]);
    }
    bool news = atomic_exchange(&shared->news, false);
    node->awaiting = plb_worker_collect(shared->worker, now, &node->reports);
    for (int i = 0; i < node->reports.n; i++) {
        const struct plb_message *m = &node->reports.at[i];
        if (m->type == PLB_DONE && m->done.slot != PLB_NO_SLOT)
            slot_of(node, m->done.slot)->state = PLB_SLOT_SENDING;
    }
    pthread_mutex_unlock(&shared->lock);
    return moved || node->n_errands > 0 || (news && node->reports.n > 0);
}

/* Asks for the inputs of a task, or hands it to the PU where it has none. */
static void run_errand(struct plb_node *node, const struct errand *errand, struct plb_outbox *out)
{
    const struct plb_node_config *config = &node->shared.config;
    struct plb_slot *slot = errand->slot;
    if (plb_slot_fetch(slot, config->data, &errand->runner->executor, &config->wire)) {
        struct plb_message *m = plb_outbox_add(out, PLB_PULL, config->rank, 0, slot->task.pass);
        m->pu = errand->runner->number;
        m->pull = (struct plb_pull){.range = slot->task.range, .slot = slot->tag};
    }
    if (slot->pending > 0)
        return;
    pthread_mutex_lock(&node->shared.lock);
    arrive(errand->runner, slot);
    pthread_mutex_unlock(&node->shared.lock);
}

bool plb_node_step(struct plb_node *node, struct plb_outbox *out)
{
    const struct plb_node_config *config = &node->shared.config;
    bool moved = plan(node);
    for (int i = 0; i < node->n_errands; i++)
        run_errand(node, &node->errands[i], out);
    for (int i = 0; i < node->reports.n; i++) {
        const struct plb_message *m = &node->reports.at[i];
        if (m->type == PLB_DONE && m->done.slot != PLB_NO_SLOT)
            plb_slot_send(slot_of(node, m->done.slot), config->data, &config->wire);
        plb_outbox_copy(out, m);
    }
    return moved;
}

enum plb_node_attention plb_node_attention(struct plb_node *node)
{
    pthread_mutex_lock(&node->shared.lock);
    bool shares = plb_worker_shares(node->shared.worker);
    pthread_mutex_unlock(&node->shared.lock);
    return node->awaiting ? PLB_AWAITING : shares ? PLB_ASKED_FOR : PLB_CALM;
}

void plb_node_wait(struct plb_node *node, double seconds)
{
    double end = plb_now() + seconds;
    pthread_mutex_lock(&node->shared.lock);
    if (!atomic_load(&node->shared.news))
        plb_condition_wait_until(&node->shared.wake, &node->shared.lock, end);
    pthread_mutex_unlock(&node->shared.lock);
}

void *plb_node_result(struct plb_node *node, int slot, int data)
{
    return slot_of(node, slot)->buffer[data];
}

void plb_node_release(struct plb_node *node, int slot)
{
    plb_slot_release(slot_of(node, slot));
}
