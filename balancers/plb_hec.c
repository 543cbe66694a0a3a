/* plb-hec: the algorithm of Sant'Ana, Cordeiro and de Camargo (2015), in full.
 *
 * Training (their section IV.B): four rounds of blocks. In the first every PU gets `initial_block`
 * units. In the next three the fastest gets 2, 4 and 8 times that, and PU k the same times t_f / t_k.
 * Then F_p and G_p are fitted. Further rounds follow while some R² is at most 0.7 and less than 20 % of
 * the work has been used. Selection (IV.C): block sizes with equal finish times from the solver.
 * Execution (IV.D): each PU gets blocks of its size, asynchronously. When the finish times of two PUs
 * for the same step differ by more than `threshold` of a block's time, all PUs are synchronised. The
 * curves are then fitted to everything measured so far, and the sizes solved again.
 *
 * What the text leaves open, and what was chosen:
 * - How much one step covers: the remaining work is cut into `steps` equal steps, so that the last step
 *   ends with the work, on all PUs at once.
 * - The first block where `initial_block` is 0, the default: it is tiny, and grows until the fastest PU
 *   needs PROBE_SECONDS. The base of the next rounds is such that training takes `training` of the
 *   work. A first block of equal size is what hurts a slow PU most.
 * - One PU alone has nothing to balance: it gets everything at once, untrained.
 * - During a synchronisation, the PUs that are ahead get one more block in the paper. Here it is the
 *   block that already waits in their queue.
 *
 * Cost: O(1) per question; a fit per PU and a solve per barrier, which is at least a question per PU. Weak
 * where PUs are unlike or many: all wait at barriers for the slowest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/fit.h"
#include "model/solve.h"
#include "plb/balancer.h"

enum { INITIAL_BLOCK, THRESHOLD, STEPS, TRAINING, SOLVER };

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL,
                       "plb-hec: units in every PU's first block; 0 = find a size"},
    [THRESHOLD] =
        {"threshold", PLB_REAL, "0.1", 1e-6, 1e6, NULL,
         "plb-hec: difference of finish times, as a part of a block's time, that brings a rebalance"},
    [STEPS] = {"steps", PLB_INT, "4", 1, 1e6, NULL,
               "plb-hec: steps that the work left after training is cut into"},
    [TRAINING] = {"training", PLB_REAL, "0.1", 1e-6, 0.2, NULL,
                  "plb-hec: part of the work to train with where initial_block is 0"},
    [SOLVER] = {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES, "who solves for equal finish times"},
    {0},
};

/* Rounds of training before curves are judged, and the last one whose multiplier doubles. Paper,
 * IV.B. */
#define ROUNDS 4

/* Parts of a fair share in the first block, where the user gives no size. More: starts waste time. Fewer: a
 * slow PU gets more at once than the run should wait for. */
#define FIRST_PARTS 1000.0

/* Every curve must explain this part of the variance of its samples (R²). Larger: noise makes
 * training longer. Smaller: a poor curve decides the sizes. Paper, IV.B. */
#define R2_ENOUGH 0.7

/* Part of the work at which training ends whatever the curves say. Paper, IV.B. */
#define TRAINING_LIMIT 0.2

/* Seconds: the first round's block grows until the fastest PU needs as long. Longer: slow PUs lose
 * more in that round. Shorter: the block is mostly timer and start costs, and says little of the
 * speed. */
#define PROBE_SECONDS 1e-4

/* Factor by which it grows. Larger: the last one may be much too long. Smaller: more rounds. */
#define PROBE_GROWTH 8.0

/* Part of the work that such a round may take. Larger: slow PUs lose more. Smaller: PROBE_SECONDS
 * is not reached. */
#define PROBE_LIMIT 0.02

/* Seconds per unit of work of a PU whose reports say nothing usable. Any number far below a real
 * one will do. */
#define NO_TIME 1e-9

enum phase { TRAIN, RUN, SYNCHRONISE };

struct hec_pu {
    double size;    /* TRAIN: work in this round; RUN: in one step */
    double before;  /* TRAIN: work granted to it before this round */
    double until;   /* RUN: work granted to it when its share is used up */
    bool granted;   /* TRAIN: has had its block of this round */
    double seconds; /* TRAIN: of this round; RUN: of the current block */
    int finished;   /* RUN: blocks since the last solve */
    bool spent;     /* RUN: was seen to have had its whole share */
};

