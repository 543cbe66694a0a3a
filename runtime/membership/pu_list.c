/* A list that is short, and searched from its begin. */
#include "membership/pu_list.h"

#include <stdlib.h>

#include "base/memory.h"

static int by_node(const void *a, const void *b)
{
    const struct plb_pu_info *x = a, *y = b;
    return x->node != y->node ? x->node - y->node : x->local - y->local;
}

bool plb_pu_list_add(struct plb_pu_info **pus, int *n, const struct plb_pu_info *pu)
{
    for (int p = 0; p < *n; p++)
        if (by_node(&(*pus)[p], pu) == 0)
            return false;
    *pus = plb_grow(*pus, (size_t)(*n + 1) * sizeof **pus);
    (*pus)[(*n)++] = *pu;
    return true;
}

void plb_pu_list_sort(struct plb_pu_info *pus, int n)
{
    qsort(pus, (size_t)n, sizeof *pus, by_node);
}
