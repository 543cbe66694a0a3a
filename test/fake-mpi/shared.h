/* The memory that all ranks under the fake MPI share: a ring of bytes from each rank to each, and two flags
 * of each. The fake mpirun makes it, and names its file descriptor in FAKE_MPI. */
#ifndef FAKE_MPI_SHARED_H
#define FAKE_MPI_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#define FAKE_MPI "PLB_FAKE_MPI"
#define RING_BYTES (UINT64_C(1) << 17) /* a power of two */
#define MOST_RANKS 64

/* One rank writes and moves `written`, another one reads and moves `read`; both only grow. */
struct ring {
    _Atomic uint64_t written;
    char apart[64 - sizeof(uint64_t)];
    _Atomic uint64_t read;
    char end[64 - sizeof(uint64_t)];
    unsigned char at[RING_BYTES];
};

struct shared {
    atomic_bool begun[MOST_RANKS], finalized[MOST_RANKS]; /* by rank */
    atomic_int aborted;                                   /* MPI_Abort's status; -1: nobody has called it */
    struct ring rings[];                                  /* from rank f to t: f * ranks + t */
};

#endif
