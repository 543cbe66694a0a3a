/* The state of backups, for the files that are about them. */
#ifndef PLB_CORE_AGAIN_BACKUP_INSIDE_H
#define PLB_CORE_AGAIN_BACKUP_INSIDE_H

#include "core/again/backup_config.h"
#include "core/again/late.h"
#include "core/again/made_copies.h"
#include "core/again/soon.h"

/* A PU stays idle until the master gives it a block or a copy. A report does not end that: it can be older
 * than the IDLE, since it waits for its results. Nor does a MOVED, which comes another way than the IDLE. */
struct backup_pu {
    double since;                  /* it has worked since then on what it holds, as far as the master knows */
    double held_s;                 /* seconds that it may need for that; of the latest look */
    int64_t heard;                 /* moves when its node last heard whom to ask */
    enum plb_pu_activity activity; /* BUSY, IDLE or DOUBTED */
};

struct plb_backups {
    struct plb_backups_config config;
    struct backup_pu *pus;
    int n_idle;
    struct plb_made_copies copies;
    int64_t moves; /* of units to other nodes, in the pass */
    int pass, phase;
    const struct plb_cost_map *map;
    double began, looked, due;
    double patience; /* PLB_LATE_AGAIN, doubled after each copy that was late */
    struct plb_backup_counts counts;
    struct plb_soon soon;   /* of the latest look, as are the late units */
    struct plb_lates lates; /* without copies */
    double late_work;       /* of all these */
};

static inline double work_of(const struct plb_backups *b, struct plb_range range)
{
    return plb_cost_work(b->map, range.first, range.count);
}

static inline struct plb_history *history_of(const struct plb_backups *b, int p)
{
    return &b->config.histories[p * b->config.n_phases + b->phase];
}

/* Of the phase that runs. */
static inline const struct plb_estimate *estimate_of(const struct plb_backups *b, int p)
{
    return plb_history_estimate(history_of(b, p));
}

static inline bool has_reported(const struct plb_backups *b, int p)
{
    return plb_estimate_reported(estimate_of(b, p));
}

/* Seconds of so much work; 0 where the PU has not reported. */
static inline double seconds_of(const struct plb_backups *b, int p, double work)
{
    return has_reported(b, p) ? plb_estimate_seconds(estimate_of(b, p), work) : 0.0;
}

/* The PU that probably executes held units: the one that they were granted to; or else the one of the node
 * that has reported longest ago, of those that are not idle if there are any. */
int plb_backups_executor(const struct plb_backups *b, const struct plb_held *held);

/* PU p gets a copy of late units, and perhaps of those beside them: notes whose they are, for the report.
 * O(held ranges) where there are such. */
void plb_backups_note(const struct plb_backups *b, int p, const struct plb_late *late,
                      struct plb_range range);

/* Adds up the seconds that each PU may need for what it holds. */
void plb_backups_expect(struct plb_backups *b);

#endif
