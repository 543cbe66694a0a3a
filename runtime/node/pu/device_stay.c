/* Which results of a task stay, and what is done where they are lost. */
#include "node/pu/device_stay.h"

#include "base/clock.h"

/* Seconds between two looks whether a pass was given up. Larger: it ends later. Smaller: more looks. */
#define LOOK 1e-3

void plb_device_stay_open(struct plb_runner *r)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_executor *e = &r->executor;
    e->places.all = &shared->results;
    if (r->err.status != PLB_OK || !shared->config.keeps_results || e->on_host || e->shares)
        return;
    e->places.own = &shared->results.of[r->number];
    plb_device_results_open(e->places.own, e->ops, e->device, shared->config.data, &shared->locks);
}

/* Not where the result is to be compared, or on another rank than 0 has no place in the mirror. */
void plb_device_stay_let(struct plb_executor *e, const struct plb_slice *task, const struct plb_slot *slot)
{
    const bool has_place = e->set->on_rank0 || (slot != NULL && slot->gives != NULL);
    e->may_stay = has_place && !task->audit ? plb_device_places_may_stay(&e->places, task->pass) : 0;
}

void plb_device_stay_note(const struct plb_executor *e, struct plb_slot *slot)
{
    for (int i = 0; i < e->set->n && slot != NULL && e->set->on_rank0; i++)
        if ((e->stayed & PLB_BUFFER(i)) != 0)
            slot->buffer[i] = NULL;
}

void plb_device_stay_drop(struct plb_runner *r)
{
    if (r->unmade.range.count > 0)
        plb_device_results_unmade(r->executor.places.own, r->unmade.pass, r->unmade.range);
    r->unmade.range.count = 0;
}

void plb_device_stay_await(struct plb_runner *r, int lane)
{
    struct plb_node_shared *shared = r->shared;
    struct plb_running *running = &r->running[lane];
    pthread_mutex_lock(&shared->lock);
    plb_node_wake(shared);
    plb_node_unlock(shared);
    pthread_mutex_lock(&shared->lock);
    while (!running->told && !plb_worker_obsolete(shared->worker, &running->task) && !shared->stopping)
        plb_condition_wait_until(&r->work, &shared->lock, plb_now() + LOOK);
    running->told = true;
    plb_node_unlock(shared);
}
