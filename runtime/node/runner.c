/* A PU's thread: takes tasks, keeps the device's lanes full, reports. */
#include "node/runner.h"

#include <string.h>

#include "base/clock.h"
#include "base/topology.h"
#include "job/phase.h"

/* Seconds between two looks at a running task while another lane is free and work may come. Smaller: the
 * thread takes a core from the PUs. Larger: a task that has ended, or a new one, waits as long. A GPU's tasks
 * last milliseconds. */
#define LOOK 100e-6

/* A task in a lane. */
struct flight {
    struct plb_slice task;
    struct plb_slot *slot; /* or NULL */
    double exposed;        /* seconds that the device waited for its inputs */
};

/* The tasks in the lanes, in the order in which they were started: at[(oldest + i) % lanes]. */
struct flights {
    struct flight at[PLB_MAX_LANES];
    int lanes, oldest, n;
    double idle_since; /* the run's clock */
};

/* -------------------------------------------------------------------- trace */

static double run_clock(const struct plb_runner *r)
{
    return plb_now() + r->shared->config.clock;
}

static void trace(struct plb_runner *r, enum plb_trace_type type, double start, double end,
                  const struct plb_slice *task)
{
    const struct plb_pu_info *info = &r->pu.info;
    plb_trace_add(&r->trace, (struct plb_trace_event){.type = (int32_t)type,
                                                      .node = info->node,
                                                      .pu = info->local,
                                                      .pass = task->pass,
                                                      .start = start,
                                                      .seconds = end - start,
                                                      .first = task->range.first,
                                                      .count = task->range.count,
                                                      .block = task->block});
}

/* A task that has just ended, and the wait before it. */
static void trace_task(struct plb_runner *r, struct flights *f, const struct flight *flight,
                       const struct plb_device_times *times)
{
    const struct plb_slice nothing = {.pass = flight->task.pass};
    double ended = run_clock(r), executed = ended - times->execute_s, began = executed - times->transfer_s;
    if (began < f->idle_since)
        began = f->idle_since;
    if (executed < began)
        executed = began;
    trace(r, PLB_TRACE_WAIT, f->idle_since, began, &nothing);
    trace(r, PLB_TRACE_TRANSFER, began, executed, &flight->task);
    trace(r, PLB_TRACE_TASK, executed, ended, &flight->task);
    f->idle_since = ended;
}

/* -------------------------------------------------------------------- tasks */

/* The next task of this PU: from the worker where no data travels, else the first slot in line if it is
 * ready. Under the lock. */
static bool find_task(struct plb_runner *r, struct flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    *flight = (struct flight){.slot = NULL};
    if (shared->worker == NULL)
        return false;
    if (!shared->uses_slots)
        return plb_worker_take(shared->worker, r->number, &flight->task);
    struct plb_slot *head = r->n_line > 0 ? &r->slots[r->line[0]] : NULL;
    if (head == NULL || head->state != PLB_SLOT_READY)
        return false;
    memmove(r->line, r->line + 1, (size_t)--r->n_line * sizeof *r->line);
    head->state = PLB_SLOT_RUNNING;
    flight->slot = head;
    flight->task = head->task;
    return true;
}

/* Waits for a task; false: the node stops. Under the lock. */
static bool await_task(struct plb_runner *r, struct flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    double began = shared->uses_slots ? plb_now() : 0.0;
    while (!shared->stopping) {
        if (find_task(r, flight)) {
            const struct plb_slot *s = flight->slot;
            double waited = s != NULL ? s->arrived - (s->asked > began ? s->asked : began) : 0.0;
            flight->exposed = waited > 0.0 ? waited : 0.0;
            return true;
        }
        if (!shared->uses_slots) /* the communication thread may want to ask other nodes */
            plb_node_wake(shared);
        pthread_cond_wait(&r->work, &shared->lock);
    }
    return false;
}

/* Reports a task that failed. With several tasks in flight a device cannot say which of them an asynchronous
 * error belongs to, so the report names the range of all of them. Under the lock. */
static void fail(struct plb_runner *r, const struct flights *f, const struct flight *flight, int status)
{
    const char *text = plb_executor_failure(&r->executor);
    struct plb_slice task = flight->task;
    for (int i = 0; i < f->n && text[0] != '\0'; i++) {
        struct plb_range other = f->at[(f->oldest + i) % f->lanes].task.range;
        int64_t end = task.range.first + task.range.count, other_end = other.first + other.count;
        task.range.first = other.first < task.range.first ? other.first : task.range.first;
        task.range.count = (other_end > end ? other_end : end) - task.range.first;
    }
    plb_worker_fail(r->shared->worker, r->number, &task, status, text);
}

