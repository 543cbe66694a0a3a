/* Times in equal ratios from the shortest one to that of the best single PU: first a few, to see where least
 * energy is, then all up to there. Weak where curves bend: the price of a unit is that of a PU's last one. */
#include "model/energy/front_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/rounding.h"
#include "model/solve.h"

/* PUs up to which each pair of PUs is tried in and out of a set. More: a call takes longer, by n³. Fewer:
 * where start costs are large, a set is less good. */
#define TRIED 100

#define FIRST 8 /* times of a first look for where the front ends; more: only time */

/* A PU's work within a time. */
struct offer {
    double price, work, joules; /* joules per unit, of the last one; of all this work */
    int pu;
    bool in; /* the set that is tried */
};

struct search {
    const struct plb_power_curves *job;
    double *watts, static_watts; /* of PUs; of all, until the end */
    struct offer *offers;
    int n_offers;
};

static bool enough(const struct search *p, double seconds)
{
    double sum = 0.0;
    for (int i = 0; i < p->job->n && sum < p->job->work; i++)
        sum += plb_model_work(&p->job->models[i], seconds, p->job->work);
    return sum >= p->job->work;
}

/* The shortest time, and that of the PU that alone needs least energy. */
static void find_range(const struct search *p, double *shortest, double *longest)
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
    for (int i = 0; i < PLB_HALVINGS; i++) {
        double middle = 0.5 * (low + *shortest);
        if (enough(p, middle))
            *shortest = middle;
        else
            low = middle;
    }
    *shortest *= 1.0 + PLB_ROUNDING; /* else the last digits of a sum lack */
}

/* ------------------------------------------------------------------------------- sets */

static int cheaper(const void *a, const void *b)
{
    const struct offer *p = a, *q = b;
    return p->price != q->price ? (p->price > q->price) - (p->price < q->price) : p->pu - q->pu;
}

static int cheaper_as_a_whole(const void *a, const void *b)
{
    const struct offer *p = a, *q = b;
    double of_p = p->joules * q->work, of_q = q->joules * p->work;
    return of_p != of_q ? (of_p > of_q) - (of_p < of_q) : p->pu - q->pu;
}

/* The work of each PU within the time, the cheapest units first. The set to begin with has those whose whole
 * work is cheapest. */
static void make_offers(struct search *p, double seconds)
{
    double left = p->job->work;
    p->n_offers = 0;
    for (int i = 0; i < p->job->n; i++) {
        const struct plb_model *m = &p->job->models[i];
        double work = plb_model_work(m, seconds, p->job->work);
        if (work > 0.0)
            p->offers[p->n_offers++] = (struct offer){p->watts[i] * plb_model_slope(m, work), work,
                                                      p->watts[i] * plb_model_time(m, work), i, false};
    }
    qsort(p->offers, (size_t)p->n_offers, sizeof *p->offers, cheaper_as_a_whole);
    for (int k = 0; k < p->n_offers; k++) {
        p->offers[k].in = left > 0.0;
        left -= p->offers[k].work;
    }
    qsort(p->offers, (size_t)p->n_offers, sizeof *p->offers, cheaper);
}

/* Shares the work among the PUs of the set, the cheapest ones first. Returns their joules without those that
 * all nodes draw until the end; infinite where they cannot do it. */
static double fill(const struct search *p, double *x)
{
    double left = p->job->work, joules = 0.0;
    for (int k = 0; k < p->n_offers; k++) {
        const struct offer *o = &p->offers[k];
        double part = o->in ? fmin(o->work, left) : 0.0;
        left -= part;
        x[o->pu] = part;
        if (part == o->work)
            joules += o->joules;
        else if (part > 0.0)
            joules += p->watts[o->pu] * plb_model_time(&p->job->models[o->pu], part);
    }
    return left > PLB_ROUNDING * p->job->work ? INFINITY : joules;
}

