/* A list in the order of time. */
#include "app/stream/forgotten.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void plb_forgotten_free(struct plb_forgotten *list, int n)
{
    for (int i = 0; i < n; i++)
        plb_rangeset_fini(&list[i].units);
    free(list);
}

void plb_forgotten_remove(const struct plb_forgotten *list, int n, int64_t at, struct plb_rangeset *ranges)
{
    struct plb_rangeset rest = {0};
    for (int i = 0; i < n; i++) {
        if (at > list[i].records)
            continue;
        plb_rangeset_clear(&rest);
        for (int k = 0; k < ranges->n; k++)
            plb_rangeset_missing(&list[i].units, ranges->at[k], &rest);
        const struct plb_rangeset before = *ranges;
        *ranges = rest;
        rest = before;
    }
    plb_rangeset_fini(&rest);
}

bool *plb_forgotten_written(const struct plb_forgotten *list, int n, const int64_t *order, int64_t units)
{
    bool *written = plb_alloc((size_t)units * sizeof *written);
    for (int i = 0; i < n; i++) {
        for (int64_t k = 0; k < list[i].mark; k++)
            written[order != NULL ? order[k] : k] = true;
        for (int k = 0; k < list[i].units.n; k++) {
            const struct plb_range r = list[i].units.at[k];
            memset(written + r.first, 0, (size_t)r.count * sizeof *written);
        }
    }
    return written;
}
