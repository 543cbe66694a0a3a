/* Rank 0's side of the messages. */
#include "drive/rank0.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/kernel_identity.h"
#include "base/log.h"
#include "drive/fill_report.h"
#include "profile/profiles.h"

void plb_rank0_init(struct plb_rank0 *rank0, struct plb_job *job, struct plb_trace *trace, int n_ranks,
                    bool quiet)
{
    *rank0 = (struct plb_rank0){.job = job, .trace = trace};
    rank0->said_bye = plb_alloc((size_t)n_ranks * sizeof *rank0->said_bye);
    plb_progress_init(&rank0->progress, job->kernel->unit, quiet);
}

void plb_rank0_fini(struct plb_rank0 *rank0)
{
    plb_incoming_free(rank0->incoming);
    plb_master_free(rank0->master);
    free(rank0->said_bye);
    free(rank0->pus);
}

/* Tells every node, rank 0's own included, that the run is over. */
static void stop(struct plb_rank *r, int status)
{
    r->rank0->in_pass = false;
    plb_master_stop(r->rank0->master, status, &r->out);
}

/* The master can find at any event that there is no way on. True where it has. */
static bool stop_on_failure(struct plb_rank *r)
{
    const char *failure = plb_master_failure(r->rank0->master);
    if (failure != NULL)
        stop(r, plb_fail(r->err, PLB_EFAILED, "%s", failure));
    return failure != NULL;
}

/* ------------------------------------------------------------------- passes */

static void begin_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_app *app = &rank0->job->app;
    int64_t replaced = 0;
    for (int i = 0; i < r->data.n; i++) {
        replaced |= app->replaced[i] ? (int64_t)1 << i : 0;
        app->replaced[i] = false;
    }
    int phase = plb_app_begin_pass(app);
    rank0->pass_began = plb_rank_time(r);
    rank0->in_pass = true;
    plb_master_begin(rank0->master, r->pass + 1, phase, replaced, &rank0->job->maps[phase], rank0->pass_began,
                     &r->out);
    stop_on_failure(r);
}

void plb_rank0_pass_begins(struct plb_rank *r)
{
    r->rank0->pass_began = plb_rank_time(r);
}

/* The pass is over: does the kernel want another one? */
static void end_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    bool again = false;
    rank0->in_pass = false;
    rank0->makespan += plb_rank_time(r) - rank0->pass_began;
    plb_job_next(rank0->job, r->pass - 1, &again, r->err);
    if (again && r->err->status == PLB_OK)
        begin_pass(r);
    else
        stop(r, r->err->status);
}

/* Whether PUs of rank 0 still execute what nobody wants, and may read what `next` is going to change. */
static bool must_wait(const struct plb_rank *r)
{
    if (r->kernel->next == NULL)
        return false;
    plb_node_rest(r->node);
    return plb_node_works(r->node, 0, INT_MAX);
}

static void end_pass_if_over(struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    if (rank0->in_pass && plb_master_over(rank0->master) && !plb_incoming_claims(rank0->incoming)
        && !must_wait(r))
        end_pass(r);
}

/* ------------------------------------------------------------------ results */

static void get(void *context, int from, int tag, void *data, size_t bytes, int *pending)
{
    const struct plb_rank *r = context;
    plb_mpi_get(r->mpi, from, tag, data, bytes, pending);
}

static enum plb_verdict judge(void *context, const struct plb_message *done)
{
    const struct plb_rank *r = context;
    return plb_master_judge(r->rank0->master, done);
}

/* Has the master take a message, and keeps the time that it took where it solved. */
static int64_t tell_master(void *context, const struct plb_message *m)
{
    struct plb_rank *r = context;
    struct plb_rank0 *rank0 = r->rank0;
    int64_t solves = plb_master_stats(rank0->master)->solves;
    double before = plb_rank_time(r);
    int64_t fresh = plb_master_receive(rank0->master, m, before, &r->out);
    double seconds = plb_rank_time(r) - before;
    if (plb_master_stats(rank0->master)->solves > solves) {
        rank0->solve += seconds;
        plb_trace_add(rank0->trace, (struct plb_trace_event){.type = PLB_TRACE_SOLVE,
                                                             .pu = PLB_TRACE_MASTER,
                                                             .pass = r->pass,
                                                             .start = before,
                                                             .seconds = seconds});
    }
    stop_on_failure(r);
    return fresh;
}

