/* A PU's thread: takes tasks, keeps the device's lanes full, reports. */
#include <string.h>

#include "base/topology.h"
#include "node/daemon.h"
#include "node/daemon_state.h"
#include "job/phase.h"

#define LOOK 100e-6         /* seconds between looks at a lane while another one is free and work may come */

/* A task in a lane. */
struct flight {
    struct plb_slice piece;
    struct slot *slot;
    int pass;
    double exposed;             /* seconds that the device waited for its inputs */
};

/* The tasks in the lanes, in the order they were started: flights[(oldest + i) % lanes]. */
struct flights {
    struct flight at[PLB_MAX_LANES];
    int lanes, oldest, n;
    double idle_since;          /* the run's clock */
};

static double run_clock(const struct plb_node *node)
{
    return plb_now() + node->config.clock;
}

static void trace(struct pu *pu, int pass, enum plb_trace_type type, double start, double end, struct plb_slice p)
{
    const struct plb_pu_info *info = &pu->as.info;
    plb_trace_add(&pu->trace, (struct plb_trace_event){(int32_t)type, info->node, info->local, pass, start, end - start, p.range.first, p.range.count, p.block});
}

/* A task that has just ended, and the wait before it. */
static void trace_task(struct pu *pu, struct flights *f, const struct flight *task, const struct plb_device_times *times)
{
    double ended = run_clock(pu->node), executed = ended - times->execute_s, began = executed - times->transfer_s;
    if (began < f->idle_since)
        began = f->idle_since;
    if (executed < began)
        executed = began;
    trace(pu, task->pass, PLB_TRACE_WAIT, f->idle_since, began, (struct plb_slice){{0, 0}, 0});
    trace(pu, task->pass, PLB_TRACE_TRANSFER, began, executed, task->piece);
    trace(pu, task->pass, PLB_TRACE_TASK, executed, ended, task->piece);
    f->idle_since = ended;
}

static void wake_communication(struct plb_node *node)
{
    if (!node->finished)
        pthread_cond_signal(&node->wake);
    node->finished = true;
}

/* The next task for this PU, if there is one: with a slot, or where no data has to travel without. Under the lock. */
static bool find_task(struct pu *pu, struct flight *task)
{
    struct plb_node *node = pu->node;
    *task = (struct flight){.pass = node->pass};
    if (!node->uses_slots && plb_worker_take(node->worker, pu->number, &task->piece))
        return true;
    struct slot *head = pu->n_line > 0 ? &pu->slots[pu->line[0]] : NULL;
    if (head != NULL && head->state == READY) {
        memmove(pu->line, pu->line + 1, (size_t)--pu->n_line * sizeof *pu->line);
        head->state = RUNNING;
        task->slot = head;
        task->piece = head->piece;
        return true;
    }
    return false;
}

/* Waits for a task; false: stop. Under the lock. */
static bool await_task(struct pu *pu, struct flight *task)
{
    struct plb_node *node = pu->node;
    double began = node->uses_slots ? plb_now() : 0.0;
    while (!node->stopping) {
        if (find_task(pu, task)) {
            const struct slot *s = task->slot;
            double waiting = s != NULL ? s->arrived - (s->asked > began ? s->asked : began) : 0.0;
            task->exposed = waiting > 0.0 ? waiting : 0.0;
            return true;
        }
        if (!node->uses_slots) /* the communication thread may want to ask other nodes */
            wake_communication(node);
        pthread_cond_wait(&pu->work, &node->lock);
    }
    return false;
}

/* Tells of a task that failed. With several in flight a device cannot say whose fault an asynchronous error
 * is, so the range is that of all of them. Under the lock. */
static void fail(struct pu *pu, const struct flights *f, const struct flight *task, int status)
{
    const char *text = plb_executor_failure(&pu->executor);
    struct plb_slice piece = task->piece;
    for (int i = 0; i < f->n && text[0] != '\0'; i++) {
        struct plb_range r = f->at[(f->oldest + i) % f->lanes].piece.range;
        int64_t end = piece.range.first + piece.range.count, other = r.first + r.count;
        piece.range.first = r.first < piece.range.first ? r.first : piece.range.first;
        piece.range.count = (other > end ? other : end) - piece.range.first;
    }
    plb_worker_fail(pu->node->worker, pu->number, &piece, status, text);
}

static int submit(struct pu *pu, const struct flights *f, const struct plb_phase *phase, const struct flight *task)
{
    return plb_executor_submit(&pu->executor, (f->oldest + f->n) % f->lanes, phase, task->piece.range, task->slot != NULL ? task->slot->buffer : NULL);
}

static void finish(struct pu *pu, struct flights *f);

/* Starts a task in the next lane. Under the lock, which is given up meanwhile. */
static void start(struct pu *pu, struct flights *f, const struct flight *task)
{
    struct plb_node *node = pu->node;
    struct plb_phase phase = node->phase; /* what the task runs, whatever begins meanwhile */
    int64_t stale = pu->stale;
    pu->stale = 0;
    pthread_mutex_unlock(&node->lock);
    struct plb_error err = {.status = PLB_OK};
    int status = stale != 0 ? plb_executor_update(&pu->executor, stale, pu->as.info.name, &err) : 0;
    if (status == 0)
        status = submit(pu, f, &phase, task);
    pthread_mutex_lock(&node->lock);
    if (status != 0 && pu->executor.full) {
        while (f->n > 0)
            finish(pu, f);
        pthread_mutex_unlock(&node->lock);
        plb_executor_shrink(&pu->executor);
        status = submit(pu, f, &phase, task);
        pthread_mutex_lock(&node->lock);
    }
    if (status == 0) {
        f->at[(f->oldest + f->n++) % f->lanes] = *task;
        return;
    }
    if (task->pass == node->pass)
        fail(pu, f, task, status);
    if (task->slot != NULL)
        task->slot->state = task->pass == node->pass ? FINISHED : FREE;
    wake_communication(node);
}

