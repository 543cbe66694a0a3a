/* An entry says why it fails, why its PU can work no more, which units have ended, and which it leaves to
 * others (plb/task.h). A text is
 * kept where the PU's executor looks for it. */
#include <stdarg.h>
#include <stdio.h>

#include "app/task_report.h"
#include "plb/kernel.h"

static void say(const struct plb_task *task, const char *format, va_list args)
{
    if (task->why != NULL && task->why[0] == '\0')
        vsnprintf(task->why, PLB_TASK_WHY, format, args);
}

int plb_task_error(const struct plb_task *task, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(task, format, args);
    va_end(args);
    return 1;
}

int plb_task_leave(const struct plb_task *task, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(task, format, args);
    va_end(args);
    return PLB_TASK_LEAVES;
}

bool plb_task_report(const struct plb_task *task, int64_t count, double seconds)
{
    const struct plb_task_reporter *r = task->reporter;
    return r != NULL && r->report != NULL && r->report(r->context, task, count, seconds);
}

bool plb_task_shorten(const struct plb_task *task, int64_t count, double seconds)
{
    const struct plb_task_reporter *r = task->reporter;
    return r != NULL && r->shorten != NULL && r->shorten(r->context, task, count, seconds);
}

int plb_task_retire(const struct plb_task *task)
{
    (void)task;
    return PLB_TASK_RETIRES;
}
