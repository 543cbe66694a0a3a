/* Judging, receiving and accepting results. */
#include "rank0/incoming.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app/record_store.h"
#include "app/records.h"
#include "base/crc32c.h"
#include "base/lease.h"
#include "base/memory.h"

/* One result on its way. */
struct result {
    struct plb_message done;
    bool dropped;               /* it is received to be forgotten */
    bool own;                   /* of rank 0's node */
    bool checked;               /* its checksum was */
    bool waited;                /* for a task of rank 0 that wrote its units in place */
    void *arrays[PLB_MAX_DATA]; /* by buffer; NULL: the result is in its place; own: the node's */
    void *records;              /* NULL: the job has none; own: the node's */
    size_t bytes;               /* of its data; own: 0 */
    bool begun;                 /* its data is being received, or there; own: there is nothing to receive */
    int pending;                /* transfers */
    struct result *next;
};

struct sender {
    int begun;      /* results */
    int64_t passed; /* the latest look in which one of its results had to wait: later ones wait, too */
};

struct plb_incoming {
    const struct plb_dataset *set;
    struct plb_incoming_calls calls;
    bool repairs;                     /* reduced arrays have all units already */
    struct plb_audit_results *audits; /* NULL: there are none */
    struct result *results, **end;    /* in the order of their DONEs */
    int64_t looks;                    /* at those that wait */
    int waiting;                      /* results whose data is not being received yet */
    size_t bytes;                     /* of those whose data is */
    struct sender *senders;           /* by rank */
    int n_senders, room;
};

struct plb_incoming *plb_incoming_new(const struct plb_dataset *set, const struct plb_incoming_calls *calls,
                                      struct plb_audit_results *audits)
{
    struct plb_incoming *in = plb_alloc(sizeof *in);
    in->set = set;
    in->calls = *calls;
    in->audits = audits;
    in->end = &in->results;
    return in;
}

static void free_result(struct plb_incoming *in, struct result *r)
{
    if (r->begun && !r->own) {
        in->bytes -= r->bytes;
        in->senders[r->done.from].begun--;
    }
    in->waiting -= !r->begun;
    if (!r->own)
        for (int i = 0; i < PLB_MAX_DATA; i++)
            free(r->arrays[i]);
    if (!r->own)
        free(r->records);
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
    plb_audit_results_free(in->audits);
    free(in->senders);
    free(in);
}

