/* plb-hac: after PLB-HAC (Sant'Ana, Cordeiro and de Camargo, 2019): curves from two points on, refined
 * by every finished block, sizes solved once per virtual step, no barriers.
 *
 * Training: every PU executes one tiny block, then blocks that last about the same time everywhere
 * (`training` of the work in all). As soon as every PU has two points the first curves are fitted.
 * A PU that is through earlier goes on with blocks of that length, which is the paper's gap filling;
 * with `synchronise = yes` it waits instead, the paper's one synchronisation.
 *
 * Where every PU has samples already, of an earlier pass or from a profile, there is no training. A
 * profile gives a first block of a quarter of the regular size: if it is wrong, little is lost.
 *
 * Execution: a virtual step ends when every PU has finished a block. The first PU to ask in a new
 * one refits all curves and solves for the time T at which all remaining work would be finished by
 * everybody together, counting what each still has to do. Whoever asks then gets a block that is a
 * part of what it can finish by T: what it does in 1 / `steps` of the run until `tail_start` of the work
 * has been granted, from then on half of what is left to it where that is less, but not less than `tail_factor` of the
 * regular block, nor less than a size at which the PU is within 10 % of its best rate.
 *
 * What the text leaves open, and what was chosen:
 * - The paper multiplies tail blocks by a constant at each step. Here each is half of the PU's own
 *   rest, and the factor bounds how small they become: PUs then end together whatever their blocks
 *   were before, and the last error is that of a block ten times smaller.
 * - Gap filling: a PU that finishes `gap_threshold` seconds before it was predicted to has more to do
 *   until T than its regular block, and gets it, up to twice the block.
 * - Old samples fade with a half-life of 24 reports, and the first one of a PU, which contains its
 *   warm-up, is left out once there are three. What was measured before a PU became faster or slower is
 *   scaled to the present (core/history). For that to show soon, blocks last no longer than
 *   `block_seconds`, where the paper's last as long as the user makes them.
 * - In the tail, on up to 64 PUs, whoever has reported since it last asked refits its own curve and
 *   solves again: what is left is little, and the last sizes are the ones that must be right.
 * - A PU whose curve says that it could not even finish a unit by T gets none, so that none is used that
 *   only slows the run. If one of its reports says otherwise, the curve may rest on a hiccup, and it is
 *   tried once more per solve with a block of that report's size.
 * - A CPU beside GPUs may be thousands of times slower, and powers are guesses: it starts after them with a tiny
 *   block, if that ends in time even were its power ten times too high, then with blocks that last no longer than
 *   what has passed, and nobody waits for its curve. One whose next unit may last too long gets nothing.
 * - Each block costs a start. Where that is more than what others could gain by a smaller one, a PU takes all it
 *   can do until T at once.
 * - A PU alone has nothing to share: after a 64th and a 128th of the work, it gets regular blocks, so that
 *   progress can be seen, and the rest at once where that is not much more.
 * Cost: a fit per PU and one solve per virtual step; O(1) per grant otherwise. */
#include <math.h>
#include <stdlib.h>

#include "model/fit.h"
#include "model/solve.h"
#include "plb/balancer.h"

enum { INITIAL_BLOCK, GAP_THRESHOLD, TAIL_START, TAIL_FACTOR, STEPS, BLOCK_SECONDS, TRAINING, SYNCHRONISE, SOLVER };

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
    [SOLVER] = {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES,
                "who solves for equal finish times"},
    {0},
};

#define HALF_LIFE 24.0      /* reports */
#define FEW 64              /* PUs up to which a solve costs less than a message */
#define MANY_STARTS 200.0   /* of these fixed parts of its time at least lasts a regular block */
#define AHEAD_OF_OTHERS 4.0 /* times what has passed is the longest block before everybody has reported */
#define PROBE 0.25          /* of a regular block is the first one by a profile */
#define NEAR_BEST 0.9       /* of the best rate: a block is not smaller than this asks for */
#define BLIND 5e-3          /* seconds: after a longer first report a PU waits for the second, not to waste starts */
#define WRONG 10.0          /* times a given power may be too high */
#define NOISE 0.4           /* relative, of one report */
#define SEASONED 8          /* reports after which the latest one tells a PU's rate without its start */
#define MISFIT 0.2          /* relative: a slope at the far end of a curve may be off by so much, however many reports */
#define EXACT 1e-6          /* relative: what is so near to whole units is whole */
#define UNSURE 0.4          /* relative error of what is predicted: more is not won by halving what is left */

