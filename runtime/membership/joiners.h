/* How many ranks may join a run while it computes. */
#ifndef PLB_MEMBERSHIP_JOINERS_H
#define PLB_MEMBERSHIP_JOINERS_H

#include "job/job.h"

/* Ranks that may join a run, and PUs that they may have together. Larger: more memory, and more of rank 0's
 * time for each message. Smaller: less can join. */
#define PLB_JOINERS 16
#define PLB_JOINING_PUS 64

/* How many may join a job. */
static inline int plb_joiners(const struct plb_job *job)
{
    return job->run.join != NULL ? PLB_JOINERS : 0;
}

#endif