/* Starts a task in the next lane, or the tasks of a burst one after the other. Where one fails, the flight
 * has its range. */
static int submit(struct plb_runner *r, const struct flights *f, const struct plb_phase *phase,
                  struct flight *flight)
{
    int status = 0, lane = (f->oldest + f->n) % f->lanes;
    void *const *buffers = flight->slot != NULL ? flight->slot->buffer : NULL;
    struct plb_range rest = flight->task.range, next = {rest.first, plb_slice_units(&flight->task)};
    for (int64_t i = flight->task.more; i >= 0 && status == 0; i--) {
        next.count = i > 0 ? next.count : rest.first + rest.count - next.first;
        status = plb_executor_submit(&r->executor, lane, phase, next, buffers);
        if (status != 0)
            flight->task.range = next;
        next.first += next.count;
    }
    return status;
}

/* Waits for the oldest task and reports it. Called without the lock, returns with it: the next task can be
 * taken at once. */
static void finish(struct plb_runner *r, struct flights *f)
{
    struct plb_node_shared *shared = r->shared;
    struct flight flight = f->at[f->oldest];
    struct plb_device_times times = {0};
    int status = plb_executor_wait(&r->executor, f->oldest, &times);
    if (r->trace.on)
        trace_task(r, f, &flight, &times);
    pthread_mutex_lock(&shared->lock);
    bool over = flight.task.pass != plb_worker_pass(shared->worker); /* its results are not wanted any more */
    bool urgent = true;
    if (!over && status != 0)
        fail(r, f, &flight, status);
    else if (!over)
        urgent = plb_worker_done(shared->worker, r->number, &flight.task, times.execute_s,
                                 times.transfer_s + flight.exposed,
                                 flight.slot != NULL ? flight.slot->tag : PLB_NO_SLOT);
    if (flight.slot != NULL)
        flight.slot->state = over ? PLB_SLOT_FREE : PLB_SLOT_FINISHED;
    f->oldest = (f->oldest + 1) % f->lanes;
    f->n--;
    if (urgent) /* else the communication thread looks by itself soon enough */
        plb_node_wake(shared);
}

/* Starts a task in the next lane, without the lock. A task that finds no device memory gets that of all
 * lanes. Returns 0, or the status that it failed with. */
static int start(struct plb_runner *r, struct flights *f, const struct plb_phase *phase, int64_t stale,
                 struct flight *flight)
{
    struct plb_error err = {.status = PLB_OK};
    int status = stale != 0 ? plb_executor_update(&r->executor, stale, r->pu.info.name, &err) : 0;
    if (status == 0)
        status = submit(r, f, phase, flight);
    if (status == 0 || !r->executor.full)
        return status;
    while (f->n > 0) {
        finish(r, f);
        pthread_mutex_unlock(&r->shared->lock);
    }
    plb_executor_shrink(&r->executor);
    return submit(r, f, phase, flight);
}

/* Starts a task, or reports that it failed. Called with the lock, returns without. */
static void start_or_fail(struct plb_runner *r, struct flights *f, struct flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_phase phase = shared->phase; /* the task runs it even if another pass begins meanwhile */
    int64_t stale = r->stale;
    r->stale = 0;
    pthread_mutex_unlock(&shared->lock);
    int status = start(r, f, &phase, stale, flight);
    if (status == 0) {
        f->at[(f->oldest + f->n++) % f->lanes] = *flight;
        return;
    }
    pthread_mutex_lock(&shared->lock);
    bool over = flight->task.pass != plb_worker_pass(shared->worker);
    if (!over)
        fail(r, f, flight, status);
    if (flight->slot != NULL)
        flight->slot->state = over ? PLB_SLOT_FREE : PLB_SLOT_FINISHED;
    plb_node_wake(shared);
    pthread_mutex_unlock(&shared->lock);
}

/* Whether the oldest task has ended; else waits a moment for that or for more work. Under the lock. */
static bool ended(struct plb_runner *r, const struct flights *f)
{
    pthread_mutex_unlock(&r->shared->lock);
    bool done = plb_executor_done(&r->executor, f->oldest);
    pthread_mutex_lock(&r->shared->lock);
    if (!done)
        plb_condition_wait_until(&r->work, &r->shared->lock, plb_now() + LOOK);
    return done;
}