static bool writes(void *context, struct plb_range range, bool done)
{
    const struct plb_rank *r = context;
    return plb_node_writes(r->node, range, done);
}

static void release(void *context, const struct plb_message *done)
{
    const struct plb_rank *r = context;
    plb_node_release(r->node, (int)done->done.slot);
}

static void on_done(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_incoming *incoming = r->rank0->incoming;
    int slot = (int)m->done.slot;
    if (m->done.slot >= PLB_TAGS)
        return;
    if (slot == PLB_NO_SLOT) {
        tell_master(r, m);
    } else if (m->from != 0) {
        plb_incoming_add(incoming, m);
    } else {
        void *arrays[PLB_MAX_DATA];
        for (int i = 0; i < r->data.n; i++)
            arrays[i] = plb_node_result(r->node, slot, i);
        plb_incoming_own(incoming, m, arrays);
    }
    end_pass_if_over(r);
}

bool plb_rank0_collect(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    bool any = rank0->incoming != NULL && plb_incoming_collect(rank0->incoming);
    end_pass_if_over(r);
    if (rank0->in_pass)
        plb_progress_update(&rank0->progress, plb_master_accepted(rank0->master), r->data.units,
                            plb_rank_time(r) - rank0->pass_began);
    return any;
}

void plb_rank0_tick(struct plb_rank *r)
{
    if (r->rank0->in_pass)
        plb_master_tick(r->rank0->master, plb_rank_time(r), &r->out);
}

double plb_rank0_due(const struct plb_rank *r)
{
    return r->rank0->in_pass ? fmax(plb_master_due(r->rank0->master) - plb_rank_time(r), 0.0) : INFINITY;
}

/* Sends the inputs of a range to the node that asks for them. */
static void on_pull(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_range range = m->pull.range;
    if (range.first + range.count > r->data.units || m->pull.slot >= PLB_TAGS)
        return;
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        if (!plb_data_is_input(&r->data.at[i]))
            continue;
        plb_dataset_bytes(&r->data, i, range, &offset, &bytes);
        plb_mpi_put(r->mpi, m->from, (int)m->pull.slot, (char *)r->data.host[i] + offset, bytes,
                    &r->rank0->pulls);
    }
}

/* Whether nobody needs the task that failed any more: its units are accepted, or its pass is over. */
static bool is_needless(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_message units = *m;
    units.type = PLB_DONE;
    units.done = (struct plb_done){.range = m->fail.range, .block = m->fail.block, .tasks = 1};
    return !r->rank0->in_pass || m->pass != r->pass || judge(r, &units) == PLB_NONE_NEW;
}

static void on_fail(struct plb_rank *r, const struct plb_message *m)
{
    const struct plb_rank0 *rank0 = r->rank0;
    if (is_needless(r, m))
        return;
    const struct plb_failure *f = &m->fail;
    const char *name = "?", *host = "?", *unit = r->kernel->unit;
    char title[PLB_PHASE_TITLE], what[100];
    for (int p = 0; p < rank0->n_pus; p++)
        if (rank0->pus[p].node == m->from && rank0->pus[p].local == m->pu) {
            name = rank0->pus[p].name;
            host = rank0->pus[p].host;
        }
    plb_phase_title(r->kernel, rank0->job->app.running, title);
    if (f->text[0] != '\0')
        snprintf(what, sizeof what, "failed (%s)", f->text);
    else
        snprintf(what, sizeof what, "returned %lld", (long long)f->status);
    stop(r, plb_fail(r->err, PLB_EFAILED,
                     "%s %s on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written", title,
                     what, name, m->from, host, unit, (long long)f->range.first,
                     (long long)(f->range.first + f->range.count - 1)));
}

/* -------------------------------------------------------------------- start */

static void show_pus(const struct plb_rank0 *rank0)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    for (int p = 0; p < rank0->n_pus; p++) {
        const struct plb_pu_info *pu = &rank0->pus[p];
        if (pu->id[0] != '\0')
            plb_say("PU %d: rank %d on %s, %s '%s' (%s), %.3g GB free, driven from cores %s, power %g, empty "
                    "task %.2g us",
                    p, pu->node, pu->host, kinds[pu->kind], pu->name, pu->id, pu->memory / 1e9, pu->cores,
                    pu->power, 1e6 * pu->start_s);
        else
            plb_say("PU %d: rank %d on %s, %s '%s', %d thread%s on cores %s, power %g, empty task %.2g us", p,
                    pu->node, pu->host, kinds[pu->kind], pu->name, pu->threads, pu->threads == 1 ? "" : "s",
                    pu->cores, pu->power, 1e6 * pu->start_s);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct plb_pu_info *x = a, *y = b;
    return x->node != y->node ? x->node - y->node : x->local - y->local;
}

