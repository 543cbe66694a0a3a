/* Liveness, neighbours and transport, joined. */
#include "membership/life.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "core/liveness.h"
#include "membership/endings.h"
#include "membership/hosts.h"
#include "membership/launch.h"
#include "membership/patience.h"

/* Seconds between two BEATs of rank 0 to each other rank. Larger: they notice later that it is gone. Smaller:
 * more messages from one rank to all others. */
#define RANK0_BEAT 1.0

/* Seconds without a word of rank 0 after which another rank ends. Larger: ranks of a dead run last longer.
 * Smaller: a run ends because rank 0 was delayed. */
#define RANK0_SILENCE 10.0

/* Seconds that a rank, alone on its host, may be silent while all close their devices, if it was not before.
 * Larger: the end waits longer for one that is stopped then. Smaller: one with many GPUs is given up. */
#define CLOSING 5.0

/* Seconds that a rank which has joined may be silent beyond others: the end of its process is seen by its
 * connection, and that of its host is not. Larger: such a host is lost later. Smaller: a rank whose core was
 * taken away is given up. */
#define CONNECTED 4.0

/* Bytes per second that are expected of data from rank 0. Larger: ranks end while much data arrives slowly.
 * Smaller: they notice later that rank 0 is gone. */
#define SLOWEST_LINK 5e6

/* Seconds that a rank, alone on its host, may be silent when it has said so: it locks pages, 2 GB in 0.75 s.
 * Larger: one that is stopped then is lost later. Smaller: one with more memory is given up. */
#define LONGEST_QUIET 3.0

/* Looks that come later than this were delayed: the whole job was stopped, perhaps. Larger: ranks end after a
 * short stop of all. Smaller: a rank that looks rarely notices the end of rank 0 later. */
#define STALLED (2.0 * PLB_BEAT_SECONDS)

/* Seconds of the sleep between two looks whether rank 0 has written everything. Larger: a rank leaves later.
 * Smaller: it uses more of a core. */
#define LOOK 5e-3

/* Seconds that LEAVE may take to go out to all. These three are longer among many ranks. Larger: rank 0 ends
 * later where one of them has died. Smaller: some may not hear it, and wait. */
#define DELIVERY 1.0

/* Seconds that a rank waits for others to leave MPI with it, where the launcher goes on without one that does
 * not. Larger: the end waits longer for a rank that is stopped then. Smaller: a slow rank is left behind,
 * which costs its lines about the end. */
#define SHORT_FAREWELL 1.0

/* Seconds that other ranks of this host have to end after this one. Larger: a run with a stopped rank ends
 * later. Smaller: one is killed that would have ended by itself, which changes nothing any more. */
#define SEE_OFF 1.0

struct plb_life {
    struct plb_life_config config;
    int rank, size;
    struct plb_neighbours *neighbours;
    struct plb_liveness *liveness; /* rank 0: of the others; else NULL */
    int *lost;                     /* rank 0: those that plb_life_lost has not told */
    int n_lost;
    struct plb_endings endings;   /* rank 0 */
    bool any_lost, quiet;         /* quiet: rank 0 may say nothing for long */
    bool begun;                   /* the first pass has */
    double closing;               /* all close their devices since then; INFINITY: not yet */
    struct plb_patience patience; /* rank 0 */
    double looked;                /* plb_now() of the last look */
    double said;                  /* of the last BEAT to rank 0 */
    double told; /* rank 0: of its last BEAT to the others; they: when rank 0 was heard last */
};

struct plb_life *plb_life_new(const struct plb_life_config *config)
{
    struct plb_life *life = plb_alloc(sizeof *life);
    double now = plb_now();
    life->config = *config;
    life->rank = plb_mpi_rank(config->mpi);
    life->size = plb_mpi_size(config->mpi);
    life->neighbours = config->neighbours;
    life->looked = life->told = now;
    life->closing = INFINITY;
    life->lost = plb_alloc((size_t)life->size * sizeof *life->lost);
    plb_endings_init(&life->endings, life->size);
    plb_patience_init(&life->patience, life->size);
    if (life->rank == 0)
        life->liveness = plb_hosts_judge(config->hosts, life->size, plb_mpi_started(config->mpi),
                                         config->lost_after, now);
    else if (config->ends_lost)
        plb_mpi_end_alone();
    return life;
}

