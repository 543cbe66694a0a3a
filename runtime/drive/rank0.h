/* Rank 0's side of the messages: passes, results, inputs for others, failures. Communication thread only. */
#ifndef PLB_DRIVE_RANK0_H
#define PLB_DRIVE_RANK0_H

#include "drive/cluster_run.h"

/* Messages to the master; messages of its own go to r->out. */
void plb_lead_hello(struct run *r, const struct plb_pu_info *info);
void plb_lead_done(struct run *r, const struct plb_message *done);
void plb_lead_moved(struct run *r, const struct plb_message *moved);
void plb_lead_fail(struct run *r, const struct plb_message *fail);
void plb_lead_pull(struct run *r, const struct plb_message *pull);

/* Accepts the DONEs whose results have arrived; true where there were any. */
bool plb_lead_collect(struct run *r);

#endif
