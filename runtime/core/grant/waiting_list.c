/* An array and each PU's index in it. */
#include "core/grant/waiting_list.h"

#include <stdlib.h>

#include "base/memory.h"

#define NOWHERE (-1)

void plb_waiting_list_init(struct plb_waiting_list *l, int n_pus)
{
    size_t n = (size_t)(n_pus > 0 ? n_pus : 1);
    *l = (struct plb_waiting_list){.pus = plb_alloc(n * sizeof *l->pus),
                                   .index = plb_alloc(n * sizeof *l->index)};
    l->n_pus = n_pus;
    plb_waiting_list_clear(l);
}

void plb_waiting_list_fini(struct plb_waiting_list *l)
{
    free(l->pus);
    free(l->index);
}

void plb_waiting_list_clear(struct plb_waiting_list *l)
{
    l->n = 0;
    for (int p = 0; p < l->n_pus; p++)
        l->index[p] = NOWHERE;
}

void plb_waiting_list_enter(struct plb_waiting_list *l, int pu)
{
    if (l->index[pu] != NOWHERE)
        return;
    l->index[pu] = l->n;
    l->pus[l->n++] = pu;
}

void plb_waiting_list_leave(struct plb_waiting_list *l, int pu)
{
    int at = l->index[pu];
    if (at == NOWHERE)
        return;
    l->pus[at] = l->pus[--l->n];
    l->index[l->pus[at]] = at;
    l->index[pu] = NOWHERE;
}

bool plb_waiting_list_sound(const struct plb_waiting_list *l)
{
    int listed = 0;
    for (int p = 0; p < l->n_pus; p++) {
        listed += l->index[p] != NOWHERE;
        if (l->index[p] != NOWHERE && (l->index[p] >= l->n || l->pus[l->index[p]] != p))
            return false;
    }
    return listed == l->n;
}
