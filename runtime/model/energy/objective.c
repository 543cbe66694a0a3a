/* Who works: the polyline where it decides, sets of PUs where a cap or switched off nodes make it a knapsack.
 *
 * A first answer comes from the polyline of all PUs. It is the best there is, unless it breaks the cap, or a
 * node with a whole T of static watts works in part only. Then sets are tried, and within each set the
 * polyline of its PUs decides. A lower bound comes from the polyline too: under a cap one PU may work in
 * part, so T is at least W over the rate of the pieces that fit, the last one in part.
 *
 * Cost: O(n log n) for the polyline, 2^k · n for the sets of k choices, O(n) for the greedy ones. Weak with
 * many PUs under a tight cap, where greedy sets may miss one that meets the deadline. */
#include "model/energy/objective.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/energy/pieces.h"
#include "model/rounding.h"

/* Steps of trying all sets: sets times PUs. Larger: a call takes longer, 10 ns for each. Smaller: fewer
 * answers are exact where few nodes have many PUs. */
#define MOST_STEPS 1e6

/* Nodes that are left out on trial, at most, the most expensive ones first. Larger: a call takes longer, by
 * n. */
#define DROPS 16

/* One call. */
struct choice {
    const struct plb_power_job *job;
    const struct plb_aim *aim;
    struct plb_pieces all;  /* of all PUs that have a speed */
    struct plb_pieces some; /* of a set that is tried */
    int *who, n;            /* PUs with a speed, by joules per unit */
    int *set;               /* the set that is tried */
    char *on;               /* of each node: seen in a sum of static watts; 0 between uses */
    double all_static;      /* watts of all nodes */
    double *best_x, value;  /* of the answer so far */
    struct plb_aim_answer *answer;
};

/* The static watts that are drawn where these PUs work. */
static double static_of(struct choice *c, const int *set, int n)
{
    double sum = 0.0;
    if (c->job->rule == PLB_STATIC_JOB)
        return c->all_static;
    for (int i = 0; i < n; i++) {
        int node = c->job->pus[set[i]].node;
        if (!c->on[node])
            sum += c->job->static_watts[node];
        c->on[node] = 1;
    }
    for (int i = 0; i < n; i++)
        c->on[c->job->pus[set[i]].node] = 0;
    return sum;
}

/* Takes the point if it is the best so far: one that meets the deadline before one that does not, of two that
 * do not the shorter one, and of two equal ones that with fewer joules. Returns whether it is taken. */
static bool keep(struct choice *c, const struct plb_pieces *p, struct plb_pieces_point point)
{
    struct plb_aim_answer *a = c->answer;
    bool met = point.seconds <= c->aim->deadline_s * (1.0 + PLB_ROUNDING);
    enum plb_aim_state state = met ? PLB_AIM_MET : PLB_AIM_LATE;
    double value = plb_objective_value(met ? c->aim->objective : PLB_OBJECTIVE_TIME, point.seconds,
                                       point.joules);
    if (a->state != PLB_AIM_OVER) {
        if (state != a->state ? !met : value > c->value || (value == c->value && point.joules >= a->joules))
            return false;
    }
    c->value = value;
    a->state = state;
    a->seconds = point.seconds;
    a->joules = point.joules;
    memset(c->best_x, 0, (size_t)c->job->n * sizeof *c->best_x);
    for (int k = 0; k <= point.full && k < p->n; k++) {
        double seconds = k < point.full ? point.seconds : point.part_s;
        for (int i = p->pieces[k].first; i < p->pieces[k].first + p->pieces[k].n; i++)
            c->best_x[p->order[i]] = c->job->pus[p->order[i]].speed * seconds;
    }
    return true;
}

static bool fits(const struct choice *c, double watts)
{
    return watts <= c->aim->power_cap * (1.0 + PLB_ROUNDING);
}

/* Static watts and those of all these PUs. */
static double watts_of(struct choice *c, const int *set, int n)
{
    double watts = static_of(c, set, n);
    for (int i = 0; i < n; i++)
        watts += c->job->pus[set[i]].dynamic_watts;
    return watts;
}

/* Tries these PUs, which are in the order of joules per unit. Returns whether they are the best so far. */
static bool try_set(struct choice *c, const int *set, int n)
{
    if (n == 0 || !fits(c, watts_of(c, set, n)))
        return false;
    if (c->job->rule == PLB_STATIC_BUSY)
        plb_pieces_by_node(&c->some, c->job, set, n);
    else
        plb_pieces_single(&c->some, c->job, set, n, static_of(c, set, n));
    return keep(c, &c->some, plb_pieces_best(&c->some, c->aim->objective, 0.0, c->aim->deadline_s));
}

