/* Reports that a PU holds back: the results of its next tasks will be part of them. Part of the worker. */
#include "core/worker/worker.h"
#include "core/worker/worker_inside.h"

#include <math.h>

/* Seconds of tasks in one result at most: as long as a report may wait. Larger: balancers hear later, and
 * more is executed again after a loss. Smaller: each result takes two cores for some 50 us. */
#define HELD PLB_REPORT_DELAY

/* The same where arrays are large: so many times as long as rank 0's link needs for one of each node. Larger:
 * a loss costs more, by so many arrays' time where the others share the units. Smaller: rank 0's link has
 * more to carry than the results of a pass need, a quarter of the time with this one. */
#define ARRAYS 4.0

/* Of the time that the PU's queue will take: the part that one result may have, unless all of it fits into
 * one result by ARRAYS. Larger: a result that is dropped, since some of its units are not new,
 * costs more near the end. Smaller: more results there. With an eighth a PU had 27 results in a pass of 15
 * ms, and with a half 18. */
#define PART 0.5

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

/* Seconds of what the PU has queued, by its latest task; 0 where the units behind `last` do not come next, of
 * the same block: a copy's never do. */
static double ahead_of(const struct plb_worker *w, int pu, const struct plb_slice *last)
{
    const struct plb_own_pu *own = &w->pus.at[pu];
    const struct plb_queue *queue = &own->queue;
    if (last->copy || plb_worker_obsolete(w, last) || !plb_queue_goes_on(queue, last->block)
        || queue->at[queue->head].range.first != plb_range_end(last->range))
        return 0.0;
    return own->rate.unit_s * (double)plb_queue_units(queue);
}

bool plb_held_continues(const struct plb_held_report *held, const struct plb_slice *task)
{
    const struct plb_slice *units = &held->units;
    return held->any && !task->audit && task->copy == units->copy && task->pass == units->pass
        && task->block == units->block && task->range.first == plb_range_end(units->range);
}

void plb_held_add(struct plb_held_report *held, const struct plb_slice *task, int slot, double execute_s,
                  double transfer_s)
{
    if (!held->any) {
        *held = (struct plb_held_report){true, slot, *task, execute_s, transfer_s};
        return;
    }
    held->units.range.count += task->range.count;
    held->units.more += task->more + 1;
    held->execute_s += execute_s;
    held->transfer_s += transfer_s;
}

bool plb_worker_may_hold(const struct plb_worker *w, int pu, const struct plb_held_report *held,
                         const struct plb_slice *next, const struct plb_slice *last, double seconds)
{
    if (next != NULL && !plb_held_continues(held, next))
        return false;
    double ahead = ahead_of(w, pu, last != NULL ? last : &held->units), arrays = ARRAYS * w->arrays_s;
    seconds += held->execute_s + held->transfer_s;
    bool all = arrays > HELD && ahead > 0.0 && seconds + ahead <= arrays;
    return all || seconds <= fmin(fmax(HELD, arrays), PART * ahead);
}

bool plb_worker_report(struct plb_worker *w, int pu, struct plb_held_report *held)
{
    bool wanted = !plb_worker_obsolete(w, &held->units);
    if (wanted)
        plb_reports_add(&w->reports, pu, &held->units, held->execute_s, held->transfer_s, held->slot);
    held->any = false;
    return wanted;
}

void plb_worker_give_back(struct plb_worker *w, int pu, struct plb_held_report *held, const char *why)
{
    const struct plb_slice *units = &held->units;
    if (held->any && !plb_worker_obsolete(w, units))
        plb_reports_fail(&w->reports, pu, units,
                         &(struct plb_device_failure){.text = why, .among = units->range});
    held->any = false;
}

void plb_worker_cores(struct plb_worker *w, int pu, double cpu_s, double waited_s)
{
    w->reports.so_far[pu].cpu_s += cpu_s;
    w->reports.so_far[pu].waited_s += waited_s;
}

void plb_worker_copied(struct plb_worker *w, int pu, int64_t in, int64_t out, double locking_s)
{
    w->reports.so_far[pu].copied_in = in;
    w->reports.so_far[pu].copied_out = out;
    w->reports.so_far[pu].locking_s = locking_s;
}
