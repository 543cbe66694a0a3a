/* One slot that tasks are folded into. */
#include "node/pu/combine.h"

#define GONE "it had failed before" /* as for what is queued (core/worker/worker.c) */

bool plb_combines(const struct plb_dataset *set, int64_t stays)
{
    bool sends = plb_dataset_records(set) != 0;
    for (int i = 0; i < set->n; i++)
        sends |= set->at[i].mode == PLB_OUTPUT && !plb_dataset_in_place(set, i) && !(stays & PLB_BUFFER(i));
    return plb_dataset_reduces(set) && !sends;
}

/* Whether a task begins where the held units end. */
static bool continues(const struct plb_held_result *held, const struct plb_slice *task)
{
    const struct plb_slice *units = &held->units;
    return held->slot != NULL && !task->audit && task->copy == units->copy && task->pass == units->pass
        && task->block == units->block && task->range.first == units->range.first + units->range.count;
}

bool plb_combine_takes(const struct plb_held_result *h, const struct plb_flight *flight)
{
    bool stays = h->shared->keep == NULL || (flight->slot != NULL && flight->slot->keep != NULL);
    return h->shared->combines && flight->slot != NULL && !flight->slot->scratch && !flight->task.audit
        && stays;
}

bool plb_combine_fold(struct plb_held_result *h, const struct plb_flight *flight)
{
    struct plb_slot *into = h->slot;
    if (!plb_combine_takes(h, flight) || !continues(h, &flight->task))
        return false;
    pthread_mutex_unlock(&h->shared->lock);
    plb_dataset_fold_into(h->shared->config.data, h->units.range, into->buffer, flight->task.range,
                          flight->slot->buffer);
    pthread_mutex_lock(&h->shared->lock);
    return h->slot == into;
}

static void report(struct plb_held_result *h)
{
    h->slot->task = h->units;
    bool wanted = plb_worker_report(h->shared->worker, h->pu, &h->units, h->execute_s, h->transfer_s,
                                    h->slot->tag);
    h->slot->state = wanted ? PLB_SLOT_FINISHED : PLB_SLOT_FREE;
    h->slot = NULL;
    if (wanted)
        plb_node_wake(h->shared);
}

/* Whether the held result may wait for more tasks, of which the latest lasted so long: the next one, which
 * may have been taken before, continues it, and much is queued behind the last one. */
static bool may_wait(const struct plb_held_result *h, const struct plb_taken *taken, double seconds)
{
    if (h->shared->resting || h->shared->config.audits || (taken->next != NULL && !continues(h, taken->next)))
        return false;
    return plb_worker_may_hold(h->shared->worker, h->pu, taken->last != NULL ? taken->last : &h->units,
                               h->execute_s + h->transfer_s + seconds);
}

/* Adds a result to the held one, or holds it in place of that. Returns whether something was reported. */
static bool hold(struct plb_held_result *h, const struct plb_flight *flight, double execute_s,
                 double transfer_s)
{
    bool reports = !flight->folded && h->slot != NULL;
    if (reports)
        report(h);
    if (flight->folded) {
        h->units.range.count += flight->task.range.count;
        h->units.more += flight->task.more + 1;
        h->execute_s += execute_s;
        h->transfer_s += transfer_s;
        flight->slot->state = PLB_SLOT_FREE;
    } else {
        *h = (struct plb_held_result){h->shared, h->pu, flight->slot, flight->task, execute_s, transfer_s};
    }
    return reports;
}

bool plb_combine_end(struct plb_held_result *h, const struct plb_flight *flight,
                     const struct plb_device_times *times, const struct plb_taken *taken)
{
    struct plb_worker *worker = h->shared->worker;
    double execute_s = times->execute_s, transfer_s = times->transfer_s + flight->exposed;
    if (!plb_combine_takes(h, flight))
        return plb_worker_done(worker, h->pu, &flight->task, execute_s, transfer_s,
                               flight->slot != NULL ? flight->slot->tag : PLB_NO_SLOT);
    plb_worker_executed(worker, h->pu, &flight->task, execute_s, transfer_s);
    bool reports = hold(h, flight, execute_s, transfer_s);
    if (may_wait(h, taken, execute_s + transfer_s))
        return reports;
    report(h);
    return true;
}

void plb_combine_report(struct plb_held_result *h, const struct plb_slice *next)
{
    if (h->slot != NULL && (next == NULL || !continues(h, next)))
        report(h);
}

void plb_combine_give_back(struct plb_held_result *h)
{
    if (h->slot == NULL)
        return;
    plb_worker_give_back(h->shared->worker, h->pu, &h->units, GONE);
    h->slot->state = PLB_SLOT_FREE; /* the PU takes no slot any more */
    h->slot = NULL;
}
