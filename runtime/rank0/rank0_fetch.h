/* Rank 0 fetches bytes of units that other ranks have, and has others send them to those that lack them.
 *
 * Results may stay at the ranks that have computed them, and become inputs there (core/place/owners.h). The
 * master alone knows which rank has what. So a rank keeps no table of all others.
 *
 * - Another rank lacks inputs (FETCH). Rank 0 sends what it has, tells those that have the rest to send it
 *   (FETCH), and tells the one that asks from whom it comes (FROM). That is two short messages, and data
 *   takes the shortest way.
 * - Rank 0's own PUs read inputs in place. Those that others have are received there, before the message that
 *   brings the units goes on.
 * - Results are wanted, since no further pass follows, or the kernel has asked for them. Rank 0 asks each
 *   rank for some ranges at a time, and receives them when it says FROM.
 *
 * Results that a lost rank had, or that arrive damaged, are computed again (rank0/rank0_redo.h).
 * Communication thread only.
 *
 * Cost: all that comes is copied once, since nothing is received in its place: a rank that is given up may
 * send the rest of a message later. Memory: four tasks' data for each rank. */
#ifndef PLB_RANK0_RANK0_FETCH_H
#define PLB_RANK0_RANK0_FETCH_H

#include "app/dataset.h"
#include "core/message/message.h"

struct plb_rank;
struct plb_transfer;

/* A zeroed struct is empty. */
struct plb_fetching {
    struct plb_transfer *transfers; /* on their way to rank 0 */
    int sends;                      /* transfers of inputs to other ranks */
    struct plb_rangeset here;       /* inputs of others that have come in this pass, or come */
    struct plb_outbox held;         /* messages that wait for them */
    bool asked;                     /* the results of this pass are wanted when it has ended */
    bool on;                        /* results are fetched */
    bool goes_on;                   /* then `next` is called */
    double began;                   /* seconds of the run's clock */
};

void plb_fetch_fini(struct plb_fetching *fetching); /* nothing is on its way */

/* A pass begins. changed: inputs are those of other ranks. */
void plb_fetch_begin_pass(struct plb_fetching *fetching, bool changed);

/* The inputs whose halos travel with the grants (core/place/halos.h), as a mask: where others are pulled,
 * too, a rank asks for all. A pass begins, and its messages are in the outbox from number `first` on: sends
 * the halos that rank 0 has, and receives its own. */
int64_t plb_fetch_halo_buffers(const struct plb_dataset *set);
void plb_fetch_halos(struct plb_rank *r, int first);

/* Sends these buffers of a FETCH, a mask. Returns their checksum, or 0 where none is wanted. */
uint32_t plb_fetch_put(struct plb_rank *r, const struct plb_fetch *fetch, int64_t buffers, bool checksum);

/* FETCH and FROM of other ranks. */
void plb_fetch_serve(struct plb_rank *r, const struct plb_message *m);
void plb_fetch_hear(struct plb_rank *r, const struct plb_message *from);

/* Whether a message that brings rank 0's PUs units must wait for inputs, which are on their way then; and the
 * next one whose inputs have come. */
bool plb_fetch_holds(struct plb_rank *r, const struct plb_message *message);
bool plb_fetch_next(struct plb_rank *r, struct plb_message *message);

/* Whether inputs are on their way to rank 0. */
bool plb_fetch_comes(const struct plb_fetching *fetching);

/* Inputs that come from this rank are lost with a device of it: nobody waits for them. */
void plb_fetch_void(struct plb_fetching *fetching, int rank);

/* Whether anything comes that counts. */
bool plb_fetch_any(const struct plb_fetching *fetching);

/* Looks what has arrived. True where something did. */
bool plb_fetch_collect(struct plb_rank *r);

/* A rank is lost, and the counters of its transfers are 0: nothing of what is on its way from it counts. */
void plb_fetch_lose(struct plb_fetching *fetching, int rank);

/* The pass is over, and no further one follows; goes_on: `next` is to be called. False: all results are here.
 * Else the run ends, or goes on, later and by itself. */
bool plb_fetch_results(struct plb_rank *r, bool goes_on);

/* All results are here, in the buffers that the kernel has declared. Calls `next`, or ends the run. */
void plb_fetch_ended(struct plb_rank *r);

#endif
