/* Which PUs had not their cores to themselves, for summary, verdict and page. */
#ifndef PLB_REPORT_SUMMARY_CORES_H
#define PLB_REPORT_SUMMARY_CORES_H

#include <stdio.h>

#include "report/report.h"

/* Whether others had a PU's cores so long that times of its tasks say little. */
bool plb_shares_cores(const struct plb_report *report, const struct plb_report_pu *pu);

/* Whether a PU waited for its cores so long that a reader should know. Its threads wanted them most of its
 * time: one that starts programs sleeps, and what cores these had is not known. */
bool plb_lacks_cores(const struct plb_report *report, const struct plb_report_pu *pu);

/* One sentence, without its full stop, on all such PUs, between two texts; nothing where there are none. */
void plb_cores_say(const struct plb_report *report, const char *before, const char *after, FILE *out);

#endif
