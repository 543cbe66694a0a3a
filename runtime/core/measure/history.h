/* The measurements of one phase on one processing unit: the samples that the balancer sees, and the
 * curve through them. The first samples may be a profile, measured in an earlier run: they are believed until
 * the PU's first reports contradict them.
 *
 * The curve is fitted when somebody asks for it, at most once per report. A report costs O(1) where it agrees
 * with those before it. Not thread-safe. */
#ifndef PLB_CORE_MEASURE_HISTORY_H
#define PLB_CORE_MEASURE_HISTORY_H

#include "base/rangeset.h"
#include "core/measure/speed_change.h"
#include "core/work/cost.h"
#include "model/belief.h"
#include "model/estimate.h"
#include "model/fit.h"

/* The source of a sample. */
struct plb_reported {
    struct plb_range units; /* count = 0: not known, as of a profile */
    double execute_s;       /* before any change of speed was believed */
};

/* A zeroed struct is empty. */
struct plb_history {
    struct plb_sample *at;         /* at most PLB_MAX_SAMPLES, most recent last; NULL before the first */
    struct plb_reported *reported; /* of each sample */
    int n, capacity;
    int from_profile;         /* the first so many are a profile */
    int checked, strikes;     /* reports compared with the profile, and how many disagreed in a row */
    bool dropped;             /* the profile was wrong */
    int changes;              /* how often the PU became faster or slower; often: its units differ */
    bool units_differ;        /* what looked like a change of speed was one of units */
    double grain;             /* most work in one task of the PU; 0 = no limit */
    double start_s;           /* seconds of an empty task, as the PU's device measured */
    bool unknown_cost;        /* unit costs are unknown */
    bool unscaled;            /* no change of speed is looked for, and samples never fade */
    bool fitted;              /* `belief` is of all samples */
    int since;                /* reports since the last fit; negative: the times before have changed, too */
    bool surprised;           /* one of these is not what the belief says */
    double recounted;         /* since then, how far the work of samples has changed: a logarithm */
    double rest;              /* seconds of the samples' time that a fit serves; 0: until the next report */
    int64_t *fits;            /* counts fits; may be NULL */
    struct plb_belief belief; /* a prior, which others set, until a sample can be used */
    struct plb_estimate estimate;
    bool estimated; /* it is of all samples */
    struct plb_speed_change speed;
};

/* Puts a profile before anything is measured; the samples are copied, the last ones where there are too many.
 */
void plb_history_load(struct plb_history *history, const struct plb_sample *samples, int n);

/* Adds a report. A full history loses its older half. A profile is dropped when, among the first four
 * reports, two in a row differ from it by more than a quarter: one may be a hiccup or a warm-up.
 *
 * Where the PU has become faster or slower (core/speed_change), the times measured before are scaled by as
 * much. So all samples tell of the present machine, and sizes of before and after can be compared. Where
 * unit costs are unknown, a change by more than a factor of four is taken for one of the units: what
 * was measured before is forgotten. */
void plb_history_add(struct plb_history *history, const struct plb_sample *sample);

/* The estimate by all samples. O(1) per report, but where samples were dropped or have changed. */
struct plb_estimate *plb_history_estimate(struct plb_history *history);

/* Fits the belief to all samples, where that has not been done since the last one. The one fit that everybody
 * shares. */
void plb_history_fit(struct plb_history *history);

/* The same, but at most once in `rest` seconds of the samples' time, unless the PU has changed or surprises:
 * a fit takes some 15 us of the master, and PUs with short tasks report more often than that. The first four
 * reports are fitted at once. */
void plb_history_follow(struct plb_history *history);

/* The curves of the belief, which has followed, or NULL where no sample can be used. Lasts until the next
 * report. */
const struct plb_model *plb_history_model(struct plb_history *history);

/* Whether the times are not what their curve says, or change more often than a machine does: the units then
 * cost other amounts than was told. */
bool plb_history_surprises(struct plb_history *history);

/* The smallest task, in work, at which the PU is within 1 % of its best rate: 99 times what starting one
 * costs it. 0 where that is nothing, or not known. */
double plb_history_least_task(struct plb_history *history);

/* The same, but an excess of any size counts as the cost of a start: tasks of this size are surely good. */
double plb_history_good_task(struct plb_history *history);

/* The latest sample is of these units. */
void plb_history_place(struct plb_history *history, struct plb_range range);

/* The numbers of the map have changed: the work of samples is counted anew. Where a sample's units are not
 * known, it is scaled by `factor`. A change of speed that was believed is taken back where the new costs
 * explain the times as well: else it would count twice, and look like the cost of a start. The belief is
 * fitted again where that changes it by more than it is unsure. */
void plb_history_recount(struct plb_history *history, const struct plb_cost_map *map, double factor);

void plb_history_fini(struct plb_history *history);

#endif