/* All sets. */
static void try_all(struct search *p, double *x)
{
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned set = 1; set < 1u << p->n_offers; set++) {
        for (int k = 0; k < p->n_offers; k++)
            p->offers[k].in = set >> k & 1u;
        double joules = fill(p, x);
        if (joules < least) {
            least = joules;
            best = set;
        }
    }
    for (int k = 0; k < p->n_offers; k++)
        p->offers[k].in = best >> k & 1u;
}

/* Two PUs, or one of this number, turn into the set or out of it. */
static void turn(struct search *p, int i, int j)
{
    p->offers[i].in = !p->offers[i].in;
    if (j != i)
        p->offers[j].in = !p->offers[j].in;
}

/* Turns one PU or two where that saves joules, until none do. */
static void try_pairs(struct search *p, double *x)
{
    double least = fill(p, x);
    for (int i = 0, since = 0; since < p->n_offers; i = (i + 1) % p->n_offers, since++)
        for (int j = i; j < p->n_offers; j++) {
            turn(p, i, j);
            double joules = fill(p, x);
            if (joules < least * (1.0 - PLB_ROUNDING)) {
                least = joules;
                since = -1;
            } else {
                turn(p, i, j);
            }
        }
}

/* Among the PUs of a set the shares are exact, as far as their times are lines. False where they cannot do
 * the work. */
static bool choose_shares(struct search *p, double seconds, double *x)
{
    memset(x, 0, (size_t)p->job->n * sizeof *x);
    make_offers(p, seconds);
    if (p->job->n <= PLB_OBJECTIVE_SETS)
        try_all(p, x);
    else if (p->job->n <= TRIED)
        try_pairs(p, x);
    return isfinite(fill(p, x));
}

/* A choice as the next row, where it has less energy than the one before. */
static void add_row(struct search *p, double limit, struct plb_front *front)
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

/* Rows at `levels` times from `low` to `high`, in equal ratios. Returns the time after that of the last row.
 */
static double try_times(struct search *p, int levels, double low, double high, struct plb_front *front)
{
    double ratio = levels > 1 ? pow(high / low, 1.0 / (levels - 1)) : 1.0, seconds = low, next = low;
    front->n = front->least_edp = 0;
    for (int k = 0; k < levels; k++, seconds *= ratio) {
        int before = front->n;
        add_row(p, levels > 1 ? seconds : high, front);
        if (front->n > before)
            next = fmin(seconds * ratio, high);
    }
    return next;
}

bool plb_front_sets_fit(const struct plb_power_curves *job)
{
    if (job->rule != PLB_STATIC_BUSY)
        return job->rule == PLB_STATIC_JOB;
    for (int i = 1; i < job->n; i++)
        if (job->node[i] == job->node[i - 1])
            return false;
    return true;
}

bool plb_front_sets(const struct plb_power_curves *job, int levels, double most_s, struct plb_front *front)
{
    size_t n = (size_t)job->n;
    struct search p = {.job = job};
    double shortest, longest;
    p.watts = malloc((n + 1) * sizeof *p.watts);
    p.offers = malloc((n + 1) * sizeof *p.offers);
    bool room = p.watts != NULL && p.offers != NULL;
    if (room) {
        bool busy = job->rule == PLB_STATIC_BUSY;
        for (int i = 0; i < job->n; i++)
            p.watts[i] = job->dynamic_watts[i] + (busy ? job->static_watts[job->node[i]] : 0.0);
        if (!busy)
            for (int i = 0; i < job->n_nodes; i++)
                p.static_watts += job->static_watts[i];
        find_range(&p, &shortest, &longest);
        longest = fmin(longest, most_s);
        bool possible = longest > 0.0 && longest >= shortest * (1.0 - PLB_ROUNDING);
        if (possible && levels > FIRST)
            longest = try_times(&p, FIRST, shortest, longest, front);
        if (possible)
            try_times(&p, levels, shortest, longest, front);
    }
    free(p.watts);
    free(p.offers);
    return room;
}
