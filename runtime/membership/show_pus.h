/* The processing units as --show-pus prints them, in a run and without a job. */
#ifndef PLB_MEMBERSHIP_SHOW_PUS_H
#define PLB_MEMBERSHIP_SHOW_PUS_H

#include "base/error.h"
#include "core/message/message.h"
#include "transport/mpi.h"

/* Prints a line for each PU. */
void plb_show_pus(const struct plb_pu_info *pus, int n);

/* Prints on rank 0 what a job could use whose kernel has every entry, by the settings of the environment. No
 * PU is opened, so that nothing is measured. Collective over all ranks. PLB_OK, or PLB_EINPUT and a
 * sentence on the rank that found it. */
int plb_show_pus_without_job(struct plb_mpi *mpi, struct plb_error *err);

#endif
