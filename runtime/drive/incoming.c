/* Judging, receiving and accepting results. */
#include "drive/incoming.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One result on its way. */
struct result {
    struct plb_message done;
    bool dropped;                /* it is received to be forgotten */
    bool claims;                 /* its outputs go straight into their place */
    bool own;                    /* of rank 0's node */
    void *scratch[PLB_MAX_DATA]; /* NULL: the result is in its place; own: the node's */
    int pending;                 /* transfers */
    struct result *next;
};

struct plb_incoming {
    const struct plb_dataset *set;
    struct plb_incoming_calls calls;
    struct result *results;      /* in no order */
    struct plb_rangeset claimed; /* units of the results that claim them */
};

struct plb_incoming *plb_incoming_new(const struct plb_dataset *set, const struct plb_incoming_calls *calls)
{
    struct plb_incoming *in = plb_alloc(sizeof *in);
    in->set = set;
    in->calls = *calls;
    return in;
}

static void free_result(const struct plb_incoming *in, struct result *r)
{
    for (int i = 0; i < PLB_MAX_DATA && !r->own; i++)
        free(r->scratch[i]);
    if (r->own)
        in->calls.release(in->calls.context, &r->done);
    free(r);
}

void plb_incoming_free(struct plb_incoming *in)
{
    if (in == NULL)
        return;
    while (in->results != NULL) {
        struct result *next = in->results->next;
        free_result(in, in->results);
        in->results = next;
    }
    plb_rangeset_fini(&in->claimed);
    free(in);
}

/* Starts to receive all data of a result. */
static void receive(struct plb_incoming *in, struct result *r)
{
    const struct plb_done *done = &r->done.done;
    for (int i = 0; i < in->set->n; i++) {
        const struct plb_data *d = &in->set->at[i];
        size_t offset, bytes;
        if (!plb_data_is_result(d))
            continue;
        plb_dataset_bytes(in->set, i, done->range, &offset, &bytes);
        bool in_place = r->claims && d->mode == PLB_OUTPUT;
        if (!in_place)
            r->scratch[i] = plb_alloc(bytes);
        void *to = in_place ? (char *)in->set->host[i] + offset : r->scratch[i];
        in->calls.get(in->calls.context, r->done.from, (int)done->slot, to, bytes, &r->pending);
    }
}

void plb_incoming_add(struct plb_incoming *in, const struct plb_message *done)
{
    struct plb_range range = done->done.range;
    enum plb_verdict verdict = in->calls.judge(in->calls.context, done);
    if (verdict == PLB_NOT_SENSIBLE)
        in->calls.accept(in->calls.context, done); /* it counts what it drops */
    if (range.count > in->set->units)
        return; /* no node has such a result: there is nothing to receive */
    struct result *r = plb_alloc(sizeof *r);
    r->done = *done;
    r->dropped = verdict == PLB_NOT_SENSIBLE;
    r->claims = verdict == PLB_ALL_NEW && !plb_rangeset_overlaps(&in->claimed, range)
             && !in->calls.writes(in->calls.context, range, false);
    if (r->claims)
        plb_rangeset_add(&in->claimed, range);
    r->next = in->results;
    in->results = r;
    receive(in, r);
}

/* Adds the new units of a range to a set, by bisection: the ledger only says all, some or none. */
static void find_new(const struct plb_incoming *in, const struct plb_message *done, struct plb_range range,
                     struct plb_rangeset *new)
{
    struct plb_message part = *done;
    part.done.range = range;
    enum plb_verdict verdict = in->calls.judge(in->calls.context, &part);
    int64_t half = range.count / 2;
    if (verdict == PLB_ALL_NEW)
        plb_rangeset_add(new, range);
    if (verdict != PLB_SOME_NEW)
        return;
    find_new(in, done, (struct plb_range){range.first, half}, new);
    find_new(in, done, (struct plb_range){range.first + half, range.count - half}, new);
}

/* Copies outputs of these units from scratch memory into their place. */
static void copy(const struct plb_incoming *in, const struct result *r, const struct plb_rangeset *units)
{
    for (int i = 0; i < in->set->n; i++)
        for (int k = 0; k < units->n && in->set->at[i].mode == PLB_OUTPUT && r->scratch[i] != NULL; k++) {
            size_t begin, offset, bytes;
            plb_dataset_bytes(in->set, i, r->done.done.range, &begin, &bytes);
            plb_dataset_bytes(in->set, i, units->at[k], &offset, &bytes);
            memcpy((char *)in->set->host[i] + offset, (const char *)r->scratch[i] + (offset - begin), bytes);
        }
}

static void fold(const struct plb_incoming *in, void *const *arrays)
{
    for (int i = 0; i < in->set->n; i++)
        if (in->set->at[i].mode == PLB_REDUCE)
            plb_reduce_fold(&in->set->at[i], in->set->host[i], arrays[i]);
}

/* All data of a result is there. */
static void accept(struct plb_incoming *in, struct result *r)
{
    struct plb_rangeset new = {0};
    if (!r->claims)
        find_new(in, &r->done, r->done.done.range, &new);
    int64_t fresh = in->calls.accept(in->calls.context, &r->done);
    assert(r->claims || fresh == 0 || fresh == new.units);
    if (!r->claims && fresh > 0)
        copy(in, r, &new);
    if (fresh == r->done.done.range.count)
        fold(in, r->scratch);
    if (r->claims)
        plb_rangeset_remove(&in->claimed, r->done.done.range);
    plb_rangeset_fini(&new);
}

static bool reduces(const struct plb_incoming *in)
{
    for (int i = 0; i < in->set->n; i++)
        if (in->set->at[i].mode == PLB_REDUCE)
            return true;
    return false;
}

/* Whether a result whose data is there must wait for one that claims some of its units, or for a task of rank
 * 0 that writes them. That task is obsolete where the result will be accepted. A result whose pass has ended
 * meanwhile is dropped. */
static bool waits(const struct plb_incoming *in, struct result *r)
{
    struct plb_range range = r->done.done.range;
    if (r->claims || r->dropped)
        return false;
    enum plb_verdict verdict = in->calls.judge(in->calls.context, &r->done);
    r->dropped = verdict == PLB_NOT_SENSIBLE;
    if (r->dropped)
        return false;
    bool accepted = verdict == PLB_ALL_NEW || !reduces(in);
    return plb_rangeset_overlaps(&in->claimed, range) || in->calls.writes(in->calls.context, range, accepted);
}

void plb_incoming_own(struct plb_incoming *in, const struct plb_message *done, void *const *arrays)
{
    struct result *r = plb_alloc(sizeof *r);
    *r = (struct result){.done = *done, .own = true, .next = in->results};
    memcpy(r->scratch, arrays, (size_t)in->set->n * sizeof *arrays);
    in->results = r;
    plb_incoming_collect(in);
}

bool plb_incoming_collect(struct plb_incoming *in)
{
    bool any = false;
    for (struct result **at = &in->results; *at != NULL;) {
        struct result *r = *at;
        if (r->pending > 0 || waits(in, r)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        if (!r->dropped)
            accept(in, r);
        free_result(in, r);
        any = true;
    }
    return any;
}

bool plb_incoming_any(const struct plb_incoming *in)
{
    return in->results != NULL;
}

bool plb_incoming_claims(const struct plb_incoming *in)
{
    return in->claimed.n > 0;
}
