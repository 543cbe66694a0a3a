/* The cluster driver.
 *
 * After the start (run/start) every rank serves: it receives messages, does what its node has to do, and
 * sends what both say. Where nothing moves it sleeps, a little longer each time. Rank 0 serves the master too
 * (rank0/rank0).
 *
 * The end: the master sends STOP. Each rank sends BYE when nothing of its own is on its way any more. Rank 0
 * answers until the last BYE of those that live, so that a failed run ends as cleanly as a good one. The
 * others wait until it has written all outputs (run/finish). */
#include "run/cluster.h"

#include <math.h>
#include <stdlib.h>

#include "app/feeds.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "every_rank/last_words.h"
#include "every_rank/own_cores.h"
#include "every_rank/replaced.h"
#include "inputs/share_memory.h"
#include "membership/launch.h"
#include "membership/leaving.h"
#include "rank0/rank0.h"
#include "run/finish.h"
#include "run/metering.h"

/* Seconds after a signal that rank 0 waits for the other ranks to end. They may be gone: a launcher signals
 * all of them, and kills them a second later. Larger: no time is left to write the report. Smaller: a rank
 * whose tasks end late is left behind. */
#define PATIENCE 0.4

/* Seconds after a signal in which another rank waits for rank 0's STOP. */
#define OBEDIENCE 2.0

/* ----------------------------------------------------------------- messages */

/* Rank 0 takes leave of ranks that have been lost just now. */
static void give_up_lost(struct plb_rank *r)
{
    for (int rank; r->rank0 != NULL && (rank = plb_life_lost(r->life)) >= 0;) {
        /* Units that it gave to others last are granted anew, though those execute them too. So rank 0's
         * PUs must not write in place where accepted results may be. */
        plb_node_double(r->node);
        r->replaced.packet_abandoned = true; /* it may be on its way to that rank */
        plb_rank0_lose(r, rank);
    }
}

static bool works(void *node, int from, int until)
{
    return plb_node_works(node, from, until);
}

static void forget_buffer(void *node, const void *memory)
{
    plb_node_forget_buffer(node, memory);
}

/* Rank 0 sends PASS to itself last, so that the replaced buffers follow the PASS of each other rank. */
static void on_pass(struct plb_rank *r, const struct plb_message *m)
{
    if (m->pass <= r->pass)
        return;
    r->pass = m->pass;
    plb_node_rest(r->node, true);
    if (r->rank0 == NULL) {
        plb_replaced_receive(r, m);
    } else {
        plb_replaced_send(r, m);
        plb_rank0_arrivals_lack(r, m->begin.replaced);
    }
    plb_old_buffers_free(&r->old, &(struct plb_buffer_reader){r->node, works, forget_buffer});
    plb_node_receive(r->node, m, &r->out);
    if (r->rank0 != NULL && !m->begin.again)
        plb_rank0_pass_begins(r);
}

/* Kernels may take long to tidy up. Meanwhile this rank shows that it lives. */
static void stop_node(struct plb_rank *r)
{
    if (!r->stopping || !plb_node_stop(r->node))
        return;
    r->stopping = false;
    plb_node_step(r->node, &r->out); /* what the PUs finished last goes before BYE */
    plb_metering_end(r);
}

static void on_stop(struct plb_rank *r, const struct plb_message *m)
{
    r->status = (int)m->stop.status;
    plb_log(PLB_LOG_DEBUG, "the run ends with status %d", r->status);
    r->stopped = r->stopping = true;
    plb_node_receive(r->node, m, &r->out);
    plb_life_closes(r->life);
    stop_node(r);
}

/* The answer to a STEAL is here. */
static void note_answer(struct plb_rank *r)
{
    if (!r->stopped && r->asked_at > 0.0) /* in the end all are busy with ending; a recall is no answer */
        r->slowest_answer = fmax(r->slowest_answer, plb_now() - r->asked_at);
    r->asked_at = 0.0;
}

static void on_rest(struct plb_rank *r)
{
    r->resting = true;
    plb_node_rest(r->node, false);
}

static void on_rank(struct plb_rank *r, const struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS: on_pass(r, m); break;
    case PLB_STOP: on_stop(r, m); break;
    case PLB_REST: on_rest(r); break;
    case PLB_JOULES: plb_metering_hear(r, m); break;
    case PLB_BYE: plb_finish_on_bye(r, m); break;
    default: break;
    }
}

static void handle(struct plb_rank *r, const struct plb_message *m)
{
    if (!plb_message_allowed(m))
        return;
    if (m->type == PLB_CRASH) /* its units are suspect before the loss of its rank frees them */
        plb_rank0_receive(r, m);
    plb_life_heard(r->life, m, &r->out);
    give_up_lost(r);
    if (r->rank0 != NULL && plb_fetch_holds(r, m))
        return;
    switch (plb_message_route(m->type)->receiver) {
    case PLB_TO_RANK: on_rank(r, m); break;
    case PLB_TO_WORKER:
        if (m->type == PLB_GIFT)
            note_answer(r);
        plb_node_receive(r->node, m, &r->out);
        break;
    case PLB_TO_TRANSFERS: plb_node_receive(r->node, m, &r->out); break;
    case PLB_TO_FETCH:
        if (r->rank0 == NULL)
            plb_node_receive(r->node, m, &r->out);
        else
            plb_rank0_receive(r, m);
        break;
    case PLB_TO_RANK0:
        if (m->type != PLB_CRASH)
            plb_rank0_receive(r, m);
        break;
    case PLB_TO_LIFE: break;
    }
}

