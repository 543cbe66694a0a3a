/* From silence to loss, by core/liveness. */
#include "simulate/life.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/liveness.h"
#include "plb/kernel.h"

/* Between two looks, in beats: a hair more than one, since a look that comes too early is none. */
#define LOOK (1.0 + 1e-6)

/* Of a node, while it is silent. */
struct silence {
    bool lasts, suspect, vouched;
    bool told; /* its host has said that its process has ended */
};

struct plb_virtual_life {
    struct plb_world *world;
    struct plb_faults *faults;
    struct plb_network *network;
    struct plb_liveness *liveness; /* NULL until a node falls silent */
    int n;
    int *hosts; /* by node */
    struct silence *silences;
    int *lost, n_lost; /* that plb_virtual_life_lost has not told */
    bool looks;        /* the next look is planned */
    double looked;
    struct plb_outbox out;
};

struct plb_virtual_life *plb_virtual_life_new(struct plb_world *world, struct plb_faults *faults,
                                              struct plb_network *network)
{
    struct plb_virtual_life *life = plb_alloc(sizeof *life);
    *life = (struct plb_virtual_life){
        .world = world, .faults = faults, .network = network, .n = world->in->cluster->n_nodes};
    return life;
}

void plb_virtual_life_free(struct plb_virtual_life *life)
{
    plb_liveness_free(life->liveness);
    plb_outbox_fini(&life->out);
    free(life->hosts);
    free(life->silences);
    free(life->lost);
    free(life);
}

/* The clock of core/liveness, whose beats have a fixed length. */
static double clock_of(const struct plb_virtual_life *life, double time)
{
    return time / life->world->in->beat_s * PLB_BEAT_SECONDS;
}

/* When rank 0 got the last BEAT that a node has said by some moment. Each says it at its own moments. */
static double last_beat(const struct plb_virtual_life *life, int node, double by)
{
    double beat = life->world->in->beat_s * plb_liveness_beat(life->n) / PLB_BEAT_SECONDS;
    double latency = node > 0 ? life->world->in->cluster->nodes[node].latency : 0.0;
    double phase = plb_random_real(life->world->in->seed + 4, (uint64_t)node);
    return (floor(by / beat - phase) + phase) * beat + latency;
}

/* Counts the BEATs of a node that rank 0 has got until now. */
static void count_beats(struct plb_virtual_life *life, int node)
{
    double since, now = life->world->now;
    bool silent = plb_faults_silent(life->faults, node, &since);
    double heard = clock_of(life, last_beat(life, node, silent ? since : now));
    if (heard > plb_liveness_last(life->liveness, node + 1))
        plb_liveness_heard(life->liveness, node + 1, heard);
}

/* The first node that falls silent. */
static void set_up(struct plb_virtual_life *life)
{
    const struct plb_simulation *in = life->world->in;
    size_t n = (size_t)life->n;
    int *hosts = plb_alloc((n + 1) * sizeof *hosts);
    for (int i = 0; i < life->n; i++)
        hosts[i + 1] = in->hosts != NULL ? in->hosts[i] : i;
    hosts[0] = hosts[1];
    life->silences = plb_alloc(n * sizeof *life->silences);
    life->lost = plb_alloc(n * sizeof *life->lost);
    life->liveness = plb_liveness_new(life->n + 1, hosts, clock_of(life, in->lost_after), 0.0);
    life->hosts = hosts;
    for (int i = 0; i < life->n; i++) /* before the first pass */
        if (plb_faults_given_up(life->faults, i))
            plb_liveness_lose(life->liveness, i + 1);
}

/* Rank 0 has looked all the time, and nothing came of it: as if it had done so until its last look. */
static void begin_to_look(struct plb_virtual_life *life)
{
    double beat = life->world->in->beat_s, last = floor(life->world->now / beat) * beat;
    plb_liveness_resume(life->liveness, clock_of(life, last - LOOK * beat));
    for (int n = 0; n < life->n; n++)
        count_beats(life, n);
    plb_liveness_look(life->liveness, clock_of(life, last));
    life->looked = last;
}

static void plan_look(struct plb_virtual_life *life)
{
    double time = life->looked + LOOK * life->world->in->beat_s;
    life->looks = true;
    plb_events_add(life->world->clock, (struct plb_event){time, PLB_EVENT_BEAT, 0, -1, -1});
}

void plb_virtual_life_watch(struct plb_virtual_life *life)
{
    double since;
    if (!isfinite(life->world->in->lost_after))
        return;
    if (life->liveness == NULL)
        set_up(life);
    for (int n = 0; n < life->n; n++)
        if (!life->silences[n].lasts && plb_faults_silent(life->faults, n, &since))
            life->silences[n] = (struct silence){.lasts = true};
    if (life->looks)
        return;
    begin_to_look(life);
    plan_look(life);
}

void plb_virtual_life_join(struct plb_virtual_life *life, int node)
{
    if (life->liveness != NULL)
        plb_liveness_join(life->liveness, node + 1, clock_of(life, life->world->now));
}

