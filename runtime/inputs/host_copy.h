/* One copy of replicated data for all ranks of a host but rank 0: the first of them receives it into a file
 * without a name (memfd), which the others map. Each has the file for itself: a rank that ends takes nothing
 * away from the others. Which ranks share a host is what MPI says.
 *
 * All map it read-only, once it is complete: a kernel that writes there would write into the inputs of
 * other ranks. It crashes, where it got wrong results before.
 *
 * The copy never changes. Tasks of one rank may read it for as long as they like, also late ones whose pass
 * is over, and no rank knows of those of the others. So a buffer that `next` replaces gets memory of its own
 * on each rank (inputs/data_mpi.h), and the shared copy goes when the last rank has no reader any more. A
 * rank that joins later, and rank 0, have memory of their own, too.
 *
 * Weak at: replaced buffers. Hosts of several NUMA nodes, where the copy is in the memory of one of them.
 * Where ranks of a host do not see each other's processes (/proc), no host has shared copies. */
#ifndef PLB_INPUTS_HOST_COPY_H
#define PLB_INPUTS_HOST_COPY_H

#include "transport/mpi.h"

/* Memory of so many bytes, which the ranks of each host share; zeros, to be given back by plb_unmap. NULL
 * where some host's ranks cannot, or where no host has two: then on all ranks. Always NULL on rank 0, and
 * *shared says whether the others have it. Collective over all ranks. */
void *plb_host_copy_new(size_t bytes, struct plb_mpi *mpi, bool *shared);

/* The first rank has received it: from now on it only reads. */
void plb_host_copy_seal(void *copy, size_t bytes);

#endif
