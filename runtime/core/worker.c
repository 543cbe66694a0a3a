/* The worker: queues in, reports out. */
#include "core/worker.h"

#include <stdlib.h>

#include "base/error.h"

struct plb_worker {
    int node, n_pus, pass;
    struct plb_queue *queues;
    int *merging;               /* per PU: its latest report that may grow, or -1 */
    struct plb_outbox reports;
};

struct plb_worker *plb_worker_new(int node, int n_pus)
{
    struct plb_worker *w = plb_alloc(sizeof *w);
    w->node = node;
    w->n_pus = n_pus;
    w->queues = plb_alloc((size_t)n_pus * sizeof *w->queues);
    w->merging = plb_alloc((size_t)n_pus * sizeof *w->merging);
    plb_worker_pass(w, 0);
    return w;
}

void plb_worker_free(struct plb_worker *w)
{
    if (w == NULL)
        return;
    for (int pu = 0; pu < w->n_pus; pu++)
        plb_queue_fini(&w->queues[pu]);
    plb_outbox_fini(&w->reports);
    free(w->queues);
    free(w->merging);
    free(w);
}

void plb_worker_pass(struct plb_worker *w, int pass)
{
    w->pass = pass;
    w->reports.n = 0;
    for (int pu = 0; pu < w->n_pus; pu++) {
        plb_queue_clear(&w->queues[pu]);
        w->merging[pu] = -1;
    }
}

void plb_worker_block(struct plb_worker *w, const struct plb_message *m)
{
    if (m->pass != w->pass || m->pu < 0 || m->pu >= w->n_pus || m->range.count <= 0)
        return;
    int64_t grain = m->grain > 0 ? m->grain : m->range.count;
    plb_queue_push(&w->queues[m->pu], (struct plb_queue_entry){m->range, m->block, grain});
}

bool plb_worker_take(struct plb_worker *w, int pu, struct plb_piece *piece)
{
    return plb_queue_take(&w->queues[pu], piece);
}

static struct plb_message *report(struct plb_worker *w, enum plb_message_type type, int pu,
                                  const struct plb_piece *piece)
{
    struct plb_message *m = plb_outbox_add(&w->reports, type, 0);
    m->from = w->node;
    m->pu = pu;
    m->pass = w->pass;
    m->range = piece->range;
    m->block = piece->block;
    return m;
}

void plb_worker_done(struct plb_worker *w, int pu, const struct plb_piece *piece, double execute_s,
                     double transfer_s, int slot)
{
    struct plb_message *m = w->merging[pu] >= 0 ? &w->reports.at[w->merging[pu]] : NULL;
    bool grows = m != NULL && slot == PLB_NO_SLOT && m->block == piece->block
              && m->range.first + m->range.count == piece->range.first;
    if (grows) {
        m->range.count += piece->range.count;
    } else {
        m = report(w, PLB_DONE, pu, piece);
        m->slot = slot;
        w->merging[pu] = slot == PLB_NO_SLOT ? w->reports.n - 1 : -1;
    }
    m->tasks++;
    m->execute_s += execute_s;
    m->transfer_s += transfer_s;
}

void plb_worker_fail(struct plb_worker *w, int pu, const struct plb_piece *piece, int status)
{
    report(w, PLB_FAIL, pu, piece)->status = status;
}

void plb_worker_collect(struct plb_worker *w, struct plb_outbox *out)
{
    for (int i = 0; i < w->reports.n; i++)
        *plb_outbox_add(out, (enum plb_message_type)w->reports.at[i].type, 0) = w->reports.at[i];
    w->reports.n = 0;
    for (int pu = 0; pu < w->n_pus; pu++)
        w->merging[pu] = -1;
}
