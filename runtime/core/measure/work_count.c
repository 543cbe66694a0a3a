/* Told maps, learned maps and histories. */
#include "core/measure/work_count.h"

#include <stdlib.h>

#include "base/memory.h"

/* PUs up to which all earlier reports are counted anew when the map has changed. With more, a PU's are when
 * it reports again: else the master takes too long. */
#define RECOUNTED_PUS 64

void plb_work_count_init(struct plb_work_count *c, int n_pus, int n_phases, bool learns)
{
    *c = (struct plb_work_count){.n_pus = n_pus, .n_phases = n_phases, .learns = learns};
    c->histories = plb_alloc((size_t)n_pus * (size_t)n_phases * sizeof *c->histories);
    c->tallies = plb_alloc((size_t)n_pus * (size_t)n_phases * sizeof *c->tallies);
    c->learned = plb_alloc((size_t)n_phases * sizeof *c->learned);
    c->counted = plb_alloc((size_t)n_pus * (size_t)n_phases * sizeof *c->counted);
}

void plb_work_count_fini(struct plb_work_count *c)
{
    for (int i = 0; i < c->n_phases; i++)
        plb_learned_cost_free(c->learned[i]);
    for (int i = 0; i < c->n_pus * c->n_phases; i++) {
        plb_history_fini(&c->histories[i]);
        plb_tally_fini(&c->tallies[i]);
    }
    free(c->histories);
    free(c->tallies);
    free(c->learned);
    free(c->counted);
}

static struct plb_history *history_of(const struct plb_work_count *c, int pu)
{
    return &c->histories[pu * c->n_phases + c->phase];
}

/* Counts a PU's history by the map of now. */
static void recount(struct plb_work_count *c, int pu, double factor)
{
    plb_history_recount(history_of(c, pu), c->map, factor);
    c->counted[pu * c->n_phases + c->phase] = c->version;
}

/* A map that changes has another table. Passes of a steady job change none, and need no recount. */
void plb_work_count_begin(struct plb_work_count *c, int phase, const struct plb_cost_map *told)
{
    c->phase = phase;
    c->told = told;
    if (c->learned[phase] == NULL)
        c->learned[phase] = plb_learned_cost_new(told, c->n_pus, c->learns);
    c->map = plb_learned_cost_map(c->learned[phase]);
    const double *before = c->map->prefix;
    double factor = plb_learned_cost_begin(c->learned[phase]);
    bool changed = c->map->prefix != before;
    c->version += changed;
    for (int p = 0; p < c->n_pus; p++)
        if (changed || c->counted[p * c->n_phases + phase] < c->version)
            recount(c, p, factor);
}

const struct plb_cost_map *plb_work_count_end(struct plb_work_count *c)
{
    if (c->told != NULL)
        plb_work_count_begin(c, c->phase, c->told);
    return c->map;
}

void plb_work_count_passed_over(struct plb_work_count *c, int pu, const struct plb_done *done)
{
    double told = plb_cost_work(c->told, done->range.first, done->range.count);
    plb_tally_add(&c->tallies[pu * c->n_phases + c->phase],
                  &(struct plb_timed){told, done->execute_s + done->transfer_s, (double)done->tasks});
}

bool plb_work_count_reported(struct plb_work_count *c, int pu, const struct plb_done *done,
                             struct plb_sample *sample)
{
    struct plb_finished finished = {done->range, (double)done->tasks, done->execute_s};
    struct plb_history *h = history_of(c, pu);
    plb_work_count_passed_over(c, pu, done);
    plb_history_add(h, sample);
    plb_history_place(h, done->range);
    bool changed = plb_learned_cost_add(c->learned[c->phase], pu, &finished);
    c->version += changed;
    if (changed && c->n_pus <= RECOUNTED_PUS)
        for (int p = 0; p < c->n_pus; p++)
            recount(c, p, 1.0);
    if (c->counted[pu * c->n_phases + c->phase] < c->version)
        recount(c, pu, 1.0);
    sample->work = h->at[h->n - 1].work;
    return changed;
}

double plb_work_count_doubt(const struct plb_work_count *c, int64_t front, int64_t free_units)
{
    int64_t unit = front + free_units / (2 * c->n_pus);
    unit = unit < c->map->units ? unit : c->map->units - 1;
    return plb_learned_cost_doubt(c->learned[c->phase], unit);
}
