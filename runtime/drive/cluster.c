/* The cluster driver.
 *
 * After the start (drive/start) every rank serves: it receives messages, does what its node has to do, and
 * sends what both say. Where nothing moves it sleeps, a little longer each time. Rank 0 serves the master too
 * (drive/rank0).
 *
 * The end: the master sends STOP. Each rank sends BYE when nothing of its own is on its way any more. Rank 0
 * answers until the last BYE, so that a failed run ends as cleanly as a good one. Then reports and traces are
 * gathered. */
#include "drive/cluster.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/memory.h"
#include "drive/finish.h"
#include "drive/rank0.h"

/* Looks for messages without a sleep, after something has moved. More: a core is taken from the PUs for
 * longer. Fewer: answers that are almost here wait for a sleep. */
#define SPINS 64

/* Seconds of the sleep between two looks: the first, and the longest while nothing moves. Longer: messages
 * wait longer. Shorter: an idle rank uses more of a core (2 % at the longest one). */
#define SHORTEST_SLEEP 20e-6
#define LONGEST_SLEEP 900e-6

/* The longest sleep while other nodes may ask for work: that time is short, and a thief waits meanwhile. */
#define LONGEST_SLEEP_SHARING 300e-6

/* The longest sleep while this rank waits for an answer, or while data is on its way: MPI moves data only
 * when it is called. */
#define LONGEST_SLEEP_BUSY 50e-6

/* The longest sleep of a rank that is alone: only its own PUs have news, and they wake it. */
#define LONGEST_SLEEP_ALONE 50e-3

/* ----------------------------------------------------------------- messages */

static bool works(void *node, int from, int until)
{
    return plb_node_works(node, from, until);
}

/* The replaced buffers come with the PASS. Rank 0 sends PASS to itself last, and the others get theirs before
 * rank 0 waits for them in the broadcast. */
static void on_pass(struct plb_rank *r, const struct plb_message *m)
{
    if (m->pass <= r->pass)
        return;
    r->pass = m->pass;
    plb_mpi_flush(r->mpi);
    plb_node_rest(r->node);
    bool busy = plb_node_works(r->node, 0, m->pass);
    plb_dataset_replace(&r->data, m->begin.replaced, m->pass, busy, &r->old, r->mpi);
    plb_old_buffers_free(&r->old, works, r->node);
    plb_node_receive(r->node, m, &r->out);
    if (r->rank0 != NULL)
        plb_rank0_pass_begins(r);
}

static void on_stop(struct plb_rank *r, const struct plb_message *m)
{
    r->status = (int)m->stop.status;
    r->stopped = true;
    plb_node_receive(r->node, m, &r->out);
    plb_node_stop(r->node);
    plb_node_step(r->node, &r->out); /* what the PUs finished last goes before BYE */
}

static void on_gift(struct plb_rank *r, const struct plb_message *m)
{
    if (!r->stopped && r->asked_at > 0.0) /* in the end all are busy with ending; a recall is no answer */
        r->slowest_answer = fmax(r->slowest_answer, plb_now() - r->asked_at);
    r->asked_at = 0.0;
    plb_node_receive(r->node, m, &r->out);
}

/* Whether a message can come from its sender: some only from rank 0, some only to rank 0. */
static bool may_say(const struct plb_message *m)
{
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS:
    case PLB_BLOCK:
    case PLB_EMPTY:
    case PLB_BACKUP:
    case PLB_CANCEL:
    case PLB_RECALL:
    case PLB_STOP: return m->from == 0;
    case PLB_STEAL:
    case PLB_GIFT: return true;
    default: return m->to == 0;
    }
}

static void handle(struct plb_rank *r, const struct plb_message *m)
{
    if (!may_say(m))
        return;
    switch ((enum plb_message_type)m->type) {
    case PLB_PASS: on_pass(r, m); break;
    case PLB_STOP: on_stop(r, m); break;
    case PLB_GIFT: on_gift(r, m); break;
    case PLB_BLOCK:
    case PLB_EMPTY:
    case PLB_BACKUP:
    case PLB_CANCEL:
    case PLB_RECALL:
    case PLB_STEAL: plb_node_receive(r->node, m, &r->out); break;
    default: plb_rank0_receive(r, m); break;
    }
}