/* Waits for the oldest task and reports it. Under the lock, which is given up meanwhile. */
static void finish(struct pu *pu, struct flights *f)
{
    struct plb_node *node = pu->node;
    struct flight task = f->at[f->oldest];
    struct plb_device_times times = {0};
    pthread_mutex_unlock(&node->lock);
    int status = plb_executor_wait(&pu->executor, f->oldest, &times);
    if (pu->trace.on)
        trace_task(pu, f, &task, &times);
    pthread_mutex_lock(&node->lock);
    bool over = task.pass != node->pass; /* what it did is wanted no more */
    bool urgent = true;
    if (!over && status != 0)
        fail(pu, f, &task, status);
    else if (!over)
        urgent = plb_worker_done(node->worker, pu->number, &task.piece, times.execute_s, times.transfer_s + task.exposed,
                                 task.slot != NULL ? (int)(pu->number * SLOTS + (task.slot - pu->slots)) : PLB_NO_SLOT);
    if (task.slot != NULL)
        task.slot->state = over ? FREE : FINISHED;
    f->oldest = (f->oldest + 1) % f->lanes;
    f->n--;
    if (urgent) /* else it looks by itself soon enough */
        wake_communication(node);
}

/* Whether the oldest task has ended; else waits a moment for that or for more work. Under the lock. */
static bool ended(struct pu *pu, const struct flights *f)
{
    pthread_mutex_unlock(&pu->node->lock);
    bool done = plb_executor_done(&pu->executor, f->oldest);
    pthread_mutex_lock(&pu->node->lock);
    if (!done)
        plb_condition_wait_until(&pu->work, &pu->node->lock, plb_now() + LOOK);
    return done;
}

static void run_tasks(struct pu *pu)
{
    struct plb_node *node = pu->node;
    struct flights f = {.lanes = pu->as.driver->ops.lanes, .idle_since = run_clock(node)};
    pthread_mutex_lock(&node->lock);
    for (;;) {
        struct flight task;
        bool room = f.n < f.lanes && !node->stopping && (pu->stale == 0 || f.n == 0);
        if (room && (f.n > 0 ? find_task(pu, &task) : await_task(pu, &task)))
            start(pu, &f, &task);
        else if (f.n == 0)
            break;
        else if (!room || ended(pu, &f))
            finish(pu, &f);
    }
    pthread_mutex_unlock(&node->lock);
}

static bool fits(const struct pu *pu)
{
    double bytes = 0.0;
    const struct plb_dataset *set = pu->node->config.data;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return bytes <= pu->as.info.memory;
}

/* Before the pass, where the inputs are here and those of the only phase are known to be as they should. */
static void warm_up(struct pu *pu)
{
    const struct plb_node_config *config = &pu->node->config;
    const struct plb_kernel *kernel = config->kernel;
    struct plb_phase phase = plb_phase_at(kernel, 0);
    struct plb_range range = {0, config->data->units};
    if (!config->warm_up || !config->data->owner || plb_phase_count(kernel) > 1 || plb_executor_warm_up(&pu->executor, &phase, &range) == 0)
        return;
    plb_fail(&pu->err, PLB_EFAILED, "kernel %s failed (%s) on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written", kernel->name,
             plb_executor_failure(&pu->executor), pu->as.info.name, pu->as.info.node, pu->as.info.host, kernel->unit,
             (long long)range.first, (long long)(range.first + range.count - 1));
}

void *plb_pu_thread(void *argument)
{
    struct pu *pu = argument;
    struct plb_node *node = pu->node;
    struct plb_pu_info *info = &pu->as.info;
    if (pu->as.device.pci[0] != '\0')
        plb_topology_bind_near(pu->as.device.pci, info->cores, sizeof info->cores);
    else if (pu->as.device.bind_parts > 1)
        plb_topology_bind(pu->as.device.bind_index, pu->as.device.bind_parts, info->cores, sizeof info->cores);
    int status = plb_executor_open(&pu->executor, pu->as.driver, &pu->as.device.config, node->config.data, &pu->err);
    if (status == PLB_OK) {
        double memory = pu->as.driver->ops.memory(pu->executor.device);
        info->memory = memory < info->memory ? memory : info->memory;
        if (fits(pu) /* else the master refuses it, with the numbers */
            && plb_executor_update(&pu->executor, -1, info->name, &pu->err) == PLB_OK)
            warm_up(pu);
    }
    pthread_mutex_lock(&node->lock);
    pu->opened = true;
    pthread_cond_signal(&node->wake);
    pthread_mutex_unlock(&node->lock);
    if (pu->err.status == PLB_OK)
        run_tasks(pu);
    if (status == PLB_OK)
        plb_executor_close(&pu->executor);
    return NULL;
}
