/* Passes of a job, each in two orders: as one rank executes it, task after task; and as three ranks do, with
 * other tasks in any order. The results must be the same. */
#ifndef PLB_CHECK_PASSES_H
#define PLB_CHECK_PASSES_H

#include "check/state.h"

/* Begins a pass: the processes know what rank 0 does. PLB_OK, or another status and a sentence. */
int plb_check_begin_pass(struct plb_check *c, struct plb_error *err);

/* Executes it. True: the results are whole, and those of the first order are in the job's memory. */
bool plb_check_run_pass(struct plb_check *c, struct plb_error *err);

/* Has the kernel's `next` look at them, and looks what it has changed. *again: another pass follows. */
int plb_check_end_pass(struct plb_check *c, bool *again, struct plb_error *err);

void plb_check_fini_orders(struct plb_check *c);

#endif
