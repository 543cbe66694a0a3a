/* Replicated buffers that `next` has replaced: a pass begins on a rank when it has them.
 *
 * Large ones go along the chain of ranks, piece by piece (transport/stream.h). PASS tells each rank from whom
 * they come and to whom it hands them on. Ranks that are lost by then are left out. A rank that has all says
 * HERE, and no pass ends before all living ones have: so rank 0 can always help. Where a rank is lost later,
 * the next one says LACK, and rank 0 sends it the missing pieces; it goes on handing them on. A rank hands on
 * while its tasks run. Small ones go from rank 0 to each rank. Communication thread only.
 *
 * Where only parts of buffers have changed, a packet with these parts takes the same way (app/parts.h),
 * behind the whole ones. A rank writes them to where they belong when it has all. A rank that joins, and
 * passes that are repeated, get whole buffers.
 *
 * Weak at: a rank that lives and stands still holds up those behind it, until it is lost. */
#ifndef PLB_EVERY_RANK_REPLACED_H
#define PLB_EVERY_RANK_REPLACED_H

#include "every_rank/rank.h"

void plb_replaced_fini(struct plb_replaced *replaced);

/* Rank 0: a pass begins. Writes into its PASSes, in the outbox from this message on, who hands on to whom,
 * and which packet comes. */
void plb_replaced_plan(struct plb_rank *r, const struct plb_pass *begin, int first);

/* A PASS is handled. Rank 0 sends its replaced buffers, another rank waits for them. Messages that come
 * meanwhile are held, but signs of life are not. */
void plb_replaced_send(struct plb_rank *r, const struct plb_message *pass);
void plb_replaced_receive(struct plb_rank *r, const struct plb_message *pass);

/* The next message, of those that were held first; false where there is none. */
bool plb_replaced_next(struct plb_rank *r, struct plb_message *message);

/* Hands on what can be handed on after plb_mpi_progress; true where anything moved. */
bool plb_replaced_step(struct plb_rank *r);

/* Whether this rank hands on or sends, or rank 0 awaits a HERE. */
bool plb_replaced_goes_on(const struct plb_rank *r);

/* Rank 0: HERE or LACK. */
void plb_replaced_hear(struct plb_rank *r, const struct plb_message *message);

#endif
