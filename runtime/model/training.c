/* Training: rounds of blocks with a barrier after each. Weak where PUs are very unlike: all wait for the
 * slowest one's first block, which is as large as everybody's. */
#include "model/training.h"

#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "model/rounding.h"

/* Seconds: where the user gives no size, the first block grows until the fastest PU needs as long. Longer:
 * slow PUs lose more in that round. Shorter: the block is mostly timer and start costs, and says little of
 * the speed. */
#define PROBE_SECONDS 1e-4

/* Factor by which it grows. Larger: the last one may be much too long. Smaller: more rounds. */
#define PROBE_GROWTH 8.0

/* Part of the work that such a round may take. Larger: slow PUs lose more. Smaller: PROBE_SECONDS
 * is not reached. */
#define PROBE_LIMIT 0.02

static void start_round(struct plb_training *t, const struct plb_view *view)
{
    t->granted = 0;
    t->fastest = INFINITY;
    view->stats->ask_again = true;
    for (int p = 0; p < view->n_pus; p++) {
        t->pus[p].granted = false;
        t->pus[p].blocks = 0;
        t->pus[p].before = view->pus[p].granted;
        t->pus[p].seconds = t->pus[p].done = 0.0;
    }
}

static void equal_round(struct plb_training *t, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++)
        t->pus[p].size = t->base;
    start_round(t, view);
}

bool plb_training_init(struct plb_training *t, const struct plb_view *view,
                       const struct plb_training_rules *rules)
{
    *t = (struct plb_training){.rules = *rules, .base = rules->first_block};
    t->pus = calloc((size_t)view->n_pus, sizeof *t->pus);
    if (t->pus == NULL)
        return false;
    t->probing = rules->first_block == 0.0;
    if (t->probing)
        t->base = fmax(view->total / (PLB_FIRST_PARTS * view->n_pus), 1.0);
    equal_round(t, view);
    return true;
}

void plb_training_fini(struct plb_training *t)
{
    free(t->pus);
}

bool plb_training_round_over(const struct plb_training *t, const struct plb_view *view)
{
    return t->granted == view->living && view->idle == view->living;
}

/* The work that a PU has reported in this round; 0: others have its block, since its task has crashed or it
 * has been taken. */
static double own_work(const struct plb_training *t, const struct plb_view *view, int p)
{
    double work = view->pus[p].granted - t->pus[p].before;
    return work > PLB_ROUNDING * t->pus[p].size ? t->pus[p].done : 0.0;
}

/* Seconds per unit of the work that PU p did in this round, which may be more than its block, where training
 * begins while older blocks run, or less. 0: it has done nothing. */
static double seconds_of_unit(const struct plb_training *t, const struct plb_view *view, int p)
{
    double work = own_work(t, view, p), each = work > 0.0 ? t->pus[p].seconds / work : 0.0;
    return work == 0.0 || (isfinite(each) && each > 0.0) ? each : PLB_ALMOST_NONE;
}

/* Every PU's seconds per unit, by this round; returns the least. A PU that was left out of it keeps its old
 * ones, and one that has done nothing is taken for the slowest. */
static double seconds_per_unit(struct plb_training *t, const struct plb_view *view)
{
    double fastest = INFINITY, slowest = PLB_ALMOST_NONE;
    for (int p = 0; p < view->n_pus; p++) {
        struct plb_trainee *pu = &t->pus[p];
        if (pu->size > 0.0)
            pu->each = seconds_of_unit(t, view, p);
        if (view->pus[p].lost || pu->each == 0.0)
            continue;
        fastest = fmin(fastest, pu->each);
        slowest = fmax(slowest, pu->each);
    }
    for (int p = 0; p < view->n_pus; p++)
        t->pus[p].each = t->pus[p].each > 0.0 ? t->pus[p].each : slowest;
    return fmin(fastest, slowest);
}

/* This part of so much work, rounded to a valid size. Only a PU slower than the fastest one may get none:
 * else a round could have no blocks, and no report would ever come. */
static double valid_size(const struct plb_training *t, const struct plb_view *view, double part, double all)
{
    double work = part * all;
    bool none = t->rules.least == 0.0 && part < 1.0 && work < 0.5 * view->next;
    return none ? 0.0 : fmax(work, fmax(t->rules.least, view->next));
}

/* Whether every PU has all its blocks before the next barrier. */
static bool flowing(const struct plb_training *t)
{
    return t->rules.flows && !t->probing && t->round == 0;
}

void plb_training_next_round(struct plb_training *t, const struct plb_view *view)
{
    if (flowing(t)) {
        t->round = t->rules.rounds;
        return;
    }
    double fastest = seconds_per_unit(t, view), relative = 0.0;
    bool small = t->base * PROBE_GROWTH * view->n_pus < PROBE_LIMIT * view->total;
    if (t->probing && fastest * t->base < PROBE_SECONDS && small) {
        t->base *= PROBE_GROWTH;
        equal_round(t, view);
        return;
    }
    for (int p = 0; p < view->n_pus; p++)
        relative += view->pus[p].lost ? 0.0 : fastest / t->pus[p].each;
    if (t->probing) /* the rounds to come take 2 + 4 + … times base · relative */
        t->base = fmax(t->base,
                       t->rules.part * view->total / (relative * (ldexp(1.0, t->rules.rounds) - 2.0)));
    t->probing = false;
    t->round++;
    double first = ldexp(t->base, t->round < t->rules.rounds ? t->round : t->rules.rounds - 1);
    for (int p = 0; p < view->n_pus; p++)
        t->pus[p].size = valid_size(t, view, fastest / t->pus[p].each, first);
    start_round(t, view);
}

/* The size of a later block of PU p, without a barrier. None where others had its first one. */
static double later_size(struct plb_training *t, const struct plb_view *view, int p)
{
    double each = seconds_of_unit(t, view, p);
    if (each == 0.0)
        return 0.0;
    t->fastest = fmin(t->fastest, each);
    return valid_size(t, view, t->fastest / each, ldexp(t->base, t->pus[p].blocks));
}

double plb_training_block(struct plb_training *t, const struct plb_view *view, int p)
{
    struct plb_trainee *pu = &t->pus[p];
    bool busy = view->pus[p].outstanding > 0;
    if (pu->granted || (pu->blocks > 0 && busy))
        return busy ? PLB_WAIT_OWN : PLB_WAIT;
    if (pu->blocks > 0)
        pu->size = later_size(t, view, p);
    pu->blocks++;
    pu->granted = !flowing(t) || pu->blocks == t->rules.rounds || pu->size == 0.0;
    t->granted += pu->granted;
    if (pu->size == 0.0 && plb_training_round_over(t, view))
        view->stats->ask_again = true; /* no report will come */
    return pu->size > 0.0 ? pu->size : PLB_WAIT;
}

void plb_training_reported(struct plb_training *t, int p, const struct plb_sample *sample)
{
    t->pus[p].done += sample->work * (double)sample->tasks;
    t->pus[p].seconds += (sample->execute_s + sample->transfer_s) * (double)sample->tasks;
}

void plb_training_lost(struct plb_training *t, int p)
{
    t->granted -= t->pus[p].granted;
    t->pus[p].granted = false;
}

bool plb_trained_before(const struct plb_view *view, int samples)
{
    for (int p = 0; p < view->n_pus; p++)
        if (!view->pus[p].lost && view->pus[p].n_samples < samples)
            return false;
    return true;
}
