/* Cost for one T with N points in all: N for the envelopes, a sort of their pieces, N for pairs of PUs, and
 * at most MOST_SUMS sums. Weak where points of many PUs are nearly alike: then sums are too many, and the
 * answer for that T is that of the envelopes, mended by pairs, with its bound. */
#include "model/energy/objective_points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums that are made for one T, at most. Larger: a call takes longer, 10 ns for each. Smaller: fewer answers
 * are exact. With 4,000 a front of 10 PUs with 100 rough points each takes 5 ms. */
#define MOST_SUMS 4000

/* Up to this many PUs, each pair of them is looked at. Larger: a call takes longer, by n². Smaller: more sums
 * are needed. */
#define ALL_PAIRS 20

/* Relative error of sums of work and of joules. */
#define ROUNDING 1e-12

/* A piece of a set's envelope, from one of its points to the next. */
struct piece {
    double slope, work; /* joules per unit, units */
    int pu, to;         /* where it ends, in the PU's order */
};

/* A point of each of the PUs so far. */
struct sum {
    double work, extra; /* extra: joules beyond price · work, and beyond the least of these, of all PUs */
    int parent, point;  /* the sum of the PUs before; this PU's place in its order, -1: none */
};

struct front {
    const struct plb_points_job *job;
    struct plb_power_point *points; /* of all PUs, PU by PU, by work */
    int *first;                     /* those of PU i: first[i] to before first[i + 1] */
    int *index;                     /* of each of them in its set */
    struct piece *pieces;
    int n_pieces;
    int *hull;
    struct sum *sums;
    int *stage;          /* the sums of the PUs up to i begin at stage[i] */
    double limit;        /* T */
    double worth;        /* joules from which on a choice does not matter */
    double price, bound; /* joules per unit; joules */
    int *chosen;         /* places in `points`, or -1: the best choice for this T */
    double work, joules; /* of it */
};

static double work_at(const struct front *f, int place)
{
    return place < 0 ? 0.0 : f->points[place].work;
}

static double joules_at(const struct front *f, int place)
{
    return place < 0 ? 0.0 : f->points[place].joules;
}

/* Whether the points (from the origin or a, to b, to c) bend down at b, so that b is above the envelope. */
static bool above(const struct front *f, int a, int b, int c)
{
    double before = (joules_at(f, b) - joules_at(f, a)) * (work_at(f, c) - work_at(f, b));
    return before >= (joules_at(f, c) - joules_at(f, b)) * (work_at(f, b) - work_at(f, a));
}

/* The lower envelope of the PU's points within T, and of the origin: pieces with slopes that rise. */
static void add_envelope(struct front *f, int pu)
{
    int n = 0;
    f->hull[n++] = -1;
    for (int k = f->first[pu]; k < f->first[pu + 1]; k++) {
        if (f->points[k].seconds > f->limit)
            continue;
        while (n > 1 && above(f, f->hull[n - 2], f->hull[n - 1], k))
            n--;
        f->hull[n++] = k;
    }
    for (int i = 1; i < n; i++) {
        double work = work_at(f, f->hull[i]) - work_at(f, f->hull[i - 1]);
        double joules = joules_at(f, f->hull[i]) - joules_at(f, f->hull[i - 1]);
        if (work > 0.0)
            f->pieces[f->n_pieces++] = (struct piece){joules / work, work, pu, f->hull[i]};
    }
}

