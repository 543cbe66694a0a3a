/* Passes whose units are all granted before they begin.
 *
 * Where the shares stand (model/standing), each PU gets its own as one block, of units that hang together.
 * The nodes follow each other as their homes do, so that from pass to pass only the borders between them
 * move. So a pass is a message to each node, and a report of each PU: nobody asks, and nobody is told whom to
 * ask. A PU that is late by more than was expected, or a loss, ends that: the pass goes on as any other.
 *
 * A PU whose start takes longer than the pass is left out. It is tried with a unit in passes 2, 4, 8 and so
 * on of the phase: what it showed in the first one may have been no start. Cost: O(n log n) once in a
 * pass. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/grant/agenda.h"
#include "core/grant/agenda_inside.h"
#include "core/work/migration.h"
#include "model/standing.h"

/* The PUs of a node, and where its units are. */
struct home {
    int64_t home;
    int node, first_pu, n_pus;
};

static int by_home(const void *a, const void *b)
{
    const struct home *x = a, *y = b;
    if (x->home != y->home)
        return x->home < y->home ? -1 : 1;
    return x->node - y->node;
}

/* The nodes with PUs, in the order of their homes. Returns how many. */
static int homes_of(const struct plb_agenda *a, struct home *at)
{
    int n = 0;
    for (int p = 0; p < a->seen.view.n_pus; p++) {
        int node = a->seen.pus[p].node;
        if (n > 0 && at[n - 1].node == node) {
            at[n - 1].n_pus++;
            continue;
        }
        int64_t home = a->config.residence != NULL ? plb_residence_home(a->config.residence, node) : node;
        at[n++] = (struct home){home, node, p, 1};
    }
    qsort(at, (size_t)n, sizeof *at, by_home);
    return n;
}

/* Cuts the units into ranges by the shares of PUs. False where one of them would get none. */
static bool lay_out(const struct plb_agenda *a, const struct home *homes, int n, const double *x,
                    struct plb_range *ranges)
{
    const struct plb_cost_map *map = a->seen.map;
    struct plb_range rest = {0, map->units};
    double owed = 0.0, left = a->seen.view.total;
    for (int i = 0; i < n; i++)
        for (int p = homes[i].first_pu; p < homes[i].first_pu + homes[i].n_pus; p++) {
            ranges[p] = (struct plb_range){rest.first, 0};
            if (!(x[p] > 0.0))
                continue;
            owed += x[p];
            left -= x[p];
            if (rest.count == 0)
                return false;
            ranges[p].count = left > 0.5 ? plb_cost_units(map, rest.first, rest.count, owed) : rest.count;
            ranges[p].count = plb_cost_whole(map, rest.first, rest.count, ranges[p].count);
            if (ranges[p].count < 1)
                return false;
            owed -= plb_cost_work(map, ranges[p].first, ranges[p].count);
            rest.first += ranges[p].count;
            rest.count -= ranges[p].count;
        }
    return rest.count == 0;
}

/* Whether a PU has reported nothing of its last share. Others did it, so nobody knows how slow it has become.
 */
static bool any_silent(const struct plb_agenda *a)
{
    for (int p = 0; p < a->seen.view.n_pus; p++)
        if (a->pus[p].silent && !a->seen.pus[p].lost)
            return true;
    return false;
}

/* Whether the shares of this pass can stand at all. */
static bool may_stand(const struct plb_agenda *a)
{
    const struct plb_cost_map *map = a->seen.map;
    return a->config.balancer->stands && a->selection == NULL && map->told
        && plb_ledger_free_units(a->ledger) == map->units && !any_silent(a);
}

/* Whether those that are left out are tried in this pass. */
static bool tries(const struct plb_agenda *a)
{
    int64_t pass = a->begun[a->seen.phase];
    return (pass & (pass - 1)) == 0;
}

/* Lays out shares in which each PU that was left out gets a unit, off the largest share. */
static bool lay_out_trial(const struct plb_agenda *a, const struct home *homes, int n, const double *x,
                          struct plb_range *ranges)
{
    int n_pus = a->seen.view.n_pus, largest = 0;
    double *shares = plb_alloc((size_t)n_pus * sizeof *shares);
    for (int p = 0; p < n_pus; p++)
        largest = x[p] > x[largest] ? p : largest;
    shares[largest] = x[largest];
    for (int p = 0; p < n_pus; p++) {
        bool trial = !a->seen.pus[p].lost && !(x[p] > 0.0);
        if (p != largest)
            shares[p] = trial ? 1.0 : x[p];
        shares[largest] -= trial ? 1.0 : 0.0;
    }
    bool laid = shares[largest] >= 1.0 && lay_out(a, homes, n, shares, ranges);
    free(shares);
    return laid;
}

