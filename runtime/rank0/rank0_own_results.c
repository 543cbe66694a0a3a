/* The master says which results counted. */
#include "rank0/rank0_own_results.h"

#include "app/feeds.h"
#include "node/daemon.h"
#include "rank0/rank0.h"

void plb_own_results_begin(struct plb_rank *r, int first)
{
    for (int i = first; i < r->out.n; i++) {
        struct plb_message *m = &r->out.at[i];
        if (m->type == PLB_PASS)
            m->begin.gathers = r->rank0->fetching.asked;
        if (m->to == 0)
            plb_node_hear(r->node, m);
    }
}

void plb_own_results_give(struct plb_rank *r, int64_t inputs, struct plb_range units)
{
    bool here = true;
    if (!r->rank0->in_pass || r->stopped)
        return;
    for (int i = 0; i < r->data.n; i++)
        if ((inputs & r->data.fed & PLB_BUFFER(i)) != 0)
            here &= plb_node_bring_input(r->node, i, units);
    r->rank0->redo.lost |= !here;
}

void plb_own_results_look(struct plb_rank *r)
{
    struct plb_redo *redo = &r->rank0->redo;
    if (redo->lost && r->rank0->in_pass && !redo->broken)
        plb_redo_break(r);
    redo->lost = false;
}

bool plb_own_results_end(struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    const int64_t outputs = plb_feeds_outputs(&rank0->job->app);
    bool here = true;
    for (int pu = 0; pu < r->hello.pus && r->data.fed != 0 && rank0->master != NULL; pu++) {
        const struct plb_rangeset *counted = plb_master_counted(rank0->master, 0, pu);
        if (counted != NULL && counted->n > 0 && r->size > 1) /* much may be copied */
            plb_life_quiet(r->life);
        if (counted != NULL)
            for (int k = 0; k < counted->n; k++)
                here &= plb_node_bring_results(r->node, pu, outputs, counted->at[k]);
    }
    return here;
}

bool plb_own_results_bring(struct plb_rank *r, int64_t inputs)
{
    bool here = plb_own_results_end(r);
    for (int i = 0; i < r->data.n && r->hello.pus > 0; i++)
        if ((inputs & PLB_BUFFER(i)) != 0)
            here &= plb_node_bring_input(r->node, i, (struct plb_range){0, r->data.units});
    if (!here && !r->rank0->redo.broken)
        plb_redo_break(r);
    return here;
}
