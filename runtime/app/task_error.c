/* How an entry says why it fails, or why its PU can work no more (plb/task.h). The text is kept where the
 * PU's executor looks for it. */
#include <stdarg.h>
#include <stdio.h>

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

int plb_task_retire(const struct plb_task *task)
{
    (void)task;
    return PLB_TASK_RETIRES;
}