void plb_life_free(struct plb_life *life)
{
    if (life == NULL)
        return;
    plb_neighbours_free(life->neighbours);
    plb_liveness_free(life->liveness);
    free(life->lost);
    plb_endings_fini(&life->endings);
    plb_patience_fini(&life->patience);
    free(life);
}

/* ------------------------------------------------------------------ a lost rank */

/* ends: it is ending by itself, and may still write its core. */
static void forget(struct plb_life *life, int rank, bool ends)
{
    life->any_lost |= rank < plb_mpi_started(life->config.mpi); /* without another one MPI is left in order */
    plb_mpi_abandon(life->config.mpi, rank);
    if (life->config.ends_lost && !ends)
        plb_neighbours_kill(life->neighbours, rank);
}

/* Sends messages at once. */
static void send(struct plb_life *life, struct plb_outbox *box)
{
    for (int i = 0; i < box->n; i++)
        plb_mpi_send(life->config.mpi, &box->at[i]);
    plb_mpi_flush(life->config.mpi);
    plb_outbox_fini(box);
}

/* Rank 0: a rank is lost. */
static void lose(struct plb_life *life, int rank, const char *why, bool ends, struct plb_outbox *out)
{
    char text[100];
    struct plb_outbox box = {0};
    if (!plb_liveness_lose(life->liveness, rank))
        return;
    plb_endings_say(text, sizeof text, life->config.unit, life->begun, isfinite(life->closing));
    plb_log(PLB_LOG_WARNING, "rank %d on %s is lost (%s); %s", rank, life->config.hosts[rank], why, text);
    if (rank < plb_mpi_started(life->config.mpi)) /* MPI knows nothing of one that has joined */
        plb_launch_say_lost(life->config.ends_lost);
    if (!ends) /* one that lives must not send what it still has: nobody waits for it */
        plb_outbox_add(&box, PLB_LOST, 0, rank, 0)->lost.rank = rank;
    send(life, &box);
    for (int i = 1; i < life->size; i++)
        if (plb_rank_is_there(plb_liveness_of(life->liveness, i)))
            plb_outbox_add(out, PLB_LOST, 0, i, 0)->lost = (struct plb_lost){rank, ends};
    forget(life, rank, ends);
    life->lost[life->n_lost++] = rank;
}

int plb_life_lost(struct plb_life *life)
{
    return life->n_lost > 0 ? life->lost[--life->n_lost] : -1;
}

void plb_life_join(struct plb_life *life, int rank)
{
    plb_liveness_join(life->liveness, rank, plb_now());
}

bool plb_life_any_lost(const struct plb_life *life)
{
    return life->any_lost;
}

/* Another rank cannot go on: rank 0 is gone, or has given this one up. One of each mpirun says so. */
static void end_process(const struct plb_life *life, const char *why)
{
    bool one = life->rank == 1 || plb_mpi_has_joined(life->config.mpi), speaks = one && isinf(life->closing);
    plb_log(speaks ? PLB_LOG_ERROR : PLB_LOG_INFO, "%s; rank %d ends", why, life->rank);
    plb_stop_clean();
    _exit(PLB_EFAILED);
}

static void end_without_rank0(const struct plb_life *life)
{
    plb_launch_tell_lost();
    end_process(life, "the process of rank 0 has ended");
}

/* This rank was given up, though it lives. Where the launcher would end all ranks with it, it only stands
 * still: the launcher ends it when rank 0 has ended. */
static void end_given_up(const struct plb_life *life)
{
    if (!life->config.ends_lost) {
        plb_log(PLB_LOG_INFO, "rank 0 has declared rank %d lost; that rank stops", life->rank);
        raise(SIGSTOP);
    }
    end_process(life, "rank 0 has declared this rank lost");
}

/* ----------------------------------------------------------------- signs of life */

static void look_at_neighbours(struct plb_life *life, struct plb_outbox *out)
{
    for (int rank = -1; (rank = plb_mpi_gone(life->config.mpi, rank)) >= 0;) {
        if (rank == 0)
            end_without_rank0(life);
        else if (plb_rank_is_there(plb_liveness_of(life->liveness, rank))) /* it has joined */
            plb_endings_hear(&life->endings, rank);
    }
    for (int rank; (rank = plb_neighbours_ended(life->neighbours)) >= 0;) {
        if (rank == 0)
            end_without_rank0(life);
        else if (life->rank == 0)
            plb_endings_hear(&life->endings, rank);
        else
            plb_outbox_add(out, PLB_LOST, life->rank, 0, 0)->lost.rank = rank;
    }
}

