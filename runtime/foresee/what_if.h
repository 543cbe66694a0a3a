/* The time that a run would have taken with another balancer, without a PU, or with one more node. After the
 * run its measurements make a cluster (foresee/measured.h). The simulator plays it as it was, and then with
 * each change. Rank 0, main thread or communication thread, one at a time. NULL stands for a run without a
 * report.
 *
 * The seconds of a change are those of the run, times the simulated seconds with the change over those
 * without. So what the simulator leaves out of both does not count.
 *
 * Cost: a hundredth of the makespan or 50 ms, whichever is more, but never more than a second. Changes for
 * which no time is left are named in the report. Of a simulated run, events count instead of seconds, so that
 * its report can be repeated.
 *
 * Nothing is drawn at random: a PU keeps the line through its times. With its spread as noise, single
 * simulations scatter more than the noise itself moves them.
 *
 * Weak at: PUs whose speed changes during the run, tasks whose times are no line, and data that waits for
 * links, whose rates are taken from the waits that were seen. The simulation of the run as it was shows how
 * far that matters: where it is off by more than a quarter, the report has no changes and says why. */
#ifndef PLB_FORESEE_WHAT_IF_H
#define PLB_FORESEE_WHAT_IF_H

#include "job/job.h"
#include "report/report.h"

struct plb_what_if;

/* For a run whose report is wanted. */
struct plb_what_if *plb_what_if_new(void);
void plb_what_if_free(struct plb_what_if *what_if);

/* The last pass is over: keeps what the master has measured. */
void plb_what_if_learn(struct plb_what_if *what_if, const struct plb_job *job, struct plb_master *master);

/* Adds the changes to the report of a run that has ended well, or why there are none. Fails never. */
void plb_what_if_report(const struct plb_what_if *what_if, const struct plb_job *job,
                        struct plb_report *report);

#endif
