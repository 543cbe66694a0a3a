/* Bytes on their way to rank 0. */
#include "rank0/rank0_fetch.h"

#include <stdlib.h>
#include <string.h>

#include "app/feeds.h"
#include "base/lease.h"
#include "base/memory.h"
#include "outcome/set_aside.h"
#include "rank0/rank0_own_results.h"
#include "rank0/rank0.h"

struct plb_transfer {
    struct plb_message from;    /* its first source is what comes */
    void *arrays[PLB_MAX_DATA]; /* where it is received */
    int pending;
    bool is_void; /* inputs that are worth nothing */
    struct plb_transfer *next;
};

static bool has_inputs(const struct plb_transfer *t)
{
    return t->from.sources.slot == PLB_HALO_SLOT;
}

static void free_transfer(struct plb_transfer *t)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        free(t->arrays[i]);
    free(t);
}

void plb_fetch_fini(struct plb_fetching *f)
{
    while (f->transfers != NULL) {
        struct plb_transfer *next = f->transfers->next;
        free_transfer(f->transfers);
        f->transfers = next;
    }
    plb_rangeset_fini(&f->here);
    plb_outbox_fini(&f->held);
}

void plb_fetch_begin_pass(struct plb_fetching *f, bool changed)
{
    f->held.n = 0;
    if (changed)
        plb_rangeset_clear(&f->here);
}

/* Tells a rank to send bytes. */
static void ask(struct plb_rank *r, int rank, struct plb_fetch fetch)
{
    plb_outbox_add(&r->out, PLB_FETCH, 0, rank, r->pass)->fetch = fetch;
}

/* A rank sends the first source of a FROM: starts to receive it. Not in its place: if the rank is given up,
 * MPI may write the rest of a message later, when the place has the data of a later pass. */
static void receive(struct plb_rank *r, const struct plb_message *from)
{
    struct plb_fetching *f = &r->rank0->fetching;
    const struct plb_source *source = &from->sources.at[0];
    struct plb_transfer *t = plb_alloc(sizeof *t);
    *t = (struct plb_transfer){.from = *from, .next = f->transfers};
    f->transfers = t;
    /* It may have been lost beside another rank, of which the master has heard first. */
    bool lost = has_inputs(t) && plb_mpi_is_lost(r->mpi, from->from);
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        if ((source->buffers & PLB_BUFFER(i)) == 0 || lost)
            continue;
        plb_dataset_bytes(&r->data, i, source->range, &offset, &bytes);
        t->arrays[i] = plb_alloc_unset(bytes);
        plb_mpi_get(r->mpi, from->from, (int)from->sources.slot, t->arrays[i], bytes, &t->pending);
    }
}

/* All of it is there. */
static void put_in_place(struct plb_rank *r, const struct plb_transfer *t)
{
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        if (t->arrays[i] == NULL)
            continue;
        plb_dataset_bytes(&r->data, i, t->from.sources.at[0].range, &offset, &bytes);
        memcpy((char *)r->data.host[i] + offset, t->arrays[i], bytes);
    }
}

/* ------------------------------------------------------------- rank 0's own PUs */

/* The units around a range that its tasks read of all fed inputs. */
static struct plb_range around(const struct plb_dataset *set, struct plb_range range)
{
    struct plb_range all = range;
    for (int i = 0; i < set->n; i++)
        if ((set->fed & PLB_BUFFER(i)) != 0)
            all = plb_range_hull(all, plb_dataset_around(set, i, range));
    return all;
}

/* Asks for these inputs of units, which the same ranks have. */
static void fetch_inputs(struct plb_rank *r, int64_t inputs, struct plb_range rest)
{
    struct plb_message from = {.pass = r->pass, .sources = {.slot = PLB_HALO_SLOT, .n = 1}};
    for (struct plb_range part; rest.count > 0; rest.first += part.count, rest.count -= part.count) {
        from.from = plb_master_owner(r->rank0->master, inputs, rest, &part);
        from.sources.at[0] = (struct plb_source){part, inputs, from.from};
        if (from.from == 0)
            continue;
        ask(r, from.from, (struct plb_fetch){part, PLB_HALO_SLOT, inputs, 0, 0, 0});
        receive(r, &from);
    }
}

