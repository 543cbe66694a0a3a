/* A request to the child has all of a task. */
#include "node/pu/isolated.h"

#include <stdio.h>
#include <string.h>

#include "app/application.h"
#include "base/clock.h"
#include "host/crash.h"

struct request {
    struct plb_phase phase;
    int lane, n;
    int64_t zero;
    struct plb_task task;
    void *data[PLB_MAX_DATA];
    size_t bytes[PLB_MAX_DATA];
    int64_t before[PLB_MAX_DATA], after[PLB_MAX_DATA];
    int32_t cancelled[PLB_MAX_LANES]; /* by lane; the parent writes it while the task runs */
    char why[PLB_TASK_WHY];           /* the child writes it */
};

/* In the child. */
static int work(void *context, void *request)
{
    const struct plb_isolated *s = context;
    const struct request *r = request;
    int status = 0;
    for (int i = 0; i < r->n && status == 0; i++) {
        if ((r->zero & ((int64_t)1 << i)) == 0)
            continue;
        if (s->ops->zero != NULL)
            status = s->ops->zero(s->device, r->lane, r->data[i], r->bytes[i]);
        else
            memset(r->data[i], 0, r->bytes[i]);
    }
    plb_crash_begin(r->phase.name, r->task.first, r->task.count);
    if (status == 0)
        status = s->ops->launch(s->device, r->lane, &r->phase, &r->task);
    plb_crash_end();
    return status;
}

void plb_isolated_init(struct plb_isolated *isolated, const struct plb_device_ops *ops,
                       struct plb_device *device)
{
    *isolated = (struct plb_isolated){.ops = ops, .device = device};
    isolated->child = plb_child_new(work, isolated, sizeof(struct request));
}

void plb_isolated_fini(struct plb_isolated *isolated)
{
    plb_child_free(isolated->child);
    isolated->child = NULL;
}

int32_t *plb_isolated_cancelled(struct plb_isolated *isolated, int lane)
{
    struct request *r = plb_child_request(isolated->child);
    return &r->cancelled[lane];
}

void plb_isolated_enter(struct plb_isolated *isolated, int pass)
{
    if (isolated->child != NULL && pass != isolated->pass)
        plb_child_renew(isolated->child);
    isolated->pass = pass;
}

int plb_isolated_launch(struct plb_isolated *isolated, int lane, const struct plb_phase *phase,
                        const struct plb_task *task, int n, int64_t zero, char failure[80])
{
    struct plb_error err = {.status = PLB_OK};
    struct request *r = plb_child_request(isolated->child);
    int status = -1;
    r->phase = *phase;
    r->lane = lane;
    r->n = n;
    r->zero = zero;
    r->task = *task;
    memcpy(r->data, task->data, (size_t)n * sizeof *r->data);
    memcpy(r->bytes, task->bytes, (size_t)n * sizeof *r->bytes);
    memcpy(r->before, task->before, (size_t)n * sizeof *r->before);
    memcpy(r->after, task->after, (size_t)n * sizeof *r->after);
    r->task.data = r->data;
    r->task.bytes = r->bytes;
    r->task.before = r->before;
    r->task.after = r->after;
    r->task.why = r->why;
    r->task.reporter = NULL;
    r->why[0] = '\0';
    plb_crash_begin(phase->name, task->first, task->count);
    plb_child_ready(isolated->child, &err);
    double began = plb_now();
    enum plb_child_outcome outcome = plb_child_call(isolated->child, &status, &isolated->end, &err);
    isolated->took += plb_now() - began;
    isolated->ended = outcome == PLB_CHILD_ENDED;
    if (isolated->ended && !isolated->end.asked)
        plb_crash_tell(isolated->end.signal, isolated->end.status);
    plb_crash_end();
    if (task->why != NULL && outcome == PLB_CHILD_ANSWERED)
        memcpy(task->why, r->why, sizeof r->why);
    if (outcome == PLB_CHILD_MISSING)
        snprintf(failure, 80, "%.79s", err.text);
    return outcome == PLB_CHILD_ANSWERED ? status : -1;
}
