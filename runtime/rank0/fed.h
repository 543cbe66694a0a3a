/* Rank 0's part in inputs that results feed and that stay at the ranks that computed them
 * (core/place/feeds.h).
 *
 * A rank asks rank 0 for inputs, as for all others. Rank 0 tells the ranks that have them to send them
 * (LEND), and the one that asks from whom they come (WHERE). So one rank alone knows who has what, and a rank
 * keeps no table of all others. It costs two short messages, and data takes the shortest way.
 *
 * Rank 0's own PUs read inputs in place. Those of others that they lack are received there, before the
 * message that brings the units goes on to them. The functions are in rank0/rank0.h. */
#ifndef PLB_RANK0_FED_H
#define PLB_RANK0_FED_H

#include "app/dataset.h"
#include "core/message/message.h"

struct plb_fed_transfer;

/* A zeroed struct is empty. */
struct plb_fed {
    struct plb_rangeset here;           /* inputs of others that have come in this pass, or come */
    struct plb_fed_transfer *transfers; /* on their way */
    struct plb_outbox held;             /* messages that wait for them */
};

#endif