struct hac_pu {
    double rate;                /* work per second of its latest report */
    double since;               /* when it began what it is doing now */
    double due;                 /* when it was predicted to finish its block */
    double least;               /* work: its smallest sensible block */
    int reports;                /* blocks finished, in this pass or before it: two make a curve */
    int64_t refused, tried;     /* the solves after which there was nothing left for it, or it was tried again */
    bool fresh;                 /* has reported since it was last fitted */
    bool stepped;               /* has finished a block in this virtual step */
    bool proven;                /* something of this run is among its samples, not only a profile */
    bool shy;                   /* a CPU beside GPUs: nobody waits for its measurements */
    double guess;               /* its power over that of the strongest PU that is not shy; at most 1 */
};

struct state {
    const struct plb_param *params;
    double first_block, end;    /* end: T, on the clock of the view */
    double rates;               /* sum of the rates of the PUs that have reported, n_rates of them */
    double shy_rates;           /* the part of the shy ones of it */
    double unreported;          /* sum of the guesses of the PUs that have not reported */
    int stepped;                /* PUs that have finished a block in this virtual step */
    int needed, trained, n_rates; /* PUs that are not shy; those with two reports; those with any */
    int unstarted;              /* of them, those without a report and without a block */
    int news;                   /* shy PUs whose first report came after the last solve */
    bool recount;               /* a PU was lost: the next question counts anew */
    int64_t solves;
    double solved_at;           /* on the clock of the view */
    double last_call;           /* whoever ends one more unit by then gets one, when fewer remain than PUs */
    bool running, stale;        /* stale: the next to ask refits and solves */
    struct plb_model *models, *shifted;
    double *x;
    struct hac_pu pus[];
};

/* Where this holds, no PU is executing anything. */
static bool nothing_outstanding(const struct plb_view *view)
{
    return view->idle == view->living;
}

static void fini(void *state)
{
    struct state *s = state;
    free(s->models);
    free(s->shifted);
    free(s->x);
    free(s);
}

/* Who is shy, and how strong it is thought to be. */
static void compare(struct state *s, const struct plb_view *view)
{
    double power[2] = {0.0, 0.0}; /* the most of a CPU, and of another kind */
    for (int p = 0; p < view->n_pus; p++) {
        double *most = &power[view->pus[p].kind != PLB_CPU];
        *most = view->pus[p].lost ? *most : fmax(*most, view->pus[p].power);
    }
    for (int p = 0; p < view->n_pus; p++) {
        s->pus[p].shy = view->pus[p].kind == PLB_CPU && power[1] > 0.0;
        s->pus[p].guess = fmin(view->pus[p].power / (power[1] > 0.0 ? power[1] : power[0]), 1.0);
    }
}

/* Takes all sums anew from what is known of each PU. */
static void count(struct state *s, const struct plb_view *view)
{
    compare(s, view);
    s->needed = s->trained = s->stepped = s->n_rates = s->unstarted = 0;
    s->rates = s->shy_rates = s->unreported = 0.0;
    s->recount = false;
    for (int p = 0; p < view->n_pus; p++) {
        const struct hac_pu *own = &s->pus[p];
        if (view->pus[p].lost)
            continue;
        s->needed += !own->shy;
        s->trained += !own->shy && own->reports >= 2;
        s->stepped += own->stepped;
        s->n_rates += !own->shy && own->rate > 0.0;
        s->unstarted += !own->shy && own->reports == 0 && view->pus[p].outstanding == 0;
        s->rates += own->rate;
        s->shy_rates += own->shy ? own->rate : 0.0;
        s->unreported += own->rate == 0.0 ? own->guess : 0.0;
    }
}

