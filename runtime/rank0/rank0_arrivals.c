/* Ranks that join while the run goes on.
 *
 * One that is let in gets what every rank gets at the start: the kernel's name, settings, the description of
 * the data, replicated buffers, costs. It loads the kernel, opens its PUs, and says HELLO for each. Then the
 * master knows it. Until then nothing depends on it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "membership/door.h"
#include "membership/joiners.h"
#include "membership/pu_list.h"
#include "rank0/rank0.h"
#include "rank0/rank0_announcement.h"

/* Seconds between two looks who comes. Larger: joining lasts longer. Smaller: more calls of the system. */
#define LOOK 20e-3

/* Seconds for which a pass waits to end while one is told the data, which the next pass may change. Larger: a
 * rank that stops while it joins holds the run up for longer. Smaller: one with much data to hear does not
 * get in between short passes. */
#define TELLING 5.0

/* One that may join. */
struct arrival {
    bool told;     /* one was let in */
    bool joined;   /* the master knows it, or has known it */
    double since;  /* plb_now() when it was let in */
    int pending;   /* parts of what it is told, on their way */
    int64_t stale; /* replicated buffers that have changed since it was told */
    struct plb_pu_info *infos;
    int n;
    struct plb_announcement announcement; /* while it is sent */
    char host[64];
};

struct plb_arrivals {
    struct plb_door *door; /* NULL: closed */
    double looked;
    struct arrival at[PLB_JOINERS];
};

static struct plb_arrivals *new_arrivals(struct plb_rank *r)
{
    const struct plb_job *job = r->rank0->job;
    if (job->run.join == NULL)
        return NULL;
    struct plb_arrivals *a = plb_alloc(sizeof *a);
    a->door = plb_door_open(job->run.join, plb_settings_get(&job->settings, "run", "join")->origin, r->err);
    if (a->door != NULL)
        return a;
    free(a);
    return NULL;
}

void plb_rank0_open(struct plb_rank *r, struct plb_job *job, struct plb_trace *trace)
{
    plb_mpi_reserve(r->mpi, plb_joiners(job));
    r->size = plb_mpi_size(r->mpi);
    plb_rank0_init(r->rank0, job, trace, r->size, plb_mpi_started(r->mpi), r->options->progress);
    r->rank0->arrivals = new_arrivals(r);
}

void plb_rank0_free_arrivals(struct plb_arrivals *a)
{
    if (a == NULL)
        return;
    plb_door_close(a->door);
    for (int i = 0; i < PLB_JOINERS; i++)
        free(a->at[i].infos);
    free(a);
}

static int rank_of(const struct plb_rank *r, int joiner)
{
    return plb_mpi_started(r->mpi) + joiner;
}

/* Another one may join instead: this one has not. */
static void give_up(struct plb_rank *r, int joiner)
{
    struct arrival *at = &r->rank0->arrivals->at[joiner];
    plb_mpi_detach(r->mpi, rank_of(r, joiner));
    free(at->infos);
    *at = (struct arrival){.told = false};
}

static void let_in(struct plb_rank *r, int socket, const char *host)
{
    struct plb_arrivals *a = r->rank0->arrivals;
    int joiner = 0;
    while (joiner < PLB_JOINERS && a->at[joiner].told)
        joiner++;
    struct plb_door_answer answer = {.rank = rank_of(r, joiner), .n_ranks = r->size};
    if (joiner == PLB_JOINERS) {
        answer.status = PLB_EFAILED;
        snprintf(answer.why, sizeof answer.why, "%d ranks have joined that run, which is the maximum",
                 PLB_JOINERS);
    }
    plb_door_answer(socket, &answer);
    if (answer.status != PLB_OK)
        return;
    struct arrival *at = &a->at[joiner];
    at->told = true;
    at->since = plb_now();
    memcpy(at->host, host, sizeof at->host);
    plb_mpi_attach(r->mpi, answer.rank, socket);
    plb_mpi_tell(r->mpi, answer.rank, &at->pending);
    plb_announce(r, &at->announcement);
    plb_mpi_tell(r->mpi, -1, NULL);
    plb_log(PLB_LOG_INFO, "rank %d on %s is joining", answer.rank, host);
}

