/* The state of the transport, for its own files: mpi.c, mpi_collectives.c, mpi_failures.c. */
#ifndef PLB_DRIVE_MPI_INSIDE_H
#define PLB_DRIVE_MPI_INSIDE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "drive/frame.h"
#include "drive/requests.h"

/* ULFM. */
struct plb_mpi_failures {
    int (*get)(MPI_Comm comm, MPI_Group *failed);
    int (*acknowledge)(MPI_Comm comm);
    MPI_Group all;
    bool *known; /* by rank; NULL: this MPI does not have it */
};

struct plb_mpi {
    int rank, size, local_rank, local_size;
    MPI_Comm control, data, local;
    size_t part;           /* bytes */
    struct plb_frame *out; /* per rank: being filled */
    unsigned char in[PLB_FRAME_BYTES];
    struct plb_frame_reader reader; /* of `in` */
    bool *warned;                   /* per rank: of a message that cannot be used */
    bool *lost;                     /* per rank */
    struct plb_requests requests;
    int64_t messages, bytes;
    int64_t *frames_sent; /* per rank */
    int64_t frames_received;
    void (*watch)(void *watcher); /* plb_mpi_watch_fn; NULL: none */
    void *watcher;
    struct plb_mpi_failures failures;
    atomic_uint turns; /* plb_mpi_turns */
};

/* Waits for the last rank, until this time of plb_now(). True where all have met. */
bool plb_mpi_meet_until(struct plb_mpi *mpi, double until);

/* ULFM, where this MPI has it. From now on a call that meets a rank which has ended returns an error. */
void plb_mpi_open_failures(struct plb_mpi *mpi);
void plb_mpi_close_failures(struct plb_mpi *mpi);

/* From now on messages from any rank are received, though some have ended. */
void plb_mpi_pass_over_failed(struct plb_mpi *mpi);

#endif
