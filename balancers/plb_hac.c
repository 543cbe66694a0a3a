/* plb-hac: after PLB-HAC (Sant'Ana, Cordeiro and de Camargo, 2019). Curves from two points on, refined
 * by every finished block; sizes solved once per virtual step; no barriers.
 *
 * Training (model/training): every PU executes one tiny block, then blocks that last about the same time
 * everywhere (`training` of the work in all). As soon as every PU has two points the first curves are
 * fitted. A PU that is ready earlier goes on with blocks of that length, which is the paper's gap filling.
 * With `synchronise = yes` it waits instead, the paper's one synchronisation. Where every PU has samples
 * of an earlier pass or run, there is no training.
 *
 * Execution: a virtual step ends when every PU has finished a block. The first PU to ask in a new step
 * refits all curves and solves for the time T at which all PUs together have finished all remaining
 * work, including what each still has to do. A PU that asks gets a part of what it can finish by T:
 * what it does in 1 / `steps` of the run. Once `tail_start` of the work has been granted, it gets at
 * most half of what is left to it, but at least `tail_factor` of the regular block, and at least the
 * size at which it is near its best rate.
 *
 * What the text leaves open, and what was chosen:
 * - The paper multiplies tail blocks by a constant at each step. Here each is half of the PU's own rest, and
 *   the factor bounds how small they become. PUs then end together whatever their blocks were before.
 * - Gap filling: a PU that finishes `gap_threshold` seconds before its predicted end gets more than its
 *   regular block, up to twice as much.
 * - Old reports count less. Regular blocks last at most `block_seconds`, so that a change of speed shows
 *   soon, unless starting takes too much of that.
 * - In the tail, on few PUs, a PU with a new report solves again: the last sizes must be right.
 * - A PU that could not finish a unit by T gets none. Where one of its reports says that it could, its
 *   curve may rest on a hiccup: it is tried once per solve with a block of that report's size.
 * Cost: O(1) and at most one fit per question; a fit per PU and a solve per virtual step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/block_size.h"
#include "model/finish.h"
#include "model/training.h"
#include "plb/balancer.h"

// clang-format off
enum { INITIAL_BLOCK, GAP_THRESHOLD, TAIL_START, TAIL_FACTOR, STEPS, BLOCK_SECONDS, TRAINING,
       SYNCHRONISE, SOLVER };
// clang-format on
// clang-format on

static const struct plb_option options[] = {
    [INITIAL_BLOCK] = {"initial_block", PLB_INT, "0", 0, 1e15, NULL,
                       "units in every PU's first block; 0 = find a size"},
    [GAP_THRESHOLD] = {"gap_threshold", PLB_REAL, "0.4", 0, 1e9, NULL,
                       "plb-hac: seconds before its predicted end that bring a PU a gap-filling block"},
    [TAIL_START] = {"tail_start", PLB_REAL, "0.7", 0, 1, NULL,
                    "plb-hac: part of the work after which blocks shrink"},
    [TAIL_FACTOR] = {"tail_factor", PLB_REAL, "0.1", 1e-6, 1, NULL,
                     "plb-hac: smallest block of the tail, as a part of a regular one"},
    [STEPS] = {"steps", PLB_INT, "4", 1, 1e6, NULL, "steps that the work is cut into"},
    [BLOCK_SECONDS] = {"block_seconds", PLB_REAL, "2", 1e-3, 1e9, NULL,
                       "plb-hac: longest regular block; more where a PU wastes over 1/200 of it on starting"},
    [TRAINING] = {"training", PLB_REAL, "0.07", 1e-6, 0.2, NULL,
                  "part of the work to train with where initial_block is 0"},
    [SYNCHRONISE] = {"synchronise", PLB_FLAG, "no", 0, 0, NULL,
                     "plb-hac: wait for all PUs at the end of training, as in the paper"},
    [SOLVER] = {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES, "who solves for equal finish times"},
    {0},
};

/* Reports after which one counts half. Larger: curves follow a change slowly. Smaller: noise moves them. */
#define HALF_LIFE 24.0

