/* How quick PUs are, and how wrong that may be, if unit costs are unknown: a PU that has had one
 * expensive unit seems slow, and one that has had a cheap one seems quick.
 *
 * Costs are taken for log-normal, of mean 1 and of a variance that the reports of all PUs show. Then the
 * logarithm of the rate of a report of k units has a variance of s² = log(1 + variance / k), and its mean is
 * s² / 2 above that of the PU (Fenton-Wilkinson). PUs differ about their powers by as much as those differ
 * that are known. So one unit says little, and what it says is drawn towards the others. Weak where costs are
 * far from log-normal, as long as PUs have had few units. */
#include <math.h>

#include "core/grant/selection.h"
#include "core/grant/selection_inside.h"
#include "model/fit.h"

/* The variance of costs before two reports of a PU have shown it, which counts as one report of a unit.
 * Larger: PUs are tried for longer where units are alike. Smaller: the first units decide. */
#define VARIANCE 1.0

/* The variance of the logarithms of rates over powers before PUs have shown it, which counts as two PUs, and
 * the least one. Larger: one unit says more. Smaller: unlike PUs are taken for like ones. */
#define UNLIKE_PUS 1.0
#define LEAST_UNLIKE_PUS 0.1

/* Error of a rate by what its units cost from which on it is that of all reports, and not the estimate, and
 * its PU may be tried. Larger: a few units decide. Smaller: a PU that has become slower is believed later. */
#define UNSURE 0.05

/* Rounds in which variances are found; each halves what they are off, about. */
#define ROUNDS 6

void plb_selection_note(struct selection_pu *own, const struct plb_sample *s, double start_s)
{
    double transfer_s = own->n_reports > 0 ? s->transfer_s
                                           : 0.0; /* the first is long: ranks had not spoken before */
    double tasks = (double)s->tasks, work = s->work * tasks, seconds = (s->execute_s + transfer_s) * tasks;
    seconds = fmax(seconds - start_s * tasks, PLB_LEAST_WORK * seconds);
    if (!(work > 0.0 && seconds > 0.0 && isfinite(work + seconds)))
        return;
    int size = work < 1.0 ? 0 : ilogb(work);
    struct selection_reports *r = &own->reports[size < CHOSEN_SIZES ? size : CHOSEN_SIZES - 1];
    double rate = log(work / seconds);
    r->n++;
    r->work += work;
    r->logs += rate;
    r->squares += rate * rate;
    own->n_reports++;
    own->work += work;
}

/* Of the logarithm of the rate of a report of so much work. */
static double variance_of(double unlike, double work)
{
    return log1p(unlike / work);
}

/* The logarithm of a PU's rate by its reports, and the variance of that. */
static double mean_of(const struct selection_pu *own, double unlike, double *variance)
{
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < CHOSEN_SIZES; i++) {
        const struct selection_reports *r = &own->reports[i];
        if (r->n == 0)
            continue;
        double of_one = variance_of(unlike, r->work / r->n),
               each = 1.0 / (of_one + PLB_MACHINE_NOISE * PLB_MACHINE_NOISE);
        weight += each * r->n;
        sum += each * (r->logs - 0.5 * of_one * r->n);
    }
    *variance = 1.0 / weight;
    return sum / weight;
}

/* Reports by size, and their squares about what was expected. */
struct scatter {
    double squares, n[CHOSEN_SIZES], work[CHOSEN_SIZES];
};

static void add_scatter(struct scatter *s, const struct selection_pu *own, double unlike)
{
    double variance, mean = mean_of(own, unlike, &variance);
    double free = 1.0 - 1.0 / own->n_reports; /* one of them is the mean */
    for (int i = 0; i < CHOSEN_SIZES; i++) {
        const struct selection_reports *r = &own->reports[i];
        if (r->n == 0)
            continue;
        double at = mean + 0.5 * variance_of(unlike, r->work / r->n);
        s->squares += r->squares - 2.0 * at * r->logs + at * at * r->n
                    - PLB_MACHINE_NOISE * PLB_MACHINE_NOISE * free * r->n;
        s->n[i] += free * r->n;
        s->work[i] += free * r->work;
    }
}

