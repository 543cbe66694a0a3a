/* The end of a run over MPI: what all ranks have measured comes together on rank 0. */
#ifndef PLB_DRIVE_FINISH_H
#define PLB_DRIVE_FINISH_H

#include "drive/rank.h"
#include "report/report.h"
#include "report/trace.h"

/* Fills in the report on rank 0. Collective over all ranks. */
void plb_cluster_gather_report(struct plb_rank *r, struct plb_report *report);

/* Joins the traces of all nodes on rank 0, where `trace` gets them if it is on. Collective over all ranks. */
void plb_cluster_gather_trace(struct plb_rank *r, struct plb_trace *trace);

#endif