/* Sends what is in the outbox. What is for this rank is handled at once, and may add more. */
static void dispatch(struct plb_rank *r)
{
    for (int i = 0; i < r->out.n; i++) {
        struct plb_message m = r->out.at[i];
        if (m.type == PLB_STEAL)
            r->asked_at = plb_now();
        if (m.type == PLB_BACKUP)
            plb_node_double(r->node, m.block.range);
        if (m.to == r->rank)
            handle(r, &m);
        else
            plb_mpi_send(r->mpi, &m);
    }
    r->out.n = 0;
    plb_mpi_flush(r->mpi);
}

/* -------------------------------------------------------------------- serve */

/* Does all that can be done now. True where anything moved. */
static bool look(struct plb_rank *r)
{
    struct plb_message m;
    bool moved = plb_mpi_progress(r->mpi);
    while (plb_mpi_receive(r->mpi, &m)) {
        handle(r, &m);
        moved = true;
    }
    moved |= plb_node_step(r->node, &r->out);
    if (r->rank0 != NULL) {
        moved |= plb_rank0_collect(r);
        plb_rank0_tick(r);
    }
    moved |= r->out.n > 0;
    dispatch(r);
    return moved;
}

/* Whether this rank is needed still. Says BYE when its own part is over. */
static bool goes_on(struct plb_rank *r, bool *said_bye)
{
    if (!r->stopped)
        return true;
    if (!*said_bye && !plb_mpi_busy(r->mpi)) {
        plb_outbox_add(&r->out, PLB_BYE, r->rank, 0, r->pass);
        dispatch(r);
        *said_bye = true;
    }
    return !*said_bye || (r->rank0 != NULL && plb_rank0_is_needed(r));
}

static double longest_sleep(const struct plb_rank *r)
{
    if (r->size == 1)
        return fmin(LONGEST_SLEEP_ALONE, plb_rank0_due(r));
    enum plb_node_attention attention = plb_node_attention(r->node);
    if (plb_mpi_busy(r->mpi) || attention == PLB_AWAITING)
        return LONGEST_SLEEP_BUSY;
    return attention == PLB_ASKED_FOR ? LONGEST_SLEEP_SHARING : LONGEST_SLEEP;
}

static void serve(struct plb_rank *r)
{
    bool said_bye = false;
    int spins = 0;
    double sleep = SHORTEST_SLEEP;
    while (goes_on(r, &said_bye)) {
        if (look(r)) {
            spins = 0;
            sleep = SHORTEST_SLEEP;
        } else if (spins < SPINS) {
            spins++;
            sched_yield();
        } else {
            plb_node_wait(r->node, sleep);
            sleep = fmin(2.0 * sleep, longest_sleep(r));
        }
    }
}

/* False where a PU was left behind: then nothing is freed, since its thread may use all of it. */
static bool release(struct plb_rank *r)
{
    if (!plb_node_free(r->node))
        return false;
    plb_old_buffers_free(&r->old, NULL, NULL);
    for (int i = 0; r->rank0 == NULL && i < r->n_maps; i++)
        plb_cost_map_fini(&r->maps[i]);
    free(r->maps);
    plb_dataset_fini(&r->data);
    plb_outbox_fini(&r->out);
    if (r->rank0 != NULL)
        plb_rank0_fini(r->rank0);
    return true;
}

/* Everything of a run, in memory that a PU which was left behind may go on using. */
struct run {
    struct plb_rank rank;
    struct plb_rank0 rank0;
};

int plb_cluster_run(struct plb_mpi *mpi, struct plb_job *job, const struct plb_cluster_options *options,
                    struct plb_report *report, struct plb_trace *trace, bool *left, struct plb_error *err)
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
        plb_rank0_init(r->rank0, job, trace, r->size, options->quiet);
    int status = plb_cluster_start(r);
    if (status == PLB_OK) {
        dispatch(r);
        serve(r);
        if (r->rank0 != NULL)
            plb_progress_end(&r->rank0->progress);
        status = r->status;
        plb_cluster_gather_report(r, report);
        plb_cluster_gather_trace(r, trace);
    }
    *left = !release(r);
    if (!*left)
        free(run);
    return status;
}