/* Asks for what rank 0 lacks of these units in these inputs. */
static void fetch(struct plb_rank *r, int64_t inputs, struct plb_range units)
{
    struct plb_rangeset lacking = {0};
    plb_rangeset_missing(&r->rank0->fetching.here, units, &lacking);
    for (int64_t rest = inputs, some; rest != 0; rest &= ~some) {
        some = plb_master_together(r->rank0->master, rest);
        for (int i = 0; i < lacking.n; i++)
            fetch_inputs(r, some, lacking.at[i]);
    }
    if (inputs == r->data.fed)
        plb_rangeset_add_all(&r->rank0->fetching.here, &lacking);
    plb_rangeset_fini(&lacking);
}

static bool comes(const struct plb_fetching *f, struct plb_range units)
{
    for (const struct plb_transfer *t = f->transfers; t != NULL; t = t->next)
        if (has_inputs(t) && !t->is_void && plb_range_overlaps(t->from.sources.at[0].range, units))
            return true;
    return false;
}

/* The ranges of units that a message brings; returns how many. */
static int brought(const struct plb_message *m, struct plb_range ranges[PLB_GIFTS])
{
    if (m->type == PLB_BLOCK || m->type == PLB_BACKUP) {
        ranges[0] = m->block.range;
        return 1;
    }
    if (m->type == PLB_GIFT)
        for (int i = 0; i < m->gifts.n; i++)
            ranges[i] = m->gifts.at[i].range;
    return m->type == PLB_GIFT ? m->gifts.n : 0;
}

static bool waits(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_range ranges[PLB_GIFTS];
    bool any = false;
    for (int i = 0, n = brought(m, ranges); i < n; i++)
        any |= comes(&r->rank0->fetching, around(&r->data, ranges[i]));
    return any;
}

bool plb_fetch_holds(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_range ranges[PLB_GIFTS];
    int n = r->data.fed != 0 && m->pass == r->pass && r->rank0->in_pass ? brought(m, ranges) : 0;
    for (int i = 0; i < n; i++)
        if (plb_range_end(ranges[i]) <= r->data.units)
            fetch(r, r->data.fed, around(&r->data, ranges[i]));
    bool held = n > 0 && waits(r, m);
    if (held)
        plb_outbox_copy(&r->rank0->fetching.held, m);
    return held;
}

bool plb_fetch_next(struct plb_rank *r, struct plb_message *m)
{
    struct plb_outbox *held = &r->rank0->fetching.held;
    for (int i = 0; i < held->n; i++) {
        if (waits(r, &held->at[i]))
            continue;
        *m = held->at[i];
        for (held->n--; i < held->n; i++)
            held->at[i] = held->at[i + 1];
        return true;
    }
    return false;
}

bool plb_fetch_comes(const struct plb_fetching *f)
{
    for (const struct plb_transfer *t = f->transfers; t != NULL; t = t->next)
        if (has_inputs(t) && !t->is_void)
            return true;
    return false;
}

bool plb_fetch_any(const struct plb_fetching *f)
{
    for (const struct plb_transfer *t = f->transfers; t != NULL; t = t->next)
        if (!t->is_void)
            return true;
    return false;
}

void plb_fetch_void(struct plb_fetching *f, int rank)
{
    for (struct plb_transfer *t = f->transfers; t != NULL; t = t->next)
        t->is_void |= has_inputs(t) && t->from.from == rank;
}

/* ----------------------------------------------------------- halos, with the grants */

int64_t plb_fetch_halo_buffers(const struct plb_dataset *set)
{
    int64_t others = plb_dataset_partitioned(set) & ~set->fed;
    for (int i = 0; i < set->n; i++)
        others &= set->at[i].mode == PLB_REPLICATE ? ~PLB_BUFFER(i) : -1;
    return others == 0 ? set->fed : 0;
}

void plb_fetch_halos(struct plb_rank *r, int first)
{
    for (int i = first; i < r->out.n; i++) {
        const struct plb_message *m = &r->out.at[i];
        if (m->type != PLB_FROM || m->sources.slot != PLB_HALO_SLOT)
            continue;
        for (int k = 0; k < m->sources.n; k++) {
            const struct plb_source *part = &m->sources.at[k];
            struct plb_fetch fetch = {part->range, PLB_HALO_SLOT, part->buffers, m->to, 0, 0};
            struct plb_message from = {.from = part->node, .pass = m->pass};
            from.sources = (struct plb_sources){.slot = PLB_HALO_SLOT, .n = 1, .at = {*part}};
            if (m->to != 0 && part->node == 0)
                plb_fetch_put(r, &fetch, part->buffers, false);
            if (m->to != 0)
                continue;
            plb_rangeset_add(&r->rank0->fetching.here, part->range);
            receive(r, &from);
        }
    }
}

