/* Who takes the parts of a task that an entry reports (plb_task_report), or leaves to others
 * (plb_task_shorten). */
#ifndef PLB_APP_TASK_REPORT_H
#define PLB_APP_TASK_REPORT_H

#include "plb/task.h"

struct plb_task_reporter {
    bool (*report)(void *context, const struct plb_task *task, int64_t count, double seconds);
    bool (*shorten)(void *context, const struct plb_task *task, int64_t count, double seconds);
    void *context;
};

#endif
