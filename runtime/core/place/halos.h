/* Halos that travel with the grants. Part of the master.
 *
 * Results of the last pass are inputs of this one, and its shares stand. Then the master knows as the pass
 * begins which units each node executes, and which node has the inputs around them. So nobody has to ask:
 *
 *   FROM   to a node: from which nodes its halo comes, part by part
 *   FETCH  to each node that has a part: it sends the part
 *
 * They leave with PASS and BLOCK. Rank 0 sends at once what it has itself (rank0/rank0_fetch.h).
 *
 * The rule: a node gets unasked what it would ask for, from the same nodes and by the same messages. So
 * nothing depends on it. A node asks for what it lacks all the same: where it has no room, or a message is
 * late. Where a share changes while the pass runs, its halo has come for nothing. Where a sender is lost,
 * inputs are lost, and the pass is given up.
 *
 * Each FROM is followed by exactly the data that it names, and whoever gets a FROM receives all of it, used
 * or not. Messages of rank 0 to a rank keep their order. So data is sent in the order in which it is
 * received, and that of one pass is never taken for that of another one.
 *
 * Cost: O(log n) for each block, in n ranges of inputs. Not thread-safe. */
#ifndef PLB_CORE_PLACE_HALOS_H
#define PLB_CORE_PLACE_HALOS_H

#include "core/place/owners.h"

struct plb_halos {
    int64_t buffers;       /* mask of the inputs that have halos; 0: all ask */
    int64_t before, after; /* units of the widest halo */
    int64_t units;         /* of the pass */
};

/* The shares of this pass stand, and its blocks are in the outbox from message `first` on. */
void plb_halos_send(const struct plb_halos *halos, const struct plb_owners *owners, int first,
                    struct plb_outbox *out);

#endif
