/* Rank 0's side of the messages. */
#include "rank0/rank0.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/log.h"
#include "membership/difference.h"
#include "outcome/fill_report.h"
#include "membership/pu_list.h"
#include "every_rank/replaced.h"
#include "foresee/pareto.h"
#include "job/require_watts.h"
#include "membership/joiners.h"
#include "outcome/show_progress.h"
#include "outcome/set_aside.h"
#include "membership/show_pus.h"
#include "journal/journal.h"
#include "profile/profiles.h"
#include "rank0/rank0_own_results.h"

/* Of results of other ranks that are received and not yet accepted. Larger: memory. Smaller: a fast network
 * waits for rank 0's answers; at 100 Gbit/s these last 20 ms. A larger result is received alone. */
#define MOST_INCOMING_BYTES ((size_t)256 << 20)

void plb_rank0_init(struct plb_rank0 *rank0, struct plb_job *job, struct plb_trace *trace, int n_ranks,
                    int started, enum plb_progress_style progress)
{
    *rank0 = (struct plb_rank0){.job = job, .trace = trace};
    rank0->partings = plb_alloc((size_t)n_ranks * sizeof *rank0->partings);
    plb_early_end_init(&rank0->early_end, &job->run, job->began_s, n_ranks);
    for (int i = started; i < n_ranks; i++) {
        rank0->partings[i].state = PLB_BYE_NEVER;
        plb_early_end_rested(&rank0->early_end, i);
    }
    plb_progress_init(&rank0->progress, job->kernel->unit, progress);
}

void plb_rank0_fini(struct plb_rank0 *rank0)
{
    plb_rank0_free_arrivals(rank0->arrivals);
    plb_fetch_fini(&rank0->fetching);
    plb_redo_fini(&rank0->redo);
    plb_incoming_free(rank0->incoming);
    plb_master_free(rank0->master);
    plb_rangeset_fini(&rank0->done);
    plb_early_end_fini(&rank0->early_end);
    free(rank0->partings);
    free(rank0->pus);
}

void plb_rank0_end(struct plb_rank *r, int status)
{
    if (status == PLB_OK && !plb_own_results_end(r)) /* the kernel has ended the run */
        status = plb_fail(r->err, PLB_EFAILED, "results are lost with a GPU that has failed");
    if (r->rank0->in_pass)
        r->rank0->makespan += plb_rank_time(r) - r->rank0->pass_began;
    r->rank0->in_pass = r->rank0->fetching.on = false;
    if (r->rank0->began > 0.0)
        r->rank0->between = fmax(plb_rank_time(r) - r->rank0->began - r->rank0->makespan, 0.0);
    plb_incoming_end_audits(r->rank0->incoming);
    plb_rank0_close_door(r);
    plb_master_stop(r->rank0->master, status, &r->out);
}

bool plb_rank0_stop_on_failure(struct plb_rank *r)
{
    const char *failure = plb_master_failure(r->rank0->master);
    if (failure != NULL && r->rank0->lost[0] != '\0')
        plb_rank0_stop_by(r, r->rank0->lost);
    else if (failure != NULL)
        plb_rank0_end(r, plb_fail(r->err, PLB_EFAILED, "%s", failure));
    return failure != NULL;
}

void plb_rank0_interrupt(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_made made = {0, r->data.units, r->kernel->unit, plb_rank0_kernel_pass(r),
                            plb_results_stream(&rank0->job->app.results)};
    char why[PLB_EARLY_END_TEXT];
    if (rank0->master != NULL) /* it is made as soon as all PUs are open */
        made.accepted = plb_master_accepted(rank0->master);
    if (rank0->early_end.reason == PLB_HALTED && rank0->job->app.halt.why.status != PLB_OK)
        snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, rank0->job->app.halt.why.text);
    else
        plb_early_end_describe(&rank0->early_end, &made, r->options->keep_partial, why);
    rank0->interrupted = r->err->status == PLB_OK;
    r->status = plb_fail(r->err, PLB_EFAILED, "%s", why);
    if (rank0->master != NULL)
        plb_rank0_end(r, r->status);
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

