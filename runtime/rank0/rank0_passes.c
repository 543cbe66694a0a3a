/* Passes on rank 0: their begin, their end, and what `next` says. */
#include "app/feeds.h"
#include "base/log.h"
#include "every_rank/own_cores.h"
#include "every_rank/replaced.h"
#include "journal/journal.h"
#include "outcome/set_aside.h"
#include "rank0/rank0_own_results.h"
#include "rank0/rank0.h"
#include "report/quantity.h"

void plb_rank0_start_pass(struct plb_rank *r, const struct plb_pass *begin, bool again)
{
    struct plb_rank0 *rank0 = r->rank0;
    int pass = r->pass + 1, first = r->out.n, phase = (int)begin->phase;
    bool fed = false;
    for (int i = 0; i < begin->n_feeds; i++)
        fed |= begin->feeds[i].now != 0;
    rank0->pass_began = plb_rank_time(r);
    rank0->began = rank0->began > 0.0 ? rank0->began : rank0->pass_began;
    rank0->in_pass = true;
    plb_log(PLB_LOG_DEBUG, "pass %d begins, with phase %d", pass, phase);
    plb_incoming_repairs(rank0->incoming, again);
    plb_fetch_begin_pass(&rank0->fetching, fed);
    plb_master_feed(rank0->master, begin->feeds, begin->n_feeds);
    int64_t solves = plb_master_stats(rank0->master)->solves;
    plb_master_begin(rank0->master, pass, phase, begin->replaced, &rank0->job->maps[phase], rank0->pass_began,
                     &r->out);
    plb_own_results_begin(r, first);
    plb_rank0_note_solves(r, pass, solves, rank0->pass_began);
    rank0->thought = plb_rank_time(r) - rank0->pass_began;
    if (!again)
        plb_dataset_clear(&r->data);
    plb_replaced_plan(r, begin, first);
    plb_fetch_halos(r, first);
    plb_rank0_stop_on_failure(r);
}

static void begin_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_app *app = &rank0->job->app;
    struct plb_pass begin = {0};
    int64_t fed = plb_feeds_take(app, &r->data, &begin);
    begin.replaced = plb_app_take_replaced(app, &r->replaced.parts);
    begin.parts = r->replaced.parts.buffers;
    begin.phase = plb_app_begin_pass(app);
    plb_rangeset_clear(&rank0->done);
    if (!plb_set_aside_any(rank0->master, &rank0->job->run)) /* else a resumed run would not try them again */
        plb_journal_begin(rank0->job->journal, r->pass + 1, (int)begin.phase, begin.replaced | fed);
    rank0->fetching.asked = app->gathers;
    app->gathers = false;
    plb_redo_note(r, &begin);
    plb_rank0_start_pass(r, &begin, false);
}

/* Whether reduced arrays that stayed at nodes are all here. Else they come along the tree; and those that are
 * lost are computed again, in one more pass. */
static bool has_arrays(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_master *master = rank0->master;
    char units[PLB_UNITS_TEXT];
    if (!plb_master_folds(master))
        return true;
    plb_master_fold(master, &r->out);
    if (!plb_master_folded(master))
        return false;
    if (plb_master_unfolded(master) == 0)
        return true;
    if (plb_rank0_must_wait(r)) /* else ranks that await replaced buffers of this pass would never get them */
        return false;
    plb_log(PLB_LOG_INFO, "the arrays of %s are lost and re-computed",
            plb_units_print(plb_master_unfolded(master), r->kernel->unit, units));
    rank0->repairs++;
    plb_master_fold_again(master, r->pass + 1, &rank0->job->maps[rank0->job->app.running], plb_rank_time(r),
                          &r->out);
    plb_rank0_stop_on_failure(r);
    return false;
}

void plb_rank0_pass_begins(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    plb_journal_fold(rank0->job->journal, r->pass);
    rank0->pass_began = plb_rank_time(r) - rank0->thought;
}

void plb_rank0_look_further(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    bool again = false;
    if (r->kernel->next != NULL && r->size > 1)
        plb_life_quiet(r->life);
    plb_own_cores_leave(&r->cores);
    plb_job_next(rank0->job, plb_rank0_kernel_pass(r) - 1, &again, r->err);
    plb_own_cores_return(&r->cores);
    bool ended = rank0->job->app.halt.asked && rank0->job->app.halt.why.status == PLB_OK;
    bool goes_on = again && !ended && r->err->status == PLB_OK;
    rank0->redo.over = !goes_on;
    if (goes_on && plb_early_end_has_begun(&rank0->early_end))
        plb_rank0_interrupt(r);
    else if (goes_on)
        begin_pass(r);
    else if (r->err->status != PLB_OK || !plb_fetch_results(r, false))
        plb_rank0_end(r, r->err->status);
}

/* All passes so far are over; this one took so many seconds. */
static void end_last_pass(struct plb_rank *r, double took)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (rank0->redo.over) { /* it was repeated for its results */
        if (!plb_fetch_results(r, false))
            plb_rank0_end(r, r->err->status);
        return;
    }
    plb_report_add_pass(&rank0->times[rank0->job->app.running], took);
    bool gathers = rank0->fetching.asked || plb_redo_is_due(r);
    if (gathers && plb_fetch_results(r, true))
        return;
    if (gathers) /* nobody else has any */
        plb_fetch_ended(r);
    else
        plb_rank0_look_further(r);
}

static void end_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (rank0->redo.results) {
        plb_redo_end_results(r);
        return;
    }
    rank0->in_pass = false;
    plb_set_aside_clear(rank0->master, &r->data);
    plb_dataset_fold_rest(&r->data);
    plb_journal_end_pass(rank0->job->journal);
    double took = plb_rank_time(r) - rank0->pass_began;
    rank0->makespan += took;
    rank0->redo.took += plb_redo_repeats(&rank0->redo) ? took : 0.0;
    plb_log(PLB_LOG_DEBUG, "pass %d has ended after %.6f s", r->pass, took);
    if (!plb_redo_goes_on(r))
        end_last_pass(r, took);
}

void plb_rank0_begin_first_pass(struct plb_rank *r)
{
    const struct plb_journal_start start = plb_journal_start(r->rank0->job->journal);
    r->pass = start.complete ? start.pass : start.pass - 1;
    plb_journal_fold(r->rank0->job->journal, r->pass);
    (start.complete ? plb_rank0_look_further : begin_pass)(r);
}

bool plb_rank0_must_wait(struct plb_rank *r)
{
    if (r->kernel->next == NULL)
        return false;
    plb_node_rest(r->node, true);
    return plb_feeds_wait(&r->rank0->job->app, r->rank0->fetching.sends)
        || plb_journal_reads(r->rank0->job->journal) || plb_fetch_comes(&r->rank0->fetching)
        || plb_replaced_goes_on(r) || plb_rank0_arrivals_read(r) || !plb_node_may_end(r->node);
}

void plb_rank0_end_pass_if_over(struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    if (rank0->in_pass && plb_master_over(rank0->master) && !plb_incoming_keeps(rank0->incoming)
        && has_arrays(r) && !plb_rank0_must_wait(r))
        end_pass(r);
}