static double rate_of(const struct plb_sample *sample)
{
    double seconds = sample->execute_s + sample->transfer_s;
    return fmax(sample->work, 1e-9) / (isfinite(seconds) && seconds > 0.0 ? seconds : 1e-9);
}

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    size_t n = (size_t)view->n_pus;
    struct state *s = calloc(1, sizeof *s + n * sizeof *s->pus);
    if (s == NULL)
        return NULL;
    s->params = params;
    s->models = calloc(n, sizeof *s->models);
    s->shifted = calloc(n, sizeof *s->shifted);
    s->x = calloc(n, sizeof *s->x);
    if (s->models == NULL || s->shifted == NULL || s->x == NULL) {
        fini(s);
        return NULL;
    }
    double given = params[INITIAL_BLOCK].value;
    s->first_block = given > 0.0 ? given : fmax(view->total / (1000.0 * view->n_pus), 1.0);
    for (int p = 0; p < view->n_pus; p++) { /* measured in earlier passes or runs: no training */
        s->pus[p].reports = view->pus[p].n_samples < 2 ? view->pus[p].n_samples : 2;
        s->pus[p].fresh = s->pus[p].reports > 0;
        s->pus[p].proven = view->pus[p].n_samples > view->pus[p].recalled;
        if (s->pus[p].fresh)
            s->pus[p].rate = rate_of(&view->pus[p].samples[view->pus[p].n_samples - 1]);
    }
    count(s, view);
    return s;
}

/* The fixed part of a PU's time for a block: what its quickest report took beyond its work. A small report
 * tells it best; an excess that is small may be noise, of many reports a smaller one. The work counts by the curve's
 * slope, or after many reports by the latest one where that is more: a curve may flatten at its far end for no
 * good reason. */
static double starting_time(const struct plb_model *m, const struct plb_pu *pu, double rate)
{
    double quickest = INFINITY, work = 0.0;
    for (int i = 0; i < pu->n_samples; i++) {
        double seconds = pu->samples[i].execute_s + pu->samples[i].transfer_s;
        if (seconds < quickest) {
            quickest = seconds;
            work = pu->samples[i].work;
        }
    }
    double slope = plb_model_slope(m, m->execute.high);
    if (pu->n_samples > SEASONED)
        slope = fmax(slope, 1.0 / rate);
    double start = quickest - (1.0 + fmax(NOISE / sqrt(pu->n_samples), MISFIT)) * work * slope;
    return isfinite(start) && start > 0.0 ? start : 0.0;
}

static void fit(struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    struct plb_model *m = &s->models[p];
    s->pus[p].fresh = false;
    int first = pu->n_samples >= 3 && pu->recalled == 0 && pu->n_samples < PLB_MAX_SAMPLES / 2 ? 1 : 0;
    if (!plb_fit_samples(pu->samples + first, pu->n_samples - first, HALF_LIFE, m))
        return;
    m->grain = isfinite(pu->grain) ? pu->grain : 0.0;
    /* The smallest measured size whose rate is near the best one. */
    double size = m->execute.low, best = plb_model_best_rate(m);
    while (size < m->execute.high && size / plb_model_time(m, size) < NEAR_BEST * best)
        size *= 1.25;
    s->pus[p].least = fmin(size, m->execute.high);
    if (size <= m->execute.low) /* smaller ones may do as well */
        s->pus[p].least = fmin(size, NEAR_BEST / (1.0 - NEAR_BEST) * starting_time(m, pu, s->pus[p].rate) / plb_model_slope(m, m->execute.high));
}