/* The time that the latest solve expects the rest of the pass to take, as traces have it. */
static int64_t rest_ns(const struct plb_master *master)
{
    return (int64_t)(1e9 * plb_master_stats(master)->rest_s);
}

void plb_rank0_note_solves(struct plb_rank *r, int pass, int64_t solves, double before)
{
    struct plb_rank0 *rank0 = r->rank0;
    double seconds = plb_rank_time(r) - before;
    if (plb_master_stats(rank0->master)->solves == solves)
        return;
    rank0->solve += seconds;
    plb_trace_add(rank0->trace, (struct plb_trace_event){PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, pass, before,
                                                         seconds, rest_ns(rank0->master), 0, 0});
}

static int64_t tell_master(void *context, const struct plb_message *m)
{
    struct plb_rank *r = context;
    struct plb_rank0 *rank0 = r->rank0;
    int64_t solves = plb_master_stats(rank0->master)->solves;
    double before = plb_rank_time(r);
    int64_t fresh = plb_master_receive(rank0->master, m, before, &r->out);
    plb_rank0_note_solves(r, r->pass, solves, before);
    bool done = fresh > 0 && !plb_set_aside_has(rank0->master, m->done.range);
    if (done)
        plb_journal_add(rank0->job->journal, m);
    if (done && r->options->keep_partial)
        plb_rangeset_add(&rank0->done, m->done.range);
    plb_rank0_stop_on_failure(r);
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

static void on_overwritten(void *context, const struct plb_message *done)
{
    struct plb_rank *r = context;
    plb_master_spoiled(r->rank0->master, done, PLB_REGRANT_OVERWRITTEN, plb_rank_time(r), &r->out);
}

static void on_damaged(void *context, const struct plb_message *done)
{
    struct plb_rank *r = context;
    plb_say_damaged(r->kernel, done, &r->rank0->damaged);
    plb_master_spoiled(r->rank0->master, done, PLB_REGRANT_DAMAGED, plb_rank_time(r), &r->out);
}

static void tell_kernel(void *context, struct plb_range range)
{
    const struct plb_rank *r = context;
    if (r->kernel->heard != NULL)
        r->kernel->heard(&r->rank0->job->app, range.first, range.count);
}

static void on_done(struct plb_rank *r, const struct plb_message *m)
{
    struct plb_incoming *incoming = r->rank0->incoming;
    int slot = (int)m->done.slot;
    if (m->done.slot >= PLB_TAGS)
        return;
    if (slot == PLB_NO_SLOT) {
        if (tell_master(r, m) > 0)
            tell_kernel(r, m->done.range);
    } else if (m->from != 0) {
        plb_incoming_add(incoming, m);
    } else {
        void *arrays[PLB_MAX_DATA];
        for (int i = 0; i < r->data.n; i++)
            arrays[i] = plb_node_result(r->node, slot, i);
        plb_incoming_own(incoming, m, arrays, plb_node_records(r->node, slot));
    }
    plb_rank0_end_pass_if_over(r);
}

bool plb_rank0_collect(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    plb_own_results_look(r);
    bool any = rank0->incoming != NULL && plb_incoming_collect(rank0->incoming);
    plb_rank0_end_pass_if_over(r);
    any |= plb_fetch_collect(r);
    any |= plb_redo_step(r);
    if (rank0->incoming == NULL || !plb_incoming_keeps(rank0->incoming))
        plb_journal_step(rank0->job->journal);
    rank0->progress.again = plb_redo_repeats(&rank0->redo);
    if (rank0->in_pass)
        plb_show_progress(&rank0->progress, rank0->master, plb_rank0_kernel_pass(r), r->data.units,
                          rank0->pass_began, plb_rank_time(r));
    return any;
}

void plb_rank0_tick(struct plb_rank *r)
{
    struct plb_early_end *end = &r->rank0->early_end;
    if (!r->rank0->in_pass)
        return;
    if (r->rank0->damaged >= PLB_MOST_DAMAGED)
        plb_rank0_stop_by(r, "data keeps arriving damaged; check the network and memory");
    plb_rank0_check_records(r);
    int64_t solves = plb_master_stats(r->rank0->master)->solves;
    double now = plb_rank_time(r);
    plb_master_tick(r->rank0->master, now, &r->out);
    plb_rank0_note_solves(r, r->pass, solves, now);
    if (r->rank0->job->app.halt.asked)
        plb_early_end_halt(end, r->rank0->job->app.halt.at_once);
    if (plb_early_end_begins(end, plb_now()))
        for (int n = r->size - 1; n >= 0; n--)
            plb_outbox_add(&r->out, PLB_REST, 0, n, r->pass);
    bool comes = plb_incoming_any(r->rank0->incoming) || plb_master_over(r->rank0->master); /* its arrays */
    if (!plb_early_end_is_over(end, comes, plb_now()))
        return;
    if (end->reason == PLB_HALTED && r->rank0->job->app.halt.why.status == PLB_OK)
        plb_rank0_end(r, PLB_OK);
    else
        plb_rank0_interrupt(r);
}

double plb_rank0_due(const struct plb_rank *r)
{
    return r->rank0->in_pass ? fmax(plb_master_due(r->rank0->master) - plb_rank_time(r), 0.0) : INFINITY;
}

/* -------------------------------------------------------------------- start */

static struct plb_incoming_calls incoming_calls(struct plb_rank *r, const struct plb_job *job)
{
    return (struct plb_incoming_calls){.context = r,
                                       .most_bytes = MOST_INCOMING_BYTES,
                                       .checks = job->run.checksums,
                                       .get = get,
                                       .judge = judge,
                                       .accept = tell_master,
                                       .writes = writes,
                                       .release = release,
                                       .damaged = on_damaged,
                                       .overwritten = on_overwritten,
                                       .heard = tell_kernel};
}

/* Warns where a job has programs for GPUs and no PU is one. */
static void warn_of_no_gpu(const struct plb_rank0 *rank0)
{
    bool any = rank0->job->app.programs == 0 || rank0->job->machines.pus.wanted == PLB_PUS_CPU;
    for (int p = 0; p < rank0->n_pus; p++)
        any |= rank0->pus[p].kind == PLB_GPU;
    if (!any)
        plb_log(PLB_LOG_WARNING,
                "no GPU was found for programs, so all %s run on CPUs; --verbose says where plbrun looked",
                rank0->job->kernel->unit);
}

/* All PUs are known: makes the master, and begins the first pass or tells why there is none. */
static void begin_run(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_job *job = rank0->job;
    plb_pu_list_sort(rank0->pus, rank0->n_pus);
    struct plb_master_config config = plb_job_master(job);
    config.n_nodes = r->size;
    config.joiners = r->size - plb_mpi_started(r->mpi);
    config.joining_pus = config.joiners > 0 ? PLB_JOINING_PUS : 0;
    config.saves |= config.joiners > 0; /* else nothing of a long task could move to one that joins */
    config.saves |= r->options->keep_partial;
    config.stays = r->options->keep_partial ? 0 : config.stays; /* what is done is to be here at any time */
    config.folds &= !r->options->keep_partial;
    config.feeds_stay = r->data.fed != 0;
    config.halos = plb_fetch_halo_buffers(&r->data);
    config.accepted = plb_journal_accepted(job->journal);
    rank0->master = plb_master_new(&config, rank0->pus, rank0->n_pus);
    struct plb_incoming_calls calls = incoming_calls(r, job);
    struct plb_audit_results_config audits = {&r->data, &job->app, rank0->master, &r->out, r->clock};
    rank0->incoming = plb_incoming_new(&r->data, &calls, plb_audit_results_new(&audits));
    if (rank0->difference[0] != '\0') {
        plb_rank0_end(r, plb_fail(r->err, PLB_EINPUT, "%s", rank0->difference));
        return;
    }
    if (r->options->show_pus || plb_log_shows(PLB_LOG_INFO))
        plb_show_pus(rank0->pus, rank0->n_pus);
    if (plb_warn_of_refused(rank0->master, &job->app) == rank0->n_pus) {
        plb_rank0_end(r, plb_no_usable_pu(rank0->master, r->err));
        return;
    }
    warn_of_no_gpu(rank0);
    plb_audit_warn(job->run.audit, rank0->master, &job->app);
    if (r->options->pareto)
        plb_pareto_of_master(rank0->master, &job->pareto, r->err);
    if (r->options->dry_run || r->err->status != PLB_OK) {
        plb_pareto_load(job->pareto, job, rank0->master);
        plb_rank0_end(r, r->err->status);
        return;
    }
    job->profiles = plb_profiles_open(&(struct plb_profiles_config){
        .kernel = job->kernel, .maps = job->maps, .cluster = &job->cluster, .mode = job->balance.profile});
    plb_profiles_load(job->profiles, rank0->master);
    plb_journal_work(job->journal, rank0->pus, rank0->n_pus);
    if (plb_profiles_require(&config, rank0->master, r->err) == PLB_OK
        && plb_watts_require(&config.goal, rank0->master, r->err) == PLB_OK)
        plb_rank0_begin_first_pass(r);
    else
        plb_rank0_end(r, r->err->status);
}

static void on_hello(struct plb_rank *r, const struct plb_hello *hello)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (rank0->n_pus == rank0->expected || !plb_pu_list_add(&rank0->pus, &rank0->n_pus, &hello->pu))
        return;
    if (rank0->difference[0] == '\0') /* the first one is told */
        plb_difference_describe(hello, &r->hello, r->host, rank0->difference);
    if (rank0->n_pus == rank0->expected)
        begin_run(r);
}

