/* News for a PU since its latest task: passes have begun. */
#ifndef PLB_NODE_PU_RENEWAL_H
#define PLB_NODE_PU_RENEWAL_H

#include "app/parts.h"

/* A zeroed struct has nothing. */
struct plb_renewal {
    bool any;               /* the PU takes it over before its next task */
    int64_t stale;          /* mask of the buffers that have other contents, or are elsewhere on the host */
    struct plb_parts parts; /* of these: only parts of them have other contents */
    int64_t fed;            /* mask of the inputs that results have become */
    int pass;               /* the latest one; 0: no results of it become inputs */
    int n_feeds;
    struct plb_feed feeds[PLB_FEEDS]; /* of that pass */
    struct plb_rangeset counted;      /* units of the pass before it whose result is that of this PU */
};

/* A pass begins with this PASS. owner: on rank 0, where buffers may have moved. parts: of the buffers that
 * have changed in part. on_host: the device works in host memory, and copies none. */
void plb_renewal_begin(struct plb_renewal *renewal, const struct plb_message *pass, bool owner, bool on_host,
                       const struct plb_parts *parts);

/* COUNTED of this PU. */
void plb_renewal_counted(struct plb_renewal *renewal, const struct plb_message *counted);

/* Takes over what is new, and leaves nothing. */
void plb_renewal_take(struct plb_renewal *renewal, struct plb_renewal *from);
void plb_renewal_fini(struct plb_renewal *renewal);

#endif
