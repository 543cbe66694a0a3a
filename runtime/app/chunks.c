/* A binary counter. */
#include "app/chunks.h"

#include <assert.h>

int64_t plb_chunk_units(int64_t units, int64_t multiple)
{
    int64_t chunk = (units - 1) / PLB_MOST_CHUNKS + 1, step = multiple > 1 ? multiple : 1;
    return (chunk - 1) / step * step + step;
}

void plb_forest_add(struct plb_forest *f, int64_t first, int level, const struct plb_chunk_fold *fold)
{
    assert(f->n < PLB_FOREST);
    f->at[f->n].first = first;
    f->at[f->n++].level = level;
    while (f->n > 1) {
        int last = f->n - 1, before = last - 1, l = f->at[last].level;
        if (f->at[before].level != l || f->at[before].first % ((int64_t)2 << l) != 0)
            break;
        if (fold != NULL)
            fold->fold(fold->context, before, last);
        f->at[before].level++;
        f->n--;
    }
}

void plb_forest_of(struct plb_forest *f, int64_t first, int64_t count)
{
    f->n = 0;
    for (int64_t chunk = first; chunk < first + count;) {
        int level = 0;
        while (chunk % ((int64_t)2 << level) == 0 && chunk + ((int64_t)2 << level) <= first + count)
            level++;
        plb_forest_add(f, chunk, level, NULL);
        chunk += (int64_t)1 << level;
    }
}
