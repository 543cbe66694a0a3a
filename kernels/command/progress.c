/* A few times. */
#include "progress.h"

#include "child.h"
#include "plb/kernel.h"

void command_progress_begun(struct command_progress *p, int64_t begun)
{
    p->begun = begun;
    p->began = command_seconds();
    p->is_long = p->began + COMMAND_LONG;
}

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
    double now = command_seconds();
    if (p->begun > p->ended && now >= p->is_long) {
        p->is_long = now + (now - p->began);
        if (plb_task_shorten(p->task, p->begun, now - p->since))
            p->count = p->begun;
    }
    return !plb_task_cancelled(p->task);
}
