/* A sorted array. */
#include "core/again/soon.h"

#include <stddef.h>

void plb_soon_add(struct plb_soon *s, struct plb_soon_pu pu)
{
    int i = s->n < PLB_SOON ? s->n++ : PLB_SOON;
    for (; i > 0 && s->at[i - 1].rate < pu.rate; i--)
        if (i < PLB_SOON)
            s->at[i] = s->at[i - 1];
    if (i < PLB_SOON)
        s->at[i] = pu;
}

const struct plb_soon_pu *plb_soon_find(const struct plb_soon *s, double work, double seconds)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].left + work / s->at[i].rate < seconds)
            return &s->at[i];
    return NULL;
}
