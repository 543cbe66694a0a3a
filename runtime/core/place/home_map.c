#include "core/place/home_map.h"

#include <stdlib.h>

#include "base/memory.h"

int plb_homes_append(struct plb_home *at, int n, int64_t first, int64_t end, int32_t node)
{
    if (first >= end)
        return n;
    if (n > 0 && at[n - 1].node == node && plb_range_end(at[n - 1].range) == first)
        at[n - 1].range.count += end - first;
    else
        at[n++] = (struct plb_home){{first, end - first}, node};
    return n;
}

static int by_unit(const void *a, const void *b)
{
    const struct plb_home *x = a, *y = b;
    if (x->range.first != y->range.first)
        return x->range.first < y->range.first ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

int plb_homes_lay(const struct plb_home *map, int n, struct plb_home *seen, int n_seen, struct plb_home *into)
{
    int made = 0, s = 0;
    int64_t at = 0;
    qsort(seen, (size_t)n_seen, sizeof *seen, by_unit);
    for (int i = 0; i < n;) {
        int64_t end = plb_range_end(map[i].range);
        while (s < n_seen && plb_range_end(seen[s].range) <= at)
            s++;
        const struct plb_home *next = s < n_seen ? &seen[s] : NULL;
        if (next != NULL && next->range.first <= at) {
            made = plb_homes_append(into, made, at, plb_range_end(next->range), next->node);
            at = plb_range_end(next->range);
        } else {
            int64_t until = next != NULL && next->range.first < end ? next->range.first : end;
            made = plb_homes_append(into, made, at, until, map[i].node);
            at = until;
        }
        while (i < n && plb_range_end(map[i].range) <= at)
            i++;
    }
    return made;
}

int plb_homes_merge(struct plb_home *map, int n, const double *least, int n_nodes)
{
    int made = 0;
    int64_t *largest = plb_alloc((size_t)n_nodes * sizeof *largest);
    for (int i = 0; i < n; i++)
        if (map[i].range.count > largest[map[i].node])
            largest[map[i].node] = map[i].range.count;
    for (int i = 0; i < n; i++) {
        struct plb_home home = map[i];
        const struct plb_home *before = made > 0 ? &map[made - 1] : NULL,
                              *after = i + 1 < n ? &map[i + 1] : NULL;
        bool small = (double)home.range.count < least[home.node] && home.range.count < largest[home.node];
        if (small && before != NULL && (after == NULL || before->range.count >= after->range.count))
            home.node = before->node;
        else if (small && after != NULL)
            home.node = after->node;
        made = plb_homes_append(map, made, home.range.first, plb_range_end(home.range), home.node);
    }
    free(largest);
    return made;
}