struct state {
    const struct plb_param *params;
    enum phase phase;
    int round;            /* of training, from 0 */
    double base;          /* work: the papers' initialBlockSize */
    bool probing;         /* base is still being searched */
    double predicted;     /* RUN: seconds of one step */
    int granted;          /* TRAIN: living PUs that have had their block of this round */
    int unspent;          /* RUN: PUs that may be owed more of their share */
    double *first_finish; /* RUN: when the first PU finished its i-th block */
    int steps;
    struct plb_model *models;
    double *x;
    struct hec_pu pus[];
};

static void fini(void *state)
{
    struct state *s = state;
    free(s->first_finish);
    free(s->models);
    free(s->x);
    free(s);
}

static void start_round(struct state *s, const struct plb_view *view)
{
    s->granted = 0;
    view->stats->ask_again = true;
    for (int p = 0; p < view->n_pus; p++) {
        s->pus[p].granted = false;
        s->pus[p].before = view->pus[p].granted;
        s->pus[p].seconds = 0.0;
    }
}

/* Where this holds, a barrier is reached: no PU is still executing. */
static bool nothing_outstanding(const struct plb_view *view)
{
    return view->idle == view->living;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    size_t n = (size_t)view->n_pus;
    struct state *s = calloc(1, sizeof *s + n * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->steps = (int)params[STEPS].value;
    s->first_finish = calloc((size_t)s->steps + 1, sizeof *s->first_finish);
    s->models = calloc(n, sizeof *s->models);
    s->x = calloc(n, sizeof *s->x);
    if (s->first_finish == NULL || s->models == NULL || s->x == NULL) {
        fini(s);
        return NULL;
    }
    double given = params[INITIAL_BLOCK].value;
    s->probing = given == 0.0;
    s->base = s->probing ? fmax(view->total / (FIRST_PARTS * view->n_pus), 1.0) : given;
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].size = s->base;
    start_round(s, view);
    return s;
}

/* Fits every PU's curves to its samples; returns the smallest R². */
static double fit_all(struct state *s, const struct plb_view *view)
{
    double worst = 1.0;
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_pu *pu = &view->pus[p];
        s->models[p] = (struct plb_model){0};
        if (!pu->lost) {
            view->stats->fits++;
            bool fitted = plb_fit_samples(pu->samples, pu->n_samples, 0.0, &s->models[p]);
            worst = fmin(worst, fitted ? s->models[p].execute.r2 : -INFINITY);
        }
        s->models[p].grain = isfinite(pu->grain) ? pu->grain : 0.0;
    }
    return worst;
}

/* Splits what remains so that all finish together, in equal steps; by power where no curve is known. */
static void solve(struct state *s, const struct plb_view *view)
{
    enum plb_solver solver = (enum plb_solver)s->params[SOLVER].value;
    double one_step = view->remaining / s->steps, power = 0.0;
    struct plb_solution solution = {0};
    bool solved = plb_solve(s->models, view->n_pus, one_step, solver, s->x, &solution);
    for (int p = 0; p < view->n_pus; p++)
        power += view->pus[p].lost ? 0.0 : view->pus[p].power;
    s->unspent = 0;
    for (int p = 0; p < view->n_pus; p++) {
        double by_power = view->pus[p].lost ? 0.0 : one_step * view->pus[p].power / power;
        s->pus[p].size = solved ? s->x[p] : by_power;
        s->pus[p].until = view->pus[p].granted + s->pus[p].size * s->steps;
        s->pus[p].finished = 0;
        s->pus[p].seconds = 0.0;
        s->pus[p].spent = view->pus[p].lost || s->pus[p].size * s->steps <= 0.5;
        s->unspent += !s->pus[p].spent;
    }
    memset(s->first_finish, 0, ((size_t)s->steps + 1) * sizeof *s->first_finish);
    s->predicted = solved ? solution.seconds : 0.0;
    s->phase = RUN;
    view->stats->ask_again = true;
    view->stats->solves++;
    if (view->stats->profile_end == 0.0)
        view->stats->profile_end = view->now;
}

/* Sizes of the next round of training: multiplier · base · t_f / t_k (paper IV.B). */
static void next_sizes(struct state *s, const struct plb_view *view, double fastest)
{
    double relative = 0.0, multiplier = ldexp(1.0, s->round < ROUNDS ? s->round : ROUNDS - 1);
    for (int p = 0; p < view->n_pus; p++)
        if (!view->pus[p].lost)
            relative += fastest / s->pus[p].seconds;
    if (s->probing && s->round == 1) {
        s->base = fmax(s->base, s->params[TRAINING].value * view->total / (relative * (2.0 + 4.0 + 8.0)));
        s->probing = false;
    }
    for (int p = 0; p < view->n_pus; p++)
        s->pus[p].size = fmax(multiplier * s->base * fastest / s->pus[p].seconds, 1.0);
    start_round(s, view);
}

