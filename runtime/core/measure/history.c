/* Samples of one phase on one processing unit. */
#include "core/measure/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/work/migration.h"
#include "model/fit.h"

#define CHECKED 4      /* reports that a profile is compared with. More: a right profile is doubted longer. */
#define STRIKES 2      /* reports in a row that contradict it. 1: a hiccup ends it. */
#define DIFFERENT 1.25 /* factor by which a report contradicts it. Smaller: noise of 10 % does too often. */
#define HICCUP 1e-3    /* seconds by which it is off, at least. Smaller: short tasks on a busy machine do. */
#define CHANGES 2      /* changes of speed that a machine may have; more of them come from unequal units */

/* A task is as good as another one if a unit takes at most this many times as long. Larger: starts that cost
 * something are taken for free ones. Smaller: noise hides small tasks that are good. */
#define AS_GOOD 1.3

/* A report is not what a belief says if it is off by so many of its spreads, which are a third of the scatter
 * at least. Larger: surprises come late into it. Smaller: noise has it fitted again. */
#define NEAR 6.0

static void make_room(struct plb_history *h, int n)
{
    if (n <= h->capacity)
        return;
    h->capacity = n > 2 * h->capacity ? n + 3 : 2 * h->capacity;
    h->at = plb_grow(h->at, (size_t)h->capacity * sizeof *h->at);
    h->reported = plb_grow(h->reported, (size_t)h->capacity * sizeof *h->reported);
}

static void forget(struct plb_history *h, int n)
{
    h->n -= n;
    plb_speed_change_forget(&h->speed, n);
    h->fitted = false;
    h->from_profile = h->from_profile > n ? h->from_profile - n : 0;
    memmove(h->at, h->at + n, (size_t)h->n * sizeof *h->at);
    memmove(h->reported, h->reported + n, (size_t)h->n * sizeof *h->reported);
}

/* A full history loses its older half, since that is the less true one, but for two of its tasks, the largest
 * and the smallest that was as good: where sizes change later, they tell what a start costs. */
static void lose_half(struct plb_history *h)
{
    int half = h->n / 2, large = h->from_profile, small;
    for (int i = large + 1; i < half; i++)
        large = h->at[i].work > h->at[large].work ? i : large;
    if (large >= half) { /* all of them are a profile */
        forget(h, half);
        h->since = -1;
        return;
    }
    small = large;
    for (int i = h->from_profile; i < half; i++)
        if (h->at[i].work < h->at[small].work && h->at[i].work > 0.0
            && h->at[i].execute_s * h->at[large].work < AS_GOOD * h->at[large].execute_s * h->at[i].work)
            small = i;
    struct plb_sample kept[2] = {h->at[small], h->at[large]};
    struct plb_reported reported[2] = {h->reported[small], h->reported[large]};
    forget(h, half);
    memcpy(h->at, kept, sizeof kept);
    memcpy(h->reported, reported, sizeof reported);
}

void plb_history_load(struct plb_history *h, const struct plb_sample *samples, int n)
{
    int most = PLB_MAX_SAMPLES / 2, kept = n < most ? n : most;
    make_room(h, kept);
    memcpy(h->at, samples + n - kept, (size_t)kept * sizeof *h->at);
    for (int i = 0; i < kept; i++)
        h->reported[i] = (struct plb_reported){.execute_s = h->at[i].execute_s};
    h->n = h->from_profile = kept;
    h->checked = h->strikes = 0;
    h->dropped = h->fitted = h->estimated = false;
    h->since = -1;
    plb_speed_change_recount(&h->speed);
}

static void count_fit(struct plb_history *h)
{
    if (h->fits != NULL)
        ++*h->fits;
}

/* The first samples tell nothing any more. */
static void disown(struct plb_history *h, int n)
{
    forget(h, n);
    h->since = -1;
    h->estimated = false;
    h->estimate.watched_s = h->estimate.tasks = 0.0;
    plb_speed_change_recount(&h->speed);
}

/* Compares a report with what the profile alone predicts; a small size that it knows nothing about
 * says nothing. */
