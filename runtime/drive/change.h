/* A run that is over, simulated with a change. Not thread-safe. */
#ifndef PLB_DRIVE_CHANGE_H
#define PLB_DRIVE_CHANGE_H

#include "drive/measured.h"
#include "job/job.h"
#include "report/report.h"

enum plb_changed_setting {
    PLB_CHANGE_NO_SETTING,
    PLB_CHANGE_MIGRATION, /* on */
    PLB_CHANGE_BACKUPS,   /* on */
    PLB_CHANGE_NO_GRAIN,
};

/* With no PU less and no node more (-1), no balancer and no setting: the run as it was. */
struct plb_change {
    char text[PLB_CHANGE_TEXT];
    struct plb_other_machine machine;
    const struct plb_balancer *balancer; /* NULL: that of the run */
    enum plb_changed_setting setting;
};

/* All borrowed. */
struct plb_changed_run {
    const struct plb_measured *measured;
    const struct plb_job *job;
    const struct plb_report *report;
};

/* Simulates the passes that the run had, in at most so many events, and says how many there were. Their
 * seconds; or NAN, and a sentence. */
double plb_change_simulate(const struct plb_changed_run *run, const struct plb_change *change, int64_t most,
                           int64_t *events, struct plb_error *err);

#endif
