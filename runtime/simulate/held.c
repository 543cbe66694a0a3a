/* The rules of node/pu/combine.c, without arrays. */
#include "simulate/held.h"

static bool continues(const struct plb_virtual_held *h, const struct plb_slice *task)
{
    return h->number >= 0 && task->pass == h->units.pass && task->block == h->units.block
        && task->copy == h->units.copy && task->range.first == h->units.range.first + h->units.range.count;
}

static void report(struct plb_virtual_held *h)
{
    plb_worker_report(h->worker, h->pu, &h->units, h->execute_s, h->transfer_s, h->number);
    h->number = -1;
}

static void hold(struct plb_virtual_held *h, const struct plb_virtual_ended *ended)
{
    if (continues(h, ended->task)) {
        h->units.range.count += ended->task->range.count;
        h->units.more += ended->task->more + 1;
        h->execute_s += ended->execute_s;
        h->transfer_s += ended->transfer_s;
        return;
    }
    h->units = *ended->task;
    h->number = ended->number;
    h->execute_s = ended->execute_s;
    h->transfer_s = ended->transfer_s;
}

bool plb_virtual_held_end(struct plb_virtual_held *h, const struct plb_virtual_ended *ended)
{
    if (!plb_worker_executed(h->worker, h->pu, ended->task, ended->execute_s, ended->transfer_s))
        return false;
    bool reports = h->number >= 0 && !continues(h, ended->task);
    plb_virtual_held_report(h, ended->task);
    hold(h, ended);
    double seconds = h->execute_s + h->transfer_s + ended->execute_s + ended->transfer_s;
    const struct plb_slice *last = ended->last != NULL ? ended->last : &h->units;
    bool goes_on = ended->next == NULL || continues(h, ended->next);
    if (goes_on && plb_worker_may_hold(h->worker, h->pu, last, seconds))
        return reports;
    report(h);
    return true;
}

void plb_virtual_held_report(struct plb_virtual_held *h, const struct plb_slice *next)
{
    if (h->number >= 0 && (next == NULL || !continues(h, next)))
        report(h);
}

void plb_virtual_held_give_back(struct plb_virtual_held *h, const char *why)
{
    if (h->number >= 0)
        plb_worker_give_back(h->worker, h->pu, &h->units, why);
    h->number = -1;
}
