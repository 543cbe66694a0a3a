/* The daemon: the communication thread's work for the PUs of its rank. It decides under the node's lock what
 * is to be done, and does it without: page-locking and MPI calls may last long. */
#include "node/daemon.h"

#include <limits.h>
#include <stdlib.h>

#include "app/phase.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "core/place/home_map.h"
#include "node/daemon_state.h"
#include "node/own_worker.h"

/* Seconds that a node which stops waits for its tasks to end. Nobody wants them any more. Larger: a PU that
 * hangs holds up the end of the run. Smaller: PUs that would end soon are left behind, and the process ends
 * without giving back what it has. */
#define PARTING 0.1

/* Seconds that a call waits for threads which tidy up. Larger: nothing else is done meanwhile, and others may
 * take this rank for lost. Smaller: more calls. Half of a beat of life. */
#define TIDYING 0.05

/* Part of its units by which a node has memory for more of them on each side. Larger: pages that nobody uses.
 * Smaller: in a virtual machine, whose host had to find them, pages for 300 rows of 32 KiB took 60 ms as
 * these moved. In the first passes of two equal ranks up to a fifth of the rows did. */
#define MARGIN 0.25

/* ------------------------------------------------------------ start and end */

/* Waits until the PU is open. Tells what it is, or why it is not used. */
static void await_open(struct plb_node *node, struct plb_runner *r, struct plb_node_pu *pu)
{
    pthread_mutex_lock(&node->shared.lock);
    while (r->started && !r->opened)
        pthread_cond_wait(&node->shared.wake, &node->shared.lock);
    pthread_mutex_unlock(&node->shared.lock);
    pu->info = r->pu.info;
    pu->info.broken = r->err.status != PLB_OK;
    if (pu->info.broken)
        plb_log_here(PLB_LOG_WARNING, "PU '%s' is not used: %s", pu->info.name, r->err.text);
    plb_pinned_offer(r);
}

/* Memory for the units that this node will probably execute, and some more: shares move a little. */
static void prepare(struct plb_mirror *mirror, const struct plb_node_config *config)
{
    struct plb_range home = plb_homes_guess(config->data->units, config->rank, config->n_nodes);
    int64_t more = (int64_t)(MARGIN * (double)home.count);
    plb_mirror_prepare(mirror, plb_range_around(home, more, more, config->data->units));
}

