/* Inside the fake MPI: what its files know of each other. Each communicator has all ranks. */
#ifndef FAKE_MPI_H
#define FAKE_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared.h"

/* Open MPI's headers name these, and leave their inside to the library. */
struct ompi_communicator_t {
    int context, collectives; /* so many have begun */
};

/* The other name of a call, for libraries that are preloaded and stand in for it. */
#define PROFILED(call) __typeof__(P##call) P##call __attribute__((alias(#call)))

struct collective;

/* This process is rank r of n. */
void fake_begin(struct shared *shared, int r, int n);
int fake_rank(void);
int fake_size(void);
void fake_must(bool holds, const char *what); /* else the process ends: this is all that plbrun needs */
size_t fake_bytes(int n, MPI_Datatype type);
MPI_Request fake_send(const void *data, size_t bytes, int to, int tag, int context);
MPI_Request fake_receive(void *data, size_t bytes, int from, int tag, int context);
MPI_Request fake_collective(struct collective *c); /* a request that fake_collective_step completes */

/* Whether a request is complete. Then it is freed, and the place that named it is MPI_REQUEST_NULL. */
bool fake_ended(MPI_Request *request);
int fake_wait(MPI_Request request);

/* Moves what can be moved; and until all that was sent has left this rank. */
void fake_progress(void);
void fake_flush(void);

/* Between two looks of somebody who waits, after so many in vain. */
void fake_rest(int looks);

/* The first whole message that nobody receives yet. */
bool fake_probe(int from, int tag, int context, int *sender, size_t *bytes);
void fake_cancel(MPI_Request request); /* a receive; one that is matched goes on */

bool fake_collective_step(struct collective *c);

#endif
