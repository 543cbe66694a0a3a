/* The search: T on a grid, for each T the envelopes, in them each set; then SLSQP from the best sets. The
 * grid has the T at which a set ends together as well, since that is often the answer.
 *
 * Cost: 2 ms for 4 PUs, nearly all of it for envelopes. Weak for many PUs with concave curves, where one
 * set alone is tried. */
#include "model/energy/objective_curves.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "model/energy/envelope.h"
#include "model/energy/pieces.h"
#include "model/rounding.h"
#include "model/slsqp.h"
#include "model/solve.h"

/* Values of T between the shortest and the longest, in equal ratios. More: a call takes longer. Fewer: SLSQP
 * begins further away. */
#define TIMES 32

/* Sets that SLSQP begins from, the best ones. More: a call takes longer. Fewer: one that is best only after
 * polishing is missed. */
#define POLISHED 4

/* The best answer within one set of PUs. */
struct candidate {
    unsigned set; /* bit i: PU i; 0: the one set of many PUs */
    double value; /* INFINITY: none */
    double *x;
};

struct search {
    const struct plb_power_curves *job;
    struct plb_power_curves folded; /* what job points at */
    const struct plb_aim *aim;
    struct plb_envelope envelope;
    struct candidate *candidates;
    int n_candidates;
    char *in, *on;          /* of each PU: it may work; of each node: one of its PUs works */
    double *x, *memory;     /* a trial; all the memory of doubles */
    struct plb_model *used; /* models of a set; unknown where it has not the PU */
};

/* T, E and the watts of shares. */
static struct plb_aim_answer measure(struct search *s, const double *x)
{
    const struct plb_power_curves *job = s->job;
    struct plb_aim_answer a = {.state = PLB_AIM_MET};
    double watts = 0.0;
    memset(s->on, job->rule == PLB_STATIC_JOB, (size_t)job->n_nodes);
    for (int i = 0; i < job->n; i++) {
        if (!(x[i] > 0.0))
            continue;
        double seconds = plb_model_time(&job->models[i], x[i]);
        a.seconds = fmax(a.seconds, seconds);
        a.joules += seconds * job->dynamic_watts[i];
        a.watts += job->dynamic_watts[i];
        s->on[job->node[i]] = 1;
    }
    for (int k = 0; k < job->n_nodes; k++)
        watts += s->on[k] ? job->static_watts[k] : 0.0;
    a.joules += watts * a.seconds;
    a.watts += watts;
    if (a.watts > s->aim->power_cap * (1.0 + PLB_ROUNDING))
        a.state = PLB_AIM_OVER;
    else if (a.seconds > s->aim->deadline_s * (1.0 + PLB_ROUNDING))
        a.state = PLB_AIM_LATE;
    return a;
}

/* A late answer is worse than any that is not, and the later the worse. */
#define LATE 1e100

static double value_of(struct search *s, const double *x)
{
    struct plb_aim_answer a = measure(s, x);
    if (a.state == PLB_AIM_OVER)
        return INFINITY;
    if (a.state == PLB_AIM_LATE)
        return LATE * (1.0 + a.seconds / s->aim->deadline_s);
    return plb_objective_value(s->aim->objective, a.seconds, a.joules);
}

static void keep(struct search *s, struct candidate *c, const double *x)
{
    double value = value_of(s, x);
    if (value >= c->value)
        return;
    c->value = value;
    memcpy(c->x, x, (size_t)s->job->n * sizeof *x);
}

/* Who may work in this set. */
static void enter(struct search *s, const struct candidate *c)
{
    if (c->set != 0)
        for (int i = 0; i < s->job->n; i++)
            s->in[i] = (c->set >> i & 1u) != 0;
}

static void try_time(struct search *s, double seconds)
{
    const struct plb_power_curves *job = s->job;
    plb_envelope_make(&s->envelope, job->models, job->dynamic_watts, job->n, job->work, seconds);
    for (int k = 0; k < s->n_candidates; k++) {
        struct candidate *c = &s->candidates[k];
        enter(s, c);
        for (int last = -1; last < (c->set != 0 ? job->n : 0); last++)
            if ((last < 0 || s->in[last])
                && plb_envelope_fill(&s->envelope, s->in, job->n, job->work, last, s->x))
                keep(s, c, s->x);
    }
}