/* Hands the messages of the outbox from number `first` on to MPI, but for those to this rank. */
static void send_others(struct plb_rank *r, int first)
{
    for (int i = first; i < r->out.n; i++) {
        const struct plb_message *m = &r->out.at[i];
        if (m->type == PLB_STEAL)
            r->asked_at = plb_now();
        if (m->type == PLB_BACKUP)
            plb_node_double(r->node);
        if (m->to != r->rank)
            plb_mpi_send(r->mpi, m);
    }
    plb_mpi_flush(r->mpi);
}

/* Sends what is in the outbox: others get their messages first, all of one rank in one frame. Messages for
 * this rank are handled at once, and may add more. */
static void dispatch(struct plb_rank *r)
{
    for (int i = 0, sent = 0; i < r->out.n; i++) {
        if (i == sent) {
            send_others(r, sent);
            plb_node_wake_pus(r->node); /* what follows may take long */
            sent = r->out.n;
        }
        struct plb_message m = r->out.at[i];
        if (m.to == r->rank)
            handle(r, &m);
    }
    r->out.n = 0;
    plb_node_wake_pus(r->node);
}

/* -------------------------------------------------------------------- serve */

/* Does all that can be done now. True where anything moved. */
static bool look(struct plb_rank *r)
{
    struct plb_message m;
    plb_last_words_look(r);
    stop_node(r);
    bool moved = plb_mpi_progress(r->mpi);
    moved |= plb_replaced_step(r);
    while (plb_replaced_next(r, &m)) {
        handle(r, &m);
        moved |= m.type != PLB_BEAT; /* nothing follows it, and a thousand nodes send thousands a second */
    }
    while (r->rank0 != NULL && plb_fetch_next(r, &m)) {
        handle(r, &m);
        moved = true;
    }
    bool rests = r->resting && !r->said_rested && plb_node_may_end(r->node);
    moved |= plb_node_step(r->node, &r->out);
    if (rests) { /* behind the reports of what has just ended */
        plb_outbox_add(&r->out, PLB_RESTED, r->rank, 0, r->pass);
        r->said_rested = true;
    }
    if (r->rank0 != NULL) {
        moved |= plb_rank0_collect(r);
        plb_rank0_tick(r);
        plb_rank0_let_in(r);
    }
    plb_metering_step(r);
    moved |= r->out.n > 0;
    plb_life_step(r->life, &r->out);
    give_up_lost(r);
    dispatch(r);
    return moved;
}

/* Looks whether a signal has asked this process to end. Rank 0 ends the run, the others wait for that. */
static void look_at_signals(struct plb_rank *r)
{
    if (plb_stop_asked() == 0)
        return;
    double now = plb_now();
    r->asked_to = r->asked_to > 0.0 ? r->asked_to : now;
    if (r->rank0 != NULL && !r->stopped)
        plb_rank0_interrupt(r);
    r->alone |= r->rank0 != NULL && r->size > 1 && now > r->asked_to + PATIENCE;
    if (r->rank0 == NULL && now > r->asked_to + OBEDIENCE)
        plb_stop_now();
}

/* Whether this rank is needed still. Says BYE when its own part is over. */
static bool goes_on(struct plb_rank *r, bool *said_bye)
{
    if (!r->stopped || r->alone)
        return !r->alone;
    bool awaits = r->rank0 != NULL && plb_finish_awaits(r);
    if (!*said_bye && !r->stopping && !plb_mpi_busy(r->mpi) && !plb_replaced_goes_on(r)
        && !plb_node_awaits(r->node)) {
        plb_finish_say(r);
        dispatch(r);
        *said_bye = true;
    }
    return !*said_bye || r->sends > 0 || (r->rank0 != NULL && (awaits || plb_rank0_is_needed(r)));
}

static enum plb_pace_state pace_of(const struct plb_rank *r, const struct plb_node_outlook *node)
{
    if (r->size == 1)
        return PLB_PACE_ALONE;
    if (plb_mpi_busy(r->mpi) || node->attention == PLB_AWAITING)
        return PLB_PACE_AWAITING;
    if (node->until > 0.0 && !plb_replaced_goes_on(r))
        return PLB_PACE_WORKING;
    if (node->computes && r->kernel->next == NULL) /* with further passes, others soon wait for this rank */
        return PLB_PACE_BESIDE;
    return node->attention == PLB_ASKED_FOR ? PLB_PACE_SHARING : PLB_PACE_CALM;
}