bool plb_rank0_is_needed(const struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    return plb_mpi_busy(r->mpi) || rank0->fetching.transfers != NULL
        || (rank0->incoming != NULL && plb_incoming_any(rank0->incoming));
}

void plb_rank0_lose(struct plb_rank *r, int rank)
{
    struct plb_rank0 *rank0 = r->rank0;
    rank0->partings[rank].state = PLB_BYE_NEVER;
    if (rank0->master == NULL) {
        r->status = plb_fail(
            r->err, PLB_EFAILED,
            "rank %d on %s was lost before the first pass; the run cannot begin; start it again", rank,
            r->hosts[rank]);
        r->alone = true;
        return;
    }
    plb_early_end_rested(&rank0->early_end, rank);
    plb_incoming_lose(rank0->incoming, rank);
    plb_fetch_lose(&rank0->fetching, rank);
    int64_t solves = plb_master_stats(rank0->master)->solves;
    double now = plb_rank_time(r);
    plb_master_lost(rank0->master, rank, now, &r->out);
    plb_rank0_note_solves(r, r->pass, solves, now);
    if (r->data.fed != 0 && plb_master_broken(rank0->master) && !r->stopped)
        plb_redo_break(r);
    if (rank0->in_pass && !plb_rank0_stop_on_failure(r))
        plb_rank0_end_pass_if_over(r);
}

void plb_rank0_receive(struct plb_rank *r, const struct plb_message *m)
{
    plb_own_results_look(r);
    if (m->type == PLB_HELLO && m->from >= plb_mpi_started(r->mpi))
        plb_rank0_hear_arrival(r, m);
    else if (m->type == PLB_HELLO)
        on_hello(r, &m->hello);
    if (r->rank0->master == NULL || plb_message_route(m->type)->when == PLB_ANY_TIME)
        return;
    switch (m->type) {
    case PLB_DONE: on_done(r, m); break;
    case PLB_MOVED:
    case PLB_CRASH:
    case PLB_WINDOW:
    case PLB_IDLE: tell_master(r, m); break;
    case PLB_FAIL: plb_rank0_failed(r, m); break;
    case PLB_FETCH: plb_fetch_serve(r, m); break;
    case PLB_FROM: plb_fetch_hear(r, m); break;
    case PLB_FOLDED:
        tell_master(r, m);
        plb_rank0_end_pass_if_over(r);
        break;
    case PLB_HERE:
    case PLB_LACK: plb_replaced_hear(r, m); break;
    case PLB_RESTED: plb_early_end_rested(&r->rank0->early_end, m->from); break;
    default: break;
    }
}