/* T at which the PUs of the set end together; 0 where none of them is known. */
static double equal_times(struct search *s, struct candidate *c)
{
    struct plb_solution solution = {0};
    enter(s, c);
    for (int i = 0; i < s->job->n; i++)
        s->used[i] = s->in[i] ? s->job->models[i] : (struct plb_model){.busy_s = 0.0};
    if (!plb_solve(s->used, s->job->n, s->job->work, PLB_SOLVER_BISECTION, s->x, &solution))
        return 0.0;
    keep(s, c, s->x);
    return solution.seconds * (1.0 + PLB_ROUNDING);
}

/* SLSQP sees shares as fractions of the work, and T and the objective in units of where it begins. */
struct polish {
    const struct search *s;
    int pus[PLB_SLSQP_LIMIT], n; /* those that take part */
    double static_watts, seconds, value;
};

/* The objective of fractions f[0 .. n-1] and T = f[n]. */
static double objective(unsigned m, const double *f, double *gradient, void *data)
{
    const struct polish *p = data;
    const struct plb_power_curves *job = p->s->job;
    enum plb_objective which = p->s->aim->objective;
    double seconds = f[p->n] * p->seconds, joules = p->static_watts * seconds;
    for (int i = 0; i < p->n; i++)
        joules += job->dynamic_watts[p->pus[i]] * plb_model_time(&job->models[p->pus[i]], f[i] * job->work);
    double by_joules = which == PLB_OBJECTIVE_TIME ? 0.0 : which == PLB_OBJECTIVE_EDP ? seconds : 1.0;
    double by_seconds = which == PLB_OBJECTIVE_ENERGY ? 0.0 : which == PLB_OBJECTIVE_EDP ? joules : 1.0;
    if (gradient != NULL)
        for (unsigned i = 0; i + 1 < m; i++)
            gradient[i] = by_joules * job->dynamic_watts[p->pus[i]] * job->work / p->value
                        * plb_model_slope(&job->models[p->pus[i]], f[i] * job->work);
    if (gradient != NULL)
        gradient[p->n] = (by_seconds + by_joules * p->static_watts) * p->seconds / p->value;
    return plb_objective_value(which, seconds, joules) / p->value;
}

/* t_i(x_i) - T, for each PU that takes part. */
static void times(unsigned rows, double *result, unsigned m, const double *f, double *gradient, void *data)
{
    const struct polish *p = data;
    const struct plb_power_curves *job = p->s->job;
    if (gradient != NULL)
        memset(gradient, 0, (size_t)rows * m * sizeof *gradient);
    for (unsigned i = 0; i < rows; i++) {
        const struct plb_model *model = &job->models[p->pus[i]];
        result[i] = plb_model_time(model, f[i] * job->work) / p->seconds - f[p->n];
        if (gradient == NULL)
            continue;
        gradient[i * m + i] = plb_model_slope(model, f[i] * job->work) * job->work / p->seconds;
        gradient[i * m + (unsigned)p->n] = -1.0;
    }
}

static double whole(unsigned m, const double *f, double *gradient, void *data)
{
    (void)data;
    double sum = -1.0;
    for (unsigned i = 0; i + 1 < m; i++)
        sum += f[i];
    if (gradient != NULL)
        for (unsigned i = 0; i < m; i++)
            gradient[i] = i + 1 < m;
    return sum;
}

static bool slsqp(struct polish *p, double *f)
{
    unsigned m = (unsigned)p->n + 1;
    double tolerance[m], low[m], high[m], value;
    for (unsigned i = 0; i < m; i++) {
        tolerance[i] = PLB_SLSQP_ACCURACY;
        low[i] = PLB_ROUNDING;
        high[i] = 1.0;
    }
    high[p->n] = p->s->aim->deadline_s / p->seconds;
    f[p->n] = fmin(1.0, high[p->n]);
    nlopt_opt opt = nlopt_create(NLOPT_LD_SLSQP, m);
    bool fine = opt != NULL && nlopt_set_min_objective(opt, objective, p) >= 0
             && nlopt_add_inequality_mconstraint(opt, m - 1, times, p, tolerance) >= 0
             && nlopt_add_equality_constraint(opt, whole, p, PLB_SLSQP_ACCURACY) >= 0
             && nlopt_set_lower_bounds(opt, low) >= 0 && nlopt_set_upper_bounds(opt, high) >= 0
             && nlopt_set_xtol_rel(opt, PLB_SLSQP_ACCURACY) >= 0
             && nlopt_set_ftol_rel(opt, PLB_SLSQP_ACCURACY) >= 0
             && nlopt_set_maxeval(opt, PLB_SLSQP_EVALUATIONS) >= 0;
    if (fine)
        nlopt_optimize(opt, f, &value); /* whatever its result says: the shares alone are judged */
    nlopt_destroy(opt);
    return fine;
}

