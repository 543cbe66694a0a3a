/* What has been measured of one kernel on one processing unit: the samples that the balancer sees and
 * every model is fitted to. The first ones may be a profile, measured in an earlier run: they are
 * believed until the PU's first reports contradict them. */
#ifndef PLB_CORE_HISTORY_H
#define PLB_CORE_HISTORY_H

#include "model/fit.h"

/* A zeroed struct is empty. */
struct plb_history {
    struct plb_sample *at;      /* PLB_MAX_SAMPLES of them, most recent last; NULL before the first */
    int n;
    int recalled;               /* the first so many are a profile */
    int checked, strikes;       /* reports compared with the profile, and how many disagreed in a row */
    bool dropped;               /* the profile was wrong */
    int changes;                /* how often the PU became faster or slower; often: its units differ */
};

/* Puts a profile before anything is measured; the samples are copied, the last ones where there are
 * too many. */
void plb_history_recall(struct plb_history *history, const struct plb_sample *samples, int n);

/* Adds a report. Where the history is full, its older half goes. A profile is dropped when, among the
 * first four reports, two in a row differ from it by more than a quarter: one may be a hiccup or a
 * warm-up.
 *
 * Where the PU has become faster or slower, the times measured before are scaled by as much, so that all
 * samples tell of the present machine and sizes of before and after can be compared. That is believed
 * when three reports in a row differ by more than 15 % from what earlier ones of such sizes predict, in one
 * direction; or at once when one is off by half and by more than half a second, which is no hiccup (and
 * if it was one after all, the next report scales back). */
void plb_history_add(struct plb_history *history, const struct plb_sample *sample);

/* Whether the times are not what their curve says, or change more often than a machine does: the units cost
 * other amounts than was told. */
bool plb_history_surprises(const struct plb_history *history);

/* The smallest task, in work, at which the PU is within 1 % of its best rate: 99 times what starting one costs
 * it. 0 where that is nothing, or not known. */
double plb_history_least_task(const struct plb_history *history);

void plb_history_fini(struct plb_history *history);

#endif
