/* A PU's thread: takes tasks, keeps the device's lanes full, reports. */
#include "node/pu/runner.h"

#include <time.h>

#include "base/clock.h"
#include "node/pu/slot.h"
#include "node/pu/combine.h"
#include "node/pu/launch.h"
#include "node/pu/next_task.h"
#include "node/pu/open_pu.h"
#include "node/pu/reported.h"
#include "node/pu/device_stay.h"
#include "node/pu/store.h"
#include "node/pu/task_trace.h"

/* Seconds between two looks at a running task while another lane is free and work may come. Smaller: the
 * thread takes a core from the PUs. Larger: a task that has ended, or a new one, waits as long. A GPU's tasks
 * last milliseconds. */
#define LOOK 100e-6

static double run_clock(const struct plb_runner *r)
{
    return plb_now() + r->shared->config.clock;
}

/* -------------------------------------------------------------------- tasks */

/* Whether the device has failed, or hangs: it is given nothing more, and the thread ends. There is no worker
 * before all PUs are open. Under the lock. */
static bool is_lost(const struct plb_runner *r)
{
    const struct plb_worker *worker = r->shared->worker;
    return worker != NULL && plb_worker_state(worker, r->number) == PLB_PU_LOST;
}

/* The units that the device had in hand. With several tasks in flight it cannot say which of them an
 * asynchronous error belongs to. */
static struct plb_range in_hand(const struct plb_flights *f, const struct plb_flight *flight)
{
    struct plb_range all = flight->task.range;
    for (int i = 0; i < f->n; i++)
        all = plb_range_hull(all, f->at[(f->oldest + i) % f->lanes].task.range);
    return all;
}

/* A task has failed: the device drops out, or the kernel has failed, which ends the run. Under the lock. */
static void fail(struct plb_runner *r, const struct plb_flights *f, const struct plb_flight *flight,
                 bool wanted, int status)
{
    struct plb_worker *worker = r->shared->worker;
    struct plb_device_failure failure = {.status = status,
                                         .text = plb_executor_failure(&r->executor),
                                         .among = in_hand(f, flight),
                                         .why = r->executor.why};
    if (failure.text[0] != '\0' || is_lost(r))
        plb_runner_leave(r, &flight->task, &failure);
    else if (wanted)
        plb_worker_fail(worker, r->number, &flight->task, &failure);
    else
        plb_worker_forget(worker, r->number);
}

/* Whether nobody wants the results of a task. Once an entry was told so, its results and its status may be
 * anything, though its units may be wanted of this node again. Under the lock. */
static bool obsolete(const struct plb_runner *r, int lane)
{
    return r->running[lane].told || plb_worker_obsolete(r->shared->worker, &r->running[lane].task);
}

/* The tasks that the PU has taken after the oldest one in its lanes. Under the lock. */
static struct plb_taken taken_after(const struct plb_runner *r, const struct plb_flights *f)
{
    struct plb_taken taken = {NULL, NULL};
    if (r->n_line > 0)
        taken = (struct plb_taken){&r->slots[r->line[0]].task, &r->slots[r->line[r->n_line - 1]].task};
    if (f->n > 1 && r->n_line == 0)
        taken.last = &f->at[(f->oldest + f->n - 1) % f->lanes].task;
    if (f->n > 1)
        taken.next = &f->at[(f->oldest + 1) % f->lanes].task;
    return taken;
}

/* A task has ended: reports it, or forgets it where nobody wants it. Returns whether the communication thread
 * should look at once. Under the lock. */
