/* The report of a simulation. */
#ifndef PLB_OUTCOME_SIMULATED_REPORT_H
#define PLB_OUTCOME_SIMULATED_REPORT_H

#include "job/job.h"
#include "report/report.h"
#include "simulate/simulation.h"

/* Fills in the report of a simulation that has ended. It keeps the array that s->traffic is. */
void plb_report_from_simulation(struct plb_job *job, const struct plb_simulated *result,
                                const struct plb_simulation *s, struct plb_report *report);

#endif
