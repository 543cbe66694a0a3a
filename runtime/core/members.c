/* Nodes and their estimated rest. */
#include "core/members.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

void plb_members_init(struct plb_members *m, const struct plb_pu_info *pus, int n_pus)
{
    m->n = n_pus > 0 ? pus[n_pus - 1].node + 1 : 0;
    m->at = plb_alloc((size_t)(m->n > 0 ? m->n : 1) * sizeof *m->at);
    for (int p = n_pus - 1; p >= 0; p--) {
        m->at[pus[p].node].first_pu = p;
        m->at[pus[p].node].n_pus++;
    }
}

void plb_members_fini(struct plb_members *m)
{
    for (int n = 0; n < m->n; n++)
        plb_rangeset_fini(&m->at[n].moved);
    free(m->at);
    *m = (struct plb_members){0};
}

void plb_members_begin(struct plb_members *m)
{
    for (int n = 0; n < m->n; n++) {
        m->at[n].left = 0.0;
        plb_rangeset_clear(&m->at[n].moved);
    }
}

int plb_members_hint(const struct plb_members *m, int except, struct plb_message *empty)
{
    int n = 0;
    for (int node = 0; node < m->n; node++) {
        double left = m->at[node].left;
        if (node == except || m->at[node].lost || left < 0.5)
            continue;
        if (n == PLB_VICTIMS && left <= empty->amounts[n - 1])
            continue;
        int place = n < PLB_VICTIMS ? n++ : n - 1; /* insert in order, dropping the last */
        for (; place > 0 && empty->amounts[place - 1] < left; place--) {
            empty->amounts[place] = empty->amounts[place - 1];
            empty->victims[place] = empty->victims[place - 1];
        }
        empty->amounts[place] = left;
        empty->victims[place] = node;
    }
    empty->n_victims = n;
    return n;
}
