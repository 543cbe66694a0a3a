/* Results that stayed: their transfers, and the pass that makes lost ones again (rank0/gathering.h). */
#include <stdlib.h>
#include <string.h>

#include "app/feeds.h"
#include "base/log.h"
#include "base/memory.h"
#include "report/quantity.h"
#include "rank0/rank0.h"
#include "outcome/set_aside.h"

/* One answer on its way. */
struct plb_kept_transfer {
    struct plb_message kept;
    bool dropped;                /* it is received to be forgotten */
    void *scratch[PLB_MAX_DATA]; /* of those that are dropped */
    int pending;
    struct plb_kept_transfer *next;
};

static void free_transfer(struct plb_kept_transfer *t)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        free(t->scratch[i]);
    free(t);
}

static void free_all(struct plb_kept_transfer *first)
{
    while (first != NULL) {
        struct plb_kept_transfer *next = first->next;
        free_transfer(first);
        first = next;
    }
}

static void forget_inputs(struct plb_gathering *g)
{
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        free(g->before[i]);
        g->before[i] = NULL;
    }
}

void plb_gathering_fini(struct plb_gathering *g)
{
    free_all(g->transfers);
    free_all(g->lost);
    forget_inputs(g);
}

void plb_gathering_remember(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    const struct plb_dataset *set = &r->data;
    bool stayed = plb_master_gathers(rank0->master) || plb_master_lacking(rank0->master) > 0;
    for (int i = 0; i < set->n && stayed; i++) {
        if (set->at[i].mode != PLB_REPLICATE || set->file[i] > 0) /* nobody writes to inputs in files */
            continue;
        if (rank0->gathering.before[i] == NULL)
            rank0->gathering.before[i] = plb_alloc(set->at[i].bytes);
        memcpy(rank0->gathering.before[i], set->host[i], set->at[i].bytes);
    }
}

bool plb_gathering_begin(struct plb_rank *r, bool goes_on)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->gathering.began = plb_rank_time(r);
    rank0->gathering.goes_on = goes_on;
    if (goes_on && r->data.fed == 0) /* a repair computes with what is there now */
        plb_gathering_remember(r);
    bool asks = plb_master_gather(rank0->master, &r->out);
    rank0->gathering.on = asks || plb_master_lacking(rank0->master) > 0;
    if (!rank0->gathering.on)
        return false;
    if (!goes_on)
        plb_rank0_close_door(r); /* who joined now would be told inputs that `next` may have changed */
    return true;
}

static void *place_of(const struct plb_dataset *set, int i, struct plb_range range)
{
    size_t offset, bytes;
    plb_dataset_bytes(set, i, range, &offset, &bytes);
    return (char *)set->host[i] + offset;
}

void plb_gathering_hear(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_rank0 *rank0 = r->rank0;
    const struct plb_kept_results *kept = &m->kept;
    bool awaited = rank0->gathering.on && plb_master_awaits(rank0->master, m);
    if (m->from == 0 || kept->slot >= PLB_TAGS || kept->range.first + kept->range.count > r->data.units
        || (kept->buffers & ~plb_dataset_results(&r->data)) != 0)
        return;
    if (kept->here == 0) {
        if (awaited)
            plb_master_receive(rank0->master, m, plb_rank_time(r), &r->out);
        return;
    }
    struct plb_kept_transfer *t = plb_alloc(sizeof *t);
    t->kept = *m;
    t->dropped = !awaited;
    t->next = rank0->gathering.transfers;
    rank0->gathering.transfers = t;
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        if ((kept->buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(&r->data, i, kept->range, &offset, &bytes);
        t->scratch[i] = t->dropped ? plb_alloc(bytes) : NULL;
        void *to = t->dropped ? t->scratch[i] : (char *)r->data.host[i] + offset;
        plb_mpi_get(r->mpi, m->from, (int)kept->slot, to, bytes, &t->pending);
    }
}

/* All data of an answer is there. */
static void arrive(struct plb_rank *r, struct plb_kept_transfer *t)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_kept_results *kept = &t->kept.kept;
    void *parts[PLB_MAX_DATA];
    if (t->dropped || !rank0->gathering.on || !plb_master_awaits(rank0->master, &t->kept))
        return;
    for (int i = 0; i < r->data.n; i++)
        parts[i] = place_of(&r->data, i, kept->range);
    if (rank0->job->run.checksums
        && plb_dataset_sum(&r->data, kept->range, false, parts, kept->buffers) != kept->sum) {
        kept->here = 0;
        plb_say_damaged(r->kernel, &t->kept, &rank0->damaged);
    }
    plb_master_receive(rank0->master, &t->kept, plb_rank_time(r), &r->out);
}

/* The contents of replicated buffers of the last pass, and of after it, change places. */
static void swap_inputs(struct plb_rank *r)
{
    struct plb_gathering *g = &r->rank0->gathering;
    for (int i = 0; i < r->data.n; i++) {
        char *now = r->data.host[i], *before = g->before[i];
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
    rank0->gathering.repairs = true;
    rank0->repairs++;
    plb_incoming_repairs(rank0->incoming, true);
    rank0->pass_began = plb_rank_time(r);
    rank0->in_pass = true;
    plb_master_repair(rank0->master, r->pass + 1, &rank0->job->maps[rank0->job->app.running],
                      rank0->pass_began, &r->out);
    plb_rank0_stop_on_failure(r);
}

void plb_gathering_end(struct plb_rank *r)
{
    plb_back_complete(r);
    plb_feeds_put_back(&r->rank0->job->app, &r->data);
    if (r->rank0->gathering.goes_on)
        plb_rank0_look_further(r);
    else
        plb_rank0_end(r, r->err->status);
}

bool plb_gathering_collect(struct plb_rank *r)
{
    struct plb_gathering *g = &r->rank0->gathering;
    bool any = false;
    for (struct plb_kept_transfer **at = &g->transfers; *at != NULL;) {
        struct plb_kept_transfer *t = *at;
        if (t->pending > 0) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        arrive(r, t);
        free_transfer(t);
        any = true;
    }
    if (!g->on || plb_master_gathers(r->rank0->master))
        return any;
    g->on = false;
    r->rank0->makespan += plb_rank_time(r) - g->began;
    plb_set_aside_clear(r->rank0->master, &r->data);
    if (plb_master_lacking(r->rank0->master) > 0 && r->data.fed != 0)
        plb_back_break(r);
    else if (plb_master_lacking(r->rank0->master) > 0)
        repair(r);
    else
        plb_gathering_end(r);
    return true;
}

void plb_gathering_end_repair(struct plb_rank *r)
{
    r->rank0->makespan += plb_rank_time(r) - r->rank0->pass_began;
    r->rank0->in_pass = false;
    plb_set_aside_clear(r->rank0->master, &r->data);
    swap_inputs(r);
    r->rank0->gathering.repairs = false;
    plb_incoming_repairs(r->rank0->incoming, false);
    plb_gathering_end(r);
}

void plb_gathering_lose(struct plb_gathering *g, int rank)
{
    for (struct plb_kept_transfer **at = &g->transfers; *at != NULL;) {
        struct plb_kept_transfer *t = *at;
        if (t->kept.from != rank) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        t->next = g->lost;
        g->lost = t;
    }
}
