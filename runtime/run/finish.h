/* The end of a run over MPI: all that the ranks have measured comes together on rank 0. No collective is
 * used: a rank that is lost would hold it up for ever. Communication thread only. */
#ifndef PLB_RUN_FINISH_H
#define PLB_RUN_FINISH_H

#include "every_rank/rank.h"
#include "report/report.h"

/* Nothing of this rank is on its way any more: says BYE, and sends its trace to rank 0. */
void plb_finish_say(struct plb_rank *r);

/* Rank 0: a BYE has arrived. Receives the trace that follows. */
void plb_finish_on_bye(struct plb_rank *r, const struct plb_message *bye);

/* Rank 0: whether a rank that lives has not said BYE, or its trace is not here. */
bool plb_finish_awaits(struct plb_rank *r);

/* Rank 0: fills in the report, and joins the traces of all ranks in `trace` if it is on. */
void plb_finish_report(struct plb_rank *r, struct plb_report *report);
void plb_finish_trace(struct plb_rank *r, struct plb_trace *trace);

#endif