/* A rank on the host of a silent rank knows whether its process runs. */
static void ask_about_suspects(struct plb_life *life, double now, struct plb_outbox *out)
{
    for (int i = 1; i < life->size; i++) {
        if (plb_liveness_of(life->liveness, i) != PLB_RANK_SUSPECT)
            continue;
        int witness = plb_liveness_witness(life->liveness, i);
        if (plb_neighbours_runs(life->neighbours, i))
            plb_liveness_vouch(life->liveness, i, now);
        else if (witness > 0)
            plb_outbox_add(out, PLB_BEAT, 0, witness, 0)->beat.about = i;
    }
}

/* Data that arrives is a sign of life. A rank for which nobody can answer may be silent for longer while its
 * data is on its way, and while it closes its devices. All share the link of rank 0. */
static void count_data(struct plb_life *life, double now)
{
    double patience = plb_patience_look(&life->patience, life->config.mpi, life->liveness, now);
    for (int i = 1; i < life->size; i++) {
        double spare = fmax(life->patience.coming[i] > 0.0 ? patience : 0.0,
                            plb_liveness_spoke_at(life->liveness, i, life->closing) ? CLOSING : 0.0);
        spare = i >= plb_mpi_started(life->config.mpi) ? fmax(spare, CONNECTED) : spare;
        plb_liveness_spare(life->liveness, i, plb_liveness_alone(life->liveness, i) ? spare : 0.0);
    }
}

static void look_at_others(struct plb_life *life, double now, struct plb_outbox *out)
{
    char why[60];
    count_data(life, now);
    ask_about_suspects(life, now, out);
    for (int rank; (rank = plb_liveness_look(life->liveness, now)) >= 0;) {
        snprintf(why, sizeof why, "it has sent no message for %.1f s",
                 now - plb_liveness_last(life->liveness, rank));
        lose(life, rank, why, false, out);
    }
}

static void tell_others(struct plb_life *life, bool quiet, double now, struct plb_outbox *out)
{
    life->told = now;
    for (int i = 1; i < life->size; i++)
        plb_outbox_add(out, PLB_BEAT, 0, i, 0)->beat.quiet = quiet;
}

/* Rank 0's link is shared by the ranks of other hosts. */
static void look_at_rank0(struct plb_life *life, double now)
{
    struct plb_coming coming = plb_mpi_coming(life->config.mpi, 0);
    int share = plb_mpi_is_near(life->config.mpi, 0) ? 1 : life->size;
    double spare = (double)coming.bytes * share / SLOWEST_LINK;
    if (coming.arrived > 0)
        life->told = now;
    if (!life->quiet && now > life->told + RANK0_SILENCE + spare)
        end_process(life, "rank 0 has sent no message for 10 s");
}

/* Looks come every PLB_BEAT_SECONDS or a little later. */
static void say(struct plb_life *life, double now, struct plb_outbox *out)
{
    if (now < life->said + plb_liveness_beat(life->size) - 0.5 * PLB_BEAT_SECONDS)
        return;
    life->said = now;
    plb_outbox_add(out, PLB_BEAT, life->rank, 0, 0);
}

void plb_life_step(struct plb_life *life, struct plb_outbox *out)
{
    double now = plb_now(), gap = now - life->looked;
    for (int rank = -1; (rank = plb_endings_next(&life->endings, rank)) >= 0;)
        lose(life, rank, "its process has ended", false, out);
    if (life->size == 1 || gap < PLB_BEAT_SECONDS)
        return;
    if (gap > STALLED && life->rank != 0)
        life->told += gap;
    life->looked = now;
    look_at_neighbours(life, out);
    if (life->rank == 0) {
        look_at_others(life, now, out);
        if (now >= life->told + RANK0_BEAT)
            tell_others(life, false, now, out);
    } else {
        say(life, now, out);
        look_at_rank0(life, now);
    }
}

