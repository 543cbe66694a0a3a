/* An end on request: after SIGUSR1, at the time limit, or before the batch job ends. No new task starts.
 * Tasks that run may end, for the grace time at most. Then the run ends with status 1, and rank 0 writes
 * report, trace and partial results. Rank 0's; communication thread only. */
#ifndef PLB_RANK0_EARLY_END_H
#define PLB_RANK0_EARLY_END_H

#include <stdbool.h>
#include <stdint.h>

#include "job/job_settings.h"

#define PLB_EARLY_END_TEXT 400 /* bytes with the end; a longer text is cut */

enum plb_early_end_reason { PLB_GOES_ON, PLB_SIGNALLED, PLB_TIME_LIMIT, PLB_JOB_ENDS, PLB_HALTED };

struct plb_early_end {
    const struct plb_run_settings *settings;
    double at;    /* plb_now() from which on no new task starts; infinite: nobody limits the time */
    double grace; /* seconds */
    bool by_job;  /* `at` follows from the end of the batch job */
    bool halts;   /* the kernel has asked for it (plb_app_halt) */
    bool at_once; /* and tasks that run do not end before */
    enum plb_early_end_reason reason;
    double until; /* plb_now() when rank 0 waits no longer for tasks; infinite: it waits */
    int n_ranks, n_rested;
    bool *rested; /* by rank: no task runs there any more */
};

/* Seconds until rank 0 waits no longer for tasks, for want of time; infinite: nobody limits it. Arguments as
 * below. */
double plb_early_end_left(const struct plb_run_settings *settings, double began);

/* began: plb_now() when the program began. The settings are borrowed. */
void plb_early_end_init(struct plb_early_end *end, const struct plb_run_settings *settings, double began,
                        int n_ranks);
void plb_early_end_fini(struct plb_early_end *end);

/* Whether the end begins now: true once. Says so. */
bool plb_early_end_begins(struct plb_early_end *end, double now);

/* The kernel asks for an end: at once, or when what runs has ended. That may take as long as the run may. */
void plb_early_end_halt(struct plb_early_end *end, bool at_once);

/* Whether it has begun. */
static inline bool plb_early_end_has_begun(const struct plb_early_end *end)
{
    return end->reason != PLB_GOES_ON;
}

/* No task runs on this rank any more. */
void plb_early_end_joined(struct plb_early_end *end, int rank); /* it had counted as at rest */
void plb_early_end_rested(struct plb_early_end *end, int rank);

/* Whether it has begun, and nobody needs to be waited for: no task runs anywhere and no result is on its way,
 * or the grace time is over. */
bool plb_early_end_is_over(const struct plb_early_end *end, bool results_on_way, double now);

/* How far a run has come. */
struct plb_made {
    int64_t accepted, units;
    const char *unit; /* the kernel's word */
    int pass;         /* 0: none has begun */
    bool prints;      /* results are written as they come; there is no file for --keep-partial */
};

/* The run's sentence: why it has ended (where the end has not begun: by plb_stop_asked), how far it came, and
 * how to go on. keeps: --keep-partial is on. */
void plb_early_end_describe(const struct plb_early_end *end, const struct plb_made *made, bool keeps,
                            char text[PLB_EARLY_END_TEXT]);

/* The end of a failed run's sentence: what becomes of its results, where it has files for them. */
const char *plb_early_end_results(bool keeps, bool prints);

#endif