static void check(struct plb_history *h, const struct plb_sample *s)
{
    struct plb_model model;
    count_fit(h);
    plb_fit_samples(h->at, h->from_profile, 0.0, &model);
    double expected = plb_curve_time(&model.execute, s->work), ratio = s->execute_s / expected;
    bool agrees = ratio < DIFFERENT && ratio > 1.0 / DIFFERENT;
    bool hiccup = !agrees && (double)s->tasks * fabs(s->execute_s - expected) < HICCUP;
    if (s->work < model.execute.low / 2.0 || hiccup)
        return;
    h->checked++;
    h->strikes = agrees ? 0 : h->strikes + 1;
    if (h->strikes < STRIKES)
        return;
    disown(h, h->from_profile);
    h->dropped = true;
}

/* Scales what is older than a change of the machine's speed. */
static void follow_change(struct plb_history *h)
{
    int from;
    if (h->unscaled)
        return;
    double factor = plb_speed_change(&h->speed, h->at, h->n, &from, h->fits);
    h->changes += factor != 1.0;
    if (factor == 1.0)
        factor = plb_speed_change_correction(&h->speed, h->at, h->n, &from, h->fits);
    if (factor == 1.0)
        return;
    if (h->unknown_cost && fabs(log(factor)) > log(PLB_UNLIKE_UNITS)) {
        disown(h, from);
        h->units_differ = true;
        return;
    }
    for (int i = 0; i < from; i++)
        h->at[i].execute_s *= factor;
    h->estimated = false;
    h->since = -1;
}

/* A report that agrees with the belief only makes it last longer. */
static void watch(struct plb_history *h, const struct plb_sample *s)
{
    if (!plb_belief_reported(&h->belief))
        return;
    double seconds = s->execute_s + s->transfer_s, expected = plb_model_time(&h->belief.model, s->work);
    if (fabs(log(seconds / expected)) <= NEAR * h->belief.spread)
        h->belief.watched_s += seconds * (double)s->tasks;
    else
        h->surprised = true;
}

void plb_history_add(struct plb_history *h, const struct plb_sample *sample)
{
    if (h->n == PLB_MAX_SAMPLES)
        lose_half(h);
    make_room(h, h->n + 1);
    h->reported[h->n] = (struct plb_reported){.execute_s = sample->execute_s};
    h->at[h->n++] = *sample;
    if (h->estimated)
        plb_estimate_add(&h->estimate, sample);
    h->fitted = false;
    h->since += h->since >= 0;
    watch(h, sample);
    if (h->from_profile > 0 && h->checked < CHECKED)
        check(h, sample);
    else
        follow_change(h);
}

/* Where samples have changed, it is made from them anew; what was watched before them stays so. */
struct plb_estimate *plb_history_estimate(struct plb_history *h)
{
    struct plb_estimate *e = &h->estimate, before = *e;
    if (!h->estimated && h->n > 0) {
        plb_estimate_prior(e, e->rate, h->start_s);
        for (int i = 0; i < h->n; i++)
            plb_estimate_add(e, &h->at[i]);
        e->watched_s = fmax(e->watched_s, before.watched_s);
        e->tasks = fmax(e->tasks, before.tasks);
    }
    e->grain = h->grain;
    h->estimated = h->n > 0;
    return e;
}

void plb_history_fit(struct plb_history *h)
{
    if (h->fitted || h->n == 0)
        return;
    h->fitted = true;
    h->surprised = false;
    h->recounted = 0.0;
    h->since = 0;
    if (h->n >= PLB_FEWEST_POINTS) /* fewer give a line, in less than a microsecond */
        count_fit(h);
    struct plb_pu pu = {.grain = h->grain > 0.0 ? h->grain : INFINITY,
                        .samples = h->at,
                        .n_samples = h->n,
                        .from_profile = h->from_profile};
    if (!plb_belief_fit(&h->belief, &pu, h->start_s, h->unscaled ? INFINITY : PLB_HALF_LIFE))
        h->belief.watched_s = 0.0;
}

