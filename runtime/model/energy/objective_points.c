/* Cost with N points in all: N for the envelopes, a sort of their pieces, N for pairs of PUs, and
 * at most MOST_SUMS sums. Weak where points of many PUs are nearly alike: then sums are too many, and the
 * answer is that of the envelopes, mended by pairs, with its bound. */
#include "model/energy/objective_points.h"

#include <math.h>
#include <stdlib.h>

/* Sums that are made at most. Larger: a call takes longer, 10 ns for each. Smaller: fewer answers are
 * exact. */
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

struct search {
    const struct plb_points_job *job;
    struct plb_power_point *points; /* of all PUs, PU by PU, by work */
    int *first;                     /* those of PU i: first[i] to before first[i + 1] */
    int *index;                     /* of each of them in its set */
    struct piece *pieces;
    int n_pieces;
    int *hull;
    struct sum *sums;
    int *stage;          /* the sums of the PUs up to i begin at stage[i] */
    double price, bound; /* joules per unit; joules */
    int *chosen;         /* places in `points`, or -1: the best choice so far */
    double work, joules; /* of it */
};

static double work_at(const struct search *f, int place)
{
    return place < 0 ? 0.0 : f->points[place].work;
}

static double joules_at(const struct search *f, int place)
{
    return place < 0 ? 0.0 : f->points[place].joules;
}

/* Whether the points (from the origin or a, to b, to c) bend down at b, so that b is above the envelope. */
static bool above(const struct search *f, int a, int b, int c)
{
    double before = (joules_at(f, b) - joules_at(f, a)) * (work_at(f, c) - work_at(f, b));
    return before >= (joules_at(f, c) - joules_at(f, b)) * (work_at(f, b) - work_at(f, a));
}

/* The lower envelope of the PU's points, and of the origin: pieces with slopes that rise. */
static void add_envelope(struct search *f, int pu)
{
    int n = 0;
    f->hull[n++] = -1;
    for (int k = f->first[pu]; k < f->first[pu + 1]; k++) {
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
 * PU of that piece; -1 where all points together are too little. */
static int fill(struct search *f)
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
static void mend_pair(struct search *f, int a, int b)
{
    double others = f->work - work_at(f, f->chosen[a]) - work_at(f, f->chosen[b]);
    double need = f->job->work * (1.0 - ROUNDING) - others, least = INFINITY;
    int best_a = -1, best_b = -1, cheapest = -2, j = f->first[b + 1];
    double rest = f->joules - joules_at(f, f->chosen[a]) - joules_at(f, f->chosen[b]);
    for (int i = f->first[a] - 1; i < f->first[a + 1]; i++) {
        int own = i < f->first[a] ? -1 : i;
        /* b's points from j on have work enough; the cheapest of them counts */
        for (; j > f->first[b] && work_at(f, j - 1) >= need - work_at(f, own); j--)
            if (cheapest == -2 || f->points[j - 1].joules <= joules_at(f, cheapest))
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
static void mend(struct search *f, int last)
{
    for (int i = 0; i < f->job->n && f->joules > f->bound * (1.0 + ROUNDING); i++)
        for (int j = 0; j < (f->job->n <= ALL_PAIRS ? f->job->n : 1); j++) {
            int other = f->job->n <= ALL_PAIRS ? j : last;
            if (other != i)
                mend_pair(f, i, other);
        }
}

/* Joules of a point beyond the price of its work. */
static double reduced(const struct search *f, int place)
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
static int add_points(struct search *f, int pu, int from, int to)
{
    double gap = f->joules - f->bound, least = reduced(f, -1), fewest = INFINITY;
    int n = to, kept = to;
    for (int k = f->first[pu]; k < f->first[pu + 1]; k++)
        least = fmin(least, reduced(f, k));
    for (int k = f->first[pu] - 1; k < f->first[pu + 1]; k++) {
        int own = k < f->first[pu] ? -1 : k;
        if (reduced(f, own) - least > gap)
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
static void sum_up(struct search *f)
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
    f->bound = f->joules;
    double joules = 0.0;
    for (int i = n - 1, sum = best; best >= 0 && i >= 0; sum = f->sums[sum].parent, i--)
        joules += joules_at(f, f->sums[sum].point);
    if (best < 0 || joules >= f->joules)
        return;
    f->bound = f->joules = joules;
    for (int i = n - 1, sum = best; i >= 0; sum = f->sums[sum].parent, i--)
        f->chosen[i] = f->sums[sum].point;
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

static void sort_points(struct search *f, struct key *keys)
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

/* Finds the best choice. False where there is none. */
static bool solve(struct search *f)
{
    int last = fill(f);
    if (last < 0)
        return false;
    mend(f, last);
    if (f->joules > f->bound * (1.0 + ROUNDING))
        sum_up(f);
    else
        f->bound = f->joules;
    return true;
}

int plb_objective_points(const struct plb_points_job *job, struct plb_points_answer *answer, int *choice)
{
    size_t n = 0, pus = (size_t)job->n;
    for (int i = 0; i < job->n; i++)
        n += (size_t)job->sets[i].n;
    struct search f = {.job = job};
    f.points = malloc((n + 1) * sizeof *f.points);
    f.pieces = malloc((n + 1) * sizeof *f.pieces);
    f.sums = malloc(MOST_SUMS * sizeof *f.sums);
    f.first = malloc((4 * pus + 2 * n + 8) * sizeof *f.first);
    struct key *keys = malloc((n + 1) * sizeof *keys);
    int found = -1;
    if (f.points != NULL && f.pieces != NULL && f.sums != NULL && f.first != NULL && keys != NULL) {
        f.chosen = f.first + pus + 1;
        f.stage = f.chosen + pus + 1;
        f.index = f.stage + pus + 2;
        f.hull = f.index + n + 1;
        sort_points(&f, keys);
        found = solve(&f);
        *answer = (struct plb_points_answer){f.joules, f.bound};
        for (int i = 0; i < job->n; i++)
            choice[i] = f.chosen[i] < 0 ? -1 : f.index[f.chosen[i]];
    }
    free(f.points);
    free(f.pieces);
    free(f.sums);
    free(f.first);
    free(keys);
    return found;
}
