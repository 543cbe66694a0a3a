/* How long a rank may be silent while its data is on its way to rank 0: messages wait behind the data of
 * their connection. Communication thread of rank 0 only. */
#ifndef PLB_MEMBERSHIP_PATIENCE_H
#define PLB_MEMBERSHIP_PATIENCE_H

#include "core/liveness.h"
#include "transport/mpi.h"

struct plb_patience {
    double *coming; /* by rank: bytes on their way */
    int n;
    double arrived, receiving; /* bytes of data, and the seconds in which some was on its way */
};

void plb_patience_init(struct plb_patience *patience, int n);
void plb_patience_fini(struct plb_patience *patience);

/* To be called once in PLB_BEAT_SECONDS. Data that arrives is a sign of life. Returns the seconds that a rank
 * may be silent whose data is on its way. All share the link of rank 0. */
double plb_patience_look(struct plb_patience *patience, struct plb_mpi *mpi, struct plb_liveness *liveness,
                         double now);

#endif