int plb_node_start(const struct plb_node_config *config, struct plb_node_pu *pus, int n_pus,
                   struct plb_node **started, struct plb_error *err)
{
    struct plb_node *node = *started = plb_alloc(sizeof *node);
    struct plb_node_shared *shared = &node->shared;
    shared->config = *config;
    shared->locks.most = config->lockable;
    /* A driver may keep pages that are locked from children: isolated tasks would find no inputs. */
    shared->locks.no_parts = config->isolate;
    pthread_mutex_init(&shared->locks.lock, NULL);
    pthread_mutex_init(&shared->locks.changing, NULL);
    shared->mirror = plb_mirror_new(config->data, config->mirror_bytes, config->isolate, &shared->locks);
    if (shared->mirror != NULL && config->prepares)
        prepare(shared->mirror, config);
    shared->staying = plb_staying_new(config->data, config->stay_bytes, config->isolate, &shared->locks);
    shared->set = plb_own_set_new(config);
    shared->results = plb_device_results_new(n_pus);
    shared->uses_slots = plb_dataset_travels(config->data);
    shared->combines = plb_combines(config->data, plb_staying_buffers(shared->staying));
    shared->has_slots = shared->uses_slots || shared->combines || plb_dataset_records(config->data) != 0;
    /* With other nodes also after a loss, when units are granted anew that somebody executes already. */
    bool backups = config->migration.on && config->migration.backups;
    bool twice = config->n_nodes > 1 || (n_pus > 1 && (config->audits || plb_hung_may_be(config) || backups));
    if (twice)
        for (int i = 0; i < config->data->n; i++)
            shared->guarded |= config->data->at[i].mode == PLB_OUTPUT
                            && plb_dataset_in_place(config->data, i);
    pthread_mutex_init(&shared->lock, NULL);
    plb_condition_init(&shared->wake);
    node->n_pus = n_pus;
    node->runners = plb_alloc((size_t)n_pus * sizeof *node->runners);
    node->transfers.at = plb_alloc((size_t)(n_pus * PLB_SLOTS) * sizeof *node->transfers.at);
    for (int p = 0; p < n_pus; p++) /* all of them, also where a thread cannot be started */
        plb_runner_init(&node->runners[p], shared, &pus[p], p);
    for (int p = 0; p < n_pus && err->status == PLB_OK; p++)
        if (!plb_runner_start(&node->runners[p]))
            plb_fail(err, PLB_EFAILED,
                     "cannot start a thread for PU %d of rank %d; raise the limit on processes (ulimit -u)",
                     p, config->rank);
    node->watch = (struct plb_hung_watch){node->runners, n_pus, 0.0};
    for (int p = 0; p < n_pus; p++)
        await_open(node, &node->runners[p], &pus[p]);
    node->sizes = plb_dataset_sizes(config->data);
    node->sizes.stride = plb_dataset_stride(config->data, plb_mirror_buffers(shared->mirror)
                                                              | plb_staying_buffers(shared->staying));
    struct plb_worker *worker = plb_own_worker_new(shared, node->runners, n_pus, &node->sizes);
    pthread_mutex_lock(&shared->lock);
    shared->worker = worker;
    pthread_mutex_unlock(&shared->lock);
    return err->status;
}

/* Has the PUs look again for tasks, soon. */
static void wake_later(struct plb_node *node)
{
    for (int p = 0; p < node->n_pus; p++)
        node->runners[p].wakes = true;
}

void plb_node_wake_pus(struct plb_node *node)
{
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_wake(&node->runners[p]);
}

/* Cancels all tasks, and waits a moment for them to end. */
static void end_tasks(struct plb_node *node)
{
    double end = plb_now() + PARTING;
    pthread_mutex_lock(&node->shared.lock);
    node->shared.stopping = true;
    plb_hung_end(&node->watch);
    wake_later(node);
    plb_node_wake_pus(node);
    while (plb_node_has_task(node, 0, INT_MAX, true) && plb_now() < end) {
        atomic_store(&node->shared.news, false); /* a task that ends wakes this thread */
        plb_condition_wait_until(&node->shared.wake, &node->shared.lock, end);
    }
    atomic_store(&node->shared.news, true);
    for (int p = 0; p < node->n_pus; p++)
        node->runners[p].left = plb_running_works(node->runners[p].running, 0, INT_MAX, true);
    node->left = plb_node_has_task(node, 0, INT_MAX, true);
    pthread_mutex_unlock(&node->shared.lock);
}

bool plb_node_stop(struct plb_node *node)
{
    if (node->stopped)
        return true;
    if (!node->stops)
        end_tasks(node);
    plb_sends_pay(&node->shared.sends, &node->shared.config, node->shared.mirror);
    node->stops = node->stopped = true;
    double until = plb_now() + TIDYING;
    for (int p = 0; p < node->n_pus; p++)
        if (!node->runners[p].left)
            node->stopped &= plb_runner_join(&node->runners[p], until);
    if (node->stopped && !node->left)
        plb_page_take_back(&node->shared.locks, NULL);
    return node->stopped;
}

void plb_node_collect_trace(struct plb_node *node, struct plb_trace *trace)
{
    pthread_mutex_lock(&node->shared.lock);
    for (int p = 0; p < node->n_pus; p++)
        plb_trace_append(trace, node->runners[p].trace.at, node->runners[p].trace.n);
    pthread_mutex_unlock(&node->shared.lock);
}