/* PUs up to which a solve costs less than a message. Then a report in the tail brings a solve, and all that
 * wait are asked. Larger: the master works more. Smaller: PUs end further apart. */
#define FEW PLB_FEW_PUS

#define EXACT 1e-6 /* relative: work so near to whole units is whole */
#define ROUNDING 1e-9

struct hac_pu {
    struct plb_estimate estimate;
    double since;           /* when it began what it is doing now */
    double due;             /* when it was predicted to finish its block */
    int64_t refused, tried; /* the solve after which nothing was left for it, or it was tried again */
    bool fresh;             /* has reported since it was last fitted */
    bool stepped, measured; /* has finished a block in this virtual step; has a sample of this run */
};

struct state {
    const struct plb_param *params;
    double end;   /* T, on the clock of the view */
    int stepped;  /* PUs that have finished a block in this virtual step */
    int news;     /* CPUs beside GPUs whose first report came after the last solve */
    bool recount; /* a PU was lost: the next question counts anew */
    int64_t solves;
    double solved_at; /* on the clock of the view */
    double last_call; /* fewer units remain than PUs: a PU that ends one by then gets one; else 0 */
    bool running;     /* training is over */
    bool stale;       /* the next question refits and solves */
    struct plb_training training;
    struct plb_model *models;
    double *busy, *x; /* seconds and work, at the latest solve */
    struct hac_pu pus[];
};

static void fini(void *state)
{
    struct state *s = state;
    plb_training_fini(&s->training);
    free(s->models);
    free(s->busy);
    free(s->x);
    free(s);
}

/* Takes all sums anew from what is known of each PU. */
static void count(struct state *s, const struct plb_view *view)
{
    plb_training_count(&s->training, view);
    s->stepped = 0;
    for (int p = 0; p < view->n_pus; p++)
        s->stepped += s->pus[p].stepped && !view->pus[p].lost;
    s->recount = false;
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    size_t n = (size_t)view->n_pus;
    struct state *s = calloc(1, sizeof *s + n * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->models = calloc(n, sizeof *s->models);
    s->busy = calloc(n, sizeof *s->busy);
    s->x = calloc(n, sizeof *s->x);
    bool room = plb_training_init(&s->training, view, params[INITIAL_BLOCK].value, params[TRAINING].value,
                                  params[SYNCHRONISE].value != 0.0);
    if (!room || s->models == NULL || s->busy == NULL || s->x == NULL) {
        fini(s);
        return NULL;
    }
    for (int p = 0; p < view->n_pus; p++) {
        s->pus[p].fresh = view->pus[p].n_samples > 0;
        s->pus[p].measured = view->pus[p].n_samples > view->pus[p].recalled;
    }
    return s;
}

static void fit(struct state *s, const struct plb_view *view, int p)
{
    view->stats->fits++;
    plb_estimate(&view->pus[p], HALF_LIFE, s->training.pus[p].rate, &s->models[p], &s->pus[p].estimate);
    s->pus[p].fresh = false;
}

/* Seconds until a PU has done what it has been granted. */
static double busy_for(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    if (pu->outstanding == 0)
        return 0.0;
    return plb_busy_for(&s->models[p], pu->granted - pu->done, view->now - s->pus[p].since);
}

static void note_busy(struct state *s, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++)
        s->busy[p] = busy_for(s, view, p);
}

/* T, the time at which everything that remains is finished by all PUs together. */
static void solve(struct state *s, const struct plb_view *view)
{
    struct plb_solution solution = {0};
    enum plb_solver solver = (enum plb_solver)s->params[SOLVER].value;
    note_busy(s, view);
    bool solved = plb_solve_busy(s->models, s->busy, view->n_pus, view->remaining, solver, s->x, &solution);
    s->end = solved ? view->now + solution.seconds : INFINITY;
    s->solved_at = view->now;
    s->last_call = 0.0;
    if (view->n_pus > FEW && view->remaining < view->living) {
        int units = (int)fmax(view->remaining, 1.0);
        double last = plb_one_each(s->models, s->busy, view->n_pus, view->next, units, s->x);
        s->last_call = last > 0.0 ? view->now + last : 0.0;
        memset(s->x, 0, (size_t)view->n_pus * sizeof *s->x); /* single units are nobody's share */
    }
    s->solves++;
    view->stats->solves++;
}

