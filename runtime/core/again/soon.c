/* A sorted array. */
#include "core/again/soon.h"

#include <stddef.h>

void plb_soon_add(struct plb_soon *s, struct plb_soon_pu pu)
{
    int place = s->n < PLB_SOON ? s->n++ : PLB_SOON;
    for (; place > 0 && s->at[place - 1].rate < pu.rate; place--)
        if (place < PLB_SOON)
            s->at[place] = s->at[place - 1];
    if (place < PLB_SOON)
        s->at[place] = pu;
}

const struct plb_soon_pu *plb_soon_find(const struct plb_soon *s, double work, double seconds)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].left + work / s->at[i].rate < seconds)
            return &s->at[i];
    return NULL;
}
