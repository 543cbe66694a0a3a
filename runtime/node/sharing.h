/* Which devices of a driver each rank of a host uses. A pure function of what the ranks see. */
#ifndef PLB_NODE_SHARING_H
#define PLB_NODE_SHARING_H

#include <stdint.h>

#define PLB_SEEN 64 /* devices of a driver that a rank sees at most */

/* The devices that a rank sees, in its own order: a number for each, the same in all ranks; 0 behind the last
 * one.
 */
struct plb_seen {
    uint64_t id[PLB_SEEN];
};

struct plb_share {
    int n;
    int device[PLB_SEEN];  /* by the rank's own order */
    int sharers[PLB_SEEN]; /* ranks that use this device, the rank itself included */
};

/* The share of `rank`. Ranks that see the same devices share them out, in whatever order each of them sees
 * them; with fewer devices than ranks, several ranks use one. Where what they see only overlaps, each uses
 * all of it. */
void plb_share_devices(const struct plb_seen *seen, int ranks, int rank, struct plb_share *share);

#endif
