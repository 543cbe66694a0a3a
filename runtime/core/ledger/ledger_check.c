/* The invariants of the ledger, each against sums of its own. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/ledger/ledger.h"
#include "model/rounding.h"

/* Sums over the parts, beside which the ledger's own are held. */
struct sums {
    int64_t units;
    double *left; /* by node */
    int parts;
};

/* The parts of one block. */
static const char *add_block(const struct plb_ledger *l, int index, struct sums *s, struct plb_rangeset *all)
{
    const struct plb_open_block *block = &l->held.at[index];
    if ((block->id == PLB_CLOSED) != (block->parts == PLB_NO_PART))
        return "4: a closed block has parts, or an open one has none";
    for (int32_t i = block->parts; i != PLB_NO_PART; i = l->held.parts[i].next) {
        const struct plb_part *part = &l->held.parts[i];
        if (part->range.count <= 0 || plb_rangeset_add(all, part->range) < part->range.count)
            return "1: a held part is empty, or overlaps another one or free units";
        if (part->block != index)
            return "4: a part is in the list of another block";
        if (l->lost[part->node] || l->lost[part->giver])
            return "5: a lost node holds units, or was the last to give them away";
        s->left[part->node] += plb_cost_work(l->costs, part->range.first, part->range.count);
        s->units += part->range.count;
        s->parts++;
    }
    return NULL;
}

static const char *check_free(const struct plb_ledger *l, struct plb_rangeset *all)
{
    for (int i = 0; i < l->free.n; i++) {
        if (l->free.at[i].count <= 0 || plb_rangeset_add(all, l->free.at[i]) < l->free.at[i].count)
            return "1: a free range is empty, or overlaps another one";
        if (all->n != i + 1 || all->at[i].first != l->free.at[i].first)
            return "2: free ranges are out of order, or touch";
    }
    return all->units != l->free.units ? "3: the number of free units is not their sum" : NULL;
}

static const char *check_apart(const struct plb_ledger *l, struct plb_rangeset *all)
{
    struct plb_rangeset others = {0};
    const char *wrong = NULL;
    for (int i = 0; i < l->free.n; i++)
        if (plb_ledger_is_suspect(l, l->free.at[i]))
            return "7: a suspect unit is free, and could be granted together with others";
    for (int i = 0; i < l->apart.n; i++) {
        struct plb_range r = l->apart.at[i];
        if (r.count <= 0 || plb_rangeset_add(all, r) < r.count)
            wrong = "1: a suspect range is empty, or overlaps another one";
        plb_rangeset_missing(&l->suspect, r, &others);
    }
    if (wrong == NULL && others.units > 0)
        wrong = "7: a unit is in the list of suspects, and is not suspect";
    plb_rangeset_fini(&others);
    return wrong;
}

static const char *compare(const struct plb_ledger *l, const struct sums *s, const struct plb_rangeset *all)
{
    const struct plb_range *last = all->n > 0 ? &all->at[all->n - 1] : NULL;
    int64_t end = last != NULL ? plb_range_end(*last) : 0;
    int used = l->held.n_parts;
    if (all->n > 0 && (all->at[0].first < 0 || end > l->costs->units))
        return "1: units are free or held that the pass does not have";
    for (int32_t i = l->held.unused; i != PLB_NO_PART; i = l->held.parts[i].next)
        used--;
    if (used != s->parts)
        return "4: a part is in no block's list";
    int64_t given = l->held_units + l->accepted_units;
    if (s->units != l->held_units || l->free.units + l->apart.units + given != l->costs->units)
        return "3: the numbers of free, held and accepted units are not their sums";
    for (int n = 0; n < l->n_nodes; n++)
        if (fabs(s->left[n] - l->left[n]) > PLB_ROUNDING * plb_cost_total(l->costs))
            return "6: the work that a node has left is not what it holds";
    return NULL;
}

const char *plb_ledger_check(const struct plb_ledger *l)
{
    struct plb_rangeset all = {0};
    if (l->costs == NULL)
        return NULL;
    struct sums s = {.left = plb_alloc((size_t)l->n_nodes * sizeof *s.left)};
    const char *wrong = check_free(l, &all);
    wrong = wrong != NULL ? wrong : check_apart(l, &all);
    for (int i = 0; i < l->n_pus * PLB_BLOCKS_AHEAD && wrong == NULL; i++)
        wrong = add_block(l, i, &s, &all);
    wrong = wrong != NULL ? wrong : compare(l, &s, &all);
    plb_rangeset_fini(&all);
    free(s.left);
    return wrong;
}
