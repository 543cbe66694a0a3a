/* The worker cuts a task off, or the first slot in line has one. */
#include "node/pu/next_task.h"

#include <string.h>

#include "base/clock.h"

struct plb_slot *plb_next_task_slot(struct plb_runner *r)
{
    for (int s = 0; s < PLB_SLOTS; s++)
        if (r->slots[s].state == PLB_SLOT_FREE)
            return &r->slots[s];
    return NULL;
}

/* The next task of this PU from the worker. It gets a slot where it has reduced arrays, or its outputs are to
 * be kept apart. Under the lock. */
static bool take_task(struct plb_runner *r, struct plb_flight *flight)
{
    const struct plb_node_shared *shared = r->shared;
    bool wants = shared->guarded || shared->has_slots;
    struct plb_slot *slot = wants ? plb_next_task_slot(r) : NULL;
    if ((wants && slot == NULL) || !plb_worker_take(shared->worker, r->number, &flight->task))
        return false;
    bool apart = shared->guarded
              && plb_scratch_wanted(shared->config.data, &flight->task, &r->latest, shared->doubled);
    if (apart || shared->has_slots) {
        slot->state = PLB_SLOT_RUNNING;
        slot->scratch = apart;
        slot->task = flight->task;
        flight->slot = slot;
    }
    return true;
}

bool plb_next_task_find(struct plb_runner *r, struct plb_flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    *flight = (struct plb_flight){.slot = NULL};
    if (shared->worker == NULL || shared->resting)
        return false;
    if (!shared->uses_slots)
        return take_task(r, flight);
    struct plb_slot *head = r->n_line > 0 ? &r->slots[r->line[0]] : NULL;
    if (head == NULL || head->state != PLB_SLOT_READY)
        return false;
    memmove(r->line, r->line + 1, (size_t)--r->n_line * sizeof *r->line);
    head->state = PLB_SLOT_RUNNING;
    flight->slot = head;
    flight->task = head->task;
    return true;
}

bool plb_next_task_await(struct plb_runner *r, struct plb_flight *flight)
{
    struct plb_node_shared *shared = r->shared;
    double began = shared->uses_slots ? plb_now() : 0.0;
    int64_t told = -1; /* messages that the communication thread had received when it was told last */
    while (!shared->stopping) {
        if (plb_next_task_find(r, flight)) {
            const struct plb_slot *s = flight->slot;
            double waited = s != NULL ? s->arrived - (s->asked > began ? s->asked : began) : 0.0;
            flight->exposed = waited > 0.0 ? waited : 0.0;
            return true;
        }
        plb_combine_report(&r->held, NULL);
        if (!shared->uses_slots && told != shared->received) /* it may want to ask other nodes */
            plb_node_wake(shared);
        told = shared->wakes ? shared->received : -1;
        if (shared->wakes) { /* there may be a task afterwards */
            plb_node_unlock(shared);
            pthread_mutex_lock(&shared->lock);
        } else {
            pthread_cond_wait(&r->work, &shared->lock);
        }
    }
    return false;
}
