/* The meters of this rank, and rank 0's list of all meters. The first rank of a host reads its processors,
 * and each rank the GPUs of its own PUs. Communication thread only. */
#ifndef PLB_RUN_METERING_H
#define PLB_RUN_METERING_H

#include "every_rank/rank.h"

/* Begins to measure. The PUs are open. windows: rank 0 learns watts from them. traced: the joules over time
 * go into the trace. */
void plb_metering_start(struct plb_rank *r, const struct plb_node_pu *pus, int n_pus, bool windows,
                        bool traced);

/* The meters of a PU of this rank, for HELLO; 0 where no windows are told. */
int plb_metering_of(const struct plb_rank *r, int pu);

/* Tells rank 0 of a window, where it is time to. */
void plb_metering_step(struct plb_rank *r);
double plb_metering_due(const struct plb_rank *r); /* seconds until then */

/* The run has stopped: tells rank 0 of each domain (JOULES), before BYE. */
void plb_metering_end(struct plb_rank *r);

/* Rank 0: JOULES has come. */
void plb_metering_hear(struct plb_rank *r, const struct plb_message *m);

#endif
