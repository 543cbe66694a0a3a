/* One time for each rank. */
#include "core/liveness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LATE_SECONDS (PLB_LATE_BEATS * PLB_BEAT_SECONDS)

/* Seconds without a message after which a rank is lost that has never said a word, where another rank is
 * lost: it probably waits for that one in the last collective of the start, and does so for ever. Larger: its
 * work waits longer. Smaller: a rank is given up whose core was taken away at the beginning of the run. */
#define UNBEGUN 2.0

struct plb_liveness {
    int n;
    double lost_after, beat, looked;
    int *hosts;
    bool *alone;                 /* no other rank is on its host */
    double *heard;               /* from it, or of it */
    double *spoke;               /* from it alone */
    double *spare;               /* seconds that it may be silent beyond lost_after */
    enum plb_rank_state *states; /* no SUSPECT, which the time tells */
    bool any_lost;
};

double plb_liveness_beat(int n)
{
    return fmax((double)(n - 1) / PLB_MOST_BEATS, PLB_BEAT_SECONDS);
}

double plb_liveness_together(int n, double few)
{
    return few * plb_liveness_beat(n) / PLB_BEAT_SECONDS;
}

static bool is_alone(const struct plb_liveness *l, int rank)
{
    for (int i = 0; i < l->n; i++)
        if (i != rank && l->hosts[i] == l->hosts[rank])
            return false;
    return true;
}

struct plb_liveness *plb_liveness_new(int n, const int *hosts, double lost_after, double now)
{
    struct plb_liveness *l = plb_alloc(sizeof *l);
    l->n = n;
    l->beat = plb_liveness_beat(n);
    l->lost_after = lost_after + l->beat - PLB_BEAT_SECONDS;
    l->hosts = plb_alloc((size_t)n * sizeof *l->hosts);
    memcpy(l->hosts, hosts, (size_t)n * sizeof *l->hosts);
    l->alone = plb_alloc((size_t)n * sizeof *l->alone);
    for (int i = 0; i < n; i++)
        l->alone[i] = is_alone(l, i);
    l->heard = plb_alloc((size_t)n * sizeof *l->heard);
    l->spoke = plb_alloc((size_t)n * sizeof *l->spoke);
    l->spare = plb_alloc((size_t)n * sizeof *l->spare);
    l->states = plb_alloc((size_t)n * sizeof *l->states);
    for (int i = 0; i < n; i++)
        l->states[i] = PLB_RANK_STARTING;
    plb_liveness_resume(l, now);
    return l;
}

void plb_liveness_free(struct plb_liveness *l)
{
    if (l == NULL)
        return;
    free(l->hosts);
    free(l->alone);
    free(l->heard);
    free(l->spoke);
    free(l->spare);
    free(l->states);
    free(l);
}

void plb_liveness_heard(struct plb_liveness *l, int rank, double now)
{
    l->heard[rank] = l->spoke[rank] = now;
    if (l->states[rank] == PLB_RANK_STARTING)
        l->states[rank] = PLB_RANK_ALIVE;
}

void plb_liveness_vouch(struct plb_liveness *l, int rank, double now)
{
    l->heard[rank] = now;
}

void plb_liveness_spare(struct plb_liveness *l, int rank, double seconds)
{
    l->spare[rank] = seconds;
}

void plb_liveness_excuse(struct plb_liveness *l, int rank)
{
    if (plb_rank_is_there(l->states[rank]))
        l->states[rank] = PLB_RANK_EXCUSED;
}

bool plb_liveness_lose(struct plb_liveness *l, int rank)
{
    bool there = plb_rank_is_there(l->states[rank]);
    if (there)
        l->states[rank] = PLB_RANK_LOST;
    l->any_lost |= there;
    return there;
}

void plb_liveness_await(struct plb_liveness *l, int rank)
{
    l->states[rank] = PLB_RANK_AWAITED;
}

void plb_liveness_join(struct plb_liveness *l, int rank, double now)
{
    l->states[rank] = PLB_RANK_ALIVE;
    plb_liveness_heard(l, rank, now);
}

void plb_liveness_resume(struct plb_liveness *l, double now)
{
    for (int i = 0; i < l->n; i++)
        l->heard[i] = l->spoke[i] = now;
    l->looked = now;
}

/* Seconds without a message of its own after which a rank is lost whose process runs. */
static double longest_silence(const struct plb_liveness *l, int rank)
{
    return fmax(l->lost_after,
                l->any_lost && l->states[rank] == PLB_RANK_STARTING ? UNBEGUN : PLB_LOST_THOUGH_RUNNING);
}

/* Whether its silence means something. */
static bool is_judged(const struct plb_liveness *l, int rank)
{
    return l->states[rank] == PLB_RANK_STARTING || l->states[rank] == PLB_RANK_ALIVE;
}

int plb_liveness_look(struct plb_liveness *l, double now)
{
    double gap = now - l->looked;
    if (gap < PLB_BEAT_SECONDS)
        return -1;
    if (gap > LATE_SECONDS)
        for (int i = 1; i < l->n; i++) {
            l->heard[i] += gap - PLB_BEAT_SECONDS;
            l->spoke[i] += gap - PLB_BEAT_SECONDS;
        }
    l->looked = gap > LATE_SECONDS ? now - PLB_BEAT_SECONDS : l->looked;
    for (int i = 1; i < l->n; i++)
        if (is_judged(l, i)
            && (now - l->heard[i] > l->lost_after + l->spare[i]
                || now - l->spoke[i] > longest_silence(l, i) + l->spare[i]))
            return i;
    l->looked = now;
    return -1;
}

enum plb_rank_state plb_liveness_of(const struct plb_liveness *l, int rank)
{
    bool late = rank > 0 && is_judged(l, rank) && l->looked - l->heard[rank] > l->beat + LATE_SECONDS;
    return late ? PLB_RANK_SUSPECT : l->states[rank];
}

/* Whether it was heard of late, or need not be. */
static bool is_well(const struct plb_liveness *l, int rank)
{
    enum plb_rank_state state = plb_liveness_of(l, rank);
    return plb_rank_is_there(state) && state != PLB_RANK_SUSPECT;
}

int plb_liveness_witness(const struct plb_liveness *l, int rank)
{
    for (int i = 1; i < l->n; i++)
        if (i != rank && l->hosts[i] == l->hosts[rank] && is_well(l, i))
            return i;
    return -1;
}

bool plb_liveness_alone(const struct plb_liveness *l, int rank)
{
    return l->alone[rank];
}

double plb_liveness_last(const struct plb_liveness *l, int rank)
{
    return l->spoke[rank];
}

bool plb_liveness_spoke_at(const struct plb_liveness *l, int rank, double time)
{
    return l->spoke[rank] + l->beat + LATE_SECONDS >= time;
}
