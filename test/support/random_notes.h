/* Why no balancer can come near the bound of a random cluster: notes, by the true times that only the bench
 * knows. The bound assumes that everybody knows everything; a balancer must learn it from finished tasks.
 *
 * Each note is an estimate of what that costs, as a part of the bound, and holds above NOTE. A share is the
 * PU's part of all speed. Where costs are not told rightly, a unit may be the largest one. */
#ifndef TEST_RANDOM_NOTES_H
#define TEST_RANDOM_NOTES_H

#include "random_bound.h"

/* A cost below this part of the bound is no excuse. It is what the bench counts as far from the bound. */
#define NOTE 0.05

enum note {
    NOTE_TRY,     /* one unit on some PU outlasts the bound, and its power or the unit's cost is not told */
    NOTE_SLOWS,   /* one unit on some PU, begun when the PU slows down, outlasts the bound */
    NOTE_START,   /* one more start on each PU, by their shares; or a start of some PU outlasts the bound */
    NOTE_GRAIN,   /* one unit on each PU, by their shares: what is uncertain ends so much too late */
    NOTE_PACK,    /* the largest unit, where the fastest PU executes it */
    NOTE_LATENCY, /* one way to rank 0 and back, by the shares of the other nodes' PUs */
    NOTE_DEATH,   /* the time until a death is noticed */
    NOTE_CUT, /* starts of tasks that plbrun cuts to RANDOM_PULLED_BYTES, by the shares of other nodes' PUs */
    NOTE_CHOICE, /* the bound sends the heaviest units over full links, and no balancer can choose them */
    NOTES        /* one more than the last */
};
static const char *const note_names[] = {"try",     "slows", "start", "grain", "pack",
                                         "latency", "death", "cut",   "choice"};

static inline bool may_work(const struct random_cluster *r, const struct plb_pu_spec *pu)
{
    return PLB_TASKS_IN_MEMORY * r->sizes.unit_bytes <= pu->memory;
}

/* The latest end of these seconds of work that are begun at 0, or when the PU changes its speed, if they
 * would end by `bound` at the speed before. 0: there is none. */
static inline double surprise(const struct plb_pu_spec *pu, double seconds, double bound)
{
    double latest = 0.0, before = 1.0;
    for (int i = 0; i < pu->n_slow && pu->slow_by[i] > 0.0; i++) {
        if (pu->slow_at[i] + seconds * before <= bound)
            latest = fmax(latest, plb_speed_end(pu, pu->slow_at[i], seconds));
        before = pu->slow_by[i];
    }
    return latest;
}

/* How much longer the run lasts at best if the units of other nodes cost as much as the average. */
static inline double choice(const struct random_cluster *r, const struct plb_cost_map *costs, double bound)
{
    struct plb_cost_map average = *costs;
    average.prefix = NULL;
    return costs->prefix != NULL && r->sizes.unit_bytes > 0.0 ? random_bound(r, &average) / bound - 1.0 : 0.0;
}

/* The notes of a cluster, a bit each. `costs` are true, `bound` is theirs. */
static inline unsigned random_notes(const struct random_cluster *r, const struct plb_cost_map *costs,
                                    double bound)
{
    struct bound_job job = make_bound_job(r, costs);
    double largest = job.largest > 0.0 ? job.largest : law_largest(&r->law);
    bool unknown = !r->told || r->cost_error > 0.0;
    double all = 0.0, sum[NOTES] = {0.0};
    unsigned notes = 0;
    for (int p = 0; p < r->cluster.n_pus; p++)
        all += may_work(r, &r->pus[p]) ? r->pus[p].rate : 0.0;
    for (int n = 0; n < r->cluster.n_nodes; n++)
        for (int p = r->nodes[n].first_pu; p < r->nodes[n].first_pu + r->nodes[n].n_pus; p++) {
            const struct plb_pu_spec *pu = &r->pus[p];
            double share = pu->rate / all, start = pu->half / pu->rate + pu->overhead;
            double unit = start + job.unit / pu->rate,
                   one = start + (unknown ? largest : job.unit) / pu->rate;
            if (!may_work(r, pu))
                continue;
            sum[NOTE_TRY] = fmax(sum[NOTE_TRY],
                                 (unknown || r->power_error != 1.0) && one > bound ? 1.0 : 0.0);
            double late = surprise(pu, one, bound);
            sum[NOTE_SLOWS] = fmax(sum[NOTE_SLOWS], late / bound - 1.0);
            sum[NOTE_START] += share * start / bound + (start > bound ? start / bound : 0.0);
            sum[NOTE_GRAIN] += share * fmin(unit / bound, 1.0);
            double cuts = share * (double)r->law.units * r->sizes.unit_bytes / RANDOM_PULLED_BYTES;
            sum[NOTE_CUT] += n > 0 ? share * cuts * start / bound : 0.0;
            sum[NOTE_LATENCY] += n > 0 ? share * 2.0 * r->nodes[n].latency / bound : 0.0;
        }
    if (job.heaviest != NULL)
        sum[NOTE_PACK] = largest / r->pus[fastest_pu(r)].rate / bound;
    if (r->change == DEATH)
        sum[NOTE_DEATH] = PLB_LOST_AFTER / bound;
    sum[NOTE_CHOICE] = choice(r, costs, bound);
    for (int i = 0; i < NOTES; i++)
        notes |= sum[i] > NOTE ? 1u << i : 0u;
    free_bound_job(&job);
    return notes;
}

#endif