/* Replaces the candidate's shares where SLSQP finds better ones for the same PUs. */
static void polish(struct search *s, struct candidate *c)
{
    const struct plb_power_curves *job = s->job;
    struct polish p = {.s = s};
    struct plb_aim_answer a = measure(s, c->x);
    double f[PLB_SLSQP_LIMIT + 1], sum = 0.0;
    for (int k = 0; k < job->n_nodes; k++)
        p.static_watts += s->on[k] ? job->static_watts[k] : 0.0;
    for (int i = 0; i < job->n; i++)
        if (c->x[i] > 0.0) {
            if (p.n == PLB_SLSQP_LIMIT)
                return;
            f[p.n] = fmax(c->x[i] / job->work, PLB_ROUNDING);
            p.pus[p.n++] = i;
        }
    p.seconds = a.seconds;
    p.value = plb_objective_value(s->aim->objective, a.seconds, a.joules);
    if (p.n < 2 || !slsqp(&p, f))
        return;
    memset(s->x, 0, (size_t)job->n * sizeof *s->x);
    for (int i = 0; i < p.n; i++)
        sum += f[i] = fmax(f[i], 0.0);
    for (int i = 0; i < p.n; i++)
        s->x[p.pus[i]] = f[i] / sum * job->work;
    if (sum > 0.0 && isfinite(sum))
        keep(s, c, s->x);
}

/* Who may work where only one set is tried: PUs that fit under the cap, by joules per unit at their best. */
static void choose_one_set(struct search *s)
{
    const struct plb_power_curves *job = s->job;
    double watts = 0.0;
    memset(s->in, 0, (size_t)job->n);
    memset(s->on, 0, (size_t)job->n_nodes);
    if (isinf(s->aim->power_cap))
        for (int i = 0; i < job->n; i++)
            s->in[i] = 1;
    if (job->rule == PLB_STATIC_JOB)
        for (int k = 0; k < job->n_nodes; k++)
            watts += job->static_watts[k];
    for (bool found = true; found;) {
        double least = INFINITY, most = 0.0;
        int best = -1;
        found = false;
        for (int i = 0; i < job->n; i++) {
            bool wakes = job->rule != PLB_STATIC_JOB && !s->on[job->node[i]];
            double more = job->dynamic_watts[i] + (wakes ? job->static_watts[job->node[i]] : 0.0);
            double cost = more / plb_model_best_rate(&job->models[i]);
            if (!s->in[i] && plb_model_known(&job->models[i])
                && watts + more <= s->aim->power_cap * (1.0 + PLB_ROUNDING) && cost < least) {
                best = i;
                least = cost;
                most = more;
            }
        }
        if (best >= 0) {
            s->in[best] = s->on[job->node[best]] = 1;
            found = true;
            watts += most;
        }
    }
}

/* BUSY, and a PU is alone on its node: the node's static watts are drawn as long as the PU works, as its
 * dynamic watts are. watts: room for n, and for n_nodes behind them. */
static void fold(struct search *s, double *watts)
{
    const struct plb_power_curves *job = s->job;
    double *idle = watts + job->n;
    memcpy(watts, job->dynamic_watts, (size_t)job->n * sizeof *watts);
    memcpy(idle, job->static_watts, (size_t)job->n_nodes * sizeof *idle);
    if (job->rule == PLB_STATIC_BUSY)
        for (int i = 0; i < job->n; i++)
            s->on[job->node[i]] = (char)(s->on[job->node[i]] < 2 ? s->on[job->node[i]] + 1 : 2);
    for (int i = 0; i < job->n; i++)
        if (s->on[job->node[i]] == 1) {
            watts[i] += idle[job->node[i]];
            idle[job->node[i]] = 0.0;
        }
    s->folded = *job;
    s->folded.dynamic_watts = watts;
    s->folded.static_watts = idle;
    s->job = &s->folded;
}