/* Seconds until a PU has done what it has been granted. */
static double busy_for(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    if (pu->outstanding == 0)
        return 0.0;
    double elapsed = view->now - s->pus[p].since;
    double predicted = plb_model_time(&s->models[p], pu->granted - pu->done);
    return fmax(predicted - elapsed, 0.25 * elapsed); /* overdue: it will take a while yet */
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Fewer units remain than there are PUs: the time by which as many PUs as units could end one more. */
static double last_call(struct state *s, const struct plb_view *view)
{
    int n = 0, units = (int)fmax(view->remaining, 1.0);
    for (int p = 0; p < view->n_pus; p++)
        if (!view->pus[p].lost && plb_model_known(&s->models[p]))
            s->x[n++] = busy_for(s, view, p) + plb_model_time(&s->models[p], view->next);
    if (n == 0)
        return 0.0;
    qsort(s->x, (size_t)n, sizeof *s->x, by_value);
    double call = view->now + s->x[units < n ? units - 1 : n - 1];
    for (int p = 0; p < view->n_pus; p++)
        s->x[p] = 0.0; /* it was only lent */
    return call;
}

/* T, the time at which everything that remains is finished by all PUs together. */
static void solve(struct state *s, const struct plb_view *view)
{
    struct plb_solution solution = {0};
    for (int p = 0; p < view->n_pus; p++) {
        s->shifted[p] = s->models[p];
        s->shifted[p].busy_s = busy_for(s, view, p);
    }
    if (plb_solve(s->shifted, view->n_pus, view->remaining, (enum plb_solver)s->params[SOLVER].value, s->x, &solution))
        s->end = view->now + solution.seconds;
    else
        s->end = INFINITY;
    s->solved_at = view->now;
    s->last_call = view->n_pus > FEW && view->remaining < view->living ? last_call(s, view) : 0.0;
    s->solves++;
    view->stats->solves++;
}

/* Begins a virtual step: curves from everything measured, and T. */
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
    for (int p = 0; p < view->n_pus; p++) { /* the step waits only for those who have something to do */
        s->pus[p].stepped = s->x[p] < 0.5 && (view->pus[p].outstanding == 0 || !plb_model_known(&s->models[p]));
        s->stepped += s->pus[p].stepped && !view->pus[p].lost;
    }
    if (!s->running && view->stats->profile_end == 0.0)
        view->stats->profile_end = view->now; /* 0 where there was no training */
    s->running = true;
}

/* Whether another block costs a PU less than it may win: what it leaves to be decided later, as far as the others
 * could take that over. */
static bool worth_halving(const struct state *s, const struct plb_view *view, int p, double start)
{
    double left = s->end - view->now - busy_for(s, view, p), own = s->pus[p].rate, all = s->rates;
    if (view->n_pus <= FEW) /* who has not reported yet may still help */
        all += own * s->unreported;
    return start <= 0.5 * UNSURE * left * (1.0 - own / all);
}

/* The block of a PU that is neither at the beginning nor at the end: a part of the run, but no longer than
 * `block_seconds`, so that a change is noticed soon, unless starting takes too much of that. */
static double regular_block(const struct state *s, const struct plb_view *view, int p, bool *halves)
{
    const struct plb_model *m = &s->models[p];
    double start = starting_time(m, &view->pus[p], s->pus[p].rate);
    double seconds = fmax(s->params[BLOCK_SECONDS].value, MANY_STARTS * start);
    *halves = worth_halving(s, view, p, start);
    return plb_model_work(m, *halves ? fmin(s->end / s->params[STEPS].value, seconds) : seconds, view->total);
}

/* What a PU with a curve can still finish by T. */
static double share(const struct state *s, const struct plb_view *view, int p)
{
    double seconds = s->end - view->now - busy_for(s, view, p);
    return plb_model_work(&s->models[p], seconds, view->remaining);
}

/* Whether a PU has one report, which says nothing of what starting a block costs, and that may be much. */
static bool blind(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    return s->pus[p].reports == 1 && pu->n_samples > 0 && pu->samples[0].execute_s > BLIND;
}

/* A first, tiny block of a PU that may be very slow, once the others have theirs: what the strongest of them
 * gets, or a unit, if it ends in time even where its power was given much too high. */
static double probe(const struct state *s, const struct plb_view *view, int p)
{
    double guess = s->pus[p].guess / WRONG;
    if (s->unstarted > 0)
        return PLB_WAIT;
    if (view->pus[p].outstanding > 0)
        return PLB_WAIT_OWN;
    return view->next <= guess * view->remaining / s->needed ? fmax(guess * s->first_block, view->next) : PLB_WAIT;
}

