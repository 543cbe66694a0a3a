/* awf: adaptive weighted factoring (Banicescu, Velusamy and Devaprasad, Cluster Computing 6, 2003),
 * in its forms B to E (Cariño and Banicescu, Cluster Computing 11, 2008). C is the default.
 *
 * As factoring, but PU p's chunk of a batch is w_p times the equal one. The weights, with Σ w = P,
 * are the inverse of each PU's mean time per unit. In that mean its j-th chunk counts j times, so
 * that recent chunks count more. Forms C and E take a weight when the chunk is asked for, B and D when
 * its batch begins. It is 1 before the PU has finished a chunk. Forms B and C count the time of execution and
 * transfer, D and E also the time in which the PU waited. The first batch is a tenth of the work instead of
 * half: among PUs that differ by tens, equal shares of a half would decide the run.
 *
 * Cost: O(1) per question; O(P) per batch, which is P questions. Weak while a PU's speed is
 * unknown. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "plb/balancer.h"

struct awf_pu {
    double time, work; /* weighted sums over its chunks: Σ j·t_j, Σ j·n_j */
    double chunks;     /* finished */
    double since;      /* when it began to wait for, or to work on, what it reports next */
    double rate;       /* work per second by these sums; 0 = not known, or lost */
    bool granted;      /* in this batch */
};

struct state {
    double chunk;        /* of weight 1 */
    int ungranted;       /* living PUs that have not had their chunk of this batch */
    double rates;        /* sum over the living PUs whose rate is known, */
    int known;           /* which are so many */
    bool started, again; /* again: a PU was lost, so the next question begins a batch */
    bool by_batch;       /* forms B and D */
    bool with_waiting;   /* forms D and E */
    struct awf_pu pus[];
};

static const struct plb_option options[] = {
    {"awf_variant", PLB_TEXT, "c", 0, 0, "b|c|d|e",
     "weights by batch (b, d) or by chunk (c, e); d and e include waiting times"},
    {0},
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s + (size_t)view->n_pus * sizeof(struct awf_pu));
    if (s == NULL)
        return NULL;
    s->by_batch = params[0].value == 0.0 || params[0].value == 2.0;
    s->with_waiting = params[0].value >= 2.0;
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].since = view->now;
    return s;
}

static double rate_of(const struct awf_pu *pu)
{
    return pu->chunks > 0.0 && pu->time > 0.0 && isfinite(pu->time) ? pu->work / pu->time : 0.0;
}

/* w_p: 1 is the mean of those that are known. */
static double weight(const struct state *s, int p)
{
    double own = s->pus[p].rate;
    return own > 0.0 ? own * s->known / fmax(s->rates, own) : 1.0;
}

/* The sum of the rates is taken anew, so that rounding errors of its updates do not add up. */
static void begin_batch(struct state *s, const struct plb_view *view)
{
    s->rates = 0.0;
    s->known = 0;
    for (int p = 0; p < view->n_pus; p++) {
        struct awf_pu *pu = &s->pus[p];
        pu->granted = view->pus[p].lost;
        pu->rate = view->pus[p].lost ? 0.0 : rate_of(pu);
        s->rates += pu->rate;
        s->known += pu->rate > 0.0;
    }
    s->ungranted = view->living;
    s->chunk = view->remaining * (s->started ? 0.5 : PLB_FIRST_BATCH) / view->living;
    s->started = true;
    s->again = false;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (s->ungranted == 0 || s->again)
        begin_batch(s, view);
    struct awf_pu *pu = &s->pus[p];
    bool small = s->chunk <= PLB_AHEAD_WHILE * view->total / view->n_pus;
    if (view->pus[p].outstanding > 0 && (small || pu->chunks == 0.0))
        return PLB_WAIT_OWN; /* nothing ahead for a PU of unknown speed, nor at the end */
    /* A PU that comes again in the same batch is ahead of the others: it takes a chunk of the next. */
    if (!pu->granted) {
        pu->granted = true;
        s->ungranted--;
        view->stats->ask_again |= s->ungranted == 0; /* PUs ahead of the others wait for the next batch */
    } else if (view->pus[p].outstanding > 0) {
        return PLB_WAIT;
    }
    return fmax(s->chunk * weight(s, p), 1.0);
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct awf_pu *pu = &s->pus[p];
    (void)view;
    double took = sample->execute_s + sample->transfer_s;
    if (s->with_waiting)
        took = (sample->time - pu->since) / (double)sample->tasks;
    pu->since = sample->time;
    pu->chunks += 1.0;
    pu->time += pu->chunks * took;
    pu->work += pu->chunks * sample->work;
    if (s->by_batch)
        return;
    double rate = rate_of(pu);
    s->rates += rate - pu->rate;
    s->known += (rate > 0.0) - (pu->rate > 0.0);
    pu->rate = rate;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    struct state *s = state;
    (void)view;
    (void)pu;
    s->again = true;
}

const struct plb_balancer plb_balancer_awf = {
    .name = "awf",
    PLB_BALANCER_HEAD,
    .summary = "adaptive weighted factoring: factoring by measured speeds",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