/* Nothing has moved: sleeps until the next look, where that is not to be at once. */
static void doze(struct plb_rank *r)
{
    const struct plb_node_outlook node = plb_node_outlook(r->node);
    enum plb_pace_state state = pace_of(r, &node);
    enum plb_pace_cores cores = node.idle ? PLB_PACE_FREE : node.computes ? PLB_PACE_TAKEN : PLB_PACE_SOME;
    double now = plb_now(), most = fmin(r->size == 1 ? plb_rank0_due(r) : INFINITY, plb_metering_due(r));
    if (state == PLB_PACE_WORKING)
        most = fmin(most, node.until - now);
    if (plb_pace_at_once(&r->pace, now, state, cores))
        plb_pace_yield(&r->pace);
    else
        plb_node_wait(r->node, fmin(plb_pace_sleep(&r->pace, now, state, cores), most));
}

static void serve(struct plb_rank *r)
{
    bool said_bye = false;
    plb_own_cores_begin(r);
    plb_stop_listen(true);
    plb_last_words_begin(r);
    while (goes_on(r, &said_bye)) {
        look_at_signals(r);
        if (look(r))
            plb_pace_moved(&r->pace, plb_now());
        else
            doze(r);
    }
    plb_last_words_end();
    plb_own_cores_leave(&r->cores);
}

/* False where a PU was left behind: then nothing is freed, since its thread may use all of it. */
static bool release(struct plb_rank *r)
{
    if (!plb_node_free(r->node))
        return false;
    plb_old_buffers_free(&r->old, NULL);
    plb_replaced_fini(&r->replaced);
    if (r->rank0 == NULL)
        for (int i = 0; i < r->n_maps; i++)
            plb_cost_map_fini(&r->maps[i]);
    free(r->maps);
    plb_memory_share_end(&r->data);
    plb_dataset_fini(&r->data);
    plb_near_files_fini(&r->near);
    plb_outbox_fini(&r->out);
    plb_trace_fini(&r->trace);
    free(r->hosts);
    if (r->rank0 != NULL)
        plb_rank0_fini(r->rank0);
    return true;
}

/* Rank 0: what is known of the run. */
static void end_run(struct plb_rank *r, struct plb_report *report, struct plb_trace *trace)
{
    plb_progress_end(&r->rank0->progress);
    plb_finish_report(r, report);
    plb_finish_trace(r, trace);
}

/* Everything of a run, in memory that a PU which was left behind may go on using. */
struct run {
    struct plb_rank rank;
    struct plb_rank0 rank0;
};

int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, struct plb_cluster_end *end,
                    struct plb_error *err)
{
    struct run *run = plb_alloc(sizeof *run);
    struct plb_rank *r = &run->rank;
    *r = (struct plb_rank){.mpi = mpi,
                           .rank = plb_mpi_rank(mpi),
                           .size = plb_mpi_size(mpi),
                           .options = options,
                           .rank0 = job != NULL ? &run->rank0 : NULL,
                           .err = err};
    if (r->rank0 != NULL)
        plb_rank0_open(r, job, trace);
    int status = plb_cluster_start(r);
    if (status == PLB_OK) {
        r->life = plb_life_new(&(struct plb_life_config){
            .mpi = mpi,
            .neighbours = plb_early_loss_end(end->watch),
            .lost_after = job != NULL ? job->run.lost_after : 0.0,
            .hosts = r->hosts,
            .unit = r->kernel->unit,
            .ends_lost = plb_launch_survives() || plb_mpi_has_joined(mpi),
        });
        dispatch(r);
        if (r->rank0 != NULL && r->size > 1)
            plb_watchdog_start(&run->rank0.watchdog, mpi);
        serve(r);
        plb_watchdog_stop(&run->rank0.watchdog);
        plb_stop_listen(false);
        status = r->status;
        if (r->rank0 != NULL) {
            plb_feeds_put_back(&job->app, &r->data);
            end_run(r, report, trace);
        }
        end->life = r->life;
        end->watch = NULL;
    }
    end->begun = r->pass > 0;
    end->pass = r->pass;
    if (r->rank0 != NULL) {
        end->interrupted = r->rank0->interrupted;
        end->done = r->rank0->done;
        r->rank0->done = (struct plb_rangeset){0};
    }
    end->alone = r->alone;
    end->left = r->alone || (r->life != NULL && plb_life_any_lost(r->life)) || !release(r);
    if (!end->left)
        free(run);
    return status;
}

void plb_cluster_leave(struct plb_mpi *mpi, struct plb_cluster_end *end, int status)
{
    if (end->watch != NULL)
        plb_neighbours_free(plb_early_loss_end(end->watch));
    bool in_order = !end->alone && (end->life == NULL || plb_life_leave(end->life));
    if (in_order && plb_leave_mpi(mpi, end->life, status))
        return;
    end->left = true;
    if (end->life != NULL && !end->alone)
        plb_life_see_off(end->life);
}