/* Looks whether a rank runs the plbrun and the kernel that this one runs, and keeps the first difference. */
static void compare(struct plb_rank *r, const struct plb_hello *hello)
{
    struct plb_rank0 *rank0 = r->rank0;
    const struct plb_hello *own = &r->hello;
    const char *what = plb_kernel_difference(&hello->build, &own->build);
    if (what != NULL && rank0->difference[0] == '\0')
        snprintf(rank0->difference, sizeof rank0->difference,
                 "rank %d on %s has %s than rank 0 on %s (plbrun %s with %s there, plbrun %s with %s here); "
                 "install the "
                 "same on both",
                 hello->pu.node, hello->pu.host, what, r->host, hello->build.version, hello->kernel_file,
                 own->build.version, own->kernel_file);
}

/* All PUs are known: makes the master, and begins the first pass or tells why there is none. */
static void begin_run(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_job *job = rank0->job;
    qsort(rank0->pus, (size_t)rank0->n_pus, sizeof *rank0->pus, by_place);
    struct plb_master_config config = plb_job_master(job);
    config.n_nodes = r->size;
    rank0->master = plb_master_new(&config, rank0->pus, rank0->n_pus);
    rank0->incoming = plb_incoming_new(
        &r->data, &(struct plb_incoming_calls){r, get, judge, tell_master, writes, release});
    if (rank0->difference[0] != '\0') {
        stop(r, plb_fail(r->err, PLB_EINPUT, "%s", rank0->difference));
        return;
    }
    if (r->options->show_pus || r->options->verbose)
        show_pus(rank0);
    if (plb_warn_of_refused(rank0->master, &job->app) == rank0->n_pus) {
        stop(r, plb_fail(r->err, PLB_EINPUT,
                         "no PU has the memory for this job (the warnings have the numbers); it needs "
                         "others, or smaller units"));
        return;
    }
    if (r->options->dry_run) {
        stop(r, PLB_OK);
        return;
    }
    job->profiles = plb_profiles_open(&(struct plb_profiles_config){
        .kernel = job->kernel,
        .maps = job->maps,
        .cluster = &job->cluster,
        .mode = job->balance.profile,
        .verbose = r->options->verbose,
    });
    plb_profiles_recall(job->profiles, rank0->master);
    if (plb_profiles_require(&config, rank0->master, r->err) == PLB_OK)
        begin_pass(r);
    else
        stop(r, r->err->status);
}

/* Whether a PU has said HELLO before. */
static bool is_known(const struct plb_rank0 *rank0, const struct plb_pu_info *pu)
{
    for (int p = 0; p < rank0->n_pus; p++)
        if (by_place(&rank0->pus[p], pu) == 0)
            return true;
    return false;
}

static void on_hello(struct plb_rank *r, const struct plb_hello *hello)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (rank0->n_pus == rank0->expected || is_known(rank0, &hello->pu))
        return;
    rank0->pus = plb_grow(rank0->pus, (size_t)(rank0->n_pus + 1) * sizeof *rank0->pus);
    rank0->pus[rank0->n_pus++] = hello->pu;
    compare(r, hello);
    if (rank0->n_pus == rank0->expected)
        begin_run(r);
}

static void on_bye(struct plb_rank0 *rank0, int from)
{
    rank0->byes += !rank0->said_bye[from];
    rank0->said_bye[from] = true;
}

bool plb_rank0_is_needed(const struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    return rank0->byes < r->size || plb_mpi_busy(r->mpi)
        || (rank0->incoming != NULL && plb_incoming_any(rank0->incoming));
}

void plb_rank0_receive(struct plb_rank *r, const struct plb_message *m)
{
    if (m->type == PLB_HELLO)
        on_hello(r, &m->hello);
    if (r->rank0->master == NULL) /* the others belong to a run that has begun */
        return;
    switch (m->type) {
    case PLB_DONE: on_done(r, m); break;
    case PLB_MOVED:
    case PLB_IDLE: tell_master(r, m); break;
    case PLB_FAIL: on_fail(r, m); break;
    case PLB_PULL: on_pull(r, m); break;
    case PLB_BYE: on_bye(r->rank0, m->from); break;
    default: break;
    }
}
