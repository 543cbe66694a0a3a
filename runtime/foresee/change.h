/* A run that is over, simulated with a change. Not thread-safe. */
#ifndef PLB_FORESEE_CHANGE_H
#define PLB_FORESEE_CHANGE_H

#include "foresee/measured.h"
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
    double part; /* of the passes of each phase are simulated, but PLB_CHANGE_PASSES at least; 1: all */
};

/* Passes of a phase that are simulated at least. More: runs of many passes have fewer changes. Fewer: the
 * first pass, in which balancers learn, is all that is seen. */
#define PLB_CHANGE_PASSES 4

/* Passes of a phase that are simulated. Later ones are taken for as long as the shortest of these. */
int plb_change_passes(const struct plb_changed_run *run, int phase);

/* Simulates the passes that the run had, in at most so many events, and says how many there were. Their
 * seconds; or NAN, and in a few words why not, in static storage. */
double plb_change_simulate(const struct plb_changed_run *run, const struct plb_change *change, int64_t most,
                           int64_t *events, const char **why);

#endif
