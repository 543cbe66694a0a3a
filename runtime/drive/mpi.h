/* The MPI transport: control messages in small frames, data in pieces of at most 1 GiB, nothing that
 * blocks but the collectives at the start of a run and of a pass. Two-sided messages only. All calls
 * come from the thread that opened it (MPI_THREAD_FUNNELED). MPI errors abort the job. */
#ifndef PLB_DRIVE_MPI_H
#define PLB_DRIVE_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"

struct plb_mpi;

/* Initialises MPI. piece_bytes: the largest single MPI message, or 0 for 1 GiB. */
struct plb_mpi *plb_mpi_open(int *argc, char ***argv, size_t piece_bytes);

/* Waits for all ranks, then finalises MPI. */
void plb_mpi_close(struct plb_mpi *mpi);

int plb_mpi_rank(const struct plb_mpi *mpi);
int plb_mpi_size(const struct plb_mpi *mpi);
void plb_mpi_local(const struct plb_mpi *mpi, int *rank, int *size); /* among those on this host */

/* Queues a control message to another rank; frames leave with plb_mpi_flush. */
void plb_mpi_send(struct plb_mpi *mpi, const struct plb_message *message);
void plb_mpi_flush(struct plb_mpi *mpi);

/* The next control message that has arrived; false where there is none. */
bool plb_mpi_receive(struct plb_mpi *mpi, struct plb_message *message);

/* Data under a tag, in two directions that cannot be confused: towards the master (results) and
 * away from it (inputs). *pending is raised for each piece and lowered as it completes; buffer and
 * counter stay valid until then. Both sides name the same buffers in the same order. */
void plb_mpi_put(struct plb_mpi *mpi, int to, int tag, const void *data, size_t bytes, int *pending);
void plb_mpi_get(struct plb_mpi *mpi, int from, int tag, void *data, size_t bytes, int *pending);

/* Completes what it can; true where something did. */
bool plb_mpi_progress(struct plb_mpi *mpi);
bool plb_mpi_busy(const struct plb_mpi *mpi); /* data is on its way */

/* Collectives, called by all ranks alike. plb_mpi_meet waits for the last rank without using up the
 * core it waits on. */
void plb_mpi_meet(struct plb_mpi *mpi);
void plb_mpi_broadcast(struct plb_mpi *mpi, void *data, size_t bytes);
int plb_mpi_max(struct plb_mpi *mpi, int value);
double plb_mpi_clock_offset(struct plb_mpi *mpi); /* to add to plb_now() for rank 0's clock */

/* What each rank of this host gives, in their order, on all of them. */
void plb_mpi_local_gather(const struct plb_mpi *mpi, const void *data, size_t bytes, void *all);

/* Gathers `bytes` of each rank on rank 0, which gets the concatenation (to be freed) and its size. */
void *plb_mpi_gather(struct plb_mpi *mpi, const void *data, size_t bytes, size_t *total);

/* What this rank has sent: control messages, and bytes of data with put and broadcast. */
void plb_mpi_counts(const struct plb_mpi *mpi, int64_t *messages, int64_t *bytes);

#endif
