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

bool plb_combine_takes(const struct plb_held_result *h, const struct plb_flight *flight)
{
    bool stays = h->shared->staying == NULL || (flight->slot != NULL && flight->slot->staying != NULL);
    return h->shared->combines && flight->slot != NULL && !flight->slot->scratch && !flight->task.audit
        && stays;
}

bool plb_combine_fold(struct plb_held_result *h, const struct plb_flight *flight)
{
    struct plb_slot *into = h->slot;
    if (!plb_combine_takes(h, flight) || !plb_held_continues(&h->report, &flight->task))
        return false;
    plb_node_unlock(h->shared);
    plb_dataset_fold_into(h->shared->config.data, h->report.units.range, into->buffer, flight->task.range,
                          flight->slot->buffer);
    pthread_mutex_lock(&h->shared->lock);
    return h->slot == into;
}

static void report(struct plb_held_result *h)
{
    h->slot->task = h->report.units;
    bool wanted = plb_worker_report(h->shared->worker, h->pu, &h->report);
    h->slot->state = wanted ? PLB_SLOT_FINISHED : PLB_SLOT_FREE;
    h->slot = NULL;
    if (wanted)
        plb_node_wake(h->shared);
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
    bool reports = !flight->folded && h->slot != NULL,
         waits = !h->shared->resting && !h->shared->config.audits;
    if (reports)
        report(h);
    if (flight->folded)
        flight->slot->state = PLB_SLOT_FREE;
    else
        h->slot = flight->slot;
    plb_held_add(&h->report, &flight->task, flight->slot->tag, execute_s, transfer_s);
    if (waits
        && plb_worker_may_hold(worker, h->pu, &h->report, taken->next, taken->last, execute_s + transfer_s))
        return reports;
    report(h);
    return true;
}

void plb_combine_report(struct plb_held_result *h, const struct plb_slice *next)
{
    if (h->slot != NULL && (next == NULL || !plb_held_continues(&h->report, next)))
        report(h);
}

void plb_combine_give_back(struct plb_held_result *h)
{
    if (h->slot == NULL)
        return;
    plb_worker_give_back(h->shared->worker, h->pu, &h->report, GONE);
    h->slot->state = PLB_SLOT_FREE; /* the PU takes no slot any more */
    h->slot = NULL;
}