static size_t bytes_of(const struct plb_incoming *in, const struct plb_done *done)
{
    size_t sum = (size_t)done->records;
    for (int i = 0; i < in->set->n; i++) {
        size_t offset, bytes;
        if ((done->buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(in->set, i, done->range, &offset, &bytes);
        sum += bytes;
    }
    return sum;
}

static void begin(struct plb_incoming *in, struct result *r)
{
    r->begun = true;
    in->waiting--;
    in->bytes += r->bytes;
    in->senders[r->done.from].begun++;
}

/* Starts to receive all data of a result. */
static void receive(struct plb_incoming *in, struct result *r)
{
    const struct plb_done *done = &r->done.done;
    begin(in, r);
    for (int i = 0; i < in->set->n; i++) {
        size_t offset, bytes;
        if ((done->buffers & PLB_BUFFER(i)) == 0)
            continue;
        plb_dataset_bytes(in->set, i, done->range, &offset, &bytes);
        r->arrays[i] = plb_alloc_unset(bytes);
        in->calls.get(in->calls.context, r->done.from, (int)done->slot, r->arrays[i], bytes, &r->pending);
    }
    if (done->records > 0) {
        r->records = plb_grow(NULL, (size_t)done->records);
        in->calls.get(in->calls.context, r->done.from, (int)done->slot, r->records, (size_t)done->records,
                      &r->pending);
    }
}

/* Receives what there is memory for. */
static void receive_more(struct plb_incoming *in)
{
    size_t most = in->calls.most_bytes;
    in->looks++;
    for (struct result *r = in->results; r != NULL && in->waiting > 0; r = r->next) {
        struct sender *from = &in->senders[r->done.from];
        bool fits = most == 0 || from->begun == 0 || (in->bytes <= most && r->bytes <= most - in->bytes);
        if (r->begun)
            continue;
        if (fits && from->passed < in->looks)
            receive(in, r);
        else
            from->passed = in->looks;
    }
}

static void append(struct plb_incoming *in, struct result *r)
{
    *in->end = r;
    in->end = &r->next;
}

/* Whether a DONE names results alone, and all that are nowhere else: reduced arrays, and those of an audit.
 */
static bool names_results(const struct plb_dataset *set, const struct plb_done *done)
{
    int64_t arrays = 0;
    for (int i = 0; i < set->n; i++)
        arrays |= set->at[i].mode == PLB_REDUCE ? PLB_BUFFER(i) : 0;
    arrays = done->audit ? plb_dataset_results(set) : arrays;
    arrays = done->folds ? 0 : arrays;
    if ((done->records > 0) != (plb_dataset_records(set) != 0))
        return false;
    return (done->buffers & ~plb_dataset_results(set)) == 0 && (arrays & ~done->buffers) == 0;
}

void plb_incoming_add(struct plb_incoming *in, const struct plb_message *done)
{
    struct plb_range range = done->done.range;
    enum plb_verdict verdict = done->done.audit ? PLB_NONE_NEW : in->calls.judge(in->calls.context, done);
    if (verdict == PLB_NOT_SENSIBLE)
        in->calls.accept(in->calls.context, done); /* it counts what it drops */
    if (range.count > in->set->units || !names_results(in->set, &done->done))
        return; /* no node has such a result: there is nothing to receive */
    struct result *r = plb_alloc(sizeof *r);
    r->done = *done;
    r->dropped = verdict == PLB_NOT_SENSIBLE;
    r->bytes = bytes_of(in, &done->done);
    for (; in->n_senders <= done->from; in->n_senders++) {
        in->senders = plb_room(in->senders, in->n_senders, &in->room, sizeof *in->senders);
        in->senders[in->n_senders] = (struct sender){0};
    }
    append(in, r);
    in->waiting++;
    receive_more(in);
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

/* Copies outputs of these units into their place. */
static void copy(const struct plb_incoming *in, const struct result *r, const struct plb_rangeset *units)
{
    for (int i = 0; i < in->set->n; i++)
        for (int k = 0; k < units->n && in->set->at[i].mode == PLB_OUTPUT && r->arrays[i] != NULL; k++) {
            size_t begin, offset, bytes;
            plb_dataset_bytes(in->set, i, r->done.done.range, &begin, &bytes);
            plb_dataset_bytes(in->set, i, units->at[k], &offset, &bytes);
            memcpy((char *)in->set->host[i] + offset, (const char *)r->arrays[i] + (offset - begin), bytes);
        }
}

/* Keeps the records of a result of which these units are new. False where they cannot be kept. */
static bool keep_records(struct plb_incoming *in, struct result *r, const struct plb_rangeset *new)
{
    const struct plb_done *done = &r->done.done;
    bool counts = new->units == done->range.count || !plb_dataset_reduces(in->set);
    return r->records == NULL || !counts
        || plb_record_store_keep(in->set->store, r->done.pass, done->range, r->records, (size_t)done->records,
                                 new);
}

/* Accepts the new units of a result. */
static void accept_new(struct plb_incoming *in, struct result *r, const struct plb_rangeset *new)
{
    int64_t fresh = in->calls.accept(in->calls.context, &r->done);
    assert(fresh == 0 || fresh == new->units);
    if (fresh > 0)
        copy(in, r, new);
    if (fresh > 0 && in->calls.heard != NULL)
        in->calls.heard(in->calls.context, r->done.done.range);
    bool whole = fresh == r->done.done.range.count;
    if (whole && !in->repairs && !r->done.done.folds
        && !(in->audits != NULL && plb_audit_results_keep(in->audits, &r->done, r->arrays)))
        plb_dataset_fold(in->set, r->done.done.range, r->arrays);
}

/* All data of a result is there. Records come first: where they cannot be kept, their units are not accepted,
 * so that no journal names them. The run ends then (plb_rank0_check_records). */
static void accept(struct plb_incoming *in, struct result *r)
{
    struct plb_rangeset new = {0};
    find_new(in, &r->done, r->done.done.range, &new);
    if (keep_records(in, r, &new))
        accept_new(in, r, &new);
    plb_rangeset_fini(&new);
}

/* Looks once whether the data of a result arrived as it was sent. Else the result is dropped: its place gets
 * another one. */
static void check(struct plb_incoming *in, struct result *r)
{
    const struct plb_done *done = &r->done.done;
    size_t records = (size_t)done->records;
    if (r->checked || r->own || r->dropped)
        return;
    r->checked = true;
    bool right = r->records == NULL || plb_records_are_sound(in->set, done->range, r->records, records);
    if (right && in->calls.checks)
        right = plb_crc32c(plb_dataset_sum(in->set, done->range, false, r->arrays, done->buffers), r->records,
                           records)
             == done->sum;
    if (right)
        return;
    r->dropped = true;
    in->calls.damaged(in->calls.context, &r->done);
}

/* Whether its rank has stored outputs of the result in their place itself. */
static bool is_stored(const struct plb_incoming *in, const struct result *r)
{
    for (int i = 0; i < in->set->n; i++)
        if (in->set->at[i].mode == PLB_OUTPUT && r->arrays[i] == NULL && !r->own)
            return true;
    return false;
}

/* Whether a result whose data is there must wait for a task of rank 0 that writes some of its units. That
 * task is obsolete where the result will be accepted, and leaves anything in their place: the outputs are
 * copied there. Where its rank has stored them before, nobody copies them, so that task goes on. A result
 * whose pass has ended meanwhile is dropped. */
static bool waits(const struct plb_incoming *in, struct result *r)
{
    if (r->dropped || r->done.done.audit)
        return false;
    enum plb_verdict verdict = in->calls.judge(in->calls.context, &r->done);
    r->dropped = verdict == PLB_NOT_SENSIBLE;
    if (r->dropped)
        return false;
    bool accepted = (verdict == PLB_ALL_NEW || !plb_dataset_reduces(in->set)) && !is_stored(in, r);
    bool written = in->calls.writes(in->calls.context, r->done.done.range, accepted);
    r->waited |= written;
    return written;
}

/* A result that its rank has stored while a task of rank 0 wrote the same units in place: nobody knows what
 * that one has left there. Its units are executed again, unless that task's own result counts. */
static void drop_overwritten(struct plb_incoming *in, struct result *r)
{
    if (r->dropped || r->done.done.audit || !r->waited || !is_stored(in, r))
        return;
    r->dropped = true;
    in->calls.overwritten(in->calls.context, &r->done);
}

void plb_incoming_own(struct plb_incoming *in, const struct plb_message *done, void *const *arrays,
                      void *records)
{
    struct result *r = plb_alloc(sizeof *r);
    *r = (struct result){.done = *done, .own = true, .begun = true, .records = records};
    memcpy(r->arrays, arrays, (size_t)in->set->n * sizeof *arrays);
    append(in, r);
    plb_incoming_collect(in);
}

bool plb_incoming_collect(struct plb_incoming *in)
{
    bool any = false;
    for (struct result **at = &in->results; *at != NULL;) {
        struct result *r = *at;
        bool there = r->begun && r->pending == 0;
        if (there)
            check(in, r);
        if (!there || waits(in, r)) {
            at = &r->next;
            continue;
        }
        drop_overwritten(in, r);
        *at = r->next;
        in->end = *at == NULL ? at : in->end;
        if (!r->dropped && r->done.done.audit)
            plb_audit_results_compare(in->audits, &r->done, r->arrays);
        else if (!r->dropped)
            accept(in, r);
        free_result(in, r);
        any = true;
    }
    if (any && in->waiting > 0)
        receive_more(in);
    if (in->audits != NULL)
        plb_audit_results_settle(in->audits);
    return any;
}

void plb_incoming_lose(struct plb_incoming *in, int rank)
{
    for (struct result *r = in->results; r != NULL; r = r->next)
        if (r->done.from == rank) {
            plb_lease_all(r->arrays, in->set->n);
            plb_lease_all(&r->records, 1);
            r->dropped = true;
            if (!r->begun)
                begin(in, r); /* nothing of it ever comes */
        }
}

bool plb_incoming_any(const struct plb_incoming *in)
{
    return in->results != NULL;
}

bool plb_incoming_keeps(const struct plb_incoming *in)
{
    return in->audits != NULL && plb_audit_results_wait(in->audits);
}

void plb_incoming_repairs(struct plb_incoming *in, bool repairs)
{
    in->repairs = repairs;
}

void plb_incoming_end_audits(struct plb_incoming *in)
{
    if (in->audits != NULL)
        plb_audit_results_end(in->audits);
}
