/* Notes about passes. */
#include "rank0/rank0_redo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "outcome/set_aside.h"
#include "rank0/rank0.h"
#include "report/quantity.h"

/* Seconds from one gathering to the next, at least, and the same as a multiple of what the last one took.
 * Larger: a loss costs more passes. Smaller: more of the time goes to fetching results. */
#define REST 30.0
#define SHARE 20.0

/* Bytes of replaced buffers after which results are gathered at the end of a pass. Larger: more memory of
 * rank 0. Smaller: jobs that replace much gather more often. */
#define MOST 256e6

struct plb_noted_pass {
    struct plb_pass begin;
    void *data[PLB_MAX_DATA]; /* of the replaced buffers; NULL in the first one: all are saved */
};

static void forget_passes(struct plb_redo *b)
{
    for (int p = 0; p < b->n; p++)
        for (int i = 0; i < PLB_MAX_DATA; i++)
            free(b->passes[p].data[i]);
    b->n = 0;
    b->replaced = 0;
    b->bytes = 0.0;
}

void plb_redo_fini(struct plb_redo *b)
{
    forget_passes(b);
    free(b->passes);
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        free(b->saved[i]);
        free(b->after[i]);
    }
}

static bool is_replicated(const struct plb_dataset *set, int i)
{
    return set->at[i].mode == PLB_REPLICATE && set->file[i] == 0;
}

static size_t bytes_of(const struct plb_dataset *set, int i)
{
    return set->at[i].mode == PLB_REPLICATE ? set->at[i].bytes : (size_t)set->units * set->at[i].unit_bytes;
}

/* Copies a buffer of rank 0; `copy` is made where there is none. */
static void save(const struct plb_dataset *set, int i, void **copy)
{
    if (*copy == NULL)
        *copy = plb_alloc_unset(bytes_of(set, i));
    memcpy(*copy, set->host[i], bytes_of(set, i));
}

static void restore(const struct plb_dataset *set, void *const copies[PLB_MAX_DATA])
{
    for (int i = 0; i < set->n; i++)
        if (copies[i] != NULL)
            memcpy(set->host[i], copies[i], bytes_of(set, i));
}

/* The inputs that the results of the pass before have become, as a mask. */
static int64_t fed_now(const struct plb_pass *begin)
{
    int64_t inputs = 0;
    for (int i = 0; i < begin->n_feeds; i++)
        inputs |= begin->feeds[i].now ? PLB_BUFFER(begin->feeds[i].input) : 0;
    return inputs;
}

/* Results that feed nothing may be computed again with the replicated buffers of the last pass. */
static void keep_last(struct plb_rank *r, const struct plb_pass *begin)
{
    struct plb_redo *b = &r->rank0->redo;
    for (int i = 0; i < r->data.n && r->size > 1 && plb_master_stays(r->rank0->master); i++)
        if (is_replicated(&r->data, i) && (b->saved[i] == NULL || begin->replaced & PLB_BUFFER(i)))
            save(&r->data, i, &b->saved[i]);
}

/* Notes a pass. all: rank 0 has all inputs of it, and nobody asks for an earlier one. */
static void add_pass(struct plb_rank *r, const struct plb_pass *begin, bool all)
{
    struct plb_redo *b = &r->rank0->redo;
    const struct plb_dataset *set = &r->data;
    b->passes = plb_grow(b->passes, (size_t)(b->n + 1) * sizeof *b->passes);
    struct plb_noted_pass *p = &b->passes[b->n++];
    *p = (struct plb_noted_pass){.begin = *begin};
    p->begin.parts = 0; /* ranks have these buffers as they are after later passes: they get them whole */
    for (int i = 0; i < set->n; i++) {
        bool kept = (set->fed & PLB_BUFFER(i)) != 0 || is_replicated(set, i),
             same = b->saved[i] != NULL && (b->changed & PLB_BUFFER(i)) == 0;
        if (all && kept && !same)
            save(set, i, &b->saved[i]);
        if (all || !plb_dataset_is_replaced(set, i, begin->replaced))
            continue;
        save(set, i, &p->data[i]);
        b->bytes += (double)set->at[i].bytes;
    }
}

void plb_redo_note(struct plb_rank *r, const struct plb_pass *begin)
{
    struct plb_redo *b = &r->rank0->redo;
    const struct plb_dataset *set = &r->data;
    if (set->fed == 0) {
        keep_last(r, begin);
        return;
    }
    b->old &= ~fed_now(begin);
    b->old |= b->complete ? 0 : fed_now(begin);
    bool all = b->n == 0 || b->old == 0;
    b->changed |= fed_now(begin) | begin->replaced;
    if (all) {
        forget_passes(b);
        b->since = plb_rank_time(r);
        b->old = 0;
    }
    add_pass(r, begin, all);
    b->changed = all ? 0 : b->changed;
    b->replaced |= begin->replaced;
    b->kernel_pass = r->pass + 1 - r->rank0->repairs;
    b->at = b->n - 1;
    b->complete = false;
}

