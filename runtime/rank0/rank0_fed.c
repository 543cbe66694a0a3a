/* Inputs that other ranks have: PULLs of others, and what rank 0's own PUs need (rank0/fed.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "inputs/inputs.h"
#include "rank0/rank0.h"

#define TAG (PLB_TAGS - 1) /* of inputs that come to rank 0; slots have the first tags */

struct plb_fed_transfer {
    struct plb_range range;
    int pending;
    struct plb_fed_transfer *next;
};

static void free_transfers(struct plb_fed *f, bool all)
{
    for (struct plb_fed_transfer **at = &f->transfers; *at != NULL;) {
        struct plb_fed_transfer *t = *at;
        if (!all && t->pending > 0) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        free(t);
    }
}

void plb_fed_fini(struct plb_fed *f)
{
    free_transfers(f, true);
    plb_rangeset_fini(&f->here);
    plb_outbox_fini(&f->held);
}

/* Has a rank send inputs to another one. */
static void lend(struct plb_rank *r, int owner, struct plb_range range, int64_t slot, int64_t buffers, int to)
{
    plb_outbox_add(&r->out, PLB_LEND, 0, owner, r->pass)->lend = (struct plb_lend){range, slot, buffers, to};
}

/* ------------------------------------------------------------- PULLs of others */

/* The last WHERE about a PULL, or a new one where that is full. */
static struct plb_where *where_of(struct plb_rank *r, const struct plb_message *pull, int *at)
{
    struct plb_where *where = *at >= 0 ? &r->out.at[*at].where : NULL;
    if (where != NULL && where->n < PLB_WHERE_PARTS)
        return where;
    *at = r->out.n;
    where = &plb_outbox_add(&r->out, PLB_WHERE, 0, pull->from, pull->pass)->where;
    where->slot = pull->pull.slot;
    return where;
}

/* Sends one buffer of a PULL, or has others send their parts. Of a pass that is over nobody wants the inputs:
 * they come from rank 0, whatever they are. */
static void answer(struct plb_rank *r, const struct plb_message *pull, int i, int *at)
{
    bool late = pull->pass != r->pass || r->stopped || !r->rank0->in_pass;
    struct plb_range rest = pull->pull.range, part;
    rest = pull->pull.halo ? plb_dataset_around(&r->data, i, rest) : rest;
    while (rest.count > 0) {
        size_t offset, bytes;
        int owner = late ? 0 : plb_master_owner(r->rank0->master, rest, &part);
        part = late ? rest : part;
        plb_dataset_bytes(&r->data, i, part, &offset, &bytes);
        struct plb_where *where = where_of(r, pull, at);
        where->at[where->n++] = (struct plb_where_part){part, owner, i};
        if (owner == 0)
            plb_mpi_put(r->mpi, pull->from, (int)pull->pull.slot, (char *)r->data.host[i] + offset, bytes,
                        &r->rank0->pulls);
        else if (owner != pull->from)
            lend(r, owner, part, pull->pull.slot, PLB_BUFFER(i), pull->from);
        rest.first += part.count;
        rest.count -= part.count;
    }
}

void plb_fed_pull(struct plb_rank *r, const struct plb_message *pull)
{
    struct plb_message others = *pull;
    int64_t fed = pull->pull.buffers & r->data.fed;
    int at = -1;
    bool sums = r->rank0->job->run.checksums;
    others.pull.buffers &= ~fed;
    if (!plb_inputs_send(r->mpi, &r->data, &others, sums, &r->rank0->pulls, &r->out))
        return;
    if (pull->pull.again)
        plb_say_damaged(r->kernel, pull, &r->rank0->damaged);
    for (int i = 0; i < r->data.n; i++)
        if ((fed & PLB_BUFFER(i)) != 0)
            answer(r, pull, i, &at);
    if (at >= 0)
        r->out.at[at].where.last = 1;
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

static void receive(struct plb_rank *r, int owner, struct plb_range range)
{
    struct plb_fed *f = &r->rank0->fed;
    struct plb_fed_transfer *t = plb_alloc(sizeof *t);
    *t = (struct plb_fed_transfer){range, 0, f->transfers};
    f->transfers = t;
    plb_rangeset_add(&f->here, range);
    lend(r, owner, range, TAG, r->data.fed, 0);
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        if ((r->data.fed & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(&r->data, i, range, &offset, &bytes);
        plb_mpi_get(r->mpi, owner, TAG, (char *)r->data.host[i] + offset, bytes, &t->pending);
    }
}

/* Asks for what rank 0 lacks of these units. */
static void fetch(struct plb_rank *r, struct plb_range units)
{
    struct plb_rangeset lacking = {0};
    plb_rangeset_missing(&r->rank0->fed.here, units, &lacking);
    for (int i = 0; i < lacking.n; i++)
        for (struct plb_range rest = lacking.at[i], part; rest.count > 0;) {
            int owner = plb_master_owner(r->rank0->master, rest, &part);
            if (owner != 0)
                receive(r, owner, part);
            rest.first += part.count;
            rest.count -= part.count;
        }
    plb_rangeset_fini(&lacking);
}

static bool comes(const struct plb_fed *f, struct plb_range units)
{
    for (const struct plb_fed_transfer *t = f->transfers; t != NULL; t = t->next)
        if (t->pending > 0 && t->range.first < units.first + units.count
            && units.first < t->range.first + t->range.count)
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
        any |= comes(&r->rank0->fed, around(&r->data, ranges[i]));
    return any;
}

bool plb_fed_holds(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_range ranges[PLB_GIFTS];
    int n = r->data.fed != 0 && m->pass == r->pass && r->rank0->in_pass ? brought(m, ranges) : 0;
    for (int i = 0; i < n; i++)
        if (ranges[i].first + ranges[i].count <= r->data.units)
            fetch(r, around(&r->data, ranges[i]));
    bool held = n > 0 && waits(r, m);
    if (held)
        plb_outbox_copy(&r->rank0->fed.held, m);
    return held;
}

bool plb_fed_next(struct plb_rank *r, struct plb_message *m)
{
    struct plb_fed *f = &r->rank0->fed;
    free_transfers(f, false);
    for (int i = 0; i < f->held.n; i++) {
        if (waits(r, &f->held.at[i]))
            continue;
        *m = f->held.at[i];
        for (f->held.n--; i < f->held.n; i++)
            f->held.at[i] = f->held.at[i + 1];
        return true;
    }
    return false;
}

bool plb_fed_comes(const struct plb_fed *f)
{
    for (const struct plb_fed_transfer *t = f->transfers; t != NULL; t = t->next)
        if (t->pending > 0)
            return true;
    return false;
}

void plb_fed_begin_pass(struct plb_fed *f, bool changed)
{
    f->held.n = 0;
    if (changed)
        plb_rangeset_clear(&f->here);
}
