/* Tasks that the PUs of a node execute: what its rank asks about them. */
#include <limits.h>

#include "base/clock.h"
#include "node/daemon.h"
#include "node/daemon_state.h"

/* Tries to take the lock after a crash, and seconds between them. Others hold it for microseconds; who has
 * crashed may hold it for ever. More: the last words come later. Fewer: they lack the block. */
#define LAST_TRIES 50
#define LAST_PAUSE 1e-3

bool plb_node_has_task(const struct plb_node *node, int from, int until, bool hangs)
{
    for (int p = 0; p < node->n_pus; p++)
        if (plb_running_works(node->runners[p].running, from, until, hangs))
            return true;
    return false;
}

bool plb_node_works(struct plb_node *node, int from, int until)
{
    pthread_mutex_lock(&node->shared.lock);
    bool any = plb_node_has_task(node, from, until, true);
    pthread_mutex_unlock(&node->shared.lock);
    return any;
}

/* Whether the PU executes a task, or has one that it may take. Under the lock. */
static bool has_work(const struct plb_runner *r)
{
    const struct plb_node_shared *shared = r->shared;
    if (plb_running_works(r->running, 0, INT_MAX, false))
        return true;
    if (shared->uses_slots)
        return r->n_line > 0 && r->slots[r->line[0]].state == PLB_SLOT_READY;
    return !shared->resting && plb_worker_queued(shared->worker) > 0.0;
}

/* Whether inputs of a task are on their way. Under the lock. */
static bool pulls(const struct plb_runner *r)
{
    for (int i = 0; i < r->n_line; i++)
        if (r->slots[r->line[i]].state == PLB_SLOT_FETCHING)
            return true;
    return false;
}

struct plb_node_outlook plb_node_outlook(struct plb_node *node)
{
    const struct plb_node_shared *shared = &node->shared;
    bool works = false, all_work = true, waits = false, on_cores = false;
    pthread_mutex_lock(&node->shared.lock);
    bool shares = plb_worker_shares(shared->worker);
    for (int p = 0; p < node->n_pus; p++) {
        bool work = has_work(&node->runners[p]);
        works |= work;
        all_work &= work;
        on_cores |= node->runners[p].pu.info.kind == PLB_CPU;
        waits |= pulls(&node->runners[p]);
    }
    double until = works && !waits && !shares && shared->stands_until > plb_now() ? shared->stands_until
                                                                                  : 0.0;
    pthread_mutex_unlock(&node->shared.lock);
    return (struct plb_node_outlook){node->awaiting ? PLB_AWAITING
                                     : shares       ? PLB_ASKED_FOR
                                                    : PLB_CALM,
                                     !works, all_work && on_cores, until};
}

bool plb_node_cores(const struct plb_node *node, struct plb_cores *cores)
{
    bool all = node->n_pus > 0;
    *cores = (struct plb_cores){0};
    for (int p = 0; p < node->n_pus; p++) {
        const struct plb_node_pu *pu = &node->runners[p].pu;
        all = all && pu->bound;
        CPU_OR_S(sizeof cores->at, cores->at, cores->at, pu->cores.at);
    }
    return all;
}

bool plb_node_last_task(struct plb_node *node, int pu, struct plb_range range, struct plb_slice *task)
{
    bool locked = false, found = false;
    for (int i = 0; i < LAST_TRIES && !locked; i++) {
        locked = pthread_mutex_trylock(&node->shared.lock) == 0;
        if (!locked)
            plb_sleep_until(plb_now() + LAST_PAUSE);
    }
    for (int lane = 0; lane < PLB_MAX_LANES && locked && pu < node->n_pus && !found; lane++) {
        const struct plb_running *running = &node->runners[pu].running[lane];
        found = running->runs && plb_range_within(range, running->task.range);
        if (found)
            *task = running->task;
    }
    if (locked)
        pthread_mutex_unlock(&node->shared.lock);
    return found;
}

bool plb_node_may_end(struct plb_node *node)
{
    pthread_mutex_lock(&node->shared.lock);
    bool any = plb_node_has_task(node, 0, INT_MAX, false);
    pthread_mutex_unlock(&node->shared.lock);
    return !any;
}

void plb_node_double(struct plb_node *node)
{
    pthread_mutex_lock(&node->shared.lock);
    node->shared.doubled = true;
    pthread_mutex_unlock(&node->shared.lock);
}

bool plb_node_writes(struct plb_node *node, struct plb_range range, bool done)
{
    struct plb_node_shared *shared = &node->shared;
    struct plb_range task;
    bool any = false;
    if (!shared->doubled) /* only this thread changes it */
        return false;
    pthread_mutex_lock(&shared->lock);
    for (int p = 0; p < node->n_pus && !shared->stopping; p++) {
        if (!plb_running_writes(node->runners[p].running, range, &task))
            continue;
        any = true;
        if (done && plb_range_within(task, range))
            plb_worker_drop(shared->worker, task);
    }
    if (any)
        for (int p = 0; p < node->n_pus; p++)
            plb_runner_forget(&node->runners[p]);
    pthread_mutex_unlock(&shared->lock);
    return any;
}
