/* sure: grants what is sure. One rule for first blocks and last ones, quick PUs and slow ones.
 *
 * 1. A solve finds T, when all PUs together could have finished what remains (PLB-HeC, eqs. 3 to 5).
 * 2. A PU that asks gets half of what it ends by T even if it is as slow as it may be.
 * 3. It gets more as long as being that late would cost less than one more block does.
 * 4. A new PU gets one unit, the strongest first; where no PU is sure of a unit, it goes to who would end it
 * first.
 *
 * A block costs a start, a trip and a result; being late costs as far as others could take the work over. So
 * training, the slow PU beside a quick one, the shrinking tail and the PU that is left out need no cases.
 *
 * Cost: O(1) per question, and a solve, O(n log n), at most every BETWEEN_SOLVES · n. Weak where a start
 * costs a tenth of the run or more, and where units differ without notice. */
#include <math.h>
#include <stdlib.h>

#include "model/belief.h"
#include "model/finish.h"
#include "model/median.h"
#include "model/rounding.h"
#include "plb/balancer.h"

/* Part of the time left by which an end must differ from what was expected, or of the time of a share by
 * which a new fit must, to move a belief. Larger: T is older. Smaller: more solves. */
#define MOVED 0.002

/* No block lasts longer than this multiple of the run so far, even if it is as slow as it may be. Larger: PUs
 * take too much by poor curves. Smaller: more starts. With 12, clusters of many units took 0.6 % longer. */
#define OF_ELAPSED 6.0

/* Seconds of the run from solve to solve, for each PU. Larger: T is older. Smaller: the master solves more
 * than it answers; a solve takes some 2 us for each PU. The second where all has changed. */
#define BETWEEN_SOLVES 100e-6
#define LEAST_BETWEEN 20e-6

static const struct plb_option options[] = {
    {"solver", PLB_TEXT, "auto", 0, 0, PLB_SOLVER_CHOICES, "who solves for equal finish times"},
    {0},
};

struct sure_pu {
    double trip_s; /* from a grant to its report, beyond the work */
    double asked;  /* when the block was granted whose report is next, if the PU was idle then; else NAN */
    double sure;   /* work that it is sure to end by T, as long as it has not asked since the solve */
};

struct state {
    enum plb_solver solver;
    double end;                /* T, on the clock of the view */
    double last_end;           /* by then the last units can be finished, one after the other */
    double solved_at, total;   /* the last solve: when, and work of the pass then */
    int refused;               /* questions in a row, while nothing is under way */
    double sure;               /* sum of it over the PUs */
    double trial_s;            /* a unit lasts no longer on a PU that is tried */
    int moved;                 /* beliefs, since the last solve */
    struct plb_model *models;  /* behind the PUs */
    double *busy, *x, *unit_s; /* seconds and work, at the last solve, and room; behind the models */
    double sum;                /* of x */
    struct sure_pu pus[];
};

static void *init(const struct plb_view *view, const struct plb_param *params)
{
    size_t n = (size_t)view->n_pus;
    struct state *s = calloc(1, sizeof *s + n * (sizeof *s->pus + sizeof *s->models + 3 * sizeof *s->x));
    if (s == NULL)
        return NULL;
    s->solver = (enum plb_solver)params[0].value;
    s->models = (struct plb_model *)(s->pus + n);
    s->busy = (double *)(s->models + n);
    s->x = s->busy + n;
    s->unit_s = s->x + n;
    s->solved_at = -INFINITY;
    return s;
}

/* Copies what is believed for the solver. A PU whose first block lasts is no faster than that. */
static void believe(struct state *s, const struct plb_view *view)
{
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_pu *pu = &view->pus[p];
        s->models[p] = pu->lost ? (struct plb_model){0} : pu->belief->model;
        s->busy[p] = plb_busy(pu, view->now);
        double from = pu->begun + pu->belief->start_s, elapsed = view->now - from, expected = pu->end - from;
        if (!plb_belief_reported(pu->belief) && pu->outstanding > 0 && elapsed > expected)
            s->models[p].execute.a[PLB_TERM_X] *= elapsed / expected;
    }
}

