/* A few times. */
#include "progress.h"

#include "child.h"
#include "plb/kernel.h"

void command_progress_ended(struct command_progress *p, int64_t count)
{
    double now = command_seconds();
    if (p->ended == p->reported)
        p->first = now;
    p->last = now;
    p->ended = count;
}

bool command_progress_goes_on(struct command_progress *p)
{
    if (p->ended > p->reported && command_seconds() >= p->first + COMMAND_WAITS
        && plb_task_report(p->task, p->ended, p->last - p->since)) {
        p->reported = p->ended;
        p->since = p->last;
    }
    return !plb_task_cancelled(p->task);
}