void plb_node_rest(struct plb_node *node, bool cancels)
{
    pthread_mutex_lock(&node->shared.lock);
    node->shared.resting = true;
    plb_worker_rest(node->shared.worker);
    if (cancels)
        plb_hung_end(&node->watch);
    pthread_mutex_unlock(&node->shared.lock);
}

bool plb_node_awaits(const struct plb_node *node)
{
    return plb_transfers_await(node->runners, node->n_pus);
}

void plb_node_forget_buffer(struct plb_node *node, const void *memory)
{
    plb_page_take_back(&node->shared.locks, memory);
}

bool plb_node_free(struct plb_node *node)
{
    if (node == NULL)
        return true;
    while (!plb_node_stop(node)) {
    }
    if (node->left)
        return false;
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_fini(&node->runners[p]);
    pthread_cond_destroy(&node->shared.wake);
    pthread_mutex_destroy(&node->shared.lock);
    plb_worker_free(node->shared.worker);
    plb_transfers_free_data(&node->shared);
    plb_device_results_free(&node->shared.results);
    plb_outbox_fini(&node->reports);
    free(node->transfers.at);
    free(node->runners);
    free(node);
    return true;
}

/* ----------------------------------------------------------------- messages */

/* Forgets what is obsolete now. Under the lock. */
static void forget(struct plb_node *node)
{
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_forget(&node->runners[p]);
}

static void begin_pass(struct plb_node *node, const struct plb_message *m) /* under the lock */
{
    struct plb_node_shared *shared = &node->shared;
    shared->phase = plb_phase_at(shared->config.kernel, plb_worker_phase(shared->worker));
    shared->resting = false;
    shared->doubled = false;
    shared->stands_until = m->begin.stands_s > 0.0 ? plb_now() + m->begin.stands_s : 0.0;
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_begin_pass(&node->runners[p], m);
    plb_transfers_begin_pass(shared, node->runners, node->n_pus, m);
}

bool plb_node_receive(struct plb_node *node, const struct plb_message *m, struct plb_outbox *out)
{
    if (m->type == PLB_PASS)
        plb_sends_pay(&node->shared.sends, &node->shared.config, node->shared.mirror);
    if (m->type == PLB_PASS) /* replaced buffers may be elsewhere */
        for (int p = 0; p < node->n_pus; p++)
            plb_pinned_offer(&node->runners[p]);
    enum plb_receiver receiver = plb_message_route(m->type)->receiver;
    if (receiver == PLB_TO_TRANSFERS || receiver == PLB_TO_FETCH)
        return plb_transfers_data(&node->shared, node->runners, node->n_pus, m, out);
    if (m->type == PLB_BLOCK || m->type == PLB_GIFT) /* they come after all COUNTED */
        plb_device_results_settle(&node->shared.results);
    pthread_mutex_lock(&node->shared.lock);
    bool sensible = plb_worker_receive(node->shared.worker, m, out);
    if (sensible && m->type == PLB_PASS)
        begin_pass(node, m);
    if (sensible && m->type == PLB_CANCEL)
        forget(node);
    if (sensible && m->type != PLB_STEAL) {
        if (!node->shared.uses_slots) /* else inputs wake them. All: one may take from another's queue */
            wake_later(node);
        node->shared.received++;
        atomic_store(&node->shared.news, true);
    }
    pthread_mutex_unlock(&node->shared.lock);
    if (sensible && !node->shared.config.data->on_rank0)
        plb_node_hear(node, m);
    return sensible;
}

/* --------------------------------------------------------------------- step */

static struct plb_slot *slot_of(struct plb_node *node, int64_t number)
{
    return &node->runners[number / PLB_SLOTS].slots[number % PLB_SLOTS];
}

/* Whether results are on their way to another rank: their slots are free soon. Under the lock. */
static bool sends(const struct plb_node *node)
{
    if (!node->shared.config.data->on_rank0)
        for (int p = 0; p < node->n_pus; p++)
            for (int s = 0; s < PLB_SLOTS; s++)
                if (node->runners[p].slots[s].state == PLB_SLOT_SENDING)
                    return true;
    return false;
}