void plb_history_follow(struct plb_history *h)
{
    bool serves = h->n > PLB_FEWEST_POINTS && h->since >= 0 && h->since < h->n && !h->surprised;
    serves = serves && h->recounted <= h->belief.spread && plb_belief_reported(&h->belief);
    if (!serves || fabs(h->at[h->n - 1].time - h->at[h->n - 1 - h->since].time) >= h->rest)
        plb_history_fit(h);
}

const struct plb_model *plb_history_model(struct plb_history *h)
{
    plb_history_follow(h);
    return plb_belief_reported(&h->belief) ? &h->belief.model : NULL;
}

bool plb_history_surprises(struct plb_history *h)
{
    double squares = 0.0;
    int n = 0;
    if (h->changes > CHANGES || h->units_differ)
        return true;
    const struct plb_model *model = plb_history_model(h);
    if (model == NULL)
        return false;
    for (int i = 0; i < h->n; i++) {
        double off = log(h->at[i].execute_s / plb_curve_time(&model->execute, h->at[i].work));
        if (isfinite(off)) {
            squares += off * off;
            n++;
        }
    }
    return n >= PLB_LINE_POINTS && squares > n * PLB_MACHINE_NOISE * PLB_MACHINE_NOISE;
}

/* The start of a task costs as much as the smallest one took beyond `believed` times its work. */
static double task_by_excess(struct plb_history *h, double believed)
{
    const struct plb_model *model = plb_history_model(h);
    if (model == NULL)
        return 0.0;
    double low = model->execute.low, slope = plb_model_slope(model, model->execute.high);
    double best = fmax(plb_model_best_rate(model),
                       slope > 0.0 ? 1.0 / slope : 0.0); /* larger ones may be better yet */
    double start = plb_model_time(model, low) - believed * low / best;
    return start > 0.0 ? start * best * PLB_STARTS : 0.0;
}

double plb_history_least_task(struct plb_history *h)
{
    return task_by_excess(h, 1.3); /* less than 30 % may be noise */
}

double plb_history_good_task(struct plb_history *h)
{
    return task_by_excess(h, 1.0);
}

void plb_history_place(struct plb_history *h, struct plb_range range)
{
    h->reported[h->n - 1].units = range;
}

/* Scatter of the seconds for a unit of work about their mean, as a sum of squares of logarithms: by the times
 * that were reported, or by those that changes of speed have made of them. */
static double scatter_of(const struct plb_history *h, bool as_reported)
{
    double sum = 0.0, squares = 0.0, n = 0.0;
    for (int i = 0; i < h->n; i++) {
        double x = log((as_reported ? h->reported[i].execute_s : h->at[i].execute_s) / h->at[i].work);
        if (!isfinite(x))
            continue;
        n += 1.0;
        sum += x;
        squares += x * x;
    }
    return n > 0.0 ? squares - sum * sum / n : 0.0;
}

/* Changes of speed that were believed are taken back where costs explain the times better. */
static void take_changes_back(struct plb_history *h)
{
    bool scaled = false;
    for (int i = 0; i < h->n && !scaled; i++)
        scaled = h->at[i].execute_s != h->reported[i].execute_s;
    if (!scaled || scatter_of(h, true) >= scatter_of(h, false))
        return;
    for (int i = 0; i < h->n; i++)
        h->at[i].execute_s = h->reported[i].execute_s;
    h->since = -1;
}

void plb_history_recount(struct plb_history *h, const struct plb_cost_map *map, double factor)
{
    double change = 0.0;
    for (int i = 0; i < h->n; i++) {
        struct plb_range r = h->reported[i].units;
        struct plb_sample *s = &h->at[i];
        double before = s->work;
        s->work = r.count > 0 ? plb_cost_work(map, r.first, r.count) / (double)s->tasks : factor * s->work;
        change = fmax(change, fabs(log(s->work / before)));
    }
    h->recounted += change;
    h->estimated = false;
    take_changes_back(h);
    plb_speed_change_recount(&h->speed);
    h->fitted = false;
}

void plb_history_fini(struct plb_history *h)
{
    free(h->at);
    free(h->reported);
    *h = (struct plb_history){0};
}
