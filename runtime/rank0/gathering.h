/* Rank 0 gathers results that stayed at other ranks, when no further pass follows (core/place/stays.h), or
 * where the kernel has asked for them.
 *
 * It asks a rank for some ranges at a time, and receives them straight into their place. Results that a lost
 * rank had, or that arrive damaged, are made again: in one more pass of the last phase, over these units
 * alone and with the inputs of the last pass. `next` may have changed replicated buffers since. So they are
 * copied before it is called, where results stayed. Reduced arrays have all units already, and those of the
 * repair are dropped. The functions are in rank0/rank0.h. */
#ifndef PLB_RANK0_GATHERING_H
#define PLB_RANK0_GATHERING_H

#include "app/dataset.h"
#include "core/message/message.h"

struct plb_rank;
struct plb_kept_transfer;

/* A zeroed struct is empty. */
struct plb_gathering {
    bool asked;       /* the results of this pass are wanted when it has ended (plb_app_gather) */
    bool on, repairs; /* results are gathered; a pass makes lost ones again */
    bool goes_on;     /* then `next` is called */
    double began;     /* seconds of the run's clock */
    struct plb_kept_transfer *transfers;
    struct plb_kept_transfer *lost; /* of lost ranks: MPI may still write to their memory */
    void *before[PLB_MAX_DATA];     /* replicated buffers as they were in the last pass */
};

#endif
