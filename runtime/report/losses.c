/* Seconds by PU and kind, their sums, and whose they are. report/summary/advice.h says what helps. */
#include "report/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The part of a loss that one PU, or one node, must have for the loss to be its own, and how many times as
 * much as the others, by their rates. Larger: more losses are everybody's. Smaller: names of PUs that lost
 * little more than others. */
#define MOST 0.5
#define TIMES_OTHERS 2.0

/* The part of a PU's executing that counts as work at least. Larger: starts of tasks are told too small.
 * Smaller: where tasks take the same time whatever their size, rates are what rounding left. */
#define LEAST_WORKING 0.01

/* The part of executing from which on starts leave too little to know rates by. Larger: an ideal is told that
 * hangs on noise. Smaller: none is told where small tasks are the loss. */
#define ONLY_STARTS 0.9

static const char *const names[PLB_LOSSES] = {
    [PLB_LOST_TO_STARTS] = "task starts",   [PLB_LOST_TO_TRAINING] = "training",
    [PLB_LOST_TO_IMBALANCE] = "imbalance",  [PLB_LOST_TO_COPIES] = "copies not hidden",
    [PLB_LOST_TO_LOCKS] = "page locks",     [PLB_LOST_TO_MASTER] = "master",
    [PLB_LOST_TO_WAITS] = "waits for work", [PLB_LOST_TO_TAIL] = "tail",
    [PLB_LOST_TO_TWICE] = "re-execution",   [PLB_LOST_TO_FAILURES] = "failures",
};

/* A PU's makespan, in parts. */
struct times {
    double rate, computing, lost[PLB_LOSSES];
};

static double executing_of(const struct plb_report_pu *pu)
{
    return fmax(pu->busy_s - pu->transfer_s, 0.0);
}

/* Takes up to `wanted` seconds from those that are left. */
static double take(double *left, double wanted)
{
    double taken = fmin(*left, fmax(wanted, 0.0));
    *left -= taken;
    return taken;
}

/* Whether each PU was given all that it did in a pass at once, several units, the late one among them. Then
 * the last task is a share, and others wait for it since shares were unlike the rates. */
static bool shares_at_once(const struct plb_report *r)
{
    int passes = r->passes > 1 ? r->passes : 1, late = 0;
    for (int p = 0; p < r->n_pus; p++) {
        late = r->pus[p].others_waited_s > r->pus[late].others_waited_s ? p : late;
        if (r->pus[p].blocks > passes)
            return false;
    }
    return r->n_pus > 0 && r->pus[late].blocks > 0 && r->pus[late].units > passes
        && r->largest_unit * r->n_pus <= 1.0;
}

static void split(const struct plb_report *r, const struct plb_report_pu *pu, bool at_once, struct times *t)
{
    double left = r->makespan_s, executed = (double)(pu->units + pu->in_vain), *lost = t->lost;
    *t = (struct times){0};
    lost[PLB_LOST_TO_COPIES] = take(&left, pu->transfer_s);
    double executing = take(&left, executing_of(pu));
    lost[PLB_LOST_TO_STARTS] = take(&executing, fmin(pu->starts_s, (1.0 - LEAST_WORKING) * executing));
    if (executing > 0.0 && executed > 0.0)
        t->rate = (pu->work > 0.0 ? pu->work : executed) / executing;
    if (executed > 0.0)
        lost[PLB_LOST_TO_TWICE] = take(&executing, executing * (double)pu->in_vain / executed);
    t->computing = executing;
    lost[PLB_LOST_TO_LOCKS] = take(&left, pu->locking_s);
    if (pu->failure[0] != '\0') {
        lost[PLB_LOST_TO_FAILURES] = left;
        return;
    }
    lost[PLB_LOST_TO_TAIL] = take(&left, at_once ? 0.0 : pu->tail_s);
    lost[PLB_LOST_TO_IMBALANCE] = take(&left, pu->imbalance_s + (at_once ? pu->tail_s : 0.0));
    lost[PLB_LOST_TO_TRAINING] = take(&left, pu->training_s);
    lost[PLB_LOST_TO_MASTER] = take(&left, pu->solving_s);
    lost[PLB_LOST_TO_WAITS] = left;
}

bool plb_losses_only_starts(const struct plb_report *r)
{
    double starts = 0.0, executing = 0.0;
    for (int p = 0; p < r->n_pus; p++) {
        executing += executing_of(&r->pus[p]);
        starts += fmin(r->pus[p].starts_s, executing_of(&r->pus[p]));
    }
    return executing > 0.0 && starts >= ONLY_STARTS * executing;
}

