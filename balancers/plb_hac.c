/* plb-hac: the algorithm of Sant'Ana, Cordeiro and de Camargo (Euro-Par 2019), as the text has it.
 *
 * Training (their 3.1): two blocks for every PU (model/training), which give every curve its first two
 * points. A PU gets its second block as soon as it has finished the first. A synchronisation, the only one,
 * ends training. Progressive refinement: every finished block adds a point. Virtual step (3.3, Algorithm 1):
 * it ends when every PU has finished its assigned block. The first PU to become idle in a new virtual step
 * solves for sizes x_p with equal times E_p = F_p + G_p, from SLSQP. All others take the newest sizes,
 * without waiting. Gap filling: a PU that finishes early gets a block that fills the gap first. The text
 * (3.3) calls more than `gap_threshold` seconds early, and Algorithm 1 at most `gap_ratio` of the predicted
 * time. Tail: once `tail_start` of the work is assigned, sizes shrink by the factor α (`tail_factor`) with
 * every virtual step, down to a minimum.
 *
 * Choices where the text leaves them open:
 * - Σ x_p, the work of one virtual step: 1 / `steps` of all work, or more where starts are expensive.
 * - The first block: as given, or else found by model/training, in rounds with barriers of their own.
 * - The shrinking: by α a step, so to (1 - α) of the step before.
 * - The minimum that does not under-use a GPU (3.2): by its curve the block still runs at NEAR_BEST of the
 *   rate. Or `least_block` units, for all PUs and in all steps.
 * - A size that rounds to no unit, in training (`least_training`) and later: the PU waits. The virtual step
 *   does not wait for it.
 * - Where every PU has two samples of an earlier pass or run, there is no training.
 *
 * Cost: O(1) per question; a solve per virtual step. Weak where a run is short, since the first curves have
 * two points, and where PUs are very unlike, since all wait for the slowest one's first block. */
#include <math.h>
#include <stdlib.h>

#include "model/belief.h"
#include "model/solve.h"
#include "model/training.h"
#include "plb/balancer.h"

enum {
    INITIAL_BLOCK,
    LEAST_BLOCK,
    GAP_THRESHOLD,
    GAP_RATIO,
    TAIL_START,
    TAIL_FACTOR,
    STEPS,
    TRAINING,
    LEAST_TRAINING,
    TERMS,
    SOLVER
};

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL,
                       "units in every PU's first block; 0 = find a size"},
    [LEAST_BLOCK] =
        {"least_block", PLB_INT, "0", 0, 1e15, NULL,
         "plb-hac: smallest block, in units; smaller ones are not granted; 0 = by the PU's curve"},
    [GAP_THRESHOLD] = {"gap_threshold", PLB_REAL, "0.4", 0, 1e9, NULL,
                       "plb-hac: seconds before its predicted end that bring a PU a gap-filling block"},
    [GAP_RATIO] = {"gap_ratio", PLB_REAL, "0", 0, 1, NULL,
                   "plb-hac: part of its predicted time that a block takes at most where the rest of it is "
                   "filled; 0 = by gap_threshold"},
    [TAIL_START] = {"tail_start", PLB_REAL, "0.7", 0, 1, NULL,
                    "plb-hac: part of the work after which blocks shrink"},
    [TAIL_FACTOR] = {"tail_factor", PLB_REAL, "0.1", 1e-6, 1, NULL,
                     "plb-hac: part of their size by which blocks shrink in each virtual step of the tail"},
    [STEPS] = {"steps", PLB_INT, "32", 1, 1e6, NULL,
               "most steps that the work is cut into; fewer if task starts are expensive"},
    [TRAINING] = {"training", PLB_REAL, "0.07", 1e-6, 0.2, NULL,
                  "part of the work to train with where initial_block is 0"},
    [LEAST_TRAINING] = {"least_training", PLB_INT, "0", 0, 1, NULL,
                        "units in a training block at least; 0: a PU whose block rounds to none has none"},
    [TERMS] = {"terms", PLB_TEXT, "few", 0, 0, PLB_TERMS_CHOICES,
               "terms of a PU's curve: the few that its samples pay for, or all of eq. 1 in one sum"},
    [SOLVER] = {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES, "who solves for equal finish times"},
    {0},
};

#define POINTS 2 /* of every PU's first curve. Paper, 3.1. */

/* Part of the rate of its regular blocks that a PU has with the smallest block of the tail. Larger: PUs end
 * further apart. Smaller: starts waste time. */
#define NEAR_BEST 0.9

/* Part of a regular block that the smallest one is at least, whatever the curve says of it. Larger: PUs end
 * further apart. Smaller: the messages of the tail, which no curve contains, waste time. */
#define SMALLEST (1.0 / 16.0)

struct hac_pu {
    double size;      /* x_p, work; 0: none in this virtual step */
    double started;   /* when it was granted the block of its virtual step, on the clock of the view */
    double predicted; /* end of that block */
    double gap;       /* seconds from its last end to the predicted one, where they are to be filled */
    bool filling;     /* what it executes fills a gap: not the block of its virtual step */
    bool stepped;     /* has finished its block of this virtual step, or has none */
};

struct state {
    const struct plb_param *params;
    bool running;  /* training is over */
    bool over;     /* a virtual step has ended; the next PU to become idle begins a new one */
    int waited;    /* PUs whose blocks the virtual step waits for */
    double step;   /* work: Σ x_p */
    double shrunk; /* factor of the tail */
    struct plb_training training;
    struct plb_model *models;
    double *x;
    struct hac_pu pus[];
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
        .rounds = POINTS,
        .least = params[LEAST_TRAINING].value,
        .flows = true,
    };
    bool room = plb_training_init(&s->training, view, &rules);
    if (!room || s->models == NULL || s->x == NULL) {
        fini(s);
        return NULL;
    }
    s->running = s->over = plb_trained_before(view, POINTS);
    s->shrunk = 1.0;
    return s;
}

