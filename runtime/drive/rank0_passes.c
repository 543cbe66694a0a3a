/* Passes on rank 0: their begin, their end, and what `next` says. */
#include "base/log.h"
#include "drive/rank0.h"
#include "drive/replaced.h"
#include "drive/set_aside.h"
#include "job/feeds.h"
#include "journal/journal.h"

static void begin_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct plb_app *app = &rank0->job->app;
    struct plb_pass begin = {0};
    int64_t fed = plb_feeds_copy(app, &begin), replaced = plb_app_take_replaced(app);
    int phase = plb_app_begin_pass(app), pass = r->pass + 1, first = r->out.n;
    plb_rangeset_clear(&rank0->done);
    if (!plb_set_aside_any(rank0->master, &rank0->job->run)) /* else a resumed run would not try them again */
        plb_journal_begin(rank0->job->journal, pass, phase, replaced | fed);
    rank0->pass_began = plb_rank_time(r);
    rank0->in_pass = true;
    rank0->gathering.asked = app->gathers;
    app->gathers = false;
    plb_log(PLB_LOG_DEBUG, "pass %d begins, with phase %d", pass, phase);
    plb_master_feed(rank0->master, begin.feeds, begin.n_feeds);
    plb_master_begin(rank0->master, pass, phase, replaced, &rank0->job->maps[phase], rank0->pass_began,
                     &r->out);
    plb_dataset_clear(&r->data);
    plb_replaced_plan(r, first);
    plb_rank0_stop_on_failure(r);
}

void plb_rank0_pass_begins(struct plb_rank *r)
{
    plb_journal_fold(r->rank0->job->journal, r->pass);
    r->rank0->pass_began = plb_rank_time(r);
}

void plb_rank0_look_further(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    bool again = false;
    if (r->kernel->next != NULL && r->size > 1)
        plb_life_quiet(r->life);
    plb_gathering_remember(r);
    plb_job_next(rank0->job, r->pass - rank0->repairs - 1, &again, r->err);
    bool goes_on = again && r->err->status == PLB_OK;
    if (goes_on && plb_early_end_has_begun(&rank0->early_end))
        plb_rank0_interrupt(r);
    else if (goes_on)
        begin_pass(r);
    else if (r->err->status != PLB_OK || !plb_gathering_begin(r, false))
        plb_rank0_end(r, r->err->status);
}

static void end_pass(struct plb_rank *r)
{
    struct plb_rank0 *rank0 = r->rank0;
    if (rank0->gathering.repairs) {
        plb_gathering_end_repair(r);
        return;
    }
    rank0->in_pass = false;
    plb_set_aside_clear(rank0->master, &r->data);
    plb_dataset_fold_rest(&r->data);
    plb_journal_end_pass(rank0->job->journal);
    double took = plb_rank_time(r) - rank0->pass_began;
    rank0->makespan += took;
    plb_log(PLB_LOG_DEBUG, "pass %d has ended after %.6f s", r->pass, took);
    plb_report_add_pass(&rank0->times[rank0->job->app.running], took);
    if (!rank0->gathering.asked || !plb_gathering_begin(r, true))
        plb_rank0_look_further(r);
}

void plb_rank0_begin_first_pass(struct plb_rank *r)
{
    const struct plb_journal_start start = plb_journal_start(r->rank0->job->journal);
    r->pass = start.complete ? start.pass : start.pass - 1;
    plb_journal_fold(r->rank0->job->journal, r->pass);
    (start.complete ? plb_rank0_look_further : begin_pass)(r);
}

/* Whether PUs of rank 0 still execute what nobody wants, or data is sent, or the journal is written, and they
 * may read what `next` or a feed is going to change. */
static bool must_wait(struct plb_rank *r)
{
    if (r->kernel->next == NULL)
        return false;
    plb_node_rest(r->node, true);
    return plb_feeds_wait(&r->rank0->job->app, r->rank0->pulls) || plb_journal_reads(r->rank0->job->journal)
        || plb_replaced_goes_on(r) || plb_rank0_arrivals_read(r) || !plb_node_may_end(r->node);
}

void plb_rank0_end_pass_if_over(struct plb_rank *r)
{
    const struct plb_rank0 *rank0 = r->rank0;
    if (rank0->in_pass && plb_master_over(rank0->master) && !plb_incoming_claims(rank0->incoming)
        && !must_wait(r))
        end_pass(r);
}
