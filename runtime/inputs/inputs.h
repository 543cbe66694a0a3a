/* The inputs that other ranks fetch out of rank 0's buffers. Communication thread only. */
#ifndef PLB_INPUTS_INPUTS_H
#define PLB_INPUTS_INPUTS_H

#include "app/dataset.h"
#include "transport/mpi.h"

/* Whether a FETCH of another rank makes sense. */
bool plb_inputs_are_sensible(const struct plb_dataset *set, const struct plb_fetch *fetch);

/* Sends these of the inputs of a FETCH, a mask of buffers. *pending is raised for each transfer and lowered
 * when it has ended. Returns their checksum, or 0 where none is wanted. */
uint32_t plb_inputs_send(struct plb_mpi *mpi, const struct plb_dataset *set, const struct plb_fetch *fetch,
                         int64_t buffers, bool checksum, int *pending);

#endif
