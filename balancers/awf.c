/* awf: adaptive weighted factoring (Banicescu, Velusamy and Devaprasad, Cluster Computing 6, 2003), in
 * its chunk-wise form AWF-C (Cariño and Banicescu, Cluster Computing 11, 2008).
 *
 * As factoring, but PU p's chunk of a batch is w_p times the equal one. The weights, with Σ w = P, are
 * the inverse of each PU's mean time per unit, in which its j-th chunk counts j times, so that recent
 * ones count more; they are taken when the chunk is asked for. Before a PU has finished a chunk its
 * weight is 1, and the first batch is therefore a tenth of the work instead of half: among PUs that
 * differ by tens an equal share of a half would decide the run. */
#include <math.h>
#include <stdlib.h>

#include "plb/balancer.h"

#define FIRST_BATCH 0.1

struct pu {
    double time, work;          /* weighted sums over its chunks: Σ j·t_j, Σ j·n_j */
    double chunks;              /* finished */
    bool granted;               /* in this batch */
};

struct state {
    double chunk;               /* of weight 1 */
    int ungranted;              /* PUs that have not had their chunk of this batch */
    bool started;
    struct pu pus[];
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    return calloc(1, sizeof(struct state) + (size_t)view->n_pus * sizeof(struct pu));
}

static double rate(const struct pu *pu)
{
    return pu->chunks > 0.0 && pu->time > 0.0 && isfinite(pu->time) ? pu->work / pu->time : 0.0;
}

/* w_p: 1 is the mean of those that are known. */
static double weight(const struct state *s, const struct plb_view *view, int p)
{
    double sum = 0.0, own = rate(&s->pus[p]);
    int known = 0;
    for (int q = 0; q < view->n_pus; q++) {
        double r = view->pus[q].lost ? 0.0 : rate(&s->pus[q]);
        known += r > 0.0;
        sum += r;
    }
    return own > 0.0 ? own * known / sum : 1.0;
}

static void begin_batch(struct state *s, const struct plb_view *view)
{
    s->ungranted = 0;
    for (int p = 0; p < view->n_pus; p++) {
        s->pus[p].granted = view->pus[p].lost;
        s->ungranted += !view->pus[p].lost;
    }
    s->chunk = view->remaining * (s->started ? 0.5 : FIRST_BATCH) / s->ungranted;
    s->started = true;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (s->ungranted == 0)
        begin_batch(s, view);
    struct pu *pu = &s->pus[p];
    bool small = s->chunk <= 0.01 * view->total / view->n_pus;
    if (view->pus[p].outstanding > 0 && (small || pu->chunks == 0.0))
        return PLB_WAIT_OWN; /* nothing ahead for a PU of unknown speed, nor at the end */
    /* A PU that comes again in the same batch is ahead of the others: it takes a chunk of the next. */
    if (!pu->granted) {
        pu->granted = true;
        s->ungranted--;
    } else if (view->pus[p].outstanding > 0) {
        return 0.0;
    }
    return fmax(s->chunk * weight(s, view, p), 1.0);
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct pu *pu = &((struct state *)state)->pus[p];
    (void)view;
    pu->chunks += 1.0;
    pu->time += pu->chunks * (sample->execute_s + sample->transfer_s);
    pu->work += pu->chunks * sample->work;
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    (void)pu;
    begin_batch(state, view);
}

const struct plb_balancer plb_balancer_awf = {
    PLB_BALANCER_HEAD,
    .name = "awf",
    .summary = "adaptive weighted factoring: factoring by measured speeds",
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
