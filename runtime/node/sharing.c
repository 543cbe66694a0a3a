/* Ranks that see the same devices are a group. It counts them as its first rank does. */
#include "node/sharing.h"

#include <assert.h>
#include <stdbool.h>

/* The devices that a rank uses: those of a part of its group's list. */
struct part {
    const struct plb_seen *list;
    int first, end;
};

static int count(const struct plb_seen *seen)
{
    int n = 0;
    while (n < PLB_SEEN && seen->id[n] != 0)
        n++;
    return n;
}

static int find(const struct plb_seen *seen, uint64_t id)
{
    int i = 0;
    while (i < PLB_SEEN && seen->id[i] != id)
        i++;
    return i;
}

/* A number that does not depend on the order. */
static uint64_t key_of(const struct plb_seen *seen)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLB_SEEN; i++)
        sum += seen->id[i];
    return sum;
}

static struct part part_of(const struct plb_seen *seen, int ranks, int rank)
{
    const uint64_t key = key_of(&seen[rank]);
    struct part p = {.list = &seen[rank]};
    int before = 0, all = 0;
    for (int r = ranks - 1; r >= 0; r--)
        if (key_of(&seen[r]) == key) {
            before += r < rank;
            all++;
            p.list = &seen[r];
        }
    assert(all > 0); /* the rank itself */
    const int n = count(p.list);
    p.first = before * n / all;
    p.end = (before + 1) * n / all;
    if (p.end == p.first && n > 0) /* fewer devices than ranks */
        p.end++;
    return p;
}

static bool has(const struct part *p, uint64_t id)
{
    const int at = find(p->list, id);
    return at >= p->first && at < p->end;
}

void plb_share_devices(const struct plb_seen *seen, int ranks, int rank, struct plb_share *share)
{
    const struct part own = part_of(seen, ranks, rank);
    *share = (struct plb_share){.n = own.end - own.first};
    for (int i = 0; i < share->n; i++)
        share->device[i] = find(&seen[rank], own.list->id[own.first + i]);
    for (int r = 0; r < ranks; r++) {
        const struct part part = part_of(seen, ranks, r);
        for (int i = 0; i < share->n; i++)
            share->sharers[i] += has(&part, own.list->id[own.first + i]);
    }
}