/* ------------------------------------------------------------------------ results */

void plb_fetch_hear(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_rank0 *rank0 = r->rank0;
    const struct plb_sources *from = &m->sources;
    const struct plb_source *source = &from->at[0];
    bool awaited = rank0->fetching.on && plb_master_awaits(rank0->master, m);
    if (from->n == 0 && awaited)
        plb_master_receive(rank0->master, m, plb_rank_time(r), &r->out);
    if (from->n != 1 || m->from == 0 || from->slot < PLB_FETCH_SLOT || from->slot >= PLB_HALO_SLOT
        || plb_range_end(source->range) > r->data.units
        || (source->buffers & ~plb_dataset_results(&r->data)) != 0)
        return;
    receive(r, m);
}

/* All results of a transfer are there. */
static void arrive(struct plb_rank *r, struct plb_transfer *t)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_sources *from = &t->from.sources;
    const struct plb_source *source = &from->at[0];
    if (!rank0->fetching.on || !plb_master_awaits(rank0->master, &t->from))
        return;
    if (rank0->job->run.checksums
        && plb_dataset_sum(&r->data, source->range, false, t->arrays, source->buffers) != from->sum) {
        plb_say_damaged(r->kernel, &t->from, &rank0->damaged);
        from->n = 0;
    } else {
        put_in_place(r, t);
    }
    plb_master_receive(rank0->master, &t->from, plb_rank_time(r), &r->out);
}

/* Results were fetched until now. */
static void count_time(struct plb_rank0 *rank0, double now)
{
    const double took = now - rank0->fetching.began;
    rank0->makespan += took;
    rank0->collect += took;
}

bool plb_fetch_results(struct plb_rank *r, bool goes_on)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->redo.fetched = goes_on && plb_redo_is_due(r) ? rank0->redo.old : 0;
    rank0->fetching.began = plb_rank_time(r);
    if (!plb_own_results_bring(r, rank0->redo.fetched))
        return true;
    rank0->fetching.goes_on = goes_on;
    fetch(r, rank0->redo.fetched, (struct plb_range){0, r->data.units});
    bool asks = plb_master_gather(rank0->master, !goes_on, &r->out) || plb_fetch_comes(&rank0->fetching);
    rank0->fetching.on = asks || plb_master_lacking(rank0->master) > 0;
    if (!rank0->fetching.on) {
        count_time(rank0, plb_rank_time(r)); /* of rank 0's own GPUs */
        return false;
    }
    if (!goes_on)
        plb_rank0_close_door(r); /* who joined now would be told inputs that `next` may have changed */
    return true;
}

void plb_fetch_ended(struct plb_rank *r)
{
    plb_redo_complete(r);
    plb_feeds_put_back(&r->rank0->job->app, &r->data);
    if (r->rank0->fetching.goes_on)
        plb_rank0_look_further(r);
    else
        plb_rank0_end(r, r->err->status);
}

/* No more results are on their way: they are here, or some are lost. */
static void settle(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->fetching.on = false;
    count_time(rank0, plb_rank_time(r));
    plb_set_aside_clear(rank0->master, &r->data);
    if (plb_master_lacking(rank0->master) == 0)
        plb_fetch_ended(r);
    else if (r->data.fed != 0)
        plb_redo_break(r);
    else
        plb_redo_results(r);
}

bool plb_fetch_collect(struct plb_rank *r)
{
    struct plb_fetching *f = &r->rank0->fetching;
    bool any = false;
    for (struct plb_transfer **at = &f->transfers; *at != NULL;) {
        struct plb_transfer *t = *at;
        if (t->pending > 0) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        if (has_inputs(t) && !t->is_void)
            put_in_place(r, t);
        else if (!t->is_void)
            arrive(r, t);
        free_transfer(t);
        any = true;
    }
    if (!f->on || plb_master_gathers(r->rank0->master) || plb_fetch_comes(f))
        return any;
    settle(r);
    return true;
}

void plb_fetch_lose(struct plb_fetching *f, int rank)
{
    for (struct plb_transfer *t = f->transfers; t != NULL; t = t->next)
        if (t->from.from == rank)
            plb_lease_all(t->arrays, PLB_MAX_DATA);
}
