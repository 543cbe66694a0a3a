/* hdss: after Belviranli, Bhuyan and Gupta (ACM TACO 9, 2013), as PLB-HeC's and PLB-HAC's authors
 * compare with it.
 *
 * Adaptive phase: each PU gets blocks that double, from `initial_block` (0: 1/1000 of a fair
 * share), and its speed is fitted as speed(x) = a · ln x + b by least squares. The phase ends for a
 * PU after four blocks, as soon as doubling once more is predicted to add less than 5 %; its blocks
 * then stay as they are until the others are through as well. It ends for all when `adaptive` (20
 * %) of the work has been granted. The speed at the PU's largest block is its weight, fixed from
 * then on. Completion phase: blocks of remaining · w_p / 2, not below the PU's first block.
 *
 * The text of PLB-HAC (section 2) has synchronisations in the adaptive phase, and finds the idleness of hdss
 * there. With `hdss.sync` all PUs wait for each other after every block of that phase, so that all blocks
 * of a round are equal until a speed is level, and the phase ends for all at a barrier. Then no PU has a
 * block ahead either. Without, which is the default, there is no barrier.
 *
 * Cost: O(1) per question and report, O(P) per barrier. Weak where speed still depends on size, or changes: a
 * weight is a single number. With `hdss.sync`: where PUs are unlike. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "model/fit.h"
#include "plb/balancer.h"

enum { INITIAL_BLOCK, ADAPTIVE, SYNC };

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL,
                       "units in every PU's first block; 0 = find a size"},
    [ADAPTIVE] = {"adaptive", PLB_REAL, "0.2", 1e-6, 1, NULL,
                  "hdss: part of the work after which weights are fixed"},
    [SYNC] = {"hdss.sync", PLB_FLAG, "no", 0, 0, NULL,
              "hdss: barriers in the adaptive phase and no block ahead, as in the papers"},
    {0},
};

/* Relative gain by doubling the block below which a speed is level. Larger: weights are taken from
 * blocks that are too small. Smaller: the adaptive phase rarely ends before its limit. */
#define PLATEAU 0.05

/* A fitted speed is not below this part of the mean one: the line through ln x may fall below zero. */
#define LEAST_SPEED 1e-3

/* In place of a count of PUs: no round of the adaptive phase is to come. */
#define COMPLETING (-1)

struct hdss_pu {
    double size;                /* work of its next block in the adaptive phase */
    double largest;             /* work of the largest block that it has reported */
    double n, sx, sy, sxx, sxy; /* sums over (ln x, speed) */
    double weight;              /* work per second; 0: not fixed yet */
    bool granted;               /* has had its block of this round; with `hdss.sync` */
};

struct state {
    const struct plb_param *params;
    double first;   /* work of a first block */
    double weights; /* sum over the living PUs that have one, */
    int n_weights;  /* which are so many */
    bool over;      /* the adaptive phase is over for all */
    int granted;    /* living PUs that have had their block of this round; with `hdss.sync` */
    bool recount;   /* a PU was lost: the next question sums the weights anew */
    struct hdss_pu pus[];
};

static void sum_weights(struct state *s, const struct plb_view *view)
{
    s->weights = 0.0;
    s->n_weights = 0;
    for (int p = 0; p < view->n_pus; p++)
        if (!view->pus[p].lost) {
            s->weights += s->pus[p].weight;
            s->n_weights += s->pus[p].weight > 0.0;
        }
    s->recount = false;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s + (size_t)view->n_pus * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    double given = params[INITIAL_BLOCK].value;
    s->first = given > 0.0 ? given : fmax(view->total / (PLB_FIRST_PARTS * view->n_pus), 1.0);
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].size = s->first;
    return s;
}

/* The fitted speed at a size; the mean where there is only one size. */
static double speed(const struct hdss_pu *pu, double size)
{
    double spread = pu->n * pu->sxx - pu->sx * pu->sx;
    if (pu->n == 0.0 || spread <= 1e-9 * pu->n * pu->sxx)
        return pu->n > 0.0 ? pu->sy / pu->n : 0.0;
    double a = (pu->n * pu->sxy - pu->sx * pu->sy) / spread, b = (pu->sy - a * pu->sx) / pu->n;
    return fmax(a * log(size) + b, LEAST_SPEED * pu->sy / pu->n);
}

