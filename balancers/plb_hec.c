/* plb-hec: the algorithm of Sant'Ana, Cordeiro and de Camargo (IEEE Cluster 2015), as the text has it.
 *
 * Modelling (their IV.B, Algorithm 1): four rounds of blocks, multipliers 1, 2, 4 and 8 (model/training).
 * Then F_p and G_p are fitted. More rounds follow until R² > 0.7 for both curves of every PU, or 20 % of the
 * work is used. Selection (IV.C): sizes x_p with equal times E_p = F_p + G_p, from SLSQP. Execution (IV.D,
 * Algorithm 2): a PU that finishes a block gets another of the same size, until the data end. If the times of
 * two blocks differ by more than `threshold` of a block's time, all PUs are synchronised. Then curves are
 * fitted to all measurements so far, and the sizes solved again.
 *
 * Choices where the text leaves them open:
 * - Σ x_p, the work of one step: 1 / `steps` of what training has left, or more where starts are expensive.
 * - The first block, which the authors chose by hand so that training took 10 %: see model/training.
 * - The difference of times: they are compared relative to their curves, and differences that the scatter
 *   of the reports explains do not count, unless `scatter` is off. 3 % of noise would exceed a threshold of
 *   10 % at once.
 * - The terms of F_p: at most three of eq. 1, which is all that four samples can distinguish, or all of them
 *   in one sum (`terms`).
 * - A size that rounds to no unit, in training (`least_training`) and later: the PU waits.
 * - Where every PU has four samples of an earlier pass or run, there is no training.
 *
 * Cost: O(1) per question; a solve per rebalance. Weak where PUs are unlike or many: all wait at barriers for
 * the slowest. Weak at the end: the last block of each PU is as large as the others. */
#include <math.h>
#include <stdlib.h>

#include "model/belief.h"
#include "model/solve.h"
#include "model/training.h"
#include "plb/balancer.h"

enum { INITIAL_BLOCK, THRESHOLD, SCATTER, STEPS, TRAINING, LEAST_TRAINING, TERMS, SOLVER };

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL,
                       "units in every PU's first block; 0 = find a size"},
    [THRESHOLD] = {"threshold", PLB_REAL, "0.1", 1e-6, 1e6, NULL,
                   "plb-hec: difference of two blocks' times, as a part of one, that brings a rebalance"},
    [SCATTER] = {"scatter", PLB_FLAG, "on", 0, 0, NULL,
                 "plb-hec: whether a difference counts only as far as it exceeds the scatter of the reports"},
    [STEPS] = {"steps", PLB_INT, "32", 1, 1e6, NULL,
               "most steps that the work is cut into; fewer if task starts are expensive"},
    [TRAINING] = {"training", PLB_REAL, "0.1", 1e-6, 0.2, NULL,
                  "part of the work to train with where initial_block is 0"},
    [LEAST_TRAINING] = {"least_training", PLB_INT, "0", 0, 1, NULL,
                        "units in a training block at least; 0: a PU whose block rounds to none has none"},
    [TERMS] = {"terms", PLB_TEXT, "few", 0, 0, PLB_TERMS_CHOICES,
               "terms of a PU's curve: the few that its samples pay for, or all of eq. 1 in one sum"},
    [SOLVER] = {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES, "who solves for equal finish times"},
    {0},
};

/* Rounds of training before curves are judged. Paper, IV.B. */
#define ROUNDS 4

/* Every curve must explain more than this part of the variance of its samples (R²). Larger: noise makes
 * training longer. Smaller: a poor curve decides the sizes. Paper, IV.B. */
#define R2_ENOUGH 0.7

/* Part of the work at which training ends whatever the curves say. Paper, IV.B. */
#define TRAINING_LIMIT 0.2

/* Standard deviations of a PU's reports that a block's time may be off without a reason. Larger: a real
 * change is answered later. Smaller: noise brings a rebalance. With 2, both PUs' together are 4: of 1,000
 * blocks with normal noise none is out. */
#define SCATTERS 2.0

#define NOBODY (-1)

enum phase { MODELLING, EXECUTION, REBALANCE };

struct hec_pu {
    double size;          /* x_p, work; 0: none */
    double work, seconds; /* of the current block, as far as reported */
    double scatter;       /* relative standard deviation of its samples about its curves */
};

struct state {
    const struct plb_param *params;
    enum phase phase;
    struct plb_training training;
    double step;  /* work: Σ x_p */
    int detector; /* REBALANCE: the PU that detected it, until it has had its block; or NOBODY */
    /* Of the blocks since the solve, time over predicted time, less or more what scatter explains: */
    double longest, shortest;
    struct plb_model *models;
    double *x;
    struct hec_pu pus[];
};