/* Whether what a PU did tells its rate. One whose tasks only start may seem to be a hundred times as fast as
 * it is. */
static bool tells_rate(const struct plb_report_pu *pu)
{
    return pu->units > 0 && !(pu->starts_s > 0.0 && pu->starts_s >= ONLY_STARTS * executing_of(pu));
}

/* The rate of a PU that tells none: that of PUs like it, else what earlier reports of one that has done
 * nothing tell, else by its given power; 0: unknown. */
static double rate_of_idle(const struct plb_report *r, const struct times *times,
                           const struct plb_report_pu *pu)
{
    double sum = 0.0, rates = 0.0, powers = 0.0;
    int n = 0;
    for (int q = 0; q < r->n_pus; q++) {
        const struct plb_report_pu *other = &r->pus[q];
        bool alike = other->kind == pu->kind && other->threads == pu->threads
                  && strcmp(other->name, pu->name) == 0;
        if (!tells_rate(other))
            continue;
        rates += times[q].rate;
        powers += other->power;
        sum += alike ? times[q].rate : 0.0;
        n += alike;
    }
    if (n > 0 || pu->refused)
        return n > 0 ? sum / n : 0.0;
    if (pu->units == 0 && pu->unit_seen && pu->unit_s > 0.0)
        return 1.0 / pu->unit_s;
    return powers > 0.0 ? rates / powers * pu->power : 0.0;
}

/* Whether somebody with a part `weight` of all rates has lost a part `share` of the seconds that others did
 * not. */
static bool stands_out(double share, double weight)
{
    return share > MOST && share * (1.0 - weight) >= TIMES_OTHERS * (1.0 - share) * weight;
}

/* Whose a loss is: the PU, else the node, that has most of these seconds. Weights by PU add up to 1. A PU
 * stands out among those of its node, too: else what they share has cost the time, as their link does. */
static void find_loser(const struct plb_report *r, const double *seconds, const double *weights,
                       struct plb_report_loss *loss)
{
    double sum = 0.0;
    double *of_node = plb_alloc((size_t)(r->nodes + 1) * sizeof *of_node),
           *weight = plb_alloc((size_t)(r->nodes + 1) * sizeof *weight);
    int most = 0, node = 0;
    for (int p = 0; p < r->n_pus; p++) {
        int n = r->pus[p].node < r->nodes ? r->pus[p].node : r->nodes;
        sum += seconds[p];
        of_node[n] += seconds[p];
        weight[n] += weights[p];
        most = seconds[p] > seconds[most] ? p : most;
    }
    for (int n = 0; n < r->nodes; n++)
        node = of_node[n] > of_node[node] ? n : node;
    int own = r->n_pus > 0 && r->pus[most].node < r->nodes ? r->pus[most].node : r->nodes;
    if (sum > 0.0 && r->n_pus > 1 && stands_out(seconds[most] / sum, weights[most])
        && (!(weight[own] > 0.0) || stands_out(seconds[most] / of_node[own], weights[most] / weight[own]))) {
        loss->pu = most;
        loss->node = r->pus[most].node;
    } else if (sum > 0.0 && r->nodes > 1 && stands_out(of_node[node] / sum, weight[node])) {
        loss->node = node;
    }
    free(of_node);
    free(weight);
}

/* Whether a PU is the only one of a node whose data comes over a link. Its waits are the link's then. */
static bool behind_a_link(const struct plb_report *r, int pu)
{
    int n = 0;
    for (int p = 0; p < r->n_pus; p++)
        n += r->pus[p].node == r->pus[pu].node;
    return n == 1 && r->pus[pu].node != 0 && r->nodes > 1;
}

/* Losses at the end of a pass belong to the PUs that others waited for, others to those that lost the time.
 */
static void add_loss(struct plb_report *r, const struct times *times, double all, int kind, double *seconds,
                     double *weights)
{
    struct plb_report_loss *loss = &r->losses[kind];
    bool of_late = kind == PLB_LOST_TO_IMBALANCE || kind == PLB_LOST_TO_TAIL;
    *loss = (struct plb_report_loss){.name = names[kind], .pu = -1, .node = -1};
    for (int p = 0; p < r->n_pus && all > 0.0; p++) {
        weights[p] = of_late ? 1.0 / r->n_pus : times[p].rate / all;
        double weighed = times[p].rate / all * times[p].lost[kind];
        loss->seconds += weighed;
        seconds[p] = of_late ? r->pus[p].others_waited_s : weighed;
    }
    find_loser(r, seconds, weights, loss);
    if (kind == PLB_LOST_TO_COPIES && loss->pu >= 0 && behind_a_link(r, loss->pu))
        loss->pu = -1;
    int n = 0;
    if (loss->node >= 0)
        for (int p = 0; p < r->n_pus; p++) {
            if (loss->pu >= 0 ? p != loss->pu : r->pus[p].node != loss->node)
                continue;
            loss->part += times[p].lost[kind];
            n++;
        }
    if (n > 0 && r->makespan_s > 0.0)
        loss->part /= n * r->makespan_s;
}