/* Whether PU p is sure to end one more unit by T. */
static bool sure_of_a_unit(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    double busy = plb_busy(pu, view->now), left = s->end - view->now - busy;
    return plb_model_known(&s->models[p])
        && plb_belief_late(pu->belief, view->next, view->now + busy - pu->begun) <= left;
}

/* Where units are too few for all PUs that have reported nothing, they go to the strongest of these. */
static double longest_trial(const struct state *s, const struct plb_view *view)
{
    int n = 0;
    for (int p = 0; p < view->n_pus; p++)
        if (view->pus[p].outstanding == 0 && plb_model_known(&s->models[p])
            && !plb_belief_reported(view->pus[p].belief))
            s->unit_s[n++] = plb_model_time(&s->models[p], 1.0);
    if (n * view->next <= view->remaining || n == 0)
        return INFINITY;
    plb_sort(s->unit_s, n);
    return s->unit_s[(int)(fmax(view->remaining / view->next, 1.0)) - 1] * (1.0 + PLB_ROUNDING);
}

static void solve(struct state *s, const struct plb_view *view)
{
    struct plb_solution solution = {0};
    believe(s, view);
    bool solved = plb_solve_busy(s->models, s->busy, view->n_pus, view->remaining, s->solver, s->x,
                                 &solution);
    s->end = solved ? view->now + solution.seconds : INFINITY;
    s->sum = 0.0;
    for (int p = 0; p < view->n_pus; p++)
        s->sum += s->x[p];
    s->solved_at = view->now;
    s->total = view->total;
    s->moved = 0;
    view->stats->solves++;
    view->stats->rest_s = solved ? solution.seconds : 0.0;
    view->stats->ask_again = true;
    s->sure = 0.0;
    for (int p = 0; p < view->n_pus; p++)
        s->sure += s->pus[p].sure = sure_of_a_unit(s, view, p) ? fmax(s->x[p], view->next) : 0.0;
    s->trial_s = longest_trial(s, view);
    s->last_end = view->now
                + plb_last_units(s->models, s->busy, view->n_pus, view->next, view->remaining,
                                 solution.seconds);
}

static bool stale(const struct state *s, const struct plb_view *view)
{
    double age = view->now - s->solved_at;
    bool recounted = fabs(view->total - s->total) > MOVED * s->total, all = s->moved >= view->n_pus;
    double rest = recounted || all ? LEAST_BETWEEN : BETWEEN_SOLVES;
    return (recounted || s->moved > 0) && age >= rest * view->living;
}

/* Rules 2 and 3. */
static double sure_work(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    const struct plb_belief *b = pu->belief;
    if (!plb_belief_reported(b))
        return 0.0;
    double busy = plb_busy(pu, view->now), left = s->end - view->now - busy;
    double wait = view->now + busy - pu->begun, all = plb_model_work(&b->model, left, view->remaining);
    double others = view->living > 1 ? 1.0 - s->x[p] / s->sum : 0.0;
    double costs = b->start_s + s->pus[p].trip_s + view->result_s; /* of one more block */
    double harmless = others > 0.0 ? plb_belief_harmless(b, costs / others, wait, all) : all;
    double x = plb_belief_sure(b, left, wait, view->remaining);
    x = fmax(fmax(0.5 * x, fmin(x, view->next)), harmless);
    double most = OF_ELAPSED * fmax(view->now, b->watched_s); /* earlier passes count */
    bool early = view->living > 1 && plb_belief_late(b, x, wait) > most;
    return early ? fmin(x, fmax(plb_belief_sure(b, most, wait, view->remaining), view->next)) : x;
}

