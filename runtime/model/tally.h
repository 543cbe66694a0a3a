/* A PU's reports in a phase: how much work it did in all, how long that took, and some of the reports as
 * they came. From these follow how unequal its tasks were, and how sure its rate is.
 *
 * A report may be of several tasks. The tally keeps at most PLB_TALLY_KEPT of them, evenly spread over the
 * run: when it is full, it drops every second one, and keeps half as many from then on. Not thread-safe. */
#ifndef PLB_MODEL_TALLY_H
#define PLB_MODEL_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "plb/balancer.h"

/* Reports that a tally keeps at most, as many as a history keeps samples. */
#define PLB_TALLY_KEPT PLB_MAX_SAMPLES

/* The first reports, which a tally keeps besides: they are the small ones of a run. */
#define PLB_TALLY_FIRST 8

/* One report, or the sum of several. */
struct plb_timed {
    double work, seconds, tasks;
};

/* A zeroed struct is empty. */
struct plb_tally {
    double work, seconds, tasks; /* of all reports */
    int64_t reports, stride;     /* the tally keeps the first of each `stride` reports */
    int n, capacity;             /* reports in `at` */
    struct plb_timed *at;        /* in the order in which they came */
    int n_first;
    struct plb_timed first[PLB_TALLY_FIRST]; /* those of the first reports that `at` has not got any more */
};

/* A report whose work or time is negative or not finite does not count. */
void plb_tally_add(struct plb_tally *tally, const struct plb_timed *report);
void plb_tally_fini(struct plb_tally *tally);

/* Work per second as if all tasks had been of the size in which most of the work was done: small ones pay for
 * more starts. It is at least work over seconds, and exactly that of fewer than three reports. 0 where
 * nothing was reported. */
double plb_tally_held_rate(const struct plb_tally *tally);

/* How far tasks were from what their work and their PU's rate predict. A zeroed struct is empty. */
struct plb_spread {
    double seconds, squares; /* weighted sums, for the deviation */
    double apart;            /* seconds by which tasks differed from the predicted ones */
    double least, most;      /* of the times of tasks over the predicted ones; 0 where nothing is known */
};

/* Adds a PU's tasks. A tally of fewer than three reports says nothing. Of eight or more, the one that took
 * longest beyond its part counts in the deviation alone: an interruption is no cost. */
void plb_spread_add(struct plb_spread *spread, const struct plb_tally *tally);

/* The relative standard deviation of tasks' times about the predicted ones; NAN where nothing is known. */
double plb_spread_deviation(const struct plb_spread *spread);

/* The part of the predicted seconds by which tasks differed. A single short task that took many times its
 * own makes the deviation large, and this not. NAN where nothing is known. */
double plb_spread_apart(const struct plb_spread *spread);

/* The relative standard error of work over seconds as a rate, from how much it changes without each part of
 * the reports (the jackknife; parts are runs of neighbours, so that trends count). INFINITY for fewer than
 * three reports. Cost: O(n). */
double plb_timed_error(const struct plb_timed *reports, int n);

#endif