static void fix_weight(struct state *s, const struct plb_view *view, struct hdss_pu *pu)
{
    double size = pu->largest > 0.0 ? pu->largest : pu->size; /* 0: others have finished all its blocks */
    pu->weight = pu->n > 0.0 ? fmax(speed(pu, size), 1e-300) : 0.0;
    s->weights += pu->weight;
    s->n_weights += pu->weight > 0.0;
    if (s->n_weights == view->living)
        view->stats->ask_again = true; /* the completion phase begins */
}

static double complete(const struct state *s, const struct plb_view *view, int p)
{
    if (view->stats->profile_end == 0.0)
        view->stats->profile_end = view->now;
    /* A PU without a weight counts as the mean of the others. */
    double mean = s->n_weights > 0 ? s->weights / s->n_weights : 1.0;
    double sum = s->weights + mean * (view->living - s->n_weights);
    double own = s->pus[p].weight > 0.0 ? s->pus[p].weight : mean;
    /* Half of its share of all that is not finished, less what it has already: nothing is kept
     * ahead of a block that is that half, and the last blocks go to idle PUs. */
    double unfinished = view->pus[p].granted - view->pus[p].done;
    double block = (view->remaining + unfinished) * own / sum / 2.0 - unfinished;
    if (view->pus[p].outstanding > 0 && (block <= s->first || s->params[SYNC].value != 0.0))
        return PLB_WAIT_OWN;
    return fmax(block, s->first);
}

/* Whether the adaptive phase is over for PU p, which then has a weight. */
static bool adapted(struct state *s, const struct plb_view *view, int p)
{
    bool over = view->total - view->remaining >= s->params[ADAPTIVE].value * view->total;
    if (over && !s->over)
        view->stats->ask_again = true;
    s->over = over;
    if (over && s->pus[p].weight == 0.0)
        fix_weight(s, view, &s->pus[p]);
    return over || s->n_weights == view->living;
}

/* With `hdss.sync`: all have finished their blocks of a round. Where the phase is over, it was the last. */
static void end_round(struct state *s, const struct plb_view *view)
{
    bool over = true;
    for (int p = 0; p < view->n_pus; p++) {
        over = (view->pus[p].lost || adapted(s, view, p)) && over;
        s->pus[p].granted = false;
    }
    s->granted = over ? COMPLETING : 0;
    view->stats->ask_again = true;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct hdss_pu *pu = &s->pus[p];
    bool sync = s->params[SYNC].value != 0.0;
    if (s->recount)
        sum_weights(s, view);
    if (sync && s->granted == view->living && view->idle == view->living)
        end_round(s, view);
    if (sync ? s->granted == COMPLETING : adapted(s, view, p))
        return complete(s, view, p);
    if (view->pus[p].outstanding > 0 || pu->granted)
        return PLB_WAIT;
    pu->granted = sync;
    s->granted += sync;
    return pu->size;
}

static void fit_speed(struct hdss_pu *pu, const struct plb_sample *sample)
{
    double seconds = sample->execute_s + sample->transfer_s;
    if (!isfinite(seconds) || !(seconds > 0.0) || !(sample->work > 0.0))
        return;
    double x = log(sample->work), y = sample->work / seconds;
    pu->n += 1.0;
    pu->sx += x;
    pu->sy += y;
    pu->sxx += x * x;
    pu->sxy += x * y;
}

/* In the adaptive phase: the next block doubles, unless the speed has become level. */
static void next_size(struct state *s, const struct plb_view *view, struct hdss_pu *pu)
{
    bool level = pu->n >= PLB_FEWEST_POINTS
              && speed(pu, 2.0 * pu->size) < (1.0 + PLATEAU) * speed(pu, pu->size);
    if (level)
        fix_weight(s, view, pu);
    else
        pu->size *= 2.0;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct hdss_pu *pu = &s->pus[p];
    if (pu->weight > 0.0)
        return;
    fit_speed(pu, sample);
    if (!sample->block_end)
        return;
    pu->largest = fmax(pu->largest, sample->work * (double)sample->tasks);
    next_size(s, view, pu);
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    s->granted -= s->granted != COMPLETING && s->pus[p].granted;
    s->pus[p].granted = false;
    s->recount = true;
}

const struct plb_balancer plb_balancer_hdss = {
    .name = "hdss",
    PLB_BALANCER_HEAD,
    .summary = "growing blocks until the speed levels off, then decreasing blocks by weight",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
