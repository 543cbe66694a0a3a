/* The inputs that other ranks pull from rank 0's buffers. Communication thread only. */
#ifndef PLB_INPUTS_INPUTS_H
#define PLB_INPUTS_INPUTS_H

#include "app/dataset.h"
#include "transport/mpi.h"

/* Sends the inputs of a PULL. checksums: a CHECKSUM for the node goes to `out`. *pending is raised for each
 * transfer and lowered when it has ended. A PULL without sense is dropped: false. */
bool plb_inputs_send(struct plb_mpi *mpi, const struct plb_dataset *set, const struct plb_message *pull,
                     bool checksums, int *pending, struct plb_outbox *out);

#endif
