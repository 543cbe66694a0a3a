/* The other ranks of this host as processes: whether one has ended is known at once, and a lost one is ended,
 * so that it cannot come back. Linux's pidfd names a process for good, also when its number is used again.
 * Where a rank cannot be seen from here (another PID name space, an older system), nothing is known of it.
 * Communication thread only. */
#ifndef PLB_MEMBERSHIP_NEIGHBOURS_H
#define PLB_MEMBERSHIP_NEIGHBOURS_H

#include <stdbool.h>

#include "transport/mpi.h"

struct plb_neighbours;

/* Collective over the ranks of each host. */
struct plb_neighbours *plb_neighbours_new(struct plb_mpi *mpi);
void plb_neighbours_free(struct plb_neighbours *neighbours);

/* A rank whose process has ended; -1: none. Ranks of other hosts are among them where MPI itself tells. Each
 * is told once, or once by each witness. */
int plb_neighbours_ended(struct plb_neighbours *neighbours);

/* Whether the process of a rank can be seen from here, and neither has ended nor is stopped. */
bool plb_neighbours_runs(const struct plb_neighbours *neighbours, int rank);

/* Ends the process of a lost rank that is on this host: SIGKILL, which ends a stopped one too. */
void plb_neighbours_kill(struct plb_neighbours *neighbours, int rank);

/* This rank ends. Waits until those above it on this host have ended, at most so many seconds, and kills
 * those that have not: a stopped one would keep mpirun waiting. Since each waits for higher ones alone, none
 * waits in a circle. */
void plb_neighbours_see_off(struct plb_neighbours *neighbours, int rank, double seconds);

#endif