bool plb_redo_is_due(const struct plb_rank *r)
{
    const struct plb_redo *b = &r->rank0->redo;
    double passed = plb_rank_time(r) - b->since;
    return r->data.fed != 0 && (b->bytes > MOST || passed > fmax(REST, SHARE * b->cost));
}

void plb_redo_complete(struct plb_rank *r)
{
    struct plb_redo *b = &r->rank0->redo;
    b->cost = plb_rank_time(r) - r->rank0->fetching.began;
    b->old &= ~b->fetched;
    b->fetched = 0;
    b->complete = true;
}

void plb_redo_break(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    double took = rank0->in_pass ? plb_rank_time(r) - rank0->pass_began : 0.0;
    rank0->makespan += took;
    rank0->redo.took += took;
    rank0->in_pass = rank0->fetching.on = false;
    rank0->redo.broken = true;
    plb_fetch_begin_pass(&rank0->fetching, true);
    plb_master_break(rank0->master);
}

/* Begins number `at` of the noted passes. */
static void begin(struct plb_rank *r, const struct plb_pass *pass)
{
    struct plb_redo *b = &r->rank0->redo;
    b->again++;
    r->rank0->job->app.running = (int)pass->phase;
    plb_rank0_start_pass(r, pass, plb_redo_repeats(b));
}

bool plb_redo_step(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_redo *b = &rank0->redo;
    const struct plb_dataset *set = &r->data;
    if (!b->broken || r->stopped || plb_fetch_any(&rank0->fetching) || plb_incoming_keeps(rank0->incoming)
        || plb_rank0_must_wait(r))
        return false;
    b->broken = false;
    if (plb_rank0_stop_on_failure(r))
        return true;
    plb_log(PLB_LOG_WARNING, "results of earlier passes are lost; the last %d are re-executed", b->n);
    if (b->over)
        for (int i = 0; i < set->n; i++)
            if (is_replicated(set, i) && b->after[i] == NULL)
                save(set, i, &b->after[i]);
    restore(set, b->saved);
    rank0->repairs = r->pass + b->n - b->kernel_pass;
    b->at = 0;
    b->old = b->fetched = 0;
    b->complete = false;
    struct plb_pass first = b->passes[0].begin;
    first.replaced = b->replaced;
    for (int i = 0; i < first.n_feeds; i++)
        first.feeds[i].now = 1; /* what ranks have of these inputs is of a later pass */
    begin(r, &first);
    return true;
}

bool plb_redo_repeats(const struct plb_redo *b)
{
    return b->at < b->n - 1 || b->over;
}

bool plb_redo_goes_on(struct plb_rank *r)
{
    struct plb_redo *b = &r->rank0->redo;
    const struct plb_dataset *set = &r->data;
    if (r->data.fed == 0)
        return false;
    if (b->at == b->n - 1) {
        if (b->over)
            restore(set, b->after);
        return false;
    }
    const struct plb_noted_pass *p = &b->passes[++b->at];
    for (int i = 0; i < p->begin.n_feeds; i++) {
        const struct plb_feed *f = &p->begin.feeds[i];
        if (f->now)
            memcpy(set->host[f->input], set->host[f->output], bytes_of(set, f->input));
    }
    b->old |= fed_now(&p->begin);
    restore(set, p->data);
    begin(r, &p->begin);
    return true;
}

/* ---------------------------------------------------------- lost results alone */

/* The contents of replicated buffers of the last pass, and of after it, change places. */
static void swap_inputs(struct plb_rank *r)
{
    for (int i = 0; i < r->data.n; i++) {
        char *now = r->data.host[i], *before = r->rank0->redo.saved[i];
        if (before == NULL)
            continue;
        for (size_t k = 0; k < r->data.at[i].bytes; k++) {
            char byte = now[k];
            now[k] = before[k];
            before[k] = byte;
        }
    }
}

void plb_redo_results(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    char units[PLB_UNITS_TEXT];
    plb_log(PLB_LOG_INFO, "the results of %s are lost and re-computed",
            plb_units_print(plb_master_lacking(rank0->master), r->kernel->unit, units));
    swap_inputs(r);
    rank0->redo.results = true;
    rank0->repairs++;
    plb_incoming_repairs(rank0->incoming, true);
    rank0->pass_began = plb_rank_time(r);
    rank0->in_pass = true;
    plb_master_repair(rank0->master, r->pass + 1, &rank0->job->maps[rank0->job->app.running],
                      rank0->pass_began, &r->out);
    plb_rank0_stop_on_failure(r);
}

void plb_redo_end_results(struct plb_rank *r)
{
    double took = plb_rank_time(r) - r->rank0->pass_began;
    r->rank0->makespan += took;
    r->rank0->redo.took += took;
    r->rank0->in_pass = false;
    plb_set_aside_clear(r->rank0->master, &r->data);
    swap_inputs(r);
    r->rank0->redo.results = false;
    plb_incoming_repairs(r->rank0->incoming, false);
    plb_fetch_ended(r);
}