/* Tries each set of PUs, or each set of nodes with all their PUs. False where they are too many. */
static bool try_all_sets(struct choice *c, bool nodes)
{
    int bit[c->n], bits = 0;
    for (int i = 0; i < c->n; i++) {
        int same = 0;
        while (nodes && same < i && c->job->pus[c->who[same]].node != c->job->pus[c->who[i]].node)
            same++;
        bit[i] = nodes && same < i ? bit[same] : bits++;
        if (bits > PLB_OBJECTIVE_SETS || ldexp(c->n, bits) > MOST_STEPS)
            return false;
    }
    for (unsigned sets = 1; sets < 1u << bits; sets++) {
        int n = 0;
        for (int i = 0; i < c->n; i++)
            if (sets & 1u << bit[i])
                c->set[n++] = c->who[i];
        try_set(c, c->set, n);
    }
    return true;
}

/* Tries the PUs that still fit under the cap, one after the other in this order. */
static void try_those_that_fit(struct choice *c, const int *order)
{
    double watts = c->job->rule == PLB_STATIC_JOB ? c->all_static : 0.0;
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const struct plb_power_pu *pu = &c->job->pus[order[i]];
        bool wakes = c->job->rule != PLB_STATIC_JOB && !c->on[pu->node];
        double more = pu->dynamic_watts + (wakes ? c->job->static_watts[pu->node] : 0.0);
        if (!fits(c, watts + more))
            continue;
        watts += more;
        c->on[pu->node] = 1;
        c->set[n++] = order[i];
    }
    memset(c->on, 0, (size_t)c->job->n_nodes);
    plb_pieces_sort(&c->some, c->job, c->set, n);
    try_set(c, c->set, n);
}

static void try_singles(struct choice *c)
{
    for (int i = 0; i < c->n; i++)
        try_set(c, &c->who[i], 1);
}

/* The PUs of nodes that have work in the answer so far, without those of node `without`. */
static int at_work(struct choice *c, const double *x, int without)
{
    int n = 0;
    for (int i = 0; i < c->job->n; i++)
        if (x[i] > 0.0)
            c->on[c->job->pus[i].node] = 1;
    for (int i = 0; i < c->n; i++)
        if (c->on[c->job->pus[c->who[i]].node] && c->job->pus[c->who[i]].node != without)
            c->set[n++] = c->who[i];
    memset(c->on, 0, (size_t)c->job->n_nodes);
    return n;
}

/* OFF_WHEN_IDLE at a deadline, many nodes: the nodes that the polyline uses, without each that is not missed.
 */
static void try_fewer_nodes(struct choice *c, struct plb_pieces_point point)
{
    const struct plb_pieces *all = &c->all;
    int n = 0, last = point.full < all->n ? point.full : all->n - 1;
    for (int k = 0; k <= last; k++)
        c->on[c->job->pus[all->order[all->pieces[k].first]].node] = 1;
    for (int i = 0; i < c->n; i++)
        if (c->on[c->job->pus[c->who[i]].node])
            c->set[n++] = c->who[i];
    memset(c->on, 0, (size_t)c->job->n_nodes);
    try_set(c, c->set, n);
    for (int k = last; k >= 0 && k > last - DROPS && c->answer->state != PLB_AIM_OVER; k--) {
        int node = c->job->pus[all->order[all->pieces[k].first]].node;
        n = at_work(c, c->best_x, node);
        try_set(c, c->set, n);
    }
}

/* Whether the point on the polyline of all PUs is an answer: it is the best there is then. */
static bool polyline_decides(struct choice *c, struct plb_pieces_point point)
{
    int n = 0;
    for (int k = 0; k < point.full + (point.part_s > 0.0); k++)
        for (int i = c->all.pieces[k].first; i < c->all.pieces[k].first + c->all.pieces[k].n; i++)
            c->set[n++] = c->all.order[i];
    bool off = c->job->rule == PLB_STATIC_OFF_WHEN_IDLE && point.part_s > 0.0;
    return !off && fits(c, watts_of(c, c->set, n)) && keep(c, &c->all, point);
}

/* A lower bound: T is at least W / rate, where PUs up to the cap work, the last of them in part. */
static double bound(const struct choice *c)
{
    double rate = 0.0, watts = c->all.base;
    for (int k = 0; k < c->all.n; k++) {
        const struct plb_piece *piece = &c->all.pieces[k];
        double left = c->aim->power_cap - watts;
        double part = piece->watts > left ? fmax(left, 0.0) / piece->watts : 1.0;
        rate += part * piece->rate;
        watts += part * piece->watts;
    }
    double shortest = c->job->work / rate;
    if (c->answer->state == PLB_AIM_LATE || c->aim->objective == PLB_OBJECTIVE_TIME)
        return shortest;
    double latest = fmax(shortest, c->aim->deadline_s);
    struct plb_pieces_point point = plb_pieces_best(&c->all, c->aim->objective, shortest, latest);
    return plb_objective_value(c->aim->objective, point.seconds, point.joules);
}