static bool end_task(struct plb_runner *r, const struct plb_flights *f, const struct plb_flight *flight,
                     int lane, int status, const struct plb_device_times *times)
{
    struct plb_worker *worker = r->shared->worker;
    bool lost = r->running[lane].lost; /* and nothing is awaited from it */
    const struct plb_taken taken = taken_after(r, f);
    bool failed = status != 0 || is_lost(r), wanted = flight->folded || !obsolete(r, lane), urgent = true;
    if (lost) {
        urgent = false;
    } else if (r->executor.isolated.ended && wanted && !is_lost(r)) {
        plb_worker_crash(worker, r->number, &r->running[lane].task, r->executor.isolated.end.signal);
    } else if (failed) {
        fail(r, f, flight, wanted, status);
    } else if (!wanted) {
        plb_worker_forget(worker, r->number);
    } else {
        urgent = plb_combine_end(&r->held, flight, times, &taken);
        r->latest = (struct plb_latest){flight->task.range.count, times->execute_s};
    }
    if (flight->slot != NULL
        && (lost || failed || !wanted
            || !plb_combine_takes(&r->held,
                                  flight))) /* a task that has failed has no results to be fetched */
        flight->slot->state = wanted && !failed ? PLB_SLOT_FINISHED : PLB_SLOT_FREE;
    if (r->executor.places.noted[lane] && (failed || !wanted))
        r->unmade = flight->task;
    plb_running_end(&r->running[lane], &r->busy);
    r->steps++;
    return urgent;
}

/* Waits for the oldest task and reports it. Called without the lock, returns with it: the next task can be
 * taken at once. */
static void finish(struct plb_runner *r, struct plb_flights *f)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_flight flight = f->at[f->oldest];
    struct plb_device_times times = {0};
    plb_device_stay_drop(r);
    int status = plb_executor_wait(&r->executor, f->oldest, &times);
    if (status == 0 && flight.slot != NULL)
        plb_slot_complete(flight.slot, shared->config.data, flight.task.range);
    if (status == 0 && shared->config.data->stored != 0)
        times.transfer_s += plb_store(shared, &r->running[f->oldest], &flight,
                                      plb_executor_copiers(&r->executor));
    pthread_mutex_lock(&shared->lock);
    plb_reported_end(r, &times, &f->idle_since);
    if (r->trace.on) {
        double now = run_clock(r);
        plb_task_trace(&r->trace, &r->pu.info, &flight.task, &times, f->idle_since, flight.exposed, now);
        f->idle_since = now;
    }
    plb_worker_cores(shared->worker, r->number, times.cpu_s, times.waited_s);
    plb_worker_copied(shared->worker, r->number, r->executor.places.in,
                      r->executor.places.out + atomic_load(&shared->results.of[r->number].out),
                      r->executor.places.locking_s);
    flight.folded = status == 0 && !obsolete(r, f->oldest) && plb_combine_fold(&r->held, &flight);
    bool urgent = end_task(r, f, &flight, f->oldest, status, &times);
    f->oldest = (f->oldest + 1) % f->lanes;
    f->n--;
    if (urgent) /* else the communication thread looks by itself soon enough */
        plb_node_wake(shared);
}

/* Starts a task in the next lane, without the lock. A task that finds no device memory gets that of all
 * lanes, and then that of inputs, unless a part of it has ended. Returns 0, or the status that it failed
 * with. */
static int start(struct plb_runner *r, struct plb_flights *f, const struct plb_phase *phase, bool renew,
                 struct plb_flight *flight)
{
    struct plb_error err = {.status = PLB_OK};
    const struct plb_slice task = flight->task; /* a launch that fails leaves the part that failed */
    int lane = (f->oldest + f->n) % f->lanes;   /* the same one when all have ended */
    int status = renew ? plb_executor_renew(&r->executor, &err) : 0;
    plb_isolated_enter(&r->executor.isolated, flight->task.pass);
    if (status == 0)
        status = plb_launch(&r->executor, lane, phase, &flight->task, flight->slot, &r->later);
    if (status == 0 || !r->executor.full || r->reported.narrowed) /* the slot has the rest alone */
        return status;
    while (f->n > 0) {
        finish(r, f);
        plb_node_unlock(r->shared);
    }
    plb_device_lanes_free(&r->executor.places);
    do {
        flight->task = task;
        status = plb_launch(&r->executor, lane, phase, &flight->task, flight->slot, &r->later);
    } while (status != 0 && r->executor.full && plb_device_places_give_up(&r->executor.places));
    return status;
}

