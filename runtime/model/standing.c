/* Sums over the PUs. */
#include "model/standing.h"

#include <math.h>
#include <string.h>

#include "model/median.h"
#include "model/rounding.h"

/* The shares of the last pass stay while they end later by this part at most, and by less than a spread.
 * Larger: PUs wait for each other. Smaller: noise moves data in each pass. From 0.03 to 0.005 the makespans
 * of test_standing differ by 0.6 %. */
#define AS_GOOD 0.02

/* A share is at most so many times as much as its PU has done in a pass. Larger: a task of one unit decides
 * who gets how much. Smaller: it takes more passes until the shares are right. */
#define GROWTH 8.0

/* Turns that look for PUs that have enough. Fewer: where many have, shares of all are scaled a little. */
#define TURNS 8

/* The cost of a move of shares, as a multiple of the pass: before that is known, and at most; and how much
 * of that the last time tells. Larger: PUs wait for each other for longer. Smaller: noise moves data. Where
 * 1 % of the rows of a stencil moved, two passes of 0.21 ms took 0.13 ms more each. */
#define MOVING 0.5
#define MOST_MOVING 2.0
#define LEARNS 0.5

/* Part of the way that better shares go to the best ones of each pass. Larger: noise moves them, and what is
 * lost by noise in one pass is not won in the next. Smaller: shares follow a change later. With 0.5 noise of
 * 5 % moves three times as many units in test_standing, and short passes follow a change 1 % sooner. */
#define FOLLOWS 0.25

/* A share is of a new size where it is so many times as large as any before, and at least this part of an
 * equal one. Larger: the first report of a size counts, though memory was touched for the first time: 700
 * rows of a stencil took 3.8 ms then, and 0.25 ms later. Smaller: a PU that is slower than it seemed has a
 * share that is too large for one more pass. */
#define LARGER 1.25
#define CONSIDERABLE 0.25

/* A guess is taken where it ends later by this part at most. Larger: unlike PUs begin with shares that are
 * not theirs. Smaller: noise moves data as soon as the shares stand. After the first pass of a stencil on two
 * equal cores one of them seemed up to 1.9 times as quick, by which the guess ends 1.3 times as late. */
#define ALIKE 0.5

/* A PU in the sums: it does rate · (T - start) work in T seconds. */
struct line {
    double rate, start;
};

/* The line of an estimate, for shares of about so many seconds. One of several tasks has several starts. */
static struct line line_of(const struct plb_estimate *e, double seconds)
{
    struct line l = {e->rate, e->start_s};
    if (e->grain > 0.0 && e->rate * (seconds - e->start_s) > e->grain)
        l = (struct line){1.0 / (1.0 / e->rate + e->start_s / e->grain), 0.0};
    return l;
}

/* PUs and what each of them may get at most, before shares are found. */
struct asked {
    const struct plb_estimate *const *estimates;
    const double *most; /* that each has done in a pass; 0: by an earlier run at most */
    int n;
};

/* The work of a PU in so many seconds. */
static double work_of(const struct asked *a, int p, double seconds)
{
    struct line l = line_of(a->estimates[p], seconds);
    double x = l.rate * (seconds - l.start);
    return a->most[p] > 0.0 ? fmin(x, GROWTH * a->most[p]) : x;
}

/* Seconds until all end together but those that have as much as they may get before; infinite: it is not
 * known, or all have, and more is left. about: a first guess, or 0. */
static double solve(const struct asked *a, double work, double about)
{
    double rate = 0.0, starts = 0.0;
    for (int p = 0; p < a->n; p++) {
        const struct plb_estimate *e = a->estimates[p];
        if (e == NULL)
            continue;
        if (!plb_estimate_reported(e))
            return INFINITY;
        struct line l = line_of(e, about);
        if (about > 0.0 && work_of(a, p, about) < l.rate * (about - l.start)) {
            work -= GROWTH * a->most[p];
            continue;
        }
        rate += l.rate;
        starts += l.rate * l.start;
    }
    return rate > 0.0 && isfinite(rate) ? (work + starts) / rate : INFINITY;
}

/* The same from no guess. The longer it takes, the more PUs have enough: each turn finds some more. */
static double solve_all(const struct asked *a, double work)
{
    double about = solve(a, work, 0.0), seconds = solve(a, work, about);
    for (int i = 0; i < TURNS && isfinite(seconds) && seconds > about * (1.0 + PLB_ROUNDING); i++) {
        about = seconds;
        seconds = solve(a, work, about);
    }
    return seconds;
}

/* Whether a PU gets as much as it may, and more than before: it goes on growing at once. */
static bool any_grows(const struct asked *a, double seconds, const double *x)
{
    for (int p = 0; p < a->n; p++)
        if (a->estimates[p] != NULL && a->most[p] > 0.0 && x[p] < GROWTH * a->most[p]
            && work_of(a, p, seconds) >= GROWTH * a->most[p])
            return true;
    return false;
}

/* The largest relative error of a PU's share. */
static double spread_of(const struct plb_estimate *const *estimates, int n)
{
    double most = 0.0;
    for (int p = 0; p < n; p++)
        if (estimates[p] != NULL)
            most = fmax(most, hypot(estimates[p]->spread, estimates[p]->costs));
    return most;
}

