/* Rank 0's own memory of buffers, on other ranks of its host: they map inputs and read them in place, and
 * copy their parts of results into rank 0's memory. So nothing travels, and each input is in memory once.
 *
 * Rank 0 has large buffers from plb_app_alloc in files without names. Only inputs that never change are
 * mapped: tasks of all passes read them at any time. So are only results that no late task of an earlier pass
 * can write (plb_dataset_may_store). A second execution of units writes the same bytes, since an entry is a
 * pure function of its inputs.
 *
 * A rank that does not see rank 0's process gets its data by MPI, as ranks of other hosts do. With a .cluster
 * file all do, because each rank then stands for a host.
 *
 * Weak at: hosts of several NUMA nodes, where pages are in the memory of rank 0's. A rank's device copies
 * from memory that is not page-locked. */
#ifndef PLB_INPUTS_SHARE_MEMORY_H
#define PLB_INPUTS_SHARE_MEMORY_H

#include "app/dataset.h"
#include "transport/mpi.h"

/* Rank 0 (app not NULL) says which buffers other ranks can map, and ranks of its host do so. Then the dataset
 * knows what is in place on this rank, and which results it stores itself. results: on rank 0: others may
 * store them, as no audit compares them. Collective over all ranks that MPI has started. */
void plb_memory_share(struct plb_dataset *set, const struct plb_app *app, bool results, struct plb_mpi *mpi);

/* Closes the files of results, when no task runs any more. Inputs go with the dataset. */
void plb_memory_share_end(struct plb_dataset *set);

#endif