static void run_tasks(struct plb_runner *r)
{
    struct plb_node_shared *shared = r->shared;
    struct flights f = {.lanes = r->pu.driver->ops.lanes, .idle_since = run_clock(r)};
    pthread_mutex_lock(&shared->lock);
    for (;;) {
        struct flight flight;
        bool room = f.n < f.lanes && !shared->stopping && (r->stale == 0 || f.n == 0);
        if (room && (f.n > 0 ? find_task(r, &flight) : await_task(r, &flight))) {
            start_or_fail(r, &f, &flight);
            if (f.n < f.lanes)
                pthread_mutex_lock(&shared->lock);
            else
                finish(r, &f);
        } else if (f.n == 0) {
            break;
        } else if (!room || ended(r, &f)) {
            pthread_mutex_unlock(&shared->lock);
            finish(r, &f);
        }
    }
    pthread_mutex_unlock(&shared->lock);
}

/* --------------------------------------------------------------------- open */

/* Whether the replicated data fits the PU; where not, the master refuses the PU and tells the numbers. */
static bool fits(const struct plb_runner *r)
{
    double bytes = 0.0;
    const struct plb_dataset *set = r->shared->config.data;
    for (int i = 0; i < set->n; i++)
        bytes += set->at[i].mode == PLB_REPLICATE ? (double)set->at[i].bytes : 0.0;
    return bytes <= r->pu.info.memory;
}

/* Runs a few units before the first pass. Only where the inputs are here, and where there is one phase: the
 * inputs of a later phase may not be ready yet. */
static void warm_up(struct plb_runner *r)
{
    const struct plb_node_config *config = &r->shared->config;
    const struct plb_kernel *kernel = config->kernel;
    const struct plb_pu_info *info = &r->pu.info;
    struct plb_phase phase = plb_phase_at(kernel, 0);
    struct plb_range range = {0, config->data->units};
    if (!config->warm_up || !config->data->owner || plb_phase_count(kernel) > 1)
        return;
    if (plb_executor_warm_up(&r->executor, &phase, &range) == 0)
        return;
    plb_fail(&r->err, PLB_EFAILED,
             "kernel %s failed (%s) on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written",
             kernel->name, plb_executor_failure(&r->executor), info->name, info->node, info->host,
             kernel->unit, (long long)range.first, (long long)(range.first + range.count - 1));
}

/* Binds the thread and opens the device; false where that failed. */
static bool open_device(struct plb_runner *r)
{
    struct plb_pu_info *info = &r->pu.info;
    const struct plb_device_pu *device = &r->pu.device;
    const struct plb_device_driver *driver = r->pu.driver;
    if (device->pci[0] != '\0')
        plb_topology_bind_near(device->pci, info->cores, sizeof info->cores);
    else if (device->bind_parts > 1)
        plb_topology_bind(device->bind_index, device->bind_parts, info->cores, sizeof info->cores);
    if (plb_executor_open(&r->executor, driver, &device->config, r->shared->config.data, &r->err) != PLB_OK)
        return false;
    double memory = driver->ops.memory(r->executor.device);
    info->memory = memory < info->memory ? memory : info->memory;
    if (fits(r) && plb_executor_update(&r->executor, -1, info->name, &r->err) == PLB_OK)
        warm_up(r);
    return true;
}

static void *run(void *runner)
{
    struct plb_runner *r = runner;
    struct plb_node_shared *shared = r->shared;
    bool is_open = open_device(r);
    pthread_mutex_lock(&shared->lock);
    r->opened = true;
    bool runs = r->err.status == PLB_OK;
    pthread_cond_signal(&shared->wake);
    pthread_mutex_unlock(&shared->lock);
    if (runs)
        run_tasks(r);
    if (is_open)
        plb_executor_close(&r->executor);
    return NULL;
}

/* -------------------------------------------- called by the communication thread */

void plb_runner_init(struct plb_runner *r, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number)
{
    *r = (struct plb_runner){.shared = shared, .pu = *pu, .number = number, .trace.on = shared->config.trace};
    plb_condition_init(&r->work);
    for (int s = 0; s < PLB_SLOTS; s++)
        r->slots[s].tag = number * PLB_SLOTS + s;
}

void plb_runner_fini(struct plb_runner *r)
{
    for (int s = 0; s < PLB_SLOTS; s++)
        plb_slot_fini(&r->slots[s], &r->executor);
    plb_trace_fini(&r->trace);
    pthread_cond_destroy(&r->work);
}

bool plb_runner_start(struct plb_runner *r)
{
    return r->started = pthread_create(&r->thread, NULL, run, r) == 0;
}

void plb_runner_join(struct plb_runner *r)
{
    if (r->started)
        pthread_join(r->thread, NULL);
    r->started = false;
}

void plb_runner_begin_pass(struct plb_runner *r, int64_t replaced)
{
    r->stale |= replaced;
    r->n_line = 0;
    for (int s = 0; s < PLB_SLOTS; s++)
        if (r->slots[s].state == PLB_SLOT_READY || r->slots[s].state == PLB_SLOT_FINISHED)
            r->slots[s].state = PLB_SLOT_FREE;
}