/* Begins a virtual step. */
static void begin_step(struct state *s, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++) {
        if (view->pus[p].lost)
            s->models[p] = (struct plb_model){0};
        else if (s->pus[p].fresh)
            fit(s, view, p);
    }
    solve(s, view);
    view->stats->ask_again = true;
    s->stale = false;
    s->stepped = s->news = 0;
    for (int p = 0; p < view->n_pus; p++) { /* the step ends without those that have nothing to do */
        bool working = view->pus[p].outstanding > 0 && plb_model_known(&s->models[p]);
        s->pus[p].stepped = s->x[p] < 0.5 && !working;
        s->stepped += s->pus[p].stepped && !view->pus[p].lost;
    }
    if (!s->running && view->stats->profile_end == 0.0)
        view->stats->profile_end = view->now; /* 0 where there was no training */
    s->running = true;
}

/* What a PU with a curve can still finish by T. */
static double share(const struct state *s, const struct plb_view *view, int p)
{
    double seconds = s->end - view->now - busy_for(s, view, p);
    return plb_model_work(&s->models[p], seconds, view->remaining);
}

/* Keeps curves and T fresh: the PU's own curve always, T at the begin of a virtual step and in the tail. */
static void refresh(struct state *s, const struct plb_view *view, int p, bool tail)
{
    bool fresh = s->pus[p].fresh;
    if (fresh)
        fit(s, view, p);
    if (s->stale)
        begin_step(s, view);
    else if (tail && fresh && view->n_pus <= FEW)
        solve(s, view);
}

/* Whether a PU for which less than a unit is left takes one all the same: no other can finish it earlier. */
static bool takes_one_more(struct state *s, const struct plb_view *view, int p, double rest)
{
    if (view->n_pus <= FEW) {
        note_busy(s, view);
        return p == plb_first_to_finish(s->models, s->busy, view->n_pus, view->next);
    }
    if (s->last_call == 0.0)
        return rest >= 0.5 * view->next;
    double end = view->now + busy_for(s, view, p) + plb_model_time(&s->models[p], view->next);
    return end <= s->last_call * (1.0 + ROUNDING);
}

/* Less than a unit is left for a PU: one more would end after T. */
static double last_units(struct state *s, const struct plb_view *view, int p, double rest)
{
    const struct plb_pu *pu = &view->pus[p];
    bool tried = s->pus[p].tried == s->solves;
    double again = pu->outstanding > 0 || tried ? 0.0 : plb_retry_block(pu, view->next, s->end - view->now);
    s->pus[p].tried = s->solves;
    if (again > 0.0 && again < 0.5 * view->remaining)
        return again; /* its curve rules it out, but one of its reports does not */
    if (takes_one_more(s, view, p, rest))
        return view->next;
    if (pu->outstanding > 0)
        return view->n_pus > FEW ? PLB_WAIT_OWN : PLB_WAIT;
    s->pus[p].refused = s->solves;
    return PLB_WAIT;
}

/* Seconds that a regular block of this PU lasts at most. */
static double longest(const struct state *s, const struct plb_view *view, int p)
{
    return plb_longest_block(&s->pus[p].estimate, s->params[BLOCK_SECONDS].value, view->living);
}

/* The block of a PU that has `rest` left to do by T. */
static double next_block(const struct state *s, const struct plb_view *view, int p, double rest, bool tail)
{
    const struct hac_pu *own = &s->pus[p];
    double rate = s->training.pus[p].rate, all = s->training.rates, gap = own->due - view->now;
    if (view->n_pus <= FEW) /* PUs that have not reported yet may still help */
        all += rate * s->training.unreported;
    bool early = gap > s->params[GAP_THRESHOLD].value && view->pus[p].outstanding == 0;
    return plb_next_block(&(struct plb_block_question){
        .model = &s->models[p],
        .estimate = &own->estimate,
        .measured = own->measured,
        .step_s = s->end / s->params[STEPS].value,
        .longest_s = longest(s, view, p),
        .left_s = s->end - view->now - busy_for(s, view, p),
        .rest = rest,
        .others = 1.0 - rate / all,
        .extra = early ? gap * rate : 0.0,
        .tail = tail,
        .tail_factor = s->params[TAIL_FACTOR].value,
        .total = view->total,
        .remaining = view->remaining,
        .next = view->next,
    });
}