static int cheaper(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    if (p->slope != q->slope)
        return p->slope < q->slope ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

/* Fills by envelopes: the bound, the price, and a first choice, with the last piece as a whole. Returns the
 * PU of that piece; -1 where all that may be chosen within T is too little. */
static int fill(struct front *f)
{
    double need = f->job->work * (1.0 - ROUNDING);
    f->n_pieces = 0;
    for (int i = 0; i < f->job->n; i++) {
        f->chosen[i] = -1;
        add_envelope(f, i);
    }
    qsort(f->pieces, (size_t)f->n_pieces, sizeof *f->pieces, cheaper);
    f->work = f->joules = 0.0;
    for (int k = 0; k < f->n_pieces; k++) {
        const struct piece *p = &f->pieces[k];
        double left = f->job->work - f->work;
        f->chosen[p->pu] = p->to;
        f->work += p->work;
        f->bound = f->joules + p->slope * fmin(left, p->work);
        f->joules += p->slope * p->work;
        f->price = p->slope;
        if (f->work >= need)
            return p->pu;
    }
    return -1;
}

/* The best points of the PUs `a` and `b` together, with the others as chosen. As a's point has more work, b's
 * may have less: both are walked once. */
static void mend_pair(struct front *f, int a, int b)
{
    double others = f->work - work_at(f, f->chosen[a]) - work_at(f, f->chosen[b]);
    double need = f->job->work * (1.0 - ROUNDING) - others, least = INFINITY;
    int best_a = -1, best_b = -1, cheapest = -2, j = f->first[b + 1];
    double rest = f->joules - joules_at(f, f->chosen[a]) - joules_at(f, f->chosen[b]);
    for (int i = f->first[a] - 1; i < f->first[a + 1]; i++) {
        int own = i < f->first[a] ? -1 : i;
        if (own >= 0 && f->points[own].seconds > f->limit)
            continue;
        /* b's points from j on have work enough; the cheapest of them counts */
        for (; j > f->first[b] && work_at(f, j - 1) >= need - work_at(f, own); j--)
            if (f->points[j - 1].seconds <= f->limit
                && (cheapest == -2 || f->points[j - 1].joules <= joules_at(f, cheapest)))
                cheapest = j - 1;
        if (need - work_at(f, own) <= 0.0)
            cheapest = -1;
        if (cheapest > -2 && joules_at(f, own) + joules_at(f, cheapest) < least) {
            least = joules_at(f, own) + joules_at(f, cheapest);
            best_a = own;
            best_b = cheapest;
        }
    }
    if (!(rest + least < f->joules * (1.0 - ROUNDING)))
        return;
    f->joules = rest + least;
    f->work = others + work_at(f, best_a) + work_at(f, best_b);
    f->chosen[a] = best_a;
    f->chosen[b] = best_b;
}

/* With few PUs all pairs are mended, with many those of the PU whose piece was more than needed. */
static void mend(struct front *f, int last)
{
    for (int i = 0; i < f->job->n && f->joules > f->bound * (1.0 + ROUNDING); i++)
        for (int j = 0; j < (f->job->n <= ALL_PAIRS ? f->job->n : 1); j++) {
            int other = f->job->n <= ALL_PAIRS ? j : last;
            if (other != i)
                mend_pair(f, i, other);
        }
}

/* Joules of a point beyond the price of its work. */
static double reduced(const struct front *f, int place)
{
    return joules_at(f, place) - f->price * work_at(f, place);
}

static int by_work(const void *a, const void *b)
{
    const struct sum *p = a, *q = b;
    if (p->work != q->work)
        return p->work > q->work ? -1 : 1;
    return (p->extra > q->extra) - (p->extra < q->extra);
}

/* Adds the PU's points to the sums from `from` to before `to`; the new ones begin at `to`. Only those that no
 * other beats, and that may still lead to fewer joules, stay. Returns where they end; -1: too many. */
static int add_points(struct front *f, int pu, int from, int to)
{
    double gap = fmin(f->joules, f->worth) - f->bound, least = reduced(f, -1), fewest = INFINITY;
    int n = to, kept = to;
    for (int k = f->first[pu]; k < f->first[pu + 1]; k++)
        if (f->points[k].seconds <= f->limit)
            least = fmin(least, reduced(f, k));
    for (int k = f->first[pu] - 1; k < f->first[pu + 1]; k++) {
        int own = k < f->first[pu] ? -1 : k;
        if ((own >= 0 && f->points[own].seconds > f->limit) || reduced(f, own) - least > gap)
            continue;
        for (int s = from; s < to; s++) {
            double extra = f->sums[s].extra + reduced(f, own) - least;
            if (extra > gap)
                continue;
            if (n == MOST_SUMS)
                return -1;
            f->sums[n++] = (struct sum){f->sums[s].work + work_at(f, own), extra, s, own};
        }
    }
    qsort(f->sums + to, (size_t)(n - to), sizeof *f->sums, by_work);
    for (int s = to; s < n; s++) {
        double joules = f->sums[s].extra + f->price * f->sums[s].work;
        if (joules < fewest) {
            fewest = joules;
            f->sums[kept++] = f->sums[s];
        }
    }
    return kept;
}

/* All sums that may be better than the choice so far: afterwards that is the best there is. */
static void sum_up(struct front *f)
{
    int n = f->job->n, best = -1;
    double need = f->job->work * (1.0 - ROUNDING), fewest = INFINITY;
    f->sums[0] = (struct sum){0.0, 0.0, -1, -1};
    f->stage[0] = 0;
    f->stage[1] = 1;
    for (int i = 0; i < n; i++) {
        int to = add_points(f, i, f->stage[i], f->stage[i + 1]);
        if (to < 0)
            return;
        f->stage[i + 2] = to;
    }
    for (int s = f->stage[n]; s < f->stage[n + 1]; s++) {
        double joules = f->sums[s].extra + f->price * f->sums[s].work;
        if (f->sums[s].work >= need && joules < fewest) {
            fewest = joules;
            best = s;
        }
    }
    f->bound = fmin(f->joules, f->worth);
    double joules = 0.0;
    for (int i = n - 1, sum = best; best >= 0 && i >= 0; sum = f->sums[sum].parent, i--)
        joules += joules_at(f, f->sums[sum].point);
    if (best < 0 || joules >= f->joules)
        return;
    f->bound = f->joules = joules;
    for (int i = n - 1, sum = best; i >= 0; sum = f->sums[sum].parent, i--)
        f->chosen[i] = f->sums[sum].point;
}

/* The best choice for a T; false where there is none with dynamic joules below `worth`. */
static bool solve(struct front *f, double limit, double worth)
{
    f->limit = limit;
    f->worth = worth;
    int last = fill(f);
    if (last < 0 || f->bound >= worth)
        return false;
    mend(f, last);
    if (f->joules > f->bound * (1.0 + ROUNDING))
        sum_up(f);
    else
        f->bound = f->joules;
    return true;
}

/* Points are sorted by this. Of those with equal work the cheapest comes last, and stays on the envelope. */
struct key {
    double work, joules;
    int index;
};

static int by_place(const void *a, const void *b)
{
    const struct key *p = a, *q = b;
    if (p->work != q->work)
        return p->work < q->work ? -1 : 1;
    return (p->joules < q->joules) - (p->joules > q->joules);
}

static void sort_points(struct front *f, struct key *keys)
{
    int place = 0;
    for (int i = 0; i < f->job->n; i++) {
        const struct plb_point_set *set = &f->job->sets[i];
        f->first[i] = place;
        for (int k = 0; k < set->n; k++)
            keys[k] = (struct key){set->points[k].work, set->points[k].joules, k};
        qsort(keys, (size_t)set->n, sizeof *keys, by_place);
        for (int k = 0; k < set->n; k++, place++) {
            f->points[place] = set->points[keys[k].index];
            f->index[place] = keys[k].index;
        }
    }
    f->first[f->job->n] = place;
}

static int ascending(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Whether all PUs together can do the work within T. */
static bool possible(const struct front *f, double limit)
{
    double sum = 0.0;
    for (int i = 0; i < f->job->n; i++) {
        double most = 0.0;
        for (int k = f->first[i]; k < f->first[i + 1]; k++)
            if (f->points[k].seconds <= limit)
                most = fmax(most, f->points[k].work);
        sum += most;
    }
    return sum >= f->job->work * (1.0 - ROUNDING);
}

/* The different seconds of points, from the shortest within which the work can be done. Returns how many. */
static int find_times(const struct front *f, double *times, int n)
{
    int distinct = 0, low = 0;
    for (int k = 0; k < n; k++)
        times[k] = f->points[k].seconds;
    qsort(times, (size_t)n, sizeof *times, ascending);
    for (int k = 0; k < n; k++)
        if (distinct == 0 || times[k] > times[distinct - 1])
            times[distinct++] = times[k];
    for (int high = distinct; low < high;) {
        int middle = low + (high - low) / 2;
        if (possible(f, times[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    memmove(times, times + low, (size_t)(distinct - low) * sizeof *times);
    return distinct - low;
}

/* Puts the choice at the end of the front, in place of those that it beats. Returns how many there are. */
static int keep(const struct front *f, int n, struct plb_points_answer *front, int *choice)
{
    struct plb_points_answer a = {.bound = f->bound, .dynamic = f->joules, .limit = f->limit};
    int pus = f->job->n;
    for (int i = 0; i < pus; i++)
        if (f->chosen[i] >= 0)
            a.seconds = fmax(a.seconds, f->points[f->chosen[i]].seconds);
    a.joules = f->joules + f->job->static_watts * a.seconds;
    if (n > 0 && front[n - 1].joules * (1.0 - ROUNDING) <= a.joules)
        return n;
    while (n > 0 && front[n - 1].seconds >= a.seconds)
        n--;
    for (int i = 0; i < pus; i++)
        choice[n * pus + i] = f->chosen[i] < 0 ? -1 : f->index[f->chosen[i]];
    front[n] = a;
    return n + 1;
}

static int walk(struct front *f, const double *times, int n_times, int levels,
                struct plb_points_answer *front, int *choice)
{
    int n = 0, tried = n_times < levels ? n_times : levels;
    double before = 0.0;
    for (int k = 0; k < tried; k++) {
        int at = tried > 1 ? (int)((int64_t)k * (n_times - 1) / (tried - 1)) : 0;
        /* what was not possible before lasts longer than `before`, and must save that much of static watts */
        double worth = n > 0 ? front[n - 1].joules - f->job->static_watts * before : INFINITY;
        if (solve(f, times[at], worth))
            n = keep(f, n, front, choice);
        before = times[at];
    }
    return n;
}

int plb_objective_points(const struct plb_points_job *job, int levels, struct plb_points_answer *front,
                         int *choice)
{
    size_t n = 0, pus = (size_t)job->n;
    for (int i = 0; i < job->n; i++)
        n += (size_t)job->sets[i].n;
    struct front f = {.job = job};
    f.points = malloc((n + 1) * sizeof *f.points);
    f.pieces = malloc((n + 1) * sizeof *f.pieces);
    f.sums = malloc(MOST_SUMS * sizeof *f.sums);
    f.first = malloc((4 * pus + 2 * n + 8) * sizeof *f.first);
    double *times = malloc((n + 1) * sizeof *times);
    struct key *keys = malloc((n + 1) * sizeof *keys);
    int found = -1;
    if (f.points != NULL && f.pieces != NULL && f.sums != NULL && f.first != NULL && times != NULL
        && keys != NULL) {
        f.chosen = f.first + pus + 1;
        f.stage = f.chosen + pus + 1;
        f.index = f.stage + pus + 2;
        f.hull = f.index + n + 1;
        sort_points(&f, keys);
        found = walk(&f, times, find_times(&f, times, (int)n), levels, front, choice);
    }
    free(f.points);
    free(f.pieces);
    free(f.sums);
    free(f.first);
    free(times);
    free(keys);
    return found;
}
