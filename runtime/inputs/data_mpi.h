/* The declared buffers over MPI: their description and their replicated contents, from rank 0 to all; and
 * inputs of tasks. */
#ifndef PLB_INPUTS_DATA_MPI_H
#define PLB_INPUTS_DATA_MPI_H

#include "app/dataset.h"
#include "transport/mpi.h"
#include "transport/stream.h"

/* Describes the app's buffers on rank 0 (app not NULL), and sends the description to the other ranks.
 * `kernel` is this rank's. Collective over all ranks. */
void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, const struct plb_kernel *kernel,
                       struct plb_mpi *mpi);

/* Then sends all replicated buffers that are not in place everywhere. Collective over all ranks. */
void plb_dataset_share_data(struct plb_dataset *set, struct plb_mpi *mpi);
/* Rank 0 sends a rank that joins what the others got by plb_dataset_share, which that one calls. */
void plb_dataset_tell(struct plb_dataset *set, struct plb_mpi *mpi);

/* Sends what a task of unit 0 gets to the other ranks, so that they can call an entry before the first pass.
 * Collective over all ranks. */
void plb_dataset_share_first(struct plb_dataset *set, struct plb_mpi *mpi);

/* Replicated buffers that tasks of earlier passes may still read. A zeroed struct is right before the first
 * pass. */
struct plb_old_buffers {
    int since[PLB_MAX_DATA]; /* the pass from which on tasks read buffer i of the dataset */
    struct plb_old_buffer *first;
};

/* Whether this mask of replaced buffers (bit i: buffer i) has a replicated buffer. */
bool plb_dataset_is_replaced(const struct plb_dataset *set, int i, int64_t mask);

/* A pass begins on rank 0: sends the replaced buffers to a rank. Each transfer counts in *pending; no buffer
 * changes before it is 0. */
void plb_dataset_send_to(const struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi, int to,
                         int *pending);

/* On another rank: where tasks of an earlier pass still run (`busy`), or where ranks of its host share a
 * buffer, replaced ones get new memory of this rank, and the old one is kept. It is kept until the
 * process ends where a transfer to it was abandoned, which is what that mask says. Replaced buffers of which
 * only parts come get a copy of the old contents. */
void plb_dataset_renew(struct plb_dataset *set, const struct plb_pass *begin, int pass, bool busy,
                       int64_t abandoned, struct plb_old_buffers *old);

/* Adds the replaced buffers to a stream. */
void plb_dataset_stream(const struct plb_dataset *set, int64_t mask, struct plb_stream *stream);

/* Rank 0: clears the reduced arrays. */
void plb_dataset_clear(const struct plb_dataset *set);

/* The node that reads the buffers. */
struct plb_buffer_reader {
    void *context;
    bool (*works)(void *context, int from, int until); /* a task of a pass from `from` to `until` - 1 runs */
    void (*forget)(void *context, const void *memory); /* before the memory is freed */
};

/* Frees the old buffers that no task reads. reader = NULL: there is no reader any more. */
void plb_old_buffers_free(struct plb_old_buffers *old, const struct plb_buffer_reader *reader);

#endif
