/* The tasks that PUs take off the worker's queues, and what becomes of them. */
#include "core/worker/worker.h"

#include <math.h>

#include "core/worker/worker_inside.h"
#include "model/rounding.h"

/* The text of a FAIL for units that reach a PU after its device has failed. */
#define GONE "it had failed before"

void plb_worker_return(struct plb_worker *w, int pu, struct plb_range range, int64_t block)
{
    struct plb_slice units = {.range = range, .block = block, .pass = w->pass};
    plb_reports_fail(&w->reports, pu, &units, &(struct plb_device_failure){.text = GONE, .among = range});
}

void plb_worker_sweep(struct plb_worker *w)
{
    for (int pu = 0; pu < w->pus.n && w->copies.suspect.n > 0; pu++) {
        plb_copies_sweep(&w->copies, &w->pus.at[pu].queue);
        plb_copies_sweep(&w->copies, &w->copies.of[pu]);
    }
}

bool plb_worker_take(struct plb_worker *w, int pu, struct plb_slice *task)
{
    struct plb_own_pu *own = &w->pus.at[pu];
    if (own->state == PLB_PU_LOST || own->rate.most > 0.0 || plb_own_pus_waits(&w->pus, own))
        return false;
    bool audit = w->pus.map != NULL && plb_copies_take_audit(&w->copies, pu, w->pus.map, task);
    bool got = audit || plb_own_pus_take(&w->pus, own, w->empty, task);
    if (!got && w->empty && own->state == PLB_PU_SERVED && plb_own_pus_share(&w->pus, own))
        got = plb_own_pus_take(&w->pus, own, w->empty, task);
    bool copy = !got && plb_own_pus_take_copy(&w->pus, own, &w->copies.of[pu], task);
    got = got || copy;
    task->pass = w->pass;
    task->audit = audit;
    task->copy = copy;
    if (got) /* with something in hand it is not idle */
        own->activity = PLB_PU_BUSY;
    else if (own->activity == PLB_PU_BUSY)
        own->activity = PLB_PU_HUNGRY;
    own->in_hand += got;
    return got;
}

bool plb_worker_obsolete(const struct plb_worker *w, const struct plb_slice *task)
{
    return task->pass != w->pass || (!task->audit && plb_copies_accepted(&w->copies, task->range));
}

bool plb_worker_revoke(struct plb_worker *w, int pu, const struct plb_slice *task)
{
    if (task->pass != w->pass || !plb_copies_banned(&w->copies, task))
        return false;
    if (!task->copy) /* its other units are still to be executed here */
        plb_queue_push(&w->pus.at[pu].queue,
                       (struct plb_queue_entry){task->range, task->block, task->range.count, task->hop});
    plb_worker_sweep(w);
    return true;
}

void plb_worker_lasts(struct plb_worker *w, int pu, const struct plb_slice *task, double seconds)
{
    struct plb_own_pu *own = &w->pus.at[pu];
    if (own->in_hand == 0 || task->pass != w->pass)
        return;
    double work = plb_cost_work(w->pus.map, task->range.first, task->range.count);
    own->rate.most = fmax(work, PLB_ALMOST_NONE) / fmax(seconds, PLB_ALMOST_NONE);
}

bool plb_worker_put_back(struct plb_worker *w, int pu, const struct plb_slice *units)
{
    struct plb_own_pu *own = &w->pus.at[pu];
    if (units->pass != w->pass || own->state != PLB_PU_SERVED || units->audit || units->copy || w->rests
        || units->hop >= PLB_HOPS || plb_copies_banned(&w->copies, units))
        return false;
    plb_queue_return(&own->queue, units);
    for (int p = 0; p < w->pus.n; p++) /* as after a BLOCK */
        w->pus.at[p].activity = PLB_PU_BUSY;
    return true;
}

double plb_worker_expect(const struct plb_worker *w, int pu, const struct plb_slice *task)
{
    return task->pass == w->pass ? plb_own_pus_expect(&w->pus, &w->pus.at[pu], task) : 0.0;
}

void plb_worker_forget(struct plb_worker *w, int pu)
{
    w->pus.at[pu].in_hand--;
    w->pus.at[pu].rate.most = 0.0;
}

void plb_worker_drop(struct plb_worker *w, struct plb_range range)
{
    plb_copies_cancel(&w->copies, range);
}

bool plb_worker_done(struct plb_worker *w, int pu, const struct plb_slice *task, double execute_s,
                     double transfer_s, int slot)
{
    bool wanted = plb_worker_executed(w, pu, task, execute_s, transfer_s);
    if (wanted)
        plb_reports_add(&w->reports, pu, task, execute_s, transfer_s, slot);
    return wanted && (slot != PLB_NO_SLOT || !plb_queue_goes_on(&w->pus.at[pu].queue, task->block));
}

bool plb_worker_part(struct plb_worker *w, int pu, const struct plb_slice *task, double seconds, int slot)
{
    struct plb_own_pu *own = &w->pus.at[pu];
    double most = own->rate.most;
    own->in_hand++; /* the rest stays there */
    bool done = plb_worker_done(w, pu, task, seconds, 0.0, slot);
    own->rate.most = most; /* and may still last long */
    return done;
}

void plb_worker_fail(struct plb_worker *w, int pu, const struct plb_slice *task,
                     const struct plb_device_failure *failure)
{
    plb_worker_forget(w, pu);
    plb_reports_fail(&w->reports, pu, task, failure);
}

void plb_worker_crash(struct plb_worker *w, int pu, const struct plb_slice *task, int signal)
{
    plb_worker_forget(w, pu);
    plb_reports_crash(&w->reports, pu, task, signal);
}

enum plb_pu_state plb_worker_state(const struct plb_worker *w, int pu)
{
    return w->pus.at[pu].state;
}

void plb_worker_leave_out(struct plb_worker *w, int pu)
{
    struct plb_own_pu *own = &w->pus.at[pu];
    own->state = PLB_PU_LOST;
    own->activity = PLB_PU_BUSY;
}

/* All that the PU has queued goes back. */
static void give_back(struct plb_worker *w, int pu)
{
    struct plb_queue *queue = &w->pus.at[pu].queue;
    plb_worker_leave_out(w, pu);
    for (int i = 0; i < queue->n; i++) {
        const struct plb_queue_entry *e = &queue->at[(queue->head + i) % queue->capacity];
        plb_worker_return(w, pu, e->range, e->block);
    }
    plb_queue_clear(queue);
    plb_copies_drop(&w->copies, pu);
}

void plb_worker_leave(struct plb_worker *w, int pu, const struct plb_slice *task,
                      const struct plb_device_failure *failure)
{
    struct plb_device_failure again = {.status = failure->status, .text = GONE, .among = failure->among};
    plb_worker_fail(w, pu, task, w->pus.at[pu].state == PLB_PU_LOST ? &again : failure);
    give_back(w, pu);
}

void plb_worker_end(struct plb_worker *w, int pu, const struct plb_device_failure *failure)
{
    const struct plb_slice none = {.range = {0, 1}, .pass = w->pass, .copy = true};
    plb_reports_fail(&w->reports, pu, &none, failure);
    give_back(w, pu);
}