/* Starts a task, or reports that it failed. Called with the lock, returns without. */
static void start_or_fail(struct plb_runner *r, struct plb_flights *f, struct plb_flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_phase phase = shared->phase; /* the task runs it even if another pass begins meanwhile */
    const bool renew = r->renewal.any;
    int lane = (f->oldest + f->n) % f->lanes;
    bool scratch = flight->slot != NULL && flight->slot->scratch;
    r->running[lane] = (struct plb_running){
        .runs = true, .in_place = shared->guarded && !scratch, .step = ++r->steps, .task = flight->task};
    plb_reported_begin(r, flight->slot, f->idle_since);
    plb_busy_begin(&r->busy);
    if (f->n == 0)
        plb_combine_report(&r->held, &flight->task);
    plb_executor_cancel(&r->executor, lane, false);
    if (renew)
        plb_executor_follow(&r->executor, &r->renewal);
    plb_node_unlock(shared);
    int status = start(r, f, &phase, renew, flight);
    if (status == PLB_INPUT_LOST)
        plb_device_stay_await(r, lane);
    if (r->reported.narrowed) /* the rest alone has ended */
        flight->task = r->running[lane].task;
    if (status == 0) {
        f->at[(f->oldest + f->n++) % f->lanes] = *flight;
        return;
    }
    pthread_mutex_lock(&shared->lock);
    end_task(r, f, flight, lane, status, NULL);
    plb_node_wake(shared);
    plb_node_unlock(shared);
}

/* Whether the oldest task has ended; waits a moment for that, or for more work. Under the lock. */
static bool await_end(struct plb_runner *r, const struct plb_flights *f)
{
    plb_node_unlock(r->shared);
    bool done = plb_executor_done(&r->executor, f->oldest);
    pthread_mutex_lock(&r->shared->lock);
    if (!done)
        plb_condition_wait_until(&r->work, &r->shared->lock, plb_now() + LOOK);
    return done;
}

static void run_tasks(struct plb_runner *r)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_flights f = {.lanes = r->pu.driver->ops.lanes, .idle_since = run_clock(r)};
    pthread_mutex_lock(&shared->lock);
    for (;;) {
        struct plb_flight flight;
        bool room = f.n < f.lanes && !shared->stopping && !is_lost(r) && (!r->renewal.any || f.n == 0);
        if (room && (f.n > 0 ? plb_next_task_find(r, &flight) : plb_next_task_await(r, &flight))) {
            start_or_fail(r, &f, &flight);
            if (f.n < f.lanes)
                pthread_mutex_lock(&shared->lock);
            else
                finish(r, &f);
        } else if (f.n == 0) {
            break;
        } else if (!room || await_end(r, &f)) {
            plb_node_unlock(shared);
            finish(r, &f);
        }
    }
    plb_node_unlock(shared);
}

/* --------------------------------------------------------------------- open */

static void *run(void *runner)
{
    struct plb_runner *r = runner;
    struct plb_node_shared *shared = r->shared;
    const struct plb_kernel *kernel = shared->config.kernel;
    r->call = (struct plb_crash_call){.kernel = kernel->name, .unit = kernel->unit, .pu = r->number};
    plb_crash_enter(&r->call);
    r->is_open = plb_pu_open(&r->executor, &r->pu, &shared->config, &r->err);
    r->executor.places.locks = &shared->locks;
    plb_device_stay_open(r);
    plb_reported_init(r);
    pthread_mutex_lock(&shared->lock);
    r->opened = true;
    bool runs = r->err.status == PLB_OK;
    pthread_cond_signal(&shared->wake);
    plb_node_unlock(shared);
    if (runs)
        run_tasks(r);
    plb_crash_leave(&r->call);
    return NULL;
}

/* -------------------------------------------- called by the communication thread */

void plb_runner_init(struct plb_runner *r, struct plb_node_shared *shared, const struct plb_node_pu *pu,
                     int number)
{
    *r = (struct plb_runner){.shared = shared,
                             .pu = *pu,
                             .number = number,
                             .held = {.shared = shared, .pu = number},
                             .trace.on = shared->config.trace};
    plb_condition_init(&r->work);
    for (int s = 0; s < PLB_SLOTS; s++)
        r->slots[s].tag = number * PLB_SLOTS + s;
}

void plb_runner_fini(struct plb_runner *r)
{
    for (int s = 0; s < PLB_SLOTS; s++)
        plb_slot_fini(&r->slots[s], &r->executor);
    plb_slot_fini(&r->later, &r->executor);
    plb_trace_fini(&r->trace);
    plb_renewal_fini(&r->renewal);
    pthread_cond_destroy(&r->work);
}

