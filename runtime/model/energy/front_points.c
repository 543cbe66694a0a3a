/* Times in equal ratios from the shortest one to that of the best single PU: first a few, to see where least
 * energy is, then all up to there. Weak where curves bend: the price of a unit is that of a PU's last one. */
#include "model/energy/front_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/energy/objective_points.h"

#define HALVINGS 40 /* of a bisection; more: only time; fewer: times and shares are less exact */
/* PUs up to which all sets are tried, and up to which each PU is tried in and out of one. More: a call takes
 * longer, twice for each, and by n². Fewer: where start costs are large, a set is less good. */
#define ALL_SETS 12
#define TRIED 100

#define FIRST 8 /* times of a first look for where the front ends; more: only time */
#define ROUNDING 1e-9

/* Points that are even shares, and the ratio of the others. More, larger: small parts of fast PUs are too
 * large. Fewer, smaller: large ones are. */
#define EVEN 20
#define SMALLER 0.7

/* A PU's work within a time. */
struct offer {
    double price, work, joules; /* joules per unit, of the last one; of all this work */
    int pu;
};

struct points {
    const struct plb_power_curves *job;
    double *watts, static_watts; /* of PUs; of all, until the end */
    struct plb_power_point *at;  /* PLB_FRONT_POINTS of each PU */
    struct plb_point_set *sets;
    struct offer *offers;
    int n_offers;
    bool *in;    /* of each PU: whether it is in the set that is tried */
    int *choice; /* of each PU: its point, or -1 */
};

/* The most work that the PU does within `seconds`, up to `most`. */
static double work_within(const struct plb_model *m, double seconds, double most)
{
    double low = 0.0, high = most;
    if (!plb_model_known(m))
        return 0.0;
    if (plb_model_time(m, most) <= seconds)
        return most;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (plb_model_time(m, middle) <= seconds)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool enough(const struct points *p, double seconds)
{
    double sum = 0.0;
    for (int i = 0; i < p->job->n && sum < p->job->work; i++)
        sum += work_within(&p->job->models[i], seconds, p->job->work);
    return sum >= p->job->work;
}

/* The shortest time, and that of the PU that alone needs least energy. */
static void find_range(const struct points *p, double *shortest, double *longest)
{
    double least = INFINITY, low = 0.0;
    *longest = 0.0;
    for (int i = 0; i < p->job->n; i++) {
        bool known = plb_model_known(&p->job->models[i]);
        double seconds = known ? plb_model_time(&p->job->models[i], p->job->work) : INFINITY;
        double joules = (p->watts[i] + p->static_watts) * seconds;
        if (known && joules < least) {
            least = joules;
            *longest = seconds;
        }
    }
    *shortest = *longest;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + *shortest);
        if (enough(p, middle))
            *shortest = middle;
        else
            low = middle;
    }
    *shortest *= 1.0 + ROUNDING; /* else the last digits of a sum lack */
}

/* Even shares of what the PU does within the time, and below the first of them finer ones, each SMALLER than
 * the next. */
static void make_points(struct points *p, int pu, double seconds)
{
    const struct plb_model *m = &p->job->models[pu];
    double work = work_within(m, seconds, p->job->work);
    struct plb_power_point *at = &p->at[pu * PLB_FRONT_POINTS];
    p->sets[pu] = (struct plb_point_set){at, work > 0.0 ? PLB_FRONT_POINTS : 0};
    for (int j = 0; j < p->sets[pu].n; j++) {
        double x = work * (j < EVEN ? (j + 1.0) / EVEN : pow(SMALLER, j + 1 - EVEN) / EVEN);
        at[j] = (struct plb_power_point){x, p->watts[pu] * plb_model_time(m, x)};
    }
}

/* ------------------------------------------------------------------------------- sets */

static int cheaper(const void *a, const void *b)
{
    const struct offer *p = a, *q = b;
    return p->price != q->price ? (p->price > q->price) - (p->price < q->price) : p->pu - q->pu;
}

/* The work of each PU within the time, the cheapest units first. */
static void make_offers(struct points *p, double seconds)
{
    p->n_offers = 0;
    for (int i = 0; i < p->job->n; i++) {
        const struct plb_model *m = &p->job->models[i];
        double work = work_within(m, seconds, p->job->work);
        if (work > 0.0)
            p->offers[p->n_offers++] = (struct offer){p->watts[i] * plb_model_slope(m, work), work,
                                                      p->watts[i] * plb_model_time(m, work), i};
    }
    qsort(p->offers, (size_t)p->n_offers, sizeof *p->offers, cheaper);
}

/* Shares the work among the PUs of the set, the cheapest ones first. Returns their joules without those that
 * all nodes draw until the end; infinite where they cannot do it. */
static double fill(const struct points *p, double *x)
{
    double left = p->job->work, joules = 0.0;
    for (int k = 0; k < p->n_offers; k++) {
        const struct offer *o = &p->offers[k];
        double part = p->in[o->pu] ? fmin(o->work, left) : 0.0;
        left -= part;
        x[o->pu] = part;
        if (part == o->work)
            joules += o->joules;
        else if (part > 0.0)
            joules += p->watts[o->pu] * plb_model_time(&p->job->models[o->pu], part);
    }
    return left > ROUNDING * p->job->work ? INFINITY : joules;
}

/* All sets. */
static void try_all(struct points *p, double *x)
{
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned set = 1; set < 1u << p->n_offers; set++) {
        for (int k = 0; k < p->n_offers; k++)
            p->in[p->offers[k].pu] = set >> k & 1u;
        double joules = fill(p, x);
        if (joules < least) {
            least = joules;
            best = set;
        }
    }
    for (int k = 0; k < p->n_offers; k++)
        p->in[p->offers[k].pu] = best >> k & 1u;
}