/* determineModel: the curves through all points so far. */
static void determine_models(struct state *s, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++)
        s->models[p] = plb_belief_curves(&view->pus[p], (enum plb_terms)s->params[TERMS].value);
}

/* Shares of a step where there is no curve at all. */
static void by_power(struct state *s, const struct plb_view *view, double step)
{
    double power = 0.0;
    for (int p = 0; p < view->n_pus; p++)
        power += view->pus[p].lost ? 0.0 : view->pus[p].power;
    for (int p = 0; p < view->n_pus; p++)
        s->x[p] = view->pus[p].lost ? 0.0 : step * view->pus[p].power / power;
}

/* The size of a PU: that of the solve, in the tail shrunk, but not below the minimum. */
static double block_size(const struct state *s, int p)
{
    if (s->params[LEAST_BLOCK].value > 0.0)
        return fmax(s->shrunk * s->x[p], s->params[LEAST_BLOCK].value);
    const struct plb_model *m = &s->models[p];
    double least = s->x[p], near_best = NEAR_BEST * least / plb_model_time(m, least);
    while (least > SMALLEST * s->x[p] && 0.5 * least >= near_best * plb_model_time(m, 0.5 * least))
        least *= 0.5;
    return fmax(s->shrunk * s->x[p], least);
}

/* solveEquationSystem: the sizes of a new virtual step. */
static void begin_step(struct state *s, const struct plb_view *view)
{
    struct plb_solution solution = {0};
    determine_models(s, view);
    if (s->step == 0.0)
        s->step = plb_step_work(s->models, view->n_pus, view->total, s->params[STEPS].value, s->x);
    double unit = fmax(view->next, s->params[LEAST_BLOCK].value);
    double step = fmax(s->step, view->living * unit);
    by_power(s, view, step);
    plb_solve(s->models, view->n_pus, step, (enum plb_solver)s->params[SOLVER].value, s->x, &solution);
    if (view->total - view->remaining >= s->params[TAIL_START].value * view->total)
        s->shrunk *= 1.0 - s->params[TAIL_FACTOR].value;
    s->waited = 0;
    for (int p = 0; p < view->n_pus; p++) {
        struct hac_pu *pu = &s->pus[p];
        bool in = s->x[p] >= 0.5 * unit;
        pu->size = in ? fmax(block_size(s, p), view->next) : 0.0;
        pu->stepped = !in;
        s->waited += in;
    }
    s->over = false;
    s->running = true;
    view->stats->ask_again = true;
    view->stats->solves++;
}

/* The block that fills the gap between the actual and the predicted end of the last one. */
static double gap_block(struct state *s, const struct plb_view *view, int p)
{
    double work = plb_model_work(&s->models[p], s->pus[p].gap, s->pus[p].size);
    s->pus[p].gap = 0.0;
    s->pus[p].filling = work >= view->next;
    return s->pus[p].filling ? work : 0.0;
}

/* PLB-HAC(proc): the next block of a PU that is idle. */
static double next_block(struct state *s, const struct plb_view *view, int p)
{
    struct hac_pu *pu = &s->pus[p];
    double work = pu->gap > 0.0 ? gap_block(s, view, p) : 0.0;
    if (work == 0.0 && s->over)
        begin_step(s, view);
    if (work == 0.0)
        work = pu->size;
    if (work > 0.0 && !pu->filling) {
        pu->started = view->now;
        pu->predicted = view->now + plb_model_time(&s->models[p], work);
    }
    return work > 0.0 ? work : PLB_WAIT;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    if (!s->running && plb_training_round_over(&s->training, view)) {
        plb_training_next_round(&s->training, view);
        s->running = s->over = s->training.round >= POINTS;
        view->stats->profile_end = s->running ? view->now : 0.0;
    }
    if (!s->running)
        return plb_training_block(&s->training, view, p);
    return view->pus[p].outstanding > 0 ? PLB_WAIT_OWN : next_block(s, view, p);
}

/* PU p has finished its block: the virtual step ends with the last of them. */
static void step_done(struct state *s, int p)
{
    s->waited -= !s->pus[p].stepped;
    s->pus[p].stepped = true;
    s->over = s->over || s->waited <= 0;
}

/* FinishedTaskExecution. */
static void block_end(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct hac_pu *pu = &s->pus[p];
    double gap = pu->predicted - view->now, ratio = s->params[GAP_RATIO].value;
    if (!s->running)
        return;
    bool early = ratio > 0.0 ? view->now - pu->started <= ratio * (pu->predicted - pu->started)
                             : gap > s->params[GAP_THRESHOLD].value;
    pu->gap = early && gap > 0.0 ? gap : 0.0;
    if (!pu->filling)
        step_done(s, p);
    pu->filling = false;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    plb_training_reported(&s->training, p, sample);
    if (sample->block_end)
        block_end(s, view, p);
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    plb_training_lost(&s->training, p);
    s->over = s->running;
}

const struct plb_balancer plb_balancer_plb_hac = {
    .name = "plb-hac",
    PLB_BALANCER_HEAD,
    .summary = "curves refined by every block, sizes solved once per virtual step, no barriers",
    .options = options,
    .beliefs = true,
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = lost,
    .fini = fini,
};