/* The second half of rule 4. */
static bool ends_a_unit_in_time(const struct state *s, const struct plb_view *view, int p)
{
    double end = view->now + plb_busy(&view->pus[p], view->now) + plb_model_time(&s->models[p], view->next);
    double by = s->sure < view->next ? s->last_end : s->sure < view->remaining ? s->end : 0.0;
    return end <= by + PLB_ROUNDING * fabs(by);
}

/* The first half of it, as long as a trial costs little. */
static bool to_be_tried(const struct state *s, const struct plb_view *view, int p)
{
    const struct plb_belief *b = view->pus[p].belief;
    bool strong = plb_belief_reported(b) || plb_model_time(&s->models[p], 1.0) <= s->trial_s;
    return strong && view->pus[p].outstanding == 0 && plb_belief_guesses(b, view->next)
        && (view->backups || sure_of_a_unit(s, view, p));
}

static double decide(struct state *s, const struct plb_view *view, int p)
{
    if (stale(s, view))
        solve(s, view);
    s->sure -= s->pus[p].sure;
    s->pus[p].sure = 0.0;
    double x = sure_work(s, view, p) * (1.0 + PLB_ROUNDING);
    if (x >= view->next)
        return x;
    return to_be_tried(s, view, p) || ends_a_unit_in_time(s, view, p) ? view->next : PLB_WAIT;
}

static double grant(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    const struct plb_belief *b = view->pus[p].belief;
    bool ahead = view->pus[p].outstanding > 0;
    if (ahead && !plb_belief_reported(b))
        return PLB_WAIT_OWN;
    double work = decide(s, view, p), age = view->now - s->solved_at;
    bool idle = view->idle == view->living, over = idle || view->now > s->end; /* the plan's end has passed */
    if (!(work > 0.0) && age > (over ? 0.0 : BETWEEN_SOLVES * view->living)) { /* not what was expected */
        solve(s, view);
        work = decide(s, view, p);
    }
    if (!(work > 0.0) && idle && s->refused++ > view->living)
        work = view->next; /* nobody would take it */
    if (ahead && work > b->model.execute.high && s->pus[p].trip_s < b->start_s)
        return PLB_WAIT_OWN; /* what is under way tells enough, when it ends, to save a start */
    if (!(work > 0.0))
        return work;
    s->refused = 0;
    s->pus[p].asked = ahead ? s->pus[p].asked : view->now;
    return work;
}

static void done(void *state, const struct plb_view *view, int p, const struct plb_sample *sample)
{
    struct state *s = state;
    struct sure_pu *own = &s->pus[p];
    const struct plb_model *now = &view->pus[p].belief->model, *before = &s->models[p];
    double seconds = (sample->execute_s + sample->transfer_s) * (double)sample->tasks;
    double expected = plb_model_time(before, sample->work) * (double)sample->tasks;
    double share = fabs(plb_model_time(now, s->x[p]) / plb_model_time(before, s->x[p]) - 1.0);
    if (sample->block_end && isfinite(own->asked + seconds))
        own->trip_s = fmax(view->now - own->asked - seconds, 0.0);
    own->asked = NAN;
    bool late = !(fabs(seconds - expected) <= MOVED * (s->end - view->now));
    s->moved += view->pus[p].n_samples == 1 || late || !(share <= MOVED);
    s->models[p] = *now;
}

static void block_end(void *state, const struct plb_view *view, int p)
{
    struct state *s = state;
    s->moved++;
    s->solved_at = view->pus[p].lost ? -INFINITY : s->solved_at; /* nobody else may have anything to report */
}

const struct plb_balancer plb_balancer_sure = {
    .name = "sure",
    PLB_BALANCER_HEAD,
    .summary = "grants each PU what it will surely finish in time, by measured rates and their uncertainty",
    .beliefs = true,
    .stands = true,
    .options = options,
    .init = init,
    .grant = grant,
    .done = done,
    .block_end = block_end,
    .lost = block_end,
    .fini = free,
};