static void choose(struct choice *c)
{
    struct plb_pieces_point point = plb_pieces_best(&c->all, c->aim->objective, 0.0, c->aim->deadline_s);
    bool off = c->job->rule == PLB_STATIC_OFF_WHEN_IDLE, capped = isfinite(c->aim->power_cap);
    c->answer->exact = polyline_decides(c, point) || try_all_sets(c, off && !capped);
    if (!c->answer->exact) {
        int order[c->n], n = 0;
        for (int k = 0; k < c->all.n; k++)
            for (int i = 0; i < c->all.pieces[k].n; i++)
                order[n++] = c->all.order[c->all.pieces[k].first + i];
        assert(n == c->n);
        try_those_that_fit(c, order);
        plb_pieces_sort_by_speed(&c->some, c->job, order, n);
        try_those_that_fit(c, order);
        try_singles(c);
        if (off)
            try_fewer_nodes(c, point);
    }
}

static bool begin(struct choice *c)
{
    const struct plb_power_job *job = c->job;
    size_t n = (size_t)job->n + 1;
    c->who = malloc(n * sizeof *c->who);
    c->set = malloc(n * sizeof *c->set);
    c->best_x = calloc(n, sizeof *c->best_x);
    c->on = calloc((size_t)job->n_nodes + 1, 1);
    bool room = plb_pieces_init(&c->all, job->n);
    room = plb_pieces_init(&c->some, job->n) && room;
    if (!room || c->who == NULL || c->set == NULL || c->best_x == NULL || c->on == NULL)
        return false;
    for (int i = 0; i < job->n; i++)
        if (job->pus[i].speed > 0.0)
            c->who[c->n++] = i;
    for (int i = 0; i < job->n_nodes; i++)
        c->all_static += job->static_watts[i];
    plb_pieces_sort(&c->all, job, c->who, c->n);
    if (job->rule == PLB_STATIC_JOB)
        plb_pieces_single(&c->all, job, c->who, c->n, c->all_static);
    else
        plb_pieces_by_node(&c->all, job, c->who, c->n);
    return true;
}

static void end(struct choice *c)
{
    free(c->who);
    free(c->set);
    free(c->best_x);
    free(c->on);
    plb_pieces_fini(&c->all);
    plb_pieces_fini(&c->some);
}

bool plb_objective_lines(const struct plb_power_job *job, const struct plb_aim *aim, double *x,
                         struct plb_aim_answer *answer)
{
    struct plb_aim_answer found = {.state = PLB_AIM_OVER};
    struct choice c = {.job = job, .aim = aim, .answer = &found};
    bool room = begin(&c);
    if (room && c.n == 0)
        found.state = PLB_AIM_NO_PU;
    else if (room && fits(&c, c.all.base))
        choose(&c);
    if (room && (found.state == PLB_AIM_MET || found.state == PLB_AIM_LATE)) {
        int n = 0;
        for (int i = 0; i < job->n; i++)
            if (c.best_x[i] > 0.0)
                c.set[n++] = i;
        found.watts = watts_of(&c, c.set, n);
        found.bound = found.exact ? c.value : fmin(bound(&c), c.value);
        memcpy(x, c.best_x, (size_t)job->n * sizeof *x);
    }
    if (room)
        *answer = found;
    end(&c);
    return room;
}

int plb_objective_front(const struct plb_power_job *job, struct plb_front_point *front)
{
    struct choice c = {.job = job};
    int n = -1;
    if (begin(&c)) {
        double rate = 0.0, watts = c.all.base;
        int working = 0, least = 0;
        for (n = 0; n < c.all.n; n++) {
            rate += c.all.pieces[n].rate;
            watts += c.all.pieces[n].watts;
            working += c.all.pieces[n].n;
            front[n] = (struct plb_front_point){job->work / rate, watts * job->work / rate, working};
            if (front[n].joules <= front[least].joules)
                least = n;
        }
        n -= least; /* corners with more time than the one of least energy are not on the front */
        memmove(front, front + least, (size_t)n * sizeof *front);
        for (int i = 0, j = n - 1; i < j; i++, j--) {
            struct plb_front_point swap = front[i];
            front[i] = front[j];
            front[j] = swap;
        }
    }
    end(&c);
    return n;
}
