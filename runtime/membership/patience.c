/* The rate of all data until now foretells how long the rest takes. */
#include "membership/patience.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* A rank may be silent for as long as its data needs: so many times what the rate foretells, and so many
 * seconds at most. Larger: a rank that dies while it sends is lost later. Smaller: one on a busy link is
 * given up. */
#define DATA_PATIENCE 2.0
#define MOST_PATIENCE 10.0

/* Bytes per second that are expected before data has come for a second. Larger: ranks are given up while the
 * first large results arrive slowly. Smaller: they are lost later. */
#define FIRST_RATE 1e6

void plb_patience_init(struct plb_patience *p, int n)
{
    *p = (struct plb_patience){.n = n};
    p->coming = plb_alloc((size_t)n * sizeof *p->coming);
}

void plb_patience_fini(struct plb_patience *p)
{
    free(p->coming);
}

double plb_patience_look(struct plb_patience *p, struct plb_mpi *mpi, struct plb_liveness *liveness,
                         double now)
{
    double coming = 0.0;
    for (int i = 1; i < p->n; i++) {
        struct plb_coming data = plb_mpi_coming(mpi, i);
        p->coming[i] = (double)data.bytes;
        coming += (double)data.bytes;
        p->arrived += (double)data.arrived;
        if (data.arrived > 0)
            plb_liveness_heard(liveness, i, now);
    }
    p->receiving += coming > 0.0 ? PLB_BEAT_SECONDS : 0.0;
    double rate = (FIRST_RATE + p->arrived) / (1.0 + p->receiving);
    return fmin(DATA_PATIENCE * coming / rate, MOST_PATIENCE);
}