/* Others hear of rank 0, or of a lost rank. */
static void heard_from_rank0(struct plb_life *life, const struct plb_message *m, struct plb_outbox *out)
{
    life->told = plb_now();
    life->quiet = m->type == PLB_BEAT && m->beat.quiet != 0;
    if (m->type == PLB_LOST && m->lost.rank == life->rank)
        end_given_up(life);
    if (m->type == PLB_LOST)
        forget(life, m->lost.rank, m->lost.ends != 0);
    if (m->type == PLB_BEAT && m->beat.about > 0 && plb_neighbours_runs(life->neighbours, m->beat.about))
        plb_outbox_add(out, PLB_BEAT, life->rank, 0, 0)->beat.about = m->beat.about;
}

void plb_life_heard(struct plb_life *life, const struct plb_message *m, struct plb_outbox *out)
{
    life->begun |= m->type == PLB_PASS;
    if (life->rank != 0 && m->from == 0)
        heard_from_rank0(life, m, out);
    if (life->rank != 0 || m->from == 0)
        return;
    plb_liveness_heard(life->liveness, m->from, plb_now());
    if (m->type == PLB_BEAT && m->beat.about > 0)
        plb_liveness_vouch(life->liveness, m->beat.about, plb_now());
    if (m->type == PLB_BEAT && m->beat.quiet != 0 && plb_liveness_alone(life->liveness, m->from))
        plb_liveness_vouch(life->liveness, m->from, plb_now() + LONGEST_QUIET);
    if (m->type == PLB_LOST && m->lost.rank != 0)
        plb_endings_hear(&life->endings, m->lost.rank);
    if (m->type == PLB_CRASH && !m->crash.alive && m->crash.others == 0)
        lose(life, m->from, "its kernel has crashed", true, out);
}

void plb_life_quiet(struct plb_life *life)
{
    struct plb_outbox box = {0};
    if (life->rank == 0)
        tell_others(life, true, plb_now(), &box);
    else
        plb_outbox_add(&box, PLB_BEAT, life->rank, 0, 0)->beat.quiet = 1;
    send(life, &box);
}

void plb_life_excuse(struct plb_life *life, int rank)
{
    if (life->liveness != NULL)
        plb_liveness_excuse(life->liveness, rank);
}

void plb_life_closes(struct plb_life *life)
{
    life->closing = plb_now();
}

static bool let_go(struct plb_life *life)
{
    struct plb_outbox box = {0};
    for (int rank; (rank = plb_neighbours_ended(life->neighbours)) >= 0; life->any_lost = true)
        if (life->liveness == NULL || plb_rank_is_there(plb_liveness_of(life->liveness, rank)))
            plb_log(PLB_LOG_WARNING, "rank %d ended while outputs were written", rank);
    life->any_lost |= life->endings.waiting > 0;
    for (int i = 1; i < life->size; i++)
        plb_outbox_add(&box, PLB_LEAVE, 0, i, 0)->leave.in_order = !life->any_lost;
    send(life, &box);
    plb_mpi_drain(life->config.mpi, plb_liveness_together(life->size, DELIVERY));
    return !life->any_lost;
}

bool plb_life_leave(struct plb_life *life)
{
    struct plb_message m;
    if (life->rank == 0)
        return let_go(life);
    for (;;) {
        plb_mpi_progress(life->config.mpi);
        while (plb_mpi_receive(life->config.mpi, &m))
            if (m.type == PLB_LEAVE && m.from == 0)
                return m.leave.in_order != 0 || plb_mpi_has_joined(life->config.mpi);
        if (plb_mpi_gone(life->config.mpi, -1) == 0)
            end_without_rank0(life);
        for (int rank; (rank = plb_neighbours_ended(life->neighbours)) >= 0;)
            if (rank == 0)
                end_without_rank0(life);
        plb_sleep_until(plb_now() + LOOK);
    }
}

double plb_life_farewell(const struct plb_life *life)
{
    return plb_liveness_together(life->size, life->config.ends_lost ? SHORT_FAREWELL : PLB_FAREWELL);
}

void plb_life_see_off(struct plb_life *life)
{
    if (life->config.ends_lost)
        plb_neighbours_see_off(life->neighbours, life->rank, plb_liveness_together(life->size, SEE_OFF));
}
