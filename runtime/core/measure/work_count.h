/* How the master counts work: by the told cost map of each phase, or by what the run has learned of it. It
 * has what was measured, and keeps it in the same measure. Part of the master. Not thread-safe. */
#ifndef PLB_CORE_MEASURE_WORK_COUNT_H
#define PLB_CORE_MEASURE_WORK_COUNT_H

#include "core/measure/history.h"
#include "core/measure/learned_cost.h"
#include "core/message/message.h"
#include "model/tally.h"

struct plb_work_count {
    struct plb_history *histories; /* n_phases of each PU, PU by PU */
    struct plb_tally *tallies;     /* the same; their work is as told */
    int n_pus, n_phases, phase;
    bool learns;
    const struct plb_cost_map *told, *map; /* of the pass; NULL before the first */
    struct plb_learned_cost **learned;     /* by phase; NULL before its first pass */
    int64_t version;                       /* of the maps' numbers */
    int64_t *counted;                      /* by PU and phase: the version that its history was counted by */
};

/* learns = false: all maps stay as they were told. */
void plb_work_count_init(struct plb_work_count *count, int n_pus, int n_phases, bool learns);
void plb_work_count_fini(struct plb_work_count *count);

/* A pass begins. Sets `map`, which stays where it is; its numbers may change with each report. The told map
 * is borrowed until the end, and is the same in all passes of a phase. */
void plb_work_count_begin(struct plb_work_count *count, int phase, const struct plb_cost_map *told);

/* The last pass is over: what it has taught of costs counts for all its reports. Returns the map of its phase
 * by all that is known, or NULL where no pass has begun. */
const struct plb_cost_map *plb_work_count_end(struct plb_work_count *count);

static inline const struct plb_tally *plb_work_count_tally(const struct plb_work_count *count, int phase,
                                                           int pu)
{
    return &count->tallies[pu * count->n_phases + phase];
}

/* Work per second of a PU in the phase; 0: not known. */
static inline double plb_work_count_rate(const struct plb_work_count *count, int pu)
{
    int at = pu * count->n_phases + count->phase;
    return plb_estimate_rate(plb_history_estimate(&count->histories[at]));
}

/* A PU has reported: adds the sample to its history and the report to its tally, and learns. The sample's
 * work may change. Returns whether the map has changed: histories are counted anew then, and others must
 * count anew what they have summed up. */
bool plb_work_count_reported(struct plb_work_count *count, int pu, const struct plb_done *done,
                             struct plb_sample *sample);

/* The same where the report tells nothing of the PU's rate: it is in the tally alone. */
void plb_work_count_passed_over(struct plb_work_count *count, int pu, const struct plb_done *done);

/* How unsure the map is of units that come next, about a share beyond this first free one. */
double plb_work_count_doubt(const struct plb_work_count *count, int64_t front, int64_t free_units);

#endif
