/* The estimate: how quick a PU is, by its reports of one phase. The one answer to that question. Pure
 * functions; thread-safe.
 *
 * A task of x units of work takes
 *
 *     seconds(x) = start_s + x / rate
 *
 * and is believed to take at most
 *
 *     late(x) = start_s · (1 + spread) + x / rate · (1 + z(x)) + spread · seconds(high) · x / high
 *
 * so that what is not known of the work never multiplies the start. The last summand is the error of the
 * largest task, of which the start is a part: where a start is nearly all of a task, the rate is hardly
 * known. z(x) comes from what units cost, from age (the further a block reaches beyond the time that was
 * watched, the more may have changed), and from size (of sizes larger than any seen, less is known).
 *
 * The estimate is a straight line through the reports, whose relative errors are least; a report counts half
 * as much 24 reports later. No start is less than that of an empty task, which the PU's device measured.
 * Before its first report a PU has a prior: that start, a rate, and a factor of ten. Cost: O(1) per report.
 * Weak where times bend with size: who wants curves fits them (model/fit). */
#ifndef PLB_MODEL_ESTIMATE_H
#define PLB_MODEL_ESTIMATE_H

#include <stdbool.h>

#include "plb/balancer.h"

/* The belief (model/belief.h) and the estimate share these numbers.
 *
 * Relative spread of a prior: a factor of ten. */
#define PLB_PRIOR_SPREAD 9.0

/* Growth of z for each time that a block reaches as far ahead as the PU was watched. Larger: more blocks
 * where machines are steady. Smaller: a block is under way for longer when a machine changes. */
#define PLB_AGE_SPREAD 0.1

/* Growth of z for each e-fold of the largest size seen. Larger: it takes more blocks to reach the right size.
 * Smaller: a surprise in a large block lasts long; with 1, tuning clusters of many units took 1.2 % more. */
#define PLB_SIZE_SPREAD 2.0

/* Reports after which one counts half. Larger: curves follow a change slowly. Smaller: noise moves them. */
#define PLB_HALF_LIFE 24.0

/* Of the time of a report, the work is this part at least, however long starts are said to be: an empty task
 * and a real one scatter. Larger: starts count as work. Smaller: one short report makes a PU look very quick.
 * With 0.2, 0.05 and 0.02 tuning clusters of many units took 0.8, 0.4 and 0.8 % longer. */
#define PLB_LEAST_WORK 0.1

/* Decaying sums over reports, each divided by the square of the seconds that were expected of it. */
struct plb_estimate_sums {
    double n, w, wx, wxx, wt, wxt, wtt;
};

struct plb_estimate {
    double start_s;     /* seconds of a task that are surely its start, and not its work */
    double start_error; /* by which a start may be longer: its standard error, in seconds */
    double rate;        /* work per second beyond starts; 0: nothing is known, and there is no prior */
    double spread;      /* relative error of the seconds of the sizes seen */
    double scatter;     /* relative standard deviation of one report */
    double costs;       /* relative error of what units cost, beside that; 0 where they cost what is said */
    double high;        /* work of the largest task that was reported */
    double watched_s;   /* seconds of tasks that its reports tell of; 0: it has none: a prior */
    double tasks;       /* how many these are */
    double grain;       /* a block of more work is executed as several tasks; 0: as one */
    double empty_s;     /* seconds of an empty task */
    double least_s;     /* of the shortest report */
    struct plb_estimate_sums sums;
};

/* Whether the PU has reported in this phase; a prior is all that is known otherwise. */
static inline bool plb_estimate_reported(const struct plb_estimate *e)
{
    return e->watched_s > 0.0;
}

/* Work per second beyond starts, by reports; 0: there is none, whatever its prior. */
static inline double plb_estimate_rate(const struct plb_estimate *e)
{
    return plb_estimate_reported(e) ? e->rate : 0.0;
}

/* Seconds of its tasks beyond their starts: what tells of its rate. */
static inline double plb_estimate_worked_s(const struct plb_estimate *e)
{
    return e->watched_s > e->tasks * e->start_s ? e->watched_s - e->tasks * e->start_s : 0.0;
}

/* A PU that has not reported: empty_s + x / rate seconds for x units of work, within a factor of ten. Keeps
 * `costs` and `grain`. */
void plb_estimate_prior(struct plb_estimate *estimate, double rate, double empty_s);

/* Adds a report; one whose time cannot be is ignored. */
void plb_estimate_add(struct plb_estimate *estimate, const struct plb_sample *sample);

/* Seconds of x units of work; 0 for none. The most work, at most `limit`, that is done within `seconds`. */
double plb_estimate_seconds(const struct plb_estimate *estimate, double x);
double plb_estimate_work(const struct plb_estimate *estimate, double seconds, double limit);

double plb_estimate_late(const struct plb_estimate *estimate, double x);

#endif