static void account(struct plb_report *r, struct times *times, double *seconds, double *weights)
{
    double all = 0.0, computing = 0.0, longest = 0.0;
    bool at_once = shares_at_once(r), only_starts = plb_losses_only_starts(r);
    for (int p = 0; p < r->n_pus; p++)
        split(r, &r->pus[p], at_once, &times[p]);
    for (int p = 0; p < r->n_pus; p++) {
        bool known = tells_rate(&r->pus[p]) || (r->pus[p].units > 0 && only_starts);
        if (!known && r->pus[p].failure[0] == '\0')
            times[p].rate = rate_of_idle(r, times, &r->pus[p]);
        all += times[p].rate;
        computing += times[p].rate * times[p].computing;
        longest = fmax(longest, times[p].computing);
    }
    double work = 0.0;
    for (int p = 0; p < r->n_pus; p++)
        work += r->pus[p].work;
    for (int p = 0; p < r->n_pus; p++) {
        r->pus[p].work_share = work > 0.0 ? r->pus[p].work / work : 0.0;
        r->pus[p].rate_share = all > 0.0 ? times[p].rate / all : 0.0;
    }
    r->ideal_s = all > 0.0 ? computing / all : 0.0;
    r->parallel_efficiency = r->makespan_s > 0.0 ? r->ideal_s / r->makespan_s : 0.0;
    r->communication_efficiency = r->makespan_s > 0.0 ? longest / r->makespan_s : 0.0;
    r->load_balance = longest > 0.0 ? r->ideal_s / longest : 0.0;
    for (int kind = 0; kind < PLB_LOSSES; kind++)
        add_loss(r, times, all, kind, seconds, weights);
}

enum plb_loss_kind plb_losses_largest(const struct plb_report *r)
{
    int most = 0;
    for (int kind = 0; kind < PLB_LOSSES; kind++)
        most = r->losses[kind].seconds > r->losses[most].seconds ? kind : most;
    return (enum plb_loss_kind)most;
}

void plb_losses_account(struct plb_report *r)
{
    struct times *times = plb_alloc((size_t)r->n_pus * sizeof *times);
    double *seconds = plb_alloc((size_t)r->n_pus * sizeof *seconds);
    double *weights = plb_alloc((size_t)r->n_pus * sizeof *weights);
    account(r, times, seconds, weights);
    free(weights);
    free(seconds);
    free(times);
}

/* ------------------------------------------------------------------- by a trace */

/* A solve, and the seconds of all solves before it. */
struct solve {
    double start, end, before;
};

static int by_start(const void *a, const void *b)
{
    const struct solve *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The seconds that solves, which do not overlap, took before this time. */
static double solved_before(const struct solve *solves, int64_t n, double time)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (solves[middle].start < time)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0.0;
    const struct solve *s = &solves[low - 1];
    return s->before + fmin(time, s->end) - s->start;
}

void plb_losses_trace(struct plb_report *r, const struct plb_trace *trace)
{
    struct solve *solves = plb_alloc((size_t)trace->n * sizeof *solves);
    int64_t n = 0;
    for (int64_t i = 0; i < trace->n; i++) {
        const struct plb_trace_event *e = &trace->at[i];
        if (e->type == PLB_TRACE_SOLVE)
            solves[n++] = (struct solve){e->start, e->start + e->seconds, 0.0};
    }
    qsort(solves, (size_t)n, sizeof *solves, by_start);
    for (int64_t i = 1; i < n; i++)
        solves[i].before = solves[i - 1].before + solves[i - 1].end - solves[i - 1].start;
    for (int64_t i = 0; i < trace->n; i++) {
        const struct plb_trace_event *e = &trace->at[i];
        if (e->type == PLB_TRACE_WAIT && e->count == 0 && e->pu >= 0 && e->pu < r->n_pus)
            r->pus[e->pu].solving_s += solved_before(solves, n, e->start + e->seconds)
                                     - solved_before(solves, n, e->start);
    }
    free(solves);
}