/* Decides what there is to do: which inputs to fetch, which reports to send. Takes the lock, but leaves it to
 * the PUs where only reports may be there that can wait. */
static bool plan(struct plb_node *node)
{
    struct plb_node_shared *shared = &node->shared;
    double now = plb_now();
    bool moved = false;
    node->transfers.n = node->reports.n = 0;
    bool can_wait = !shared->uses_slots && !node->sends && !shared->resting; /* all of this thread alone */
    if (can_wait && !atomic_load(&shared->news) && now - node->collected < PLB_REPORT_DELAY)
        return false;
    node->collected = now;
    pthread_mutex_lock(&shared->lock);
    for (int p = 0; p < node->n_pus; p++)
        plb_runner_look(&node->runners[p]);
    const bool returned = shared->returned;
    if (returned)
        wake_later(node);
    shared->returned = false;
    moved = plb_unasked_settle(&shared->unasked, &shared->config.wire, shared->mirror);
    if (shared->has_slots)
        for (int p = 0; p < node->n_pus; p++)
            moved |= plb_transfers_settle(&node->transfers, &node->runners[p]);
    if (shared->uses_slots)
        for (int p = 0; p < node->n_pus; p++)
            plb_transfers_prefetch(&node->transfers, &node->runners[p]);
    bool news = atomic_exchange(&shared->news, false);
    node->awaiting = plb_worker_collect(shared->worker, now, &node->reports);
    for (struct plb_message *m = node->reports.at; m < node->reports.at + node->reports.n; m++)
        if (m->type == PLB_DONE && m->done.slot != PLB_NO_SLOT)
            slot_of(node, m->done.slot)->state = PLB_SLOT_SENDING;
    node->sends = sends(node);
    pthread_mutex_unlock(&shared->lock);
    if (returned || node->transfers.n > 0) /* memory for inputs may be locked next, which takes long */
        plb_node_wake_pus(node);
    return moved || node->transfers.n > 0 || (news && node->reports.n > 0);
}

bool plb_node_step(struct plb_node *node, struct plb_outbox *out)
{
    plb_hung_look(&node->watch, plb_now());
    bool folded = plb_own_set_step(node->shared.set, out), moved = plan(node) || folded;
    plb_transfers_run(&node->transfers, out);
    for (int i = 0; i < node->reports.n; i++) {
        struct plb_message *m = &node->reports.at[i];
        if (m->type == PLB_DONE && m->done.slot != PLB_NO_SLOT)
            plb_transfers_send(slot_of(node, m->done.slot), &node->shared, &m->done);
        plb_outbox_copy(out, m);
    }
    if (out->n == 0)
        plb_node_wake_pus(node);
    return moved;
}

void plb_node_wait(struct plb_node *node, double seconds)
{
    plb_node_wake_pus(node);
    pthread_mutex_lock(&node->shared.lock);
    if (!atomic_load(&node->shared.news))
        plb_condition_wait_until(&node->shared.wake, &node->shared.lock, plb_now() + seconds);
    pthread_mutex_unlock(&node->shared.lock);
}

void *plb_node_result(struct plb_node *node, int slot, int data)
{
    const struct plb_slot *s = slot_of(node, slot);
    return plb_slot_buffer(s, node->shared.config.data, data, s->task.range.first);
}

void *plb_node_records(struct plb_node *node, int slot)
{
    return plb_slot_records(slot_of(node, slot), &(size_t){0});
}

void plb_node_release(struct plb_node *node, int slot)
{
    struct plb_runner *owner = &node->runners[slot / PLB_SLOTS];
    pthread_mutex_lock(&node->shared.lock);
    plb_slot_release(slot_of(node, slot));
    slot_of(node, slot)->state = PLB_SLOT_FREE;
    pthread_mutex_unlock(&node->shared.lock);
    pthread_cond_signal(&owner->work); /* it may have waited for one */
}
