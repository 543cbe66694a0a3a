/* Results of rank 0's own PUs that are in the memory of devices alone (node/memory/device_results.h): they
 * are brought to its buffers before others read them there. */
#ifndef PLB_RANK0_RANK0_OWN_RESULTS_H
#define PLB_RANK0_RANK0_OWN_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rangeset.h"

struct plb_rank;

/* A pass begins, and its messages are in the outbox from number `first` on. Rank 0's node hears of it before
 * inputs go to others; all hear whether results are wanted. */
void plb_own_results_begin(struct plb_rank *r, int first);

/* Others get these inputs, a mask; when the pass is over, any bytes. If they are lost, the pass is given up
 * before any message of others is heard: nobody uses what is sent. */
void plb_own_results_give(struct plb_rank *r, int64_t inputs, struct plb_range units);
void plb_own_results_look(struct plb_rank *r);

/* All results of this pass that counted, and these of its inputs, a mask. False: some are lost, and passes
 * are executed again. */
bool plb_own_results_bring(struct plb_rank *r, int64_t inputs);

/* The same at the end of the run: nothing is executed again. */
bool plb_own_results_end(struct plb_rank *r);

#endif