static void lose(struct plb_virtual_life *life, int node)
{
    if (plb_liveness_lose(life->liveness, node + 1))
        life->lost[life->n_lost++] = node;
}

int plb_virtual_life_lost(struct plb_virtual_life *life)
{
    return life->n_lost > 0 ? life->lost[--life->n_lost] : -1;
}

/* A node, other than node 0, that can speak for another one of its host. */
static bool is_mate(const struct plb_virtual_life *life, int node, int other)
{
    return node != other && life->hosts[node + 1] == life->hosts[other + 1]
        && plb_faults_node_works(life->faults, node) && plb_faults_running(life->faults, node);
}

static void send(struct plb_virtual_life *life)
{
    for (int i = 0; i < life->out.n; i++) {
        plb_network_tell(life->network, &life->out.at[i]);
        plb_network_send(life->network, &life->out.at[i], life->world->now, 0.0);
    }
    life->out.n = 0;
}

/* A host sees that a process has ended: rank 0 by itself, other nodes say so. */
static void tell_of_ended(struct plb_virtual_life *life, int node)
{
    struct silence *s = &life->silences[node];
    if (s->told || !plb_faults_ended(life->faults, node) || plb_faults_given_up(life->faults, node))
        return;
    s->told = true;
    if (life->hosts[node + 1] == life->hosts[0] && node > 0) {
        life->world->out->stress.ended_seen++;
        lose(life, node);
    }
    if (life->hosts[node + 1] != life->hosts[0])
        for (int i = 1; i < life->n; i++)
            if (is_mate(life, i, node))
                plb_outbox_add(&life->out, PLB_LOST, i, 0, 0)->lost.rank = node;
    send(life);
}

/* A node on the host of a silent node knows whether its process runs. */
static void ask_about(struct plb_virtual_life *life, int node, struct plb_outbox *out)
{
    struct plb_stress_counts *counts = &life->world->out->stress;
    struct silence *s = &life->silences[node];
    int witness = plb_liveness_witness(life->liveness, node + 1) - 1;
    if (plb_liveness_of(life->liveness, node + 1) != PLB_RANK_SUSPECT)
        return;
    counts->suspects += !s->suspect;
    s->suspect = true;
    if (node > 0 && life->hosts[node + 1] == life->hosts[0] && plb_faults_running(life->faults, node)) {
        s->vouched = true;
        plb_liveness_vouch(life->liveness, node + 1, clock_of(life, life->world->now));
    } else if (witness > 0) {
        counts->questions++;
        plb_outbox_add(out, PLB_BEAT, 0, witness, 0)->beat.about = node;
    }
}

void plb_virtual_life_asked(struct plb_virtual_life *life, const struct plb_message *m)
{
    int node = m->to, about = m->beat.about;
    if (!plb_faults_node_works(life->faults, node) || !plb_faults_running(life->faults, about))
        return;
    plb_outbox_add(&life->out, PLB_BEAT, node, 0, 0)->beat.about = about;
    send(life);
}

void plb_virtual_life_heard(struct plb_virtual_life *life, const struct plb_message *m)
{
    double now = life->world->now;
    if (!life->looks)
        return;
    plb_liveness_heard(life->liveness, m->from + 1, clock_of(life, now));
    if (m->type == PLB_BEAT) {
        life->world->out->stress.answers++;
        life->silences[m->beat.about].vouched = true;
        plb_liveness_vouch(life->liveness, m->beat.about + 1, clock_of(life, now));
    } else if (m->type == PLB_LOST) {
        life->world->out->stress.ended_seen++;
        lose(life, m->lost.rank);
    }
}

/* Judges. A node that is not silent is heard all the time. */
static void judge(struct plb_virtual_life *life)
{
    struct plb_stress_counts *counts = &life->world->out->stress;
    double now = life->world->now;
    counts->late_looks += now - life->looked > 2.0 * LOOK * life->world->in->beat_s;
    for (int rank; (rank = plb_liveness_look(life->liveness, clock_of(life, now))) >= 0;) {
        counts->lost_silent++;
        counts->lost_running += life->silences[rank - 1].vouched;
        lose(life, rank - 1);
    }
    life->looked = now;
}

/* Whether the silence of a node goes on, and it is not lost. */
static bool still_silent(struct plb_virtual_life *life, int node)
{
    struct silence *s = &life->silences[node];
    double since;
    bool lost = !plb_rank_is_there(plb_liveness_of(life->liveness, node + 1))
             || plb_faults_given_up(life->faults, node);
    if (s->lasts && !plb_faults_silent(life->faults, node, &since)) {
        life->world->out->stress.recovered += !lost;
        s->lasts = false;
    }
    return s->lasts && !lost;
}

void plb_virtual_life_look(struct plb_virtual_life *life, struct plb_outbox *out)
{
    bool goes_on = false;
    for (int n = 0; n < life->n; n++) {
        count_beats(life, n);
        tell_of_ended(life, n);
        ask_about(life, n, out);
    }
    judge(life);
    life->looks = false;
    for (int n = 0; n < life->n; n++)
        goes_on |= still_silent(life, n);
    if (goes_on)
        plan_look(life);
}