/* The variance of costs, by the scatter of each PU's reports about its rate. */
static double find_unlike(const struct plb_selection *c, int n_pus)
{
    struct scatter s = {0};
    double unlike = fmax(c->unlike, PLB_MACHINE_NOISE * PLB_MACHINE_NOISE);
    for (int p = 0; p < n_pus; p++)
        if (c->pus[p].n_reports > 1)
            add_scatter(&s, &c->pus[p], unlike);
    s.squares = fmax(s.squares, 0.0) + variance_of(VARIANCE, 1.0);
    s.n[0] += 1.0;
    s.work[0] += 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        double expected = 0.0;
        for (int i = 0; i < CHOSEN_SIZES; i++)
            expected += s.n[i] > 0.0 ? s.n[i] * variance_of(unlike, s.work[i] / s.n[i]) : 0.0;
        unlike *= s.squares / expected;
    }
    return unlike;
}

static bool is_unsure(const struct plb_selection *c, const struct plb_view *view, int p)
{
    return c->unknown_cost && !c->by_power && view->pus[p].from_profile == 0 && c->pus[p].n_reports > 0;
}

/* A normal distribution. */
struct normal {
    double mean, variance;
};

/* The logarithms of rates over powers of all PUs that have reported, whose errors are no part of it. */
static struct normal find_pus(const struct plb_selection *c, const struct plb_view *view)
{
    struct normal all = {0.0, UNLIKE_PUS};
    for (int round = 0; round < ROUNDS; round++) {
        double weights = 0.0, sum = 0.0, squares = 2.0 * UNLIKE_PUS, n = 2.0;
        for (int p = 0; p < view->n_pus; p++) {
            const struct selection_pu *own = &c->pus[p];
            double variance = own->error * own->error, part = all.variance / (all.variance + variance);
            if (!is_unsure(c, view, p))
                continue;
            double off = round > 0 ? own->steady - all.mean : 0.0;
            weights += part;
            sum += part * own->steady;
            squares += part * part * (off * off - variance);
            n += part * part;
        }
        all.mean = weights > 0.0 ? sum / weights : 0.0;
        all.variance = round > 0 ? fmax(squares / n, LEAST_UNLIKE_PUS) : UNLIKE_PUS;
    }
    return all;
}

void plb_selection_find_errors(struct plb_selection *c, const struct plb_view *view)
{
    c->unlike = c->unknown_cost && !c->by_power ? find_unlike(c, view->n_pus) : 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        struct selection_pu *own = &c->pus[p];
        double variance = 0.0;
        if (is_unsure(c, view, p))
            own->steady = mean_of(own, c->unlike, &variance) - log(view->pus[p].power);
        own->error = sqrt(variance);
    }
    struct normal pus = find_pus(c, view);
    for (int p = 0; p < view->n_pus; p++) {
        struct selection_pu *own = &c->pus[p];
        double variance = own->error * own->error, part = pus.variance / (pus.variance + variance);
        if (!is_unsure(c, view, p))
            continue;
        own->steady = part * own->steady + (1.0 - part) * pus.mean + log(view->pus[p].power);
        bool chance = variance_of(c->unlike, own->work) > UNSURE * UNSURE;
        own->error = chance ? sqrt(part * variance) : 0.0;
    }
}

double plb_selection_steady(const struct selection_pu *own, double estimated)
{
    return own->error > 0.0 ? exp(own->steady) : estimated;
}

double plb_selection_unsure_most(const struct plb_selection *c, const struct plb_view *view, int p,
                                 double work)
{
    const struct selection_pu *own = &c->pus[p];
    if (own->error == 0.0)
        return work;
    return fmin(work, own->tried ? view->next : fmax(own->work, view->next));
}