bool plb_runner_start(struct plb_runner *r)
{
    return r->started = pthread_create(&r->thread, NULL, run, r) == 0;
}

/* Whether a thread has ended, at the latest at `until`. */
static bool join(pthread_t thread, double until)
{
    struct timespec end;
    double wait = until - plb_now();
    if (wait <= 0.0)
        return pthread_tryjoin_np(thread, NULL) == 0;
    clock_gettime(CLOCK_REALTIME, &end);
    int64_t nanoseconds = end.tv_nsec + (int64_t)(1e9 * wait);
    end.tv_sec += (time_t)(nanoseconds / 1000000000);
    end.tv_nsec = (long)(nanoseconds % 1000000000);
    return pthread_timedjoin_np(thread, NULL, &end) == 0;
}

bool plb_runner_join(struct plb_runner *r, double until)
{
    if (r->started && !join(r->thread, until))
        return false;
    plb_device_results_close(&r->shared->results.of[r->number]);
    if (r->is_open)
        plb_executor_close(&r->executor);
    r->started = r->is_open = false;
    return true;
}

void plb_runner_leave(struct plb_runner *r, const struct plb_slice *task,
                      const struct plb_device_failure *given)
{
    struct plb_device_failure own = *given, *failure = &own;
    failure->lost = plb_device_results_lose(&r->shared->results.of[r->number]);
    if (task != NULL)
        plb_worker_leave(r->shared->worker, r->number, task, failure);
    else
        plb_worker_end(r->shared->worker, r->number, failure);
    plb_combine_give_back(&r->held);
    for (int i = 0; i < r->n_line; i++) {
        struct plb_slot *slot = &r->slots[r->line[i]];
        plb_worker_leave(r->shared->worker, r->number, &slot->task, failure);
        slot->state = slot->state == PLB_SLOT_READY ? PLB_SLOT_FREE : PLB_SLOT_FORGOTTEN;
    }
    r->n_line = 0;
}

void plb_runner_look(struct plb_runner *r)
{
    const struct plb_device_failure failure = {.status = PLB_EFAILED,
                                               .text = "results in its memory cannot be read",
                                               .among = {0, r->shared->config.data->units}};
    if (atomic_load(&r->shared->results.of[r->number].lost) && !is_lost(r))
        plb_runner_leave(r, NULL, &failure);
}

void plb_runner_drop(struct plb_runner *r, struct plb_slot *slot)
{
    slot->state = PLB_SLOT_FREE;
    plb_worker_forget(r->shared->worker, r->number);
}

/* Tells a task that nobody wants its results. */
static void tell(struct plb_runner *r, int lane)
{
    r->running[lane].told = true;
    plb_executor_cancel(&r->executor, lane, true);
}

void plb_runner_forget(struct plb_runner *r)
{
    int kept = 0;
    for (int i = 0; i < r->n_line; i++) {
        struct plb_slot *slot = &r->slots[r->line[i]];
        if (!plb_worker_revoke(r->shared->worker, r->number, &slot->task)
            && !plb_worker_obsolete(r->shared->worker, &slot->task))
            r->line[kept++] = r->line[i];
        else if (slot->state == PLB_SLOT_READY)
            plb_runner_drop(r, slot);
        else
            slot->state = PLB_SLOT_FORGOTTEN;
    }
    r->n_line = kept;
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (r->running[lane].runs && obsolete(r, lane))
            tell(r, lane);
}

void plb_runner_cancel(struct plb_runner *r)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        tell(r, lane);
}

void plb_runner_begin_pass(struct plb_runner *r, const struct plb_message *pass)
{
    const struct plb_node_config *config = &r->shared->config;
    plb_renewal_begin(&r->renewal, pass, config->data->on_rank0, r->executor.on_host, config->parts);
    plb_runner_forget(r);
    for (int s = 0; s < PLB_SLOTS; s++)
        if (r->slots[s].state == PLB_SLOT_FINISHED)
            r->slots[s].state = PLB_SLOT_FREE;
}