static void fini(void *state)
{
    struct state *s = state;
    plb_training_fini(&s->training);
    free(s->models);
    free(s->x);
    free(s);
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    size_t n = (size_t)view->n_pus;
    struct state *s = calloc(1, sizeof *s + n * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->models = calloc(n, sizeof *s->models);
    s->x = calloc(n, sizeof *s->x);
    const struct plb_training_rules rules = {
        .first_block = params[INITIAL_BLOCK].value,
        .part = params[TRAINING].value,
        .rounds = ROUNDS,
        .least = params[LEAST_TRAINING].value,
    };
    bool room = plb_training_init(&s->training, view, &rules);
    if (!room || s->models == NULL || s->x == NULL) {
        fini(s);
        return NULL;
    }
    s->phase = plb_trained_before(view, ROUNDS) ? REBALANCE : MODELLING;
    s->detector = NOBODY;
    return s;
}

/* Relative standard deviation of a PU's samples about its curves. */
static double scatter(const struct plb_pu *pu, const struct plb_model *model)
{
    double squares = 0.0;
    int n = 0;
    for (int i = 0; i < pu->n_samples; i++) {
        const struct plb_sample *one = &pu->samples[i];
        double off = (one->execute_s + one->transfer_s) / plb_model_time(model, one->work) - 1.0;
        squares += isfinite(off) ? off * off : 0.0;
        n += isfinite(off);
    }
    return n > 0 ? sqrt(squares / n) : 0.0;
}

/* determineCurveProcessor: every PU's curves through all its samples; returns the smallest R². */
static double determine_curves(struct state *s, const struct plb_view *view)
{
    double worst = 1.0;
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_pu *pu = &view->pus[p];
        struct plb_model *m = &s->models[p];
        *m = plb_belief_curves(pu, (enum plb_terms)s->params[TERMS].value);
        bool fitted = plb_model_known(m);
        s->pus[p].scatter = fitted ? scatter(pu, m) : 0.0;
        if (!pu->lost)
            worst = fitted ? fmin(worst, fmin(m->execute.r2, m->transfer_r2)) : -INFINITY;
    }
    return worst;
}

/* solveEquationSystem: sizes with equal times, by power where no curve is known; execution begins. */
static void select_sizes(struct state *s, const struct plb_view *view)
{
    struct plb_solution solution = {0};
    double power = 0.0;
    if (s->step == 0.0)
        s->step = plb_step_work(s->models, view->n_pus, view->remaining, s->params[STEPS].value, s->x);
    double step = fmax(s->step, view->living * view->next);
    for (int p = 0; p < view->n_pus; p++)
        power += view->pus[p].lost ? 0.0 : view->pus[p].power;
    for (int p = 0; p < view->n_pus; p++)
        s->x[p] = view->pus[p].lost ? 0.0 : step * view->pus[p].power / power;
    plb_solve(s->models, view->n_pus, step, (enum plb_solver)s->params[SOLVER].value, s->x, &solution);
    for (int p = 0; p < view->n_pus; p++) {
        s->pus[p].size = s->x[p] >= 0.5 * view->next ? s->x[p] : 0.0;
        s->pus[p].work = s->pus[p].seconds = 0.0;
    }
    s->longest = 0.0;
    s->shortest = INFINITY;
    s->phase = EXECUTION;
    view->stats->ask_again = true;
    view->stats->solves++;
    if (view->stats->profile_end == 0.0 && s->training.round > 0)
        view->stats->profile_end = view->now;
}

/* determineModel: after a round, judges the curves, and ends the phase or begins another round. */
static void end_round(struct state *s, const struct plb_view *view)
{
    bool last = view->total - view->remaining >= TRAINING_LIMIT * view->total;
    bool judged = last || s->training.round + 1 >= ROUNDS;
    double worst = judged ? determine_curves(s, view) : 0.0;
    plb_training_next_round(&s->training, view);
    if (last || (judged && worst > R2_ENOUGH))
        select_sizes(s, view);
}

/* FinishedTaskExecution: holds the time of PU p's block against those of all others since the solve. */
static void finished(struct state *s, const struct plb_view *view, int p)
{
    struct hec_pu *pu = &s->pus[p];
    double expected = s->phase == EXECUTION ? plb_model_time(&s->models[p], pu->work) : 0.0;
    double ratio = expected > 0.0 ? pu->seconds / expected : INFINITY;
    double explained = s->params[SCATTER].value != 0.0 ? SCATTERS * pu->scatter : 0.0;
    pu->work = pu->seconds = 0.0;
    if (!isfinite(ratio))
        return;
    s->longest = fmax(s->longest, ratio - explained);
    s->shortest = fmin(s->shortest, ratio + explained);
    if (s->longest - s->shortest <= s->params[THRESHOLD].value)
        return;
    s->phase = REBALANCE;
    s->detector = view->pus[p].lost ? NOBODY : p;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (s->phase == MODELLING && plb_training_round_over(&s->training, view))
        end_round(s, view);
    if (s->phase == MODELLING)
        return plb_training_block(&s->training, view, p);
    if (s->phase == REBALANCE && view->idle == view->living) { /* synchronised */
        determine_curves(s, view);
        select_sizes(s, view);
    }
    if (view->pus[p].outstanding > 0)
        return PLB_WAIT_OWN;
    bool goes_on = s->phase == EXECUTION || s->detector == p;
    s->detector = s->detector == p ? NOBODY : s->detector;
    return goes_on && s->pus[p].size > 0.0 ? fmax(s->pus[p].size, view->next) : PLB_WAIT;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    plb_training_reported(&s->training, p, sample);
    s->pus[p].work += sample->work * (double)sample->tasks;
    s->pus[p].seconds += (sample->execute_s + sample->transfer_s) * (double)sample->tasks;
    if (sample->block_end)
        finished(s, view, p);
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    plb_training_lost(&s->training, p);
    s->detector = NOBODY;
    if (s->phase == EXECUTION)
        s->phase = REBALANCE;
}

const struct plb_balancer plb_balancer_plb_hec = {
    .name = "plb-hec",
    PLB_BALANCER_HEAD,
    .summary = "curves from four training blocks, equal finish times, rebalance above a threshold",
    .options = options,
    .beliefs = true,
    .init = init,
    .grant = grant,
    .done = done,
    .lost = lost,
    .fini = fini,
};
