/* The state of the transport, for its own files: mpi.c, mpi_collectives.c, mpi_failures.c. */
#ifndef PLB_TRANSPORT_MPI_INSIDE_H
#define PLB_TRANSPORT_MPI_INSIDE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/frame.h"
#include "transport/link.h"
#include "transport/mpi_requests.h"

/* ULFM. */
struct plb_mpi_failures {
    int (*get)(MPI_Comm comm, MPI_Group *failed);
    int (*acknowledge)(MPI_Comm comm);
    MPI_Group all;
    bool *known; /* by rank; NULL: this MPI does not have it */
};

struct plb_mpi {
    int rank, size, local_rank, local_size; /* size: ranks that MPI has started */
    int all;                                /* and those that may join */
    bool joined;                            /* this rank has: it knows no MPI, and all goes to rank 0 */
    struct plb_link *
        *links; /* by rank: of one that has joined, on rank 0; on such a one, of rank 0; else NULL */
    struct plb_link *told; /* broadcasts go to this one alone; NULL: to all that MPI has started */
    int *told_pending;
    MPI_Comm control, data, local;
    int *hosts;                  /* by rank that MPI has started: the lowest one of its host */
    int *chain;                  /* plb_mpi_chain */
    int before, after;           /* in that; -1: none */
    int first;                   /* local rank of the first on this host that is not rank 0 */
    int host_before, host_after; /* as before and after, among rank 0 and the first ranks of hosts */
    size_t part;                 /* bytes */
    struct plb_frame *out;       /* per rank: being filled */
    unsigned char in[PLB_FRAME_BYTES];
    struct plb_frame_reader reader; /* of `in` */
    bool *warned;                   /* per rank: of a message that cannot be used */
    bool *lost;                     /* per rank */
    struct plb_requests requests;
    int64_t messages, bytes, received;
    int64_t *frames_sent; /* per rank */
    int64_t frames_received;
    void (*watch)(void *watcher); /* plb_mpi_watch_fn; NULL: none */
    void *watcher;
    struct plb_mpi_failures failures;
    atomic_uint turns; /* plb_mpi_turns */
};

/* The connection over which a rank is reached; NULL: MPI. */
static inline struct plb_link *plb_mpi_link(const struct plb_mpi *mpi, int rank)
{
    return mpi->links != NULL ? mpi->links[rank] : NULL;
}

/* Reads a frame from a rank that has joined, or on such a one; false where there is none. */
bool plb_mpi_receive_linked(struct plb_mpi *mpi);

/* A broadcast to or on a rank that has joined; false where it goes over MPI. */
bool plb_mpi_broadcast_linked(struct plb_mpi *mpi, void *data, size_t bytes);

bool plb_mpi_progress_links(struct plb_mpi *mpi);
bool plb_mpi_any_link(const struct plb_mpi *mpi, bool (*is_so)(const struct plb_link *link));
void plb_mpi_close_links(struct plb_mpi *mpi);

/* Waits for the last rank, until this time of plb_now(). True where all have met. */
bool plb_mpi_meet_until(struct plb_mpi *mpi, double until);

/* ULFM, where this MPI has it. From now on a call that meets a rank which has ended returns an error. */
void plb_mpi_open_failures(struct plb_mpi *mpi);
void plb_mpi_close_failures(struct plb_mpi *mpi);

/* From now on messages from any rank are received, though some have ended. */
void plb_mpi_pass_over_failed(struct plb_mpi *mpi);

/* Starts MPI. Returns the level of threads that it provides. */
int plb_mpi_start(int *argc, char ***argv);

#endif
