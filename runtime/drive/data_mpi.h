/* The declared buffers over MPI: their description and their replicated contents, from rank 0 to all. */
#ifndef PLB_DRIVE_DATA_MPI_H
#define PLB_DRIVE_DATA_MPI_H

#include "drive/mpi.h"
#include "job/dataset.h"

/* Describes the app's buffers on rank 0 (app not NULL), and sends the description and all replicated buffers
 * to the other ranks. Collective over all ranks. */
void plb_dataset_share(struct plb_dataset *set, const struct plb_app *app, struct plb_mpi *mpi);

/* A pass begins: sends the replicated buffers of this mask (bit i: buffer i) again, and clears rank 0's
 * reduced arrays. Collective over all ranks. */
void plb_dataset_replace(struct plb_dataset *set, int64_t mask, struct plb_mpi *mpi);

#endif