/* One candidate for each set of few PUs, or one for all. */
static bool begin(struct search *s)
{
    size_t n = (size_t)s->job->n, nodes = (size_t)s->job->n_nodes;
    bool few = s->job->n <= PLB_CURVE_SETS;
    s->n_candidates = few ? (1 << n) - 1 : 1;
    size_t candidates = (size_t)s->n_candidates;
    s->candidates = calloc(candidates + 1, sizeof *s->candidates);
    s->memory = calloc((candidates + 3) * n + nodes + 1, sizeof *s->memory);
    s->envelope.pieces = malloc((n * PLB_ENVELOPE_POINTS + 1) * sizeof *s->envelope.pieces);
    s->used = malloc((n + 1) * sizeof *s->used);
    s->in = calloc(n + nodes + 1, 1);
    if (s->candidates == NULL || s->memory == NULL || s->envelope.pieces == NULL || s->used == NULL
        || s->in == NULL)
        return false;
    s->on = s->in + n;
    s->x = s->memory + candidates * n;
    s->envelope.cap = s->x + n;
    fold(s, s->envelope.cap + n);
    for (size_t k = 0; k < candidates; k++)
        s->candidates[k] = (struct candidate){few ? (unsigned)k + 1 : 0, INFINITY, s->memory + k * n};
    if (!few)
        choose_one_set(s);
    return true;
}

static void end(struct search *s)
{
    free(s->candidates);
    free(s->memory);
    free(s->envelope.pieces);
    free(s->used);
    free(s->in);
}

/* Every PU alone. Returns the longest time that one needs for all the work. */
static double try_singles(struct search *s)
{
    const struct plb_power_curves *job = s->job;
    double longest = 0.0;
    for (int i = 0; i < job->n; i++) {
        if (!plb_model_known(&job->models[i]))
            continue;
        memset(s->x, 0, (size_t)job->n * sizeof *s->x);
        s->x[i] = job->work;
        longest = fmax(longest, plb_model_time(&job->models[i], job->work));
        keep(s, &s->candidates[s->n_candidates > 1 ? (1 << i) - 1 : 0], s->x);
    }
    return longest;
}

static int better(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    return p->value != q->value ? (p->value < q->value ? -1 : 1) : (p->set > q->set) - (p->set < q->set);
}

static void look(struct search *s)
{
    double longest = fmin(try_singles(s), s->aim->deadline_s), shortest = INFINITY;
    for (int k = 0; k < s->n_candidates; k++) {
        double seconds = equal_times(s, &s->candidates[k]);
        if (seconds > 0.0) {
            shortest = fmin(shortest, seconds);
            if (s->aim->objective != PLB_OBJECTIVE_TIME)
                try_time(s, seconds);
        }
    }
    double ratio = longest > shortest ? pow(longest / shortest, 1.0 / TIMES) : 1.0, seconds = shortest;
    if (ratio > 1.0 && s->aim->objective != PLB_OBJECTIVE_TIME)
        for (int k = 0; k < TIMES; k++)
            try_time(s, seconds *= ratio);
    qsort(s->candidates, (size_t)s->n_candidates, sizeof *s->candidates, better);
    for (int k = 0; k < s->n_candidates && k < POLISHED && s->candidates[k].value < LATE; k++)
        if (s->aim->objective != PLB_OBJECTIVE_TIME)
            polish(s, &s->candidates[k]);
    qsort(s->candidates, (size_t)s->n_candidates, sizeof *s->candidates, better);
}

bool plb_objective_curves(const struct plb_power_curves *job, const struct plb_aim *aim, double *x,
                          struct plb_aim_answer *answer)
{
    struct search s = {.job = job, .aim = aim};
    bool room = begin(&s), known = false;
    for (int i = 0; room && i < job->n; i++)
        known = known || plb_model_known(&job->models[i]);
    if (known)
        look(&s);
    if (known && isfinite(s.candidates[0].value)) {
        memcpy(x, s.candidates[0].x, (size_t)job->n * sizeof *x);
        *answer = measure(&s, x);
    } else if (room) {
        *answer = (struct plb_aim_answer){.state = known ? PLB_AIM_OVER : PLB_AIM_NO_PU};
    }
    end(&s);
    return room;
}
