/* FETCHes of other ranks. */
#include "rank0/rank0_fetch.h"
#include "rank0/rank0_own_results.h"
#include "rank0/rank0.h"

/* The last FROM that answers a FETCH, or a new one where that is full. */
static struct plb_sources *sources_of(struct plb_rank *r, const struct plb_message *fetch, int *at)
{
    struct plb_sources *from = *at >= 0 ? &r->out.at[*at].sources : NULL;
    if (from != NULL && from->n < PLB_SOURCES)
        return from;
    *at = r->out.n;
    from = &plb_outbox_add(&r->out, PLB_FROM, 0, fetch->from, fetch->pass)->sources;
    *from = (struct plb_sources){.slot = fetch->fetch.slot};
    return from;
}

uint32_t plb_fetch_put(struct plb_rank *r, const struct plb_fetch *f, int64_t buffers, bool checksum)
{
    void *parts[PLB_MAX_DATA];
    plb_own_results_give(r, buffers, f->range);
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        struct plb_range units = f->halo ? plb_dataset_around(&r->data, i, f->range) : f->range;
        plb_dataset_bytes(&r->data, i, units, &offset, &bytes);
        parts[i] = (char *)r->data.host[i] + offset;
        if (buffers & PLB_BUFFER(i))
            plb_mpi_put(r->mpi, f->to, (int)f->slot, parts[i], bytes, &r->rank0->fetching.sends);
    }
    return checksum ? plb_dataset_sum(&r->data, f->range, f->halo != 0, parts, buffers) : 0;
}

/* Sends these buffers of a range, which the same ranks have, or has others send their parts. */
static void send(struct plb_rank *r, const struct plb_message *m, int64_t buffers, struct plb_range rest,
                 int *at)
{
    for (struct plb_range range; rest.count > 0; rest.first += range.count, rest.count -= range.count) {
        int owner = plb_master_owner(r->rank0->master, buffers, rest, &range);
        struct plb_sources *from = sources_of(r, m, at);
        struct plb_fetch fetch = {range, m->fetch.slot, buffers, m->from, 0, 0};
        from->at[from->n++] = (struct plb_source){range, buffers, owner};
        if (owner == 0)
            plb_fetch_put(r, &fetch, buffers, false);
        else if (owner != m->from)
            plb_outbox_add(&r->out, PLB_FETCH, 0, owner, r->pass)->fetch = fetch;
    }
}

/* Of a pass that is over nobody wants fed inputs. None are sent, as their place may be that of an input that
 * is nowhere else; and the rank is not told that it has them, as the next pass may have the same inputs. */
void plb_fetch_serve(struct plb_rank *r, const struct plb_message *m)
{
    const struct plb_fetch *f = &m->fetch;
    const bool late = m->pass != r->pass || r->stopped || !r->rank0->in_pass;
    int64_t fed = f->buffers & r->data.fed;
    bool sums = r->rank0->job->run.checksums;
    int at = -1;
    if (f->to != m->from || plb_range_end(f->range) > r->data.units || f->slot >= PLB_FETCH_SLOT
        || (f->buffers & ~plb_dataset_partitioned(&r->data)) != 0)
        return;
    uint32_t sum = plb_fetch_put(r, f, f->buffers & ~fed, sums);
    if (f->again)
        plb_say_damaged(r->kernel, m, &r->rank0->damaged);
    for (int64_t rest = f->halo || late ? 0 : fed, some; rest != 0; rest &= ~some) {
        some = plb_master_together(r->rank0->master, rest);
        send(r, m, some, f->range, &at);
    }
    if (f->halo && !late)
        for (int i = 0; i < r->data.n; i++)
            if ((fed & PLB_BUFFER(i)) != 0)
                send(r, m, PLB_BUFFER(i), plb_dataset_around(&r->data, i, f->range), &at);
    if (fed == 0 && !sums)
        return;
    struct plb_sources *last = at >= 0 ? &r->out.at[at].sources : sources_of(r, m, &at);
    last->last = 1;
    last->sum = sum;
}
