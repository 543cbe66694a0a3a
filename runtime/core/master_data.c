/* The master's knowledge of where data is. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/master.h"
#include "core/master_inside.h"

/* Units of whose results rank 0 receives about as much at a time as a task moves. */
static int64_t units_at_a_time(const struct plb_master *m)
{
    const struct plb_master_config *c = &m->config;
    double bytes = c->stays != 0 ? plb_sizes_mean(c->sizes, c->units) : 0.0;
    return bytes > 0.0 ? (int64_t)fmax(c->pulled_bytes / bytes, c->pulled_bytes > 0.0 ? 1.0 : 0.0) : 0;
}

/* Whether each node begins with its part of the units: data stays where it is computed, all nodes compute,
 * and no part would begin within a chunk. */
static bool guesses_homes(const struct plb_master *m)
{
    const struct plb_master_config *c = &m->config;
    int nodes = 0;
    for (int p = 0; p < m->pus.n; p++)
        nodes += p == 0 || m->pus.infos[p].node != m->pus.infos[p - 1].node;
    return c->feeds_stay && c->sizes->chunk < 2 && nodes == c->n_nodes;
}

void plb_master_know_data(struct plb_master *m)
{
    const struct plb_master_config *c = &m->config;
    m->residence = c->resident ? plb_residence_new(c->n_nodes, guesses_homes(m)) : NULL;
    m->sets = c->folds && plb_sizes_fold(c->sizes, c->n_nodes) ? plb_sets_new(c->n_nodes) : NULL;
    m->owners = plb_owners_new(
        &(struct plb_owners_config){c->n_nodes, c->stays, c->feeds_stay, c->audit > 0.0, units_at_a_time(m)});
}

double plb_master_result_seconds(const struct plb_master *m)
{
    return m->sets != NULL ? plb_sizes_fold_seconds(m->config.sizes)
                           : plb_sizes_arrays_seconds(m->config.sizes, m->config.n_nodes);
}

/* Starts of a PU that a task of a small home is worth, or the home goes to a neighbour. Larger: more inputs
 * move. Smaller: more starts in each pass. A guess. */
#define WORTH_STARTS 4.0

/* Units that a PU executes in so many starts; 0: a start costs nothing, or it is not known. */
static double units_of_starts(const struct plb_master *m, int p)
{
    const struct plb_belief *b = &plb_master_history(m, m->phase, p)->belief;
    if (!plb_belief_reported(b) || !(b->start_s > 0.0))
        return 0.0;
    double work = plb_cost_work(m->map, 0, m->map->units);
    return WORTH_STARTS * b->start_s * plb_model_best_rate(&b->model) / work * (double)m->map->units;
}

void plb_master_find_homes(struct plb_master *m)
{
    if (m->residence == NULL)
        return;
    double *least = plb_alloc((size_t)m->config.n_nodes * sizeof *least);
    for (int p = 0; p < m->pus.n; p++)
        least[m->pus.infos[p].node] = fmax(least[m->pus.infos[p].node], units_of_starts(m, p));
    plb_residence_begin(m->residence, m->map->units, least);
    free(least);
}

void plb_master_feed(struct plb_master *m, const struct plb_feed *feeds, int n)
{
    plb_owners_feed(m->owners, feeds, n);
}

void plb_master_note(struct plb_master *m, int p, const struct plb_message *done)
{
    const bool on_host = isinf(m->pus.infos[p].memory); /* on rank 0 it reads its results where they are */
    if (!m->again && (done->from != 0 || !on_host))
        plb_owners_reported(m->owners, m->ledger, done, m->config.whole_results);
    if (m->residence != NULL)
        plb_residence_executed(m->residence, done->from, done->done.range);
}

void plb_master_forget(struct plb_master *m, int node, struct plb_outbox *out)
{
    if (m->residence != NULL)
        plb_residence_lose(m->residence, node);
    plb_owners_lose(m->owners, node);
    if (m->sets != NULL)
        plb_sets_lose(m->sets, node, out);
}

int64_t plb_master_together(const struct plb_master *m, int64_t inputs)
{
    return plb_owners_together(m->owners, inputs);
}

int plb_master_owner(const struct plb_master *m, int64_t inputs, struct plb_range range,
                     struct plb_range *part)
{
    return plb_owners_of(m->owners, inputs, range, part);
}

const struct plb_rangeset *plb_master_counted(const struct plb_master *m, int node, int pu)
{
    return plb_owners_counted(m->owners, node, pu);
}

bool plb_master_broken(const struct plb_master *m)
{
    return plb_owners_broken(m->owners);
}

void plb_master_break(struct plb_master *m)
{
    m->pass++;
    plb_owners_restart(m->owners);
}