/* Turns one PU into the set or out of it where that saves joules, until none does. */
static void try_each(struct points *p, double *x)
{
    double least = fill(p, x);
    for (int i = 0, since = 0; since < p->job->n; i = (i + 1) % p->job->n) {
        p->in[i] = !p->in[i];
        double joules = fill(p, x);
        if (joules < least * (1.0 - ROUNDING)) {
            least = joules;
            since = 0;
        } else {
            p->in[i] = !p->in[i];
            since++;
        }
    }
}

/* Among the PUs of a set the shares are exact, as far as their times are lines. The choice of points is the
 * set to begin with. False where they cannot do the work. */
static bool choose_shares(struct points *p, double seconds, double *x)
{
    int n = p->job->n;
    memset(x, 0, (size_t)n * sizeof *x);
    if (n > ALL_SETS)
        for (int i = 0; i < n; i++)
            p->in[i] = p->choice[i] >= 0;
    make_offers(p, seconds);
    if (n <= ALL_SETS)
        try_all(p, x);
    else if (n <= TRIED)
        try_each(p, x);
    return isfinite(fill(p, x));
}

/* A choice as the next row, where it has less energy than the one before. */
static void add_row(struct points *p, double limit, struct plb_front *front)
{
    int n = p->job->n;
    double *x = front->x + (size_t)front->n * (size_t)n;
    struct plb_front_row row = {.x = x};
    if (!choose_shares(p, limit, x))
        return;
    for (int i = 0; i < n; i++) {
        double seconds = x[i] > 0.0 ? plb_model_time(&p->job->models[i], x[i]) : 0.0;
        row.working += x[i] > 0.0;
        row.seconds = fmax(row.seconds, seconds);
        row.joules += p->watts[i] * seconds;
    }
    row.joules += p->static_watts * row.seconds;
    const struct plb_front_row *before = front->n > 0 ? &front->rows[front->n - 1] : NULL;
    if (before != NULL && (row.joules >= before->joules || row.seconds <= before->seconds))
        return;
    front->rows[front->n] = row;
    const struct plb_front_row *best = &front->rows[front->least_edp];
    if (row.seconds * row.joules < best->seconds * best->joules)
        front->least_edp = front->n;
    front->n++;
}

/* Rows at `levels` times from `low` to `high`, in equal ratios. Returns the time after that of the last row;
 * 0 where memory is short. */
static double try_times(struct points *p, int levels, double low, double high, struct plb_front *front)
{
    double ratio = levels > 1 ? pow(high / low, 1.0 / (levels - 1)) : 1.0, seconds = low, next = low;
    struct plb_points_job job = {p->sets, p->job->n, p->job->work};
    struct plb_points_answer answer;
    front->n = front->least_edp = 0;
    for (int k = 0; k < levels; k++, seconds *= ratio) {
        if (p->job->n > ALL_SETS)
            for (int i = 0; i < p->job->n; i++)
                make_points(p, i, levels > 1 ? seconds : high);
        int before = front->n, n = 1;
        if (p->job->n > ALL_SETS)
            n = plb_objective_points(&job, &answer, p->choice);
        if (n < 0)
            return 0.0;
        if (n > 0)
            add_row(p, levels > 1 ? seconds : high, front);
        if (front->n > before)
            next = fmin(seconds * ratio, high);
    }
    return next;
}

bool plb_front_points_fit(const struct plb_power_curves *job)
{
    if (job->rule != PLB_STATIC_BUSY)
        return job->rule == PLB_STATIC_JOB;
    for (int i = 1; i < job->n; i++)
        if (job->node[i] == job->node[i - 1])
            return false;
    return true;
}

bool plb_front_points(const struct plb_power_curves *job, int levels, double most_s, struct plb_front *front)
{
    size_t n = (size_t)job->n;
    struct points p = {.job = job};
    double shortest, longest;
    p.watts = malloc((n + 1) * sizeof *p.watts);
    p.at = malloc((n * PLB_FRONT_POINTS + 1) * sizeof *p.at);
    p.sets = malloc((n + 1) * sizeof *p.sets);
    p.offers = malloc((n + 1) * sizeof *p.offers);
    p.in = malloc((n + 1) * sizeof *p.in);
    p.choice = malloc((n + 1) * sizeof *p.choice);
    bool room = p.watts != NULL && p.at != NULL && p.sets != NULL && p.choice != NULL && p.offers != NULL
             && p.in != NULL;
    if (room) {
        bool busy = job->rule == PLB_STATIC_BUSY;
        for (int i = 0; i < job->n; i++)
            p.watts[i] = job->dynamic_watts[i] + (busy ? job->static_watts[job->node[i]] : 0.0);
        if (!busy)
            for (int i = 0; i < job->n_nodes; i++)
                p.static_watts += job->static_watts[i];
        find_range(&p, &shortest, &longest);
        longest = fmin(longest, most_s);
        bool possible = longest > 0.0 && longest >= shortest * (1.0 - ROUNDING);
        if (possible && levels > FIRST)
            longest = try_times(&p, FIRST, shortest, longest, front);
        room = !possible || (longest > 0.0 && try_times(&p, levels, shortest, longest, front) > 0.0);
    }
    free(p.watts);
    free(p.at);
    free(p.sets);
    free(p.choice);
    free(p.offers);
    free(p.in);
    return room;
}
