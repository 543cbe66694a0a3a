/* Results that rank 0 fetches: when, and the pass that computes lost ones again (rank0/fetch.h). */
#include <string.h>

#include "app/feeds.h"
#include "base/log.h"
#include "base/memory.h"
#include "outcome/set_aside.h"
#include "rank0/rank0.h"
#include "report/quantity.h"

void plb_results_remember(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    const struct plb_dataset *set = &r->data;
    bool stayed = plb_master_gathers(rank0->master) || plb_master_lacking(rank0->master) > 0;
    for (int i = 0; i < set->n && stayed; i++) {
        if (set->at[i].mode != PLB_REPLICATE || set->file[i] > 0) /* nobody writes to inputs in files */
            continue;
        if (rank0->fetching.before[i] == NULL)
            rank0->fetching.before[i] = plb_alloc(set->at[i].bytes);
        memcpy(rank0->fetching.before[i], set->host[i], set->at[i].bytes);
    }
}

bool plb_results_fetch(struct plb_rank *r, bool goes_on)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->fetching.began = plb_rank_time(r);
    rank0->fetching.goes_on = goes_on;
    if (goes_on && r->data.fed == 0) /* a repair computes with what is there now */
        plb_results_remember(r);
    bool asks = plb_master_gather(rank0->master, &r->out);
    rank0->fetching.on = asks || plb_master_lacking(rank0->master) > 0;
    if (!rank0->fetching.on)
        return false;
    if (!goes_on)
        plb_rank0_close_door(r); /* who joined now would be told inputs that `next` may have changed */
    return true;
}

/* The contents of replicated buffers of the last pass, and of after it, change places. */
static void swap_inputs(struct plb_rank *r)
{
    struct plb_fetching *f = &r->rank0->fetching;
    for (int i = 0; i < r->data.n; i++) {
        char *now = r->data.host[i], *before = f->before[i];
        for (size_t k = 0; before != NULL && k < r->data.at[i].bytes; k++) {
            char byte = now[k];
            now[k] = before[k];
            before[k] = byte;
        }
    }
}

static void repair(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    char units[PLB_UNITS_TEXT];
    plb_log(PLB_LOG_INFO, "the results of %s are lost, and computed again",
            plb_units_print(plb_master_lacking(rank0->master), r->kernel->unit, units));
    swap_inputs(r);
    rank0->fetching.repairs = true;
    rank0->repairs++;
    plb_incoming_repairs(rank0->incoming, true);
    rank0->pass_began = plb_rank_time(r);
    rank0->in_pass = true;
    plb_master_repair(rank0->master, r->pass + 1, &rank0->job->maps[rank0->job->app.running],
                      rank0->pass_began, &r->out);
    plb_rank0_stop_on_failure(r);
}

void plb_results_end(struct plb_rank *r)
{
    plb_back_complete(r);
    plb_feeds_put_back(&r->rank0->job->app, &r->data);
    if (r->rank0->fetching.goes_on)
        plb_rank0_look_further(r);
    else
        plb_rank0_end(r, r->err->status);
}

void plb_results_settle(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->fetching.on = false;
    rank0->makespan += plb_rank_time(r) - rank0->fetching.began;
    plb_set_aside_clear(rank0->master, &r->data);
    if (plb_master_lacking(rank0->master) == 0)
        plb_results_end(r);
    else if (r->data.fed != 0)
        plb_back_break(r);
    else
        repair(r);
}

void plb_results_end_repair(struct plb_rank *r)
{
    r->rank0->makespan += plb_rank_time(r) - r->rank0->pass_began;
    r->rank0->in_pass = false;
    plb_set_aside_clear(r->rank0->master, &r->data);
    swap_inputs(r);
    r->rank0->fetching.repairs = false;
    plb_incoming_repairs(r->rank0->incoming, false);
    plb_results_end(r);
}