void plb_rank0_let_in(struct plb_rank *r)
{
    struct plb_arrivals *a = r->rank0->arrivals;
    char host[64];
    double now = plb_now();
    if (a == NULL || now < a->looked + LOOK)
        return;
    a->looked = now;
    for (int i = 0; i < PLB_JOINERS; i++)
        if (a->at[i].told && !a->at[i].joined && plb_mpi_gone(r->mpi, rank_of(r, i) - 1) == rank_of(r, i))
            give_up(r, i);
    if (a->door != NULL)
        for (int socket; (socket = plb_door_look(a->door, host)) >= 0;)
            let_in(r, socket, host);
}

void plb_rank0_arrivals_lack(struct plb_rank *r, int64_t replaced)
{
    struct plb_arrivals *a = r->rank0->arrivals;
    if (a != NULL)
        for (int i = 0; i < PLB_JOINERS; i++)
            a->at[i].stale |= replaced;
}

bool plb_rank0_arrivals_read(struct plb_rank *r)
{
    struct plb_arrivals *a = r->rank0->arrivals;
    bool reads = false;
    if (a != NULL)
        for (int i = 0; i < PLB_JOINERS; i++) {
            if (a->at[i].pending == 0)
                continue;
            if (plb_now() > a->at[i].since + TELLING)
                give_up(r, i);
            else
                reads = true;
        }
    return reads;
}

/* The others of the run hear of it by its messages. */
static void admit(struct plb_rank *r, int joiner)
{
    struct plb_rank0 *rank0 = r->rank0;
    struct arrival *at = &rank0->arrivals->at[joiner];
    int rank = rank_of(r, joiner);
    plb_mpi_admit(r->mpi, rank);
    plb_life_join(r->life, rank);
    plb_early_end_joined(&rank0->early_end, rank);
    rank0->partings[rank] = (struct plb_parting){.state = PLB_BYE_AWAITED};
    r->hosts[rank] = at->host;
    for (int i = 0; i < at->n; i++)
        plb_pu_list_add(&rank0->pus, &rank0->n_pus, &at->infos[i]);
    rank0->expected = rank0->n_pus;
    plb_dataset_send_to(&r->data, at->stale, r->mpi, rank, &r->replaced.sends);
    plb_log(PLB_LOG_INFO, "rank %d on %s has joined, with %d PU%s", rank, at->host, at->n,
            at->n == 1 ? "" : "s");
}

void plb_rank0_hear_arrival(struct plb_rank *r, const struct plb_message *hello)
{
    struct plb_rank0 *rank0 = r->rank0;
    int joiner = hello->from - plb_mpi_started(r->mpi);
    struct arrival *at = rank0->arrivals != NULL ? &rank0->arrivals->at[joiner] : NULL;
    if (at == NULL || !at->told || at->joined || !plb_pu_list_add(&at->infos, &at->n, &hello->hello.pu)
        || at->n < hello->hello.pus)
        return;
    plb_pu_list_sort(at->infos, at->n);
    bool open = rank0->in_pass && !plb_early_end_has_begun(&rank0->early_end);
    at->joined = open
              && plb_master_join(rank0->master, hello->from, at->infos, at->n, at->stale, plb_rank_time(r),
                                 &r->out);
    if (at->joined) {
        admit(r, joiner);
    } else {
        plb_log(PLB_LOG_WARNING, "rank %d on %s cannot join: %s", hello->from, at->host,
                open ? "too many PUs have joined" : "the run ends");
        give_up(r, joiner);
    }
}

void plb_rank0_close_door(struct plb_rank *r)
{
    struct plb_arrivals *a = r->rank0->arrivals;
    if (a == NULL || a->door == NULL)
        return;
    plb_door_close(a->door);
    a->door = NULL;
    for (int i = 0; i < PLB_JOINERS; i++)
        if (a->at[i].told && !a->at[i].joined)
            give_up(r, i);
}
