/* Reports that a PU holds back: the results of its next tasks will be part of them. Part of the worker. */
#include "core/worker.h"
#include "core/worker_inside.h"

bool plb_worker_executed(struct plb_worker *w, int pu, const struct plb_slice *task, double execute_s,
                         double transfer_s)
{
    plb_worker_forget(w, pu);
    if (plb_worker_obsolete(w, task))
        return false;
    if (!task->audit)
        plb_own_pus_learn(&w->pus, &w->pus.at[pu], task, execute_s + transfer_s, transfer_s, w->migration.on);
    return true;
}

double plb_worker_ahead(const struct plb_worker *w, int pu, const struct plb_slice *last)
{
    const struct plb_own_pu *own = &w->pus.at[pu];
    const struct plb_queue *queue = &own->queue;
    if (plb_worker_obsolete(w, last) || !plb_queue_goes_on(queue, last->block)
        || queue->at[queue->head].range.first != last->range.first + last->range.count)
        return 0.0;
    return own->rate.unit_s * (double)plb_queue_units(queue);
}

bool plb_worker_report(struct plb_worker *w, int pu, const struct plb_slice *units, double execute_s,
                       double transfer_s, int slot)
{
    bool wanted = !plb_worker_obsolete(w, units);
    if (wanted)
        plb_reports_add(&w->reports, pu, units, execute_s, transfer_s, slot);
    return wanted;
}

void plb_worker_give_back(struct plb_worker *w, int pu, const struct plb_slice *units, const char *why)
{
    if (!plb_worker_obsolete(w, units))
        plb_reports_fail(&w->reports, pu, units,
                         &(struct plb_device_failure){.text = why, .among = units->range});
}
