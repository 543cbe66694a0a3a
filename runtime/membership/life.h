/* Signs of life between the ranks of a run, and the loss of one. MPI says nothing of a rank that dies or
 * stops, so that the ranks notice it themselves:
 *
 * - Each rank says BEAT to rank 0 ten times a second. Rank 0 gives up one that it has not heard for
 *   `lost_after` seconds. It says BEAT to the others once a second, and they end without it.
 * - The end of a process on the same host is noticed at once.
 * - Before a silent rank is given up, one of its host is asked whether its process runs. If it does, its core
 *   was taken away or its communication thread is busy, and it has PLB_LOST_THOUGH_RUNNING seconds.
 *
 * Rank 0 tells all others of a lost rank (LOST). Nothing goes to it any more, and nothing that it says
 * counts. Communication thread only. */
#ifndef PLB_MEMBERSHIP_LIFE_H
#define PLB_MEMBERSHIP_LIFE_H

#include "core/message/message.h"
#include "membership/neighbours.h"

struct plb_life_config {
    struct plb_mpi *mpi;
    struct plb_neighbours *neighbours; /* becomes life's */
    double lost_after;                 /* rank 0: seconds without a word after which a rank is lost */
    const char *const *hosts;          /* rank 0: by rank; borrowed */
    const char *unit;                  /* of the kernel, for sentences; borrowed */
    bool ends_lost; /* the launcher leaves the others running when a process ends by a signal: so a
                       lost one on this host is ended */
};

struct plb_life;

/* All ranks are there and begin to serve. */
struct plb_life *plb_life_new(const struct plb_life_config *config);
void plb_life_free(struct plb_life *life);

/* Does what is due: adds BEATs to the outbox, and looks for lost ranks. To be called at least ten times a
 * second. Ends the process where rank 0 is gone. */
void plb_life_step(struct plb_life *life, struct plb_outbox *out);

/* A message has arrived. BEAT and LOST need nothing else. */
void plb_life_heard(struct plb_life *life, const struct plb_message *message, struct plb_outbox *out);

/* Rank 0: a rank that has been lost since the last call, or -1. To be called after the two above, before
 * anything else: counters of its transfers are 0, though nothing has arrived. */
int plb_life_lost(struct plb_life *life);

/* Rank 0: a rank has joined. */
void plb_life_join(struct plb_life *life, int rank);

/* Whether a rank that MPI has started is lost. */
bool plb_life_any_lost(const struct plb_life *life);

/* This rank is going to say nothing for long, and says so at once: rank 0 is in the kernel's own code, or
 * another rank takes memory for a pass. */
void plb_life_quiet(struct plb_life *life);

/* Rank 0: all that a rank has to say is here. Its silence means nothing any more. */
void plb_life_excuse(struct plb_life *life, int rank);

/* The run is over, and ranks may need longer to answer while they close their devices. */
void plb_life_closes(struct plb_life *life);

/* The run is over on all ranks, and all outputs are written. Rank 0 tells the others, which wait for that;
 * they end the process where rank 0 is gone. Returns whether MPI is to be left in order: no rank was lost.
 * Else the process must end by _exit. */
bool plb_life_leave(struct plb_life *life);

/* Seconds that a rank waits for the others to leave MPI with it. All outputs are written by then. Larger: the
 * end of a run waits longer for a rank that dies at that moment. Smaller: a rank that is slow to end is left
 * behind. */
#define PLB_FAREWELL 10.0

/* The same for this rank. It is less where the launcher goes on without one that does not leave. */
double plb_life_farewell(const struct plb_life *life);

/* The process ends. Ends ranks of this host that do not end by themselves, where the launcher would wait for
 * them. A handler of a signal may call it. */
void plb_life_see_off(struct plb_life *life);

#endif
