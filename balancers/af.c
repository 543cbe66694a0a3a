/* af: adaptive factoring (Banicescu and Liu, High Performance Computing Symposium 2000).
 *
 * The rule: with R the work not granted yet, μ_p the mean and σ²_p the variance of PU p's seconds per
 * unit, all measured in this run,
 *
 *     D = Σ σ²_p / μ_p,   T = R / Σ (1 / μ_p),   chunk of p = (D + 2T − √(D² + 4DT)) / (2 μ_p).
 *
 * T is how long all PUs need together. Without variance a chunk is the PU's whole share. The more
 * the times vary, the smaller a chunk.
 *
 * A report tells only the mean of a task of n units, so the variance is that of these means, each
 * multiplied by its n. Where the formula has no numbers yet: a first chunk is a PU's part of a first
 * batch, and a chunk after one report is half of the share, as in factoring. PUs that are not
 * measured count as the mean of the others.
 *
 * Cost: O(1) per question and report. Weak where a task has a high start cost, which looks like
 * variance, and where a PU's speed changes: old reports count as much as new ones. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "plb/balancer.h"

/* A PU's part of the formula's sums, and the sums themselves. */
struct terms {
    double rate, scatter; /* 1/μ, σ²/μ */
    int rated, scattered; /* PUs that have each: one report tells μ, two tell σ² */
};

struct af_pu {
    double units, mean; /* units reported; seconds per unit */
    double squares;     /* sum over its reports: units · (seconds per unit − mean)² */
    int64_t reports;    /* that could be used */
    struct terms in;    /* of the sums; all 0 where the PU is lost or not measured */
};

struct state {
    struct terms sum;
    int changes; /* of the sums since they were last taken anew */
    struct af_pu pus[];
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    (void)params;
    return calloc(1, sizeof(struct state) + (size_t)view->n_pus * sizeof(struct af_pu));
}

/* The sums are taken anew now and then, so that rounding errors of their updates do not add up. */
static void sum_anew(struct state *s, int n_pus)
{
    s->changes = 0;
    s->sum.rate = s->sum.scatter = 0.0;
    for (int p = 0; p < n_pus; p++) {
        s->sum.rate += s->pus[p].in.rate;
        s->sum.scatter += s->pus[p].in.scatter;
    }
}

/* Puts PU p's mean and variance in the sums, in place of what it has there. */
static void enter(struct state *s, const struct plb_view *view, int p, struct terms now)
{
    struct terms *in = &s->pus[p].in;
    s->sum.rate += now.rate - in->rate;
    s->sum.scatter += now.scatter - in->scatter;
    s->sum.rated += now.rated - in->rated;
    s->sum.scattered += now.scattered - in->scattered;
    *in = now;
    if (++s->changes >= view->n_pus)
        sum_anew(s, view->n_pus);
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct af_pu *pu = &s->pus[p];
    double units = sample->work * (double)sample->tasks;
    double each = (sample->execute_s + sample->transfer_s) / sample->work;
    if (!(each > 0.0 && isfinite(each) && isfinite(1.0 / each)))
        return;
    double off = each - pu->mean;
    pu->units += units;
    pu->mean += off * units / pu->units;
    pu->squares += units * off * (each - pu->mean);
    pu->reports++;
    if (view->pus[p].lost)
        return;
    struct terms now = {.rate = 1.0 / pu->mean, .rated = 1};
    if (pu->reports > 1) {
        now.scatter = pu->squares / (double)(pu->reports - 1) / pu->mean;
        now.scattered = 1;
    }
    enter(s, view, p, now);
}

static void lost(void *state, const struct plb_view *view, int pu)
{
    enter(state, view, pu, (struct terms){0});
}

/* The formula. Written with the difference as a quotient, because D may be far above T. */
static double chunk_of(const struct state *s, const struct plb_view *view, const struct af_pu *pu)
{
    if (pu->in.rated == 0)
        return fmin(PLB_FIRST_BATCH * view->total, 0.5 * view->remaining) / view->living;
    double t = view->remaining / (s->sum.rate * view->living / s->sum.rated);
    if (pu->in.scattered == 0)
        return 0.5 * t * pu->in.rate;
    double d = s->sum.scatter * view->living / s->sum.scattered;
    return 2.0 * t * t / (d + 2.0 * t + sqrt(d * d + 4.0 * d * t)) * pu->in.rate;
}

/* The work that a PU holds counts as part of its chunk. It gets the rest when it holds less than half. */
static double grant(void *state, const struct plb_view *view, int p)
{
    const struct state *s = state;
    const struct plb_pu *pu = &view->pus[p];
    double chunk = chunk_of(s, view, &s->pus[p]);
    double held = pu->outstanding > 0 ? fmax(pu->granted - pu->done, 0.0) : 0.0;
    if (pu->outstanding > 0 && (s->pus[p].in.rated == 0 || !(held <= 0.5 * chunk)))
        return PLB_WAIT_OWN;
    return fmax(chunk - held, 1.0);
}

const struct plb_balancer plb_balancer_af = {
    .name = "af",
    PLB_BALANCER_HEAD,
    .summary = "adaptive factoring: chunks by the mean and variance of each PU's times",
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