/* Seconds until the last PU has ended its share of before; infinite: these are no shares of this work. */
static double end_of(const struct plb_estimate *const *estimates, int n, double work, const double *x)
{
    double sum = 0.0, last = 0.0;
    for (int p = 0; p < n; p++) {
        if ((estimates[p] != NULL) != (x[p] > 0.0))
            return INFINITY;
        sum += x[p];
        last = fmax(last, x[p] > 0.0 ? plb_estimate_seconds(estimates[p], x[p]) : 0.0);
    }
    return fabs(sum - work) <= PLB_ROUNDING * work ? last : INFINITY;
}

static bool any_share(const double *x, int n)
{
    bool any = false;
    for (int p = 0; p < n; p++)
        any = any || x[p] > 0.0;
    return any;
}

/* Leaves out those that would not end a unit. Returns whether there were any. */
static bool leave_out(const struct plb_estimate **estimates, int n, double seconds)
{
    bool any = false;
    for (int p = 0; p < n; p++) {
        if (estimates[p] == NULL)
            continue;
        struct line l = line_of(estimates[p], seconds);
        if (l.rate * (seconds - l.start) >= 1.0)
            continue;
        estimates[p] = NULL;
        any = true;
    }
    return any;
}

/* Brings shares by a part of the way to those that end together. */
static void approach(const struct asked *a, double work, double seconds, double part, double *x)
{
    double sum = 0.0;
    for (int p = 0; p < a->n; p++)
        sum += a->estimates[p] != NULL ? work_of(a, p, seconds) : 0.0;
    for (int p = 0; p < a->n; p++) {
        double best = a->estimates[p] != NULL ? work_of(a, p, seconds) * work / sum : 0.0;
        x[p] += part * (best - x[p]);
    }
}

void plb_shares_init(struct plb_shares *shares, double *work, int n)
{
    *shares = (struct plb_shares){.moving = MOVING};
    shares->x = work;
    shares->better = work + n;
    shares->most = work + 2 * n;
}

bool plb_shares_new(const struct plb_shares *shares, int pu, double work, int n, double all)
{
    return work > LARGER * shares->most[pu] && work * n > CONSIDERABLE * all;
}

void plb_shares_ended(struct plb_shares *s, double seconds)
{
    double more = fmax(seconds / s->expected_s - 1.0, 0.0);
    if (s->moved)
        s->moving += LEARNS * (fmin(more, MOST_MOVING) - s->moving);
    s->moved = false;
}

void plb_standing_follow(struct plb_estimate *e, const struct plb_sample *last, int n)
{
    double ratios[PLB_RECENT], copy_s = INFINITY; /* of a unit of work */
    int recent = n < PLB_RECENT ? n : PLB_RECENT;
    for (int i = 0; i < n; i++)
        copy_s = fmin(copy_s, last[i].transfer_s / last[i].work);
    for (int i = 0; i < recent; i++) {
        const struct plb_sample *s = &last[n - recent + i];
        ratios[i] = (s->execute_s + copy_s * s->work) / plb_estimate_seconds(e, s->work);
    }
    double median = plb_median(ratios, recent);
    if (!(median > 0.0) || !isfinite(median))
        return;
    e->start_s *= median;
    e->rate /= median;
}

bool plb_standing_shares(const struct plb_standing *limits, const struct plb_estimate **estimates, int n,
                         double work, struct plb_shares *shares, double *due)
{
    const struct asked asked = {estimates, shares->most, n};
    double seconds;
    do {
        seconds = solve_all(&asked, work);
    } while (isfinite(seconds) && leave_out(estimates, n, seconds));
    double spread = spread_of(estimates, n);
    if (!(seconds <= limits->longest_s) || !(spread * seconds <= limits->late_s))
        return false;
    if (!any_share(shares->x, n) && limits->guess != NULL
        && end_of(estimates, n, work, limits->guess) <= seconds * (1.0 + ALIKE)) {
        memcpy(shares->x, limits->guess, (size_t)n * sizeof *shares->x);
        memcpy(shares->better, limits->guess, (size_t)n * sizeof *shares->better);
    }
    double before = end_of(estimates, n, work, shares->x);
    double others = end_of(estimates, n, work, shares->better); /* by what was known before this pass */
    bool too_late = !(before <= limits->longest_s) || before - seconds * (1.0 + spread) > limits->late_s;
    bool at_once = too_late || any_grows(&asked, seconds, shares->x);
    if (before > seconds * (1.0 + fmin(spread, AS_GOOD)) && !at_once)
        shares->lost_s = fmax(shares->lost_s + before - (limits->free ? seconds : others), 0.0);
    approach(&asked, work, seconds, at_once || limits->free ? 1.0 : FOLLOWS, shares->better);
    shares->moved = at_once || shares->lost_s > (limits->free ? 0.0 : shares->moving * seconds);
    if (shares->moved) {
        memcpy(shares->x, shares->better, (size_t)n * sizeof *shares->x);
        before = end_of(estimates, n, work, shares->x);
        shares->lost_s = 0.0;
    }
    shares->expected_s = before;
    *due = before * (1.0 + spread) + limits->late_s;
    return true;
}
