/* An outbox whose last report of each PU may grow. */
#include "core/worker/reports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void plb_reports_init(struct plb_reports *r, int n_pus, int node)
{
    *r = (struct plb_reports){.n_pus = n_pus, .node = node};
    r->merging = plb_alloc((size_t)n_pus * sizeof *r->merging);
    r->began = plb_alloc((size_t)n_pus * sizeof *r->began);
    r->so_far = plb_alloc((size_t)n_pus * sizeof *r->so_far);
    plb_reports_clear(r);
}

void plb_reports_fini(struct plb_reports *r)
{
    plb_outbox_fini(&r->box);
    free(r->merging);
    free(r->began);
    free(r->so_far);
}

void plb_reports_clear(struct plb_reports *r)
{
    int n = 0;
    for (int i = 0; i < r->box.n; i++)
        if (r->box.at[i].type == PLB_FAIL && r->box.at[i].fail.text[0] != '\0')
            r->box.at[n++] = r->box.at[i];
    r->box.n = n;
    for (int pu = 0; pu < r->n_pus; pu++) {
        r->merging[pu] = -1;
        r->began[pu] = NAN;
    }
}

void plb_reports_add(struct plb_reports *r, int pu, const struct plb_slice *task, double execute_s,
                     double transfer_s, int slot)
{
    bool merges = r->merging[pu] >= 0 && !task->audit;
    struct plb_done *last = merges ? &r->box.at[r->merging[pu]].done : NULL;
    bool grows = last != NULL && slot == PLB_NO_SLOT && last->block == task->block && last->copy == task->copy
              && plb_range_end(last->range) == task->range.first;
    if (!grows) {
        struct plb_message *m = plb_outbox_add(&r->box, PLB_DONE, r->node, 0, task->pass);
        m->pu = pu;
        m->done = (struct plb_done){.range = {task->range.first, 0},
                                    .block = task->block,
                                    .slot = slot,
                                    .audit = task->audit,
                                    .copy = task->copy};
        r->began[pu] = NAN;
        r->merging[pu] = slot == PLB_NO_SLOT && !task->audit ? r->box.n - 1 : -1;
        last = &m->done;
    }
    last->range.count += task->range.count;
    last->tasks += task->more + 1;
    last->execute_s += execute_s;
    last->transfer_s += transfer_s;
    last->so_far = r->so_far[pu];
}

void plb_reports_fail(struct plb_reports *r, int pu, const struct plb_slice *task,
                      const struct plb_device_failure *failure)
{
    struct plb_message *m = plb_outbox_add(&r->box, PLB_FAIL, r->node, 0, task->pass);
    m->pu = pu;
    m->fail = (struct plb_failure){.range = task->range,
                                   .block = task->block,
                                   .status = failure->status,
                                   .audit = task->audit,
                                   .copy = task->copy,
                                   .lost = failure->lost,
                                   .among = failure->among};
    snprintf(m->fail.text, sizeof m->fail.text, "%s", failure->text);
    snprintf(m->fail.why, sizeof m->fail.why, "%s", failure->why != NULL ? failure->why : "");
}

void plb_reports_crash(struct plb_reports *r, int pu, const struct plb_slice *task, int signal)
{
    struct plb_message *m = plb_outbox_add(&r->box, PLB_CRASH, r->node, 0, task->pass);
    m->pu = pu;
    m->crash = (struct plb_crashed){
        .range = task->range, .block = task->block, .audit = task->audit, .signal = signal, .alive = 1};
}

/* Whether the latest report of a PU stays here to grow. */
static bool stays(struct plb_reports *r, int i, const struct plb_queue *queue, double now, double hold_s)
{
    const struct plb_message *m = &r->box.at[i];
    if (r->merging[m->pu] != i || !plb_queue_goes_on(queue, m->done.block))
        return false;
    if (isnan(r->began[m->pu]))
        r->began[m->pu] = now;
    return now - r->began[m->pu] < hold_s;
}

void plb_reports_collect(struct plb_reports *r, const struct plb_queue *const *queues, double now,
                         double hold_s, struct plb_outbox *out)
{
    int kept = 0;
    for (int i = 0; i < r->box.n; i++) {
        int pu = r->box.at[i].pu;
        if (hold_s > 0.0 && stays(r, i, queues[pu], now, hold_s)) {
            r->merging[pu] = kept;
            r->box.at[kept++] = r->box.at[i];
            continue;
        }
        if (r->merging[pu] == i) {
            r->merging[pu] = -1;
            r->began[pu] = NAN;
        }
        plb_outbox_copy(out, &r->box.at[i]);
    }
    r->box.n = kept;
}
