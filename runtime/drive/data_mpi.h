/* The declared buffers over MPI: their description and their replicated contents, from rank 0 to all. */
#ifndef PLB_DRIVE_DATA_MPI_H
#define PLB_DRIVE_DATA_MPI_H

#include "drive/mpi.h"
#include "job/dataset.h"

/* Describes the app's buffers on rank 0 (app not NULL), and sends the description and all replicated buffers
 * to the other ranks. Collective over all ranks. */
void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, struct plb_mpi *mpi);

/* Replicated buffers that tasks of earlier passes may still read. A zeroed struct is right before the first
 * pass. */
struct plb_old_buffers {
    int since[PLB_MAX_DATA]; /* the pass from which on tasks read buffer i of the dataset */
    struct plb_old_buffer *first;
};

/* A pass begins: sends the replicated buffers of this mask (bit i: buffer i) again, and clears rank 0's
 * reduced arrays. Where tasks of an earlier pass still run (`busy`), a rank other than 0 puts them into new
 * memory and keeps the old one. Offsets stay where they are: they do not change. Collective over all
 * ranks. */
void plb_dataset_replace(struct plb_dataset *set, int64_t mask, int pass, bool busy,
                         struct plb_old_buffers *old, struct plb_mpi *mpi);

/* Frees the old buffers that no task reads: works(context, from, until) says whether a task of a pass from
 * `from` to `until` - 1 runs. works = NULL: no task runs. */
void plb_old_buffers_free(struct plb_old_buffers *old, bool (*works)(void *context, int from, int until),
                          void *context);

#endif
