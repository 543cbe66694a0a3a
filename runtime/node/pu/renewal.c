/* Masks, and sets of ranges. */
#include "node/pu/renewal.h"

#include <string.h>

#define BUFFER(i) ((int64_t)1 << (i))

void plb_renewal_begin(struct plb_renewal *n, const struct plb_message *pass, bool owner, bool on_host,
                       const struct plb_parts *parts)
{
    const struct plb_pass *begin = &pass->begin;
    for (int i = 0; i < begin->n_feeds; i++) {
        const struct plb_feed *f = &begin->feeds[i];
        n->stale |= owner || (f->now && !on_host) ? BUFFER(f->input) : 0;
        n->fed |= f->now ? BUFFER(f->input) : 0;
    }
    n->stale |= plb_parts_begin_pass(&n->parts, n->stale, begin, on_host ? NULL : parts);
    n->pass = begin->again ? 0 : pass->pass;
    n->n_feeds = begin->n_feeds;
    memcpy(n->feeds, begin->feeds, sizeof n->feeds);
    plb_rangeset_clear(&n->counted);
    n->any = n->stale != 0 || (n->n_feeds > 0 && !on_host);
}

void plb_renewal_counted(struct plb_renewal *n, const struct plb_message *m)
{
    for (int i = 0; i < m->counted.n && m->pass == n->pass; i++)
        plb_rangeset_add(&n->counted, m->counted.at[i]);
}

void plb_renewal_take(struct plb_renewal *n, struct plb_renewal *from)
{
    struct plb_renewal old = *n;
    *n = *from;
    plb_parts_clear(&old.parts);
    plb_rangeset_clear(&old.counted);
    *from = (struct plb_renewal){.parts = old.parts, .pass = n->pass, .counted = old.counted};
}

void plb_renewal_fini(struct plb_renewal *n)
{
    plb_parts_fini(&n->parts);
    plb_rangeset_fini(&n->counted);
}
