/* An array and each PU's place in it. */
#include "core/grant/waiting_list.h"

#include <stdlib.h>

#include "base/memory.h"

#define NOWHERE (-1)

void plb_waiting_list_init(struct plb_waiting_list *l, int n_pus)
{
    size_t n = (size_t)(n_pus > 0 ? n_pus : 1);
    *l = (struct plb_waiting_list){.pus = plb_alloc(n * sizeof *l->pus),
                                   .places = plb_alloc(n * sizeof *l->places)};
    l->n_pus = n_pus;
    plb_waiting_list_clear(l);
}

void plb_waiting_list_fini(struct plb_waiting_list *l)
{
    free(l->pus);
    free(l->places);
}

void plb_waiting_list_clear(struct plb_waiting_list *l)
{
    l->n = 0;
    for (int p = 0; p < l->n_pus; p++)
        l->places[p] = NOWHERE;
}

void plb_waiting_list_enter(struct plb_waiting_list *l, int pu)
{
    if (l->places[pu] != NOWHERE)
        return;
    l->places[pu] = l->n;
    l->pus[l->n++] = pu;
}

void plb_waiting_list_leave(struct plb_waiting_list *l, int pu)
{
    int place = l->places[pu];
    if (place == NOWHERE)
        return;
    l->pus[place] = l->pus[--l->n];
    l->places[l->pus[place]] = place;
    l->places[pu] = NOWHERE;
}

bool plb_waiting_list_sound(const struct plb_waiting_list *l)
{
    int listed = 0;
    for (int p = 0; p < l->n_pus; p++) {
        listed += l->places[p] != NOWHERE;
        if (l->places[p] != NOWHERE && (l->places[p] >= l->n || l->pus[l->places[p]] != p))
            return false;
    }
    return listed == l->n;
}
