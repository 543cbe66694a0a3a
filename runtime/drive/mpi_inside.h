/* The state of the transport, for its own files: mpi.c, mpi_collectives.c. */
#ifndef PLB_DRIVE_MPI_INSIDE_H
#define PLB_DRIVE_MPI_INSIDE_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "drive/frame.h"
#include "drive/requests.h"

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
};

/* Waits for the last rank, until this time of plb_now(). True where all have met. */
bool plb_mpi_meet_until(struct plb_mpi *mpi, double until);

#endif
