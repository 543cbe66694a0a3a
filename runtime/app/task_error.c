/* How an entry says why it fails (plb/task.h). The text is kept where the PU's executor looks for it. */
#include <stdarg.h>
#include <stdio.h>

#include "plb/kernel.h"

int plb_task_error(const struct plb_task *task, const char *format, ...)
{
    va_list args;
    if (task->why == NULL || task->why[0] != '\0')
        return 1;
    va_start(args, format);
    vsnprintf(task->why, PLB_TASK_WHY, format, args);
    va_end(args);
    return 1;
}
