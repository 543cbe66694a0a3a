/* hdss: after Belviranli, Bhuyan and Gupta (ACM TACO 9, 2013), as PLB-HeC's and PLB-HAC's authors compare
 * with it.
 *
 * Adaptive phase: each PU gets blocks that double, from `initial_block` (0: 1/1000 of a fair share), and
 * its speed is fitted as speed(x) = a · ln x + b by least squares. It is over for a PU that has had four
 * blocks when doubling once more is predicted to add less than 5 % (its blocks then stay as they are until
 * the others are through as well), and for all when `adaptive` (20 %) of the work has been granted. The speed at the PU's largest block is its weight, fixed from then on.
 * Completion phase: blocks of remaining · w_p / 2, not below the PU's first block. There is no barrier,
 * but a weight is a single number: where speed still depends on size, the shares are off. */
#include <math.h>
#include <stdlib.h>

#include "plb/balancer.h"

enum { INITIAL_BLOCK, ADAPTIVE };

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL, "units in every PU's first block; 0 = find a size"},
    [ADAPTIVE] = {"adaptive", PLB_REAL, "0.2", 1e-6, 1, NULL, "hdss: part of the work after which weights are fixed"},
    {0},
};

#define ENOUGH_BLOCKS 4
#define PLATEAU 0.05

struct pu {
    double size;                /* of its next block in the adaptive phase */
    double largest;             /* block that it has reported */
    double n, sx, sy, sxx, sxy; /* sums over (ln x, speed) */
    double weight;              /* 0: not fixed yet */
};

struct state {
    const struct plb_param *params;
    double first;
    double weights;             /* sum over the PUs that are there and have one, n_weights of them */
    int n_weights, alive;
    struct pu pus[];
};

static void count(struct state *s, const struct plb_view *view)
{
    s->weights = 0.0;
    s->n_weights = s->alive = 0;
    for (int p = 0; p < view->n_pus; p++)
        if (!view->pus[p].lost) {
            s->alive++;
            s->weights += s->pus[p].weight;
            s->n_weights += s->pus[p].weight > 0.0;
        }
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    struct state *s = calloc(1, sizeof *s + (size_t)view->n_pus * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->first = params[INITIAL_BLOCK].value > 0.0 ? params[INITIAL_BLOCK].value : fmax(view->total / (1000.0 * view->n_pus), 1.0);
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].size = s->first;
    count(s, view);
    return s;
}

/* The fitted speed at a size; the mean where there is only one size. */
static double speed(const struct pu *pu, double size)
{
    double spread = pu->n * pu->sxx - pu->sx * pu->sx;
    if (pu->n == 0.0 || spread <= 1e-9 * pu->n * pu->sxx)
        return pu->n > 0.0 ? pu->sy / pu->n : 0.0;
    double a = (pu->n * pu->sxy - pu->sx * pu->sy) / spread, b = (pu->sy - a * pu->sx) / pu->n;
    return fmax(a * log(size) + b, 1e-3 * pu->sy / pu->n);
}

static void fix_weight(struct state *s, struct pu *pu)
{
    pu->weight = pu->n > 0.0 ? fmax(speed(pu, pu->largest), 1e-300) : 0.0;
    s->weights += pu->weight;
    s->n_weights += pu->weight > 0.0;
}

static double complete(struct state *s, const struct plb_view *view, int p)
{
    /* Who has no weight yet counts as the mean of the others. */
    double mean = s->n_weights > 0 ? s->weights / s->n_weights : 1.0, sum = s->weights + mean * (s->alive - s->n_weights);
    double own = s->pus[p].weight > 0.0 ? s->pus[p].weight : mean;
    /* Half of its share of all that is not finished, less what it has already: nothing is kept ahead of a block
     * that is that half, and the last pieces go to whoever is idle. */
    double unfinished = view->pus[p].granted - view->pus[p].done;
    double block = (view->remaining + unfinished) * own / sum / 2.0 - unfinished;
    if (view->pus[p].outstanding > 0 && block <= s->first)
        return PLB_WAIT_OWN;
    return fmax(block, s->first);
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct pu *pu = &s->pus[p];
    bool over = view->total - view->remaining >= s->params[ADAPTIVE].value * view->total;
    if (over && pu->weight == 0.0)
        fix_weight(s, pu);
    if (over || s->n_weights == s->alive)
        return complete(s, view, p);
    return view->pus[p].outstanding == 0 ? pu->size : 0.0;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct pu *pu = &s->pus[p];
    double seconds = sample->execute_s + sample->transfer_s;
    if (pu->weight > 0.0)
        return;
    if (isfinite(seconds) && seconds > 0.0 && sample->work > 0.0) {
        double x = log(sample->work), y = sample->work / seconds;
        pu->n += 1.0;
        pu->sx += x;
        pu->sy += y;
        pu->sxx += x * x;
        pu->sxy += x * y;
    }
    if (!sample->block_end)
        return;
    pu->largest = fmax(pu->largest, sample->work * (double)sample->tasks);
    bool plateau = pu->n >= ENOUGH_BLOCKS && speed(pu, 2.0 * pu->size) < (1.0 + PLATEAU) * speed(pu, pu->size);
    if (plateau)
        fix_weight(s, pu);
    else
        pu->size *= 2.0;
    (void)view;
}

static void lost(void *state, const struct plb_view *view, int p)
{
    (void)p;
    count(state, view);
}

const struct plb_balancer plb_balancer_hdss = {
    PLB_BALANCER_HEAD,
    .name = "hdss",
    .summary = "growing blocks until the speed levels off, then decreasing blocks by weight",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = free,
};