static double train(struct state *s, const struct plb_view *view, int p)
{
    if (s->pus[p].reports == 0)
        return view->pus[p].outstanding > 0 ? PLB_WAIT_OWN : s->first_block;
    if (s->n_rates == 0)
        return PLB_WAIT;
    if (s->pus[p].reports >= 2 && s->params[SYNCHRONISE].value != 0.0)
        return PLB_WAIT;
    bool waits = s->n_rates < s->needed || s->pus[p].shy || blind(s, view, p);
    if (waits && view->pus[p].outstanding > 0)
        return view->n_pus > FEW ? PLB_WAIT_OWN : PLB_WAIT;
    /* PUs that have not reported yet count as half as fast as the mean. */
    double rates = (s->rates - (s->pus[p].shy ? 0.0 : s->shy_rates)) * (1.0 + 0.5 * (s->needed - s->n_rates) / s->n_rates);
    double seconds = s->params[TRAINING].value * view->total / rates;
    if (s->n_rates < s->needed && s->params[SYNCHRONISE].value == 0.0) /* who is quick with a tiny block may be slow with others: not far ahead */
        seconds = fmin(seconds, AHEAD_OF_OTHERS * view->now);
    if (s->pus[p].shy) /* its rate is that of a tiny block, and that of the others may be far too low */
        return view->next > 2.0 * s->pus[p].rate * view->now ? PLB_WAIT : fmax(s->pus[p].rate * fmin(seconds, view->now), view->next);
    return fmax(s->pus[p].rate * seconds, s->pus[p].reports == 1 ? 2.0 * s->first_block * s->pus[p].rate / rates : 1.0);
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

/* The PU that would finish one more unit first. */
static int next_to_finish(const struct state *s, const struct plb_view *view)
{
    int best = 0;
    double earliest = INFINITY;
    for (int p = 0; p < view->n_pus; p++) {
        double end = view->pus[p].lost || !plb_model_known(&s->models[p]) ? INFINITY : busy_for(s, view, p) + plb_model_time(&s->models[p], view->next);
        if (end < earliest) {
            earliest = end;
            best = p;
        }
    }
    return best;
}

/* A block that tries a PU again which its curve has ruled out, or 0: the size of its quickest report, where
 * that report alone says it would be through in half the time that is left. One such try per solve. */
static double try_again(struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    double size = 0.0, quickest = INFINITY;
    for (int i = 0; i < pu->n_samples; i++) {
        double seconds = pu->samples[i].execute_s + pu->samples[i].transfer_s;
        if (pu->samples[i].work >= 1.0 && seconds > 0.0 && seconds < quickest) {
            quickest = seconds;
            size = pu->samples[i].work;
        }
    }
    bool possible = pu->outstanding == 0 && s->pus[p].tried != s->solves
                 && quickest * fmax(view->next / size, 1.0) < 0.5 * (s->end - view->now)
                 && size < 0.5 * view->remaining;
    s->pus[p].tried = s->solves;
    return possible ? size : 0.0;
}

/* Less than a unit is left for a PU. Another would overrun T, so it waits until the next solve or its own
 * next report, unless nobody can be through with one earlier. */
static double last_units(struct state *s, const struct plb_view *view, int p, double rest)
{
    double again = try_again(s, view, p);
    if (again > 0.0)
        return again;
    bool gets_one = p == (view->n_pus > FEW ? -1 : next_to_finish(s, view));
    if (view->n_pus > FEW && s->last_call > 0.0)
        gets_one = view->now + busy_for(s, view, p) + plb_model_time(&s->models[p], view->next) <= s->last_call * (1.0 + 1e-9);
    else if (view->n_pus > FEW)
        gets_one = rest >= 0.5 * view->next;
    if (gets_one)
        return view->next;
    if (view->pus[p].outstanding > 0)
        return view->n_pus > FEW ? PLB_WAIT_OWN : PLB_WAIT;
    s->pus[p].refused = s->solves;
    return PLB_WAIT;
}

static double run(struct state *s, const struct plb_view *view, int p)
{
    struct hac_pu *own = &s->pus[p];
    double steps = s->params[STEPS].value, granted = view->total - view->remaining;
    bool tail = granted >= s->params[TAIL_START].value * view->total;
    if (own->refused == s->solves && !nothing_outstanding(view) && !s->stale && !own->fresh)
        return PLB_WAIT;
    refresh(s, view, p, tail);
    if (nothing_outstanding(view) && s->solved_at < view->now && share(s, view, p) < view->next)
        begin_step(s, view); /* T has passed with work left: what was expected did not happen */
    if (!isfinite(s->end))
        return fmax(view->remaining / (steps * view->living), 1.0); /* nothing could be measured */
    bool halves;
    double rest = share(s, view, p) * (1.0 + EXACT);
    if (rest < view->next * (1.0 - 1e-9))
        return last_units(s, view, p, rest);
    double regular = regular_block(s, view, p, &halves), gap = own->due - view->now;
    double block = regular;
    if (!own->proven)
        return fmax(view->next, fmin(PROBE * regular, floor(rest)));
    if (gap > s->params[GAP_THRESHOLD].value && view->pus[p].outstanding == 0)
        block += fmin(gap * own->rate, regular);
    if ((tail || block > 0.5 * rest) && halves)
        block = fmin(block, fmax(0.5 * rest, fmax(s->params[TAIL_FACTOR].value * regular, own->least)));
    block = fmin(fmax(block, view->next), fmax(floor(rest), view->next));
    return view->remaining - block < view->next * (1.0 - 1e-9) ? view->remaining : block;
}

/* A PU that has nobody to share with: two sizes first, which tell what starting a block costs. */
static double alone(struct state *s, const struct plb_view *view, int p)
{
    if (s->pus[p].reports == 0)
        return view->total / (view->pus[p].outstanding == 0 ? 64.0 : 128.0);
    if (s->pus[p].fresh)
        fit(s, view, p);
    if (view->pus[p].outstanding > 0 && blind(s, view, p))
        return PLB_WAIT_OWN;
    const struct plb_model *m = &s->models[p];
    if (!plb_model_known(m))
        return fmax(view->total / 64.0, 1.0);
    double seconds = fmax(s->params[BLOCK_SECONDS].value, MANY_STARTS * starting_time(m, &view->pus[p], s->pus[p].rate));
    double work = fmax(plb_model_work(m, seconds, view->remaining), 1.0);
    return view->remaining < 2.5 * work ? view->remaining : work;
}

static double decide(struct state *s, const struct plb_view *view, int p)
{
    if (view->living == 1)
        return alone(s, view, p);
    if (s->pus[p].shy && s->pus[p].reports == 0)
        return probe(s, view, p);
    return s->running ? run(s, view, p) : train(s, view, p);
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct hac_pu *own = &s->pus[p];
    if (s->recount)
        count(s, view);
    bool waits = s->params[SYNCHRONISE].value != 0.0 && !nothing_outstanding(view);
    if (!s->running && s->trained == s->needed && !waits)
        begin_step(s, view);
    double work = decide(s, view, p);
    if (!(work > 0.0))
        return work;
    if (view->pus[p].outstanding == 0) {
        own->since = view->now;
        bool starts = !own->shy && own->reports == 0;
        s->unstarted -= starts;
        view->stats->ask_again |= starts && s->unstarted == 0;
    }
    own->due = view->now + busy_for(s, view, p) + plb_model_time(&s->models[p], work);
    view->stats->ask_again |= view->n_pus <= FEW;
    return work;
}

static void note_rate(struct state *s, struct hac_pu *own, double rate)
{
    bool first = own->rate == 0.0;
    s->n_rates += first && !own->shy;
    s->unreported -= first ? own->guess : 0.0;
    s->rates += rate - own->rate;
    s->shy_rates += own->shy ? rate - own->rate : 0.0;
    own->rate = rate;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct hac_pu *own = &s->pus[p];
    if (s->n_rates == 0 || view->n_pus <= FEW)
        view->stats->ask_again = true;
    note_rate(s, own, rate_of(sample));
    own->since = view->now;
    own->fresh = true;
    if (!sample->block_end)
        return;
    own->proven = true;
    own->reports++;
    s->trained += own->reports == 2 && !own->shy;
    s->news += s->running && own->shy && own->reports == 1;
    s->stepped += !own->stepped;
    own->stepped = true;
    if (s->running && (s->stepped >= view->living || s->news * FEW >= view->living))
        s->stale = true;
}

/* Another PU has finished the block, or a loss: there may be no report of this PU at all. */
static void block_end(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    struct hac_pu *own = &s->pus[p];
    own->since = view->now;
    own->stepped = true;
    own->reports += own->rate > 0.0;
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
    PLB_BALANCER_HEAD,
    .name = "plb-hac",
    .summary = "curves refined by every block, sizes solved once per virtual step, no barriers",
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = lost,
    .fini = fini,
};