static double run(struct state *s, const struct plb_view *view, int p)
{
    bool tail = view->total - view->remaining >= s->params[TAIL_START].value * view->total;
    bool refused = s->pus[p].refused == s->solves && !s->stale && !s->pus[p].fresh;
    if (refused && view->idle < view->living)
        return PLB_WAIT;
    refresh(s, view, p, tail);
    if (view->idle == view->living && s->solved_at < view->now && share(s, view, p) < view->next)
        begin_step(s, view); /* T has passed with work left: what was expected did not happen */
    if (!isfinite(s->end))   /* nothing could be measured */
        return fmax(view->remaining / (s->params[STEPS].value * view->living), 1.0);
    double rest = share(s, view, p) * (1.0 + EXACT);
    if (rest < view->next * (1.0 - ROUNDING))
        return last_units(s, view, p, rest);
    return next_block(s, view, p, rest, tail);
}

/* A PU that has nobody to share with. */
static double alone(struct state *s, const struct plb_view *view, int p)
{
    bool busy = view->pus[p].outstanding > 0;
    if (s->training.pus[p].reports == 0)
        return plb_first_block_alone(view->total, busy);
    if (s->pus[p].fresh)
        fit(s, view, p);
    if (busy && plb_start_unknown(&s->training, view, p))
        return PLB_WAIT_OWN;
    return plb_next_block_alone(&s->models[p], longest(s, view, p), view->total, view->remaining);
}

static double decide(struct state *s, const struct plb_view *view, int p)
{
    if (view->living == 1)
        return alone(s, view, p);
    if (!s->running)
        return plb_training_block(&s->training, view, p);
    bool first = s->training.pus[p].beside && s->training.pus[p].reports == 0;
    return first ? plb_training_probe(&s->training, view, p) : run(s, view, p);
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct hac_pu *own = &s->pus[p];
    if (s->recount)
        count(s, view);
    bool waits = s->training.synchronise && view->idle < view->living;
    if (!s->running && s->training.trained == s->training.needed && !waits)
        begin_step(s, view);
    double work = decide(s, view, p);
    if (!(work > 0.0))
        return work;
    if (view->pus[p].outstanding == 0) {
        own->since = view->now;
        view->stats->ask_again |= plb_training_started(&s->training, p);
    }
    own->due = view->now + busy_for(s, view, p) + plb_model_time(&s->models[p], work);
    view->stats->ask_again |= view->n_pus <= FEW;
    return work;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct hac_pu *own = &s->pus[p];
    if (s->training.n_rates == 0 || view->n_pus <= FEW)
        view->stats->ask_again = true;
    plb_training_rate(&s->training, p, plb_sample_rate(sample));
    own->since = view->now;
    own->fresh = true;
    if (!sample->block_end)
        return;
    own->measured = true;
    plb_training_block_end(&s->training, p);
    s->news += s->running && s->training.pus[p].beside && s->training.pus[p].reports == 1;
    s->stepped += !own->stepped;
    own->stepped = true;
    if (s->running && (s->stepped >= view->living || s->news * FEW >= view->living))
        s->stale = true;
}

/* Others executed the block: there may be no report of this PU at all. */
static void block_end(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    s->pus[p].since = view->now;
    s->pus[p].stepped = true;
    if (s->training.pus[p].rate > 0.0)
        plb_training_block_end(&s->training, p);
    s->recount = true;
}

static void lost(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    (void)view;
    (void)p;
    s->recount = true;
    s->stale = s->running;
}

const struct plb_balancer plb_balancer_plb_hac = {
    .name = "plb-hac",
    PLB_BALANCER_HEAD,
    .summary = "curves refined by every block, sizes solved once per virtual step, no barriers",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = lost,
    .fini = fini,
};