/* All PUs have finished their block of this round: what next? */
static void end_round(struct state *s, const struct plb_view *view)
{
    double fastest = INFINITY;
    for (int p = 0; p < view->n_pus; p++) {
        if (view->pus[p].lost)
            continue;
        /* From here on seconds per unit of work, whatever the size of this round's block was. */
        struct hec_pu *pu = &s->pus[p];
        double work = view->pus[p].granted - pu->before;
        bool usable = isfinite(pu->seconds) && pu->seconds > 0.0;
        pu->seconds = usable ? pu->seconds / fmax(work, 0.0) : NO_TIME;
        fastest = fmin(fastest, pu->seconds);
    }
    bool small = s->base * PROBE_GROWTH * view->n_pus < PROBE_LIMIT * view->total;
    if (s->probing && s->round == 0 && fastest * s->base < PROBE_SECONDS && small) {
        s->base *= PROBE_GROWTH;
        for (int p = 0; p < view->n_pus; p++)
            s->pus[p].size = s->base;
        start_round(s, view);
        return;
    }
    s->round++;
    double used = (view->total - view->remaining) / view->total;
    bool last = used >= TRAINING_LIMIT, fitted = last || s->round >= ROUNDS;
    double worst = fitted ? fit_all(s, view) : 0.0;
    if (last || (fitted && worst > R2_ENOUGH))
        solve(s, view);
    else
        next_sizes(s, view, fastest);
}

/* Work of its share that a PU has not been granted yet; less than half a unit is nothing. */
static double due(const struct state *s, const struct plb_view *view, int p)
{
    double work = view->pus[p].lost ? 0.0 : s->pus[p].until - view->pus[p].granted;
    return work > 0.5 ? work : 0.0;
}

/* TRAIN: the one block of this round. */
static double train(struct state *s, const struct plb_view *view, int p)
{
    struct hec_pu *pu = &s->pus[p];
    if (s->granted == view->living && nothing_outstanding(view))
        end_round(s, view);
    if (s->phase != TRAIN || pu->granted)
        return PLB_WAIT;
    pu->granted = true;
    s->granted++;
    return pu->size;
}

/* RUN and SYNCHRONISE: the next block of its share. */
static double run(struct state *s, const struct plb_view *view, int p)
{
    struct hec_pu *pu = &s->pus[p];
    if (due(s, view, p) == 0.0 && !pu->spent) {
        pu->spent = true;
        s->unspent--;
        view->stats->ask_again |= s->unspent == 0;
    }
    bool few = view->remaining <= view->living; /* what rounding to whole units left over */
    if ((s->phase == SYNCHRONISE || (s->unspent == 0 && !few)) && nothing_outstanding(view)) {
        fit_all(s, view);
        solve(s, view);
    }
    if (s->unspent == 0 && few)
        return 1.0;
    double rest = due(s, view, p);
    return s->phase == RUN && rest > 0.0 ? fmin(fmax(pu->size, 1.0), rest) : PLB_WAIT;
}

/* Finish times that differ by more than the threshold bring a rebalance. */
static void block_end(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (s->phase != RUN)
        return;
    int step = s->pus[p].finished++;
    if (step >= s->steps || s->predicted <= 0.0)
        return;
    if (s->first_finish[step] == 0.0)
        s->first_finish[step] = view->now;
    double late = view->now - s->first_finish[step];
    if (late > s->params[THRESHOLD].value * s->predicted && s->unspent > 0)
        s->phase = SYNCHRONISE;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (view->living == 1)
        return view->remaining;
    double work = s->phase == TRAIN ? train(s, view, p) : PLB_WAIT;
    return work == PLB_WAIT && s->phase != TRAIN ? run(s, view, p) : work;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    s->pus[p].seconds += (sample->execute_s + sample->transfer_s) * (double)sample->tasks;
    if (sample->block_end)
        block_end(s, view, p);
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    s->granted -= s->pus[p].granted;
    s->pus[p].granted = false;
    if (s->phase == RUN)
        s->phase = SYNCHRONISE;
}

const struct plb_balancer plb_balancer_plb_hec = {
    .name = "plb-hec",
    PLB_BALANCER_HEAD,
    .summary = "curves from four training blocks, equal finish times, rebalance above a threshold",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = lost,
    .fini = fini,
};
