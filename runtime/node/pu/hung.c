/* A look at all PUs of a node. */
#include "node/pu/hung.h"

#include <stdio.h>

#include "app/phase.h"
#include "base/log.h"
#include "base/units.h"

#define SENTENCE 500 /* bytes of the sentence about a late task; a longer one is cut */

/* Seconds that a child process has to end after it was killed. Larger: its PU waits longer where the kernel
 * of the system keeps the process, behind a disk that does not answer for example. Smaller: a PU is given up
 * whose process is large and ends slowly. */
#define STUBBORN 10.0

/* Whether another PU can execute what this one has. */
static bool is_replaceable(const struct plb_hung_watch *watch, const struct plb_runner *r)
{
    int left = 0;
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        if (r->running[lane].runs && r->running[lane].in_place && !r->running[lane].killed)
            return false; /* a process that was killed writes no more */
    for (int p = 0; p < watch->n; p++)
        left += plb_worker_state(r->shared->worker, p) != PLB_PU_LOST;
    return left > 1 || r->shared->config.n_nodes > 1;
}

/* The sentence about a task that is late, or that hangs and is killed. Under the lock. */
static void describe(const struct plb_runner *r, const struct plb_slice *task, bool killed,
                     char text[SENTENCE])
{
    const struct plb_kernel *kernel = r->shared->config.kernel;
    char title[PLB_PHASE_TITLE], units[PLB_RANGE_TEXT], expected[60] = "their expected time is unknown";
    if (r->overdue.expected > 0.0)
        snprintf(expected, sizeof expected, "at most %.3g s were expected", r->overdue.expected);
    snprintf(text, SENTENCE, "%s %s on PU '%s' (rank %d on %s): it has executed %s for %.1f s, and %s",
             plb_phase_title(kernel, plb_worker_phase(r->shared->worker), title),
             killed ? "hangs and is killed" : "is late", r->pu.info.name, r->pu.info.node, r->pu.info.host,
             plb_range_print(task->range.first, task->range.count, kernel->unit, units), r->overdue.age,
             expected);
}

/* All tasks that run go back to the master, and hear that nobody wants them. If they end after all, their
 * results are dropped. Until then they keep their slots, and with them the memory that they write to. Under
 * the lock. */
static void give_up(struct plb_runner *r, const struct plb_slice *task)
{
    char text[80];
    snprintf(text, sizeof text, "it hangs: %s after %.1f s, and at most %.3g s were expected",
             r->running[0].killed ? "not even killed" : "no end", r->overdue.age, r->overdue.expected);
    for (int lane = 0; lane < PLB_MAX_LANES; lane++) {
        struct plb_running *running = &r->running[lane];
        if (!running->runs)
            continue;
        plb_runner_leave(
            r, &running->task,
            &(struct plb_device_failure){.status = PLB_EFAILED, .text = text, .among = task->range});
        running->lost = true;
    }
    plb_runner_cancel(r);
    plb_node_wake(r->shared);
}

/* The child of an isolated task. Its PU has one lane. Under the lock. */
static void kill_child(struct plb_runner *r)
{
    r->running[0].killed = true;
    r->running[0].kill_s = r->overdue.age;
    plb_child_kill(r->executor.isolated.child);
}

/* Whether the child that was killed is still there. Under the lock. */
static bool stays(const struct plb_runner *r)
{
    return r->running[0].killed && r->overdue.age > r->running[0].kill_s + STUBBORN;
}

/* One PU: warns of a task that is late, kills the child of one that hangs, or gives the PU up. True where
 * `text` is to be said. Under the lock. */
static bool deal_with(const struct plb_hung_watch *watch, struct plb_runner *r, double seconds,
                      char text[SENTENCE])
{
    const struct plb_node_shared *shared = r->shared;
    const struct plb_running *oldest = plb_running_oldest(r->running);
    if (oldest == NULL || plb_worker_state(shared->worker, r->number) == PLB_PU_LOST)
        return false;
    if (r->overdue.step != r->steps) {
        plb_overdue_begin(&r->overdue, r->steps, plb_worker_expect(shared->worker, r->number, &oldest->task));
        return false;
    }
    enum plb_overdue_state state = plb_overdue_look(&r->overdue, shared->config.hung_after, seconds);
    bool kills = state == PLB_HUNG && r->executor.shares && !oldest->killed;
    if (state == PLB_LATE || kills)
        describe(r, &oldest->task, kills, text);
    if (kills)
        kill_child(r);
    else if (state == PLB_HUNG && (!r->executor.shares || stays(r)) && is_replaceable(watch, r))
        give_up(r, &oldest->task);
    return state == PLB_LATE || kills;
}

void plb_hung_look(struct plb_hung_watch *watch, double now)
{
    char text[SENTENCE];
    double seconds = plb_overdue_beat(&watch->looked, now);
    if (seconds <= 0.0 || watch->n == 0)
        return;
    struct plb_node_shared *shared = watch->runners[0].shared;
    for (int p = 0; p < watch->n && shared->config.hung_after > 0.0; p++) {
        pthread_mutex_lock(&shared->lock);
        bool late = !shared->stopping && deal_with(watch, &watch->runners[p], seconds, text);
        plb_node_unlock(shared);
        if (late)
            plb_log(PLB_LOG_WARNING, "%s", text);
    }
}

void plb_hung_end(const struct plb_hung_watch *watch)
{
    for (int p = 0; p < watch->n; p++) {
        plb_runner_cancel(&watch->runners[p]);
        plb_child_kill(watch->runners[p].executor.isolated.child);
    }
}

bool plb_hung_may_be(const struct plb_node_config *config)
{
    bool told = false;
    if (config->hung_after > 0.0)
        for (int i = 0; i < plb_phase_count(config->kernel); i++)
            told |= config->maps[i].told;
    return told;
}