void plb_agenda_make_shares(struct plb_agenda *a)
{
    size_t n = (size_t)a->seen.room, phases = (size_t)a->config.n_phases;
    double *work = plb_alloc(3 * n * phases * sizeof *work);
    a->shares = plb_alloc(phases * sizeof *a->shares);
    for (size_t i = 0; i < phases; i++)
        plb_shares_init(&a->shares[i], work + 3 * i * n, (int)n);
}

bool plb_agenda_is_new(const struct plb_agenda *a, int pu, double work)
{
    const struct plb_history *h = plb_balancer_view_history(&a->seen, pu);
    return a->stands && h->n > h->from_profile
        && plb_shares_new(&a->shares[a->seen.phase], pu, work, a->seen.view.living, a->seen.view.total);
}

void plb_agenda_stood(struct plb_agenda *a)
{
    double *most = a->shares[a->seen.phase].most;
    for (int p = 0; p < a->seen.view.n_pus; p++) {
        most[p] = fmax(most[p], a->pus[p].did);
        a->pus[p].did = 0.0;
    }
    plb_shares_ended(&a->shares[a->seen.phase], a->stands ? a->seen.view.now : INFINITY);
}

/* The estimate of a PU as its last reports have it. */
static const struct plb_estimate *follow(const struct plb_agenda *a, int p, struct plb_estimate *recent)
{
    const struct plb_history *h = plb_balancer_view_history(&a->seen, p);
    int n = h->n < PLB_COPIES ? h->n : PLB_COPIES;
    *recent = *a->seen.pus[p].estimate;
    if (n > 0)
        plb_standing_follow(recent, h->at + h->n - n, n);
    return recent;
}

/* The work that is guessed to be each PU's: its part of its node's home. */
static void guess(const struct plb_agenda *a, const struct home *homes, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        struct plb_range home = plb_residence_guess(a->config.residence, a->seen.map->units, homes[i].node);
        double work = plb_cost_work(a->seen.map, home.first, home.count);
        for (int p = homes[i].first_pu; p < homes[i].first_pu + homes[i].n_pus; p++)
            x[p] = work / homes[i].n_pus;
    }
}

bool plb_agenda_stand(struct plb_agenda *a, struct plb_outbox *out)
{
    int n = a->seen.view.n_pus;
    struct plb_shares *shares = &a->shares[a->seen.phase];
    struct plb_standing limits = {a->config.task_s, PLB_SHORTEST * a->config.task_s,
                                  a->config.residence == NULL, NULL};
    a->begun[a->seen.phase]++;
    if (!may_stand(a))
        return false;
    const struct plb_estimate **estimates = plb_alloc((size_t)n * sizeof *estimates);
    struct home *homes = plb_alloc((size_t)n * sizeof *homes);
    struct plb_range *ranges = plb_alloc((size_t)n * sizeof *ranges);
    struct plb_estimate *recent = plb_alloc((size_t)n * sizeof *recent);
    double *guessed = plb_alloc((size_t)n * sizeof *guessed);
    int n_homes = homes_of(a, homes);
    for (int p = 0; p < n; p++)
        estimates[p] = a->seen.pus[p].lost ? NULL : follow(a, p, &recent[p]);
    if (a->config.residence != NULL) {
        guess(a, homes, n_homes, guessed);
        limits.guess = guessed;
    }
    double due;
    bool stands = plb_standing_shares(&limits, estimates, n, a->seen.view.total, shares, &due)
               && (tries(a) ? lay_out_trial : lay_out)(a, homes, n_homes, shares->x, ranges);
    for (int p = 0; p < n && stands; p++)
        if (ranges[p].count > 0) {
            plb_agenda_grant_range(a, p, ranges[p], out);
            a->pus[p].silent = true;
        }
    a->standing_until = stands ? due : INFINITY;
    a->stands = stands;
    shares->moved &= stands;
    a->stood.passes += stands;
    free(ranges);
    free(guessed);
    free(homes);
    free(estimates);
    free(recent);
    return stands;
}
