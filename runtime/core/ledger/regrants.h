/* Units that were granted a second time in a pass: who had them, who got them then, and why.
 *
 * Free units that somebody had wait here for their next grant. Backups and audits copy units that somebody
 * has, or had. The second PU need not have executed its units: a backup may be cancelled before. Nor need the
 * first one: what was queued at a lost rank is granted again, too. Not listed are passes that are repeated as
 * a whole.
 *
 * Cost: nothing for a grant while nothing waits, else O(ranges that wait). Not thread-safe. */
#ifndef PLB_CORE_LEDGER_REGRANTS_H
#define PLB_CORE_LEDGER_REGRANTS_H

#include "base/rangeset.h"

/* Records of a run at most. More: reports become larger than anybody reads, 100 bytes for each. Fewer: of
 * runs with many losses the first ones alone are listed. The sums by reason have all. */
#define PLB_REGRANTS_LISTED 10000

enum plb_regrant_reason {
    PLB_NO_REGRANT,          /* the units are accepted */
    PLB_REGRANT_BACKUP,      /* the first PU was late */
    PLB_REGRANT_AUDIT,       /* both results are compared */
    PLB_REGRANT_LOST_RANK,   /* the first PU's rank was lost, or that which gave or was given the units */
    PLB_REGRANT_LOST_RESULT, /* the result stayed at its rank, and was lost with it or damaged */
    PLB_REGRANT_FAILED_PU,   /* the first PU's device failed */
    PLB_REGRANT_CRASH,       /* a task with these units crashed */
    PLB_REGRANT_DAMAGED,     /* the result arrived damaged */
    PLB_REGRANT_OVERWRITTEN, /* the rank stored its result, and a task of rank 0 wrote in the same place */
    PLB_REGRANT_PARTLY_NEW,  /* some units of the result were accepted already, and it cannot be divided */
    PLB_REGRANT_REASONS
};

struct plb_regrant {
    struct plb_range range;
    int pass;
    int first_pu, second_pu; /* of the units' first block and of the second; -1: nobody knows */
    enum plb_regrant_reason reason;
};

/* At most PLB_REGRANTS_LISTED ranges. */
struct plb_regrant_list {
    struct plb_regrant *at;
    int n, capacity;
};

/* A zeroed struct is empty. */
struct plb_regrants {
    int pass;
    struct plb_regrant_list waiting;    /* free units, and such as were accepted late; without second PU */
    struct plb_regrant_list granted;    /* in this order */
    int64_t units[PLB_REGRANT_REASONS]; /* by reason, that were freed or copied; also those that nobody got */
};

void plb_regrants_fini(struct plb_regrants *regrants);

/* A pass begins: nothing waits. */
void plb_regrants_begin(struct plb_regrants *regrants, int pass);

/* These units are free again. */
void plb_regrants_wait(struct plb_regrants *regrants, struct plb_range range, int first_pu,
                       enum plb_regrant_reason reason);

/* Free units are granted: lists those that have waited. */
void plb_regrants_granted(struct plb_regrants *regrants, struct plb_range range, int pu);

/* A second PU gets units that the first one has, or had. */
void plb_regrants_copied(struct plb_regrants *regrants, struct plb_range range, int first_pu, int second_pu,
                         enum plb_regrant_reason reason);

/* In a few words, for the report. */
const char *plb_regrant_reason(enum plb_regrant_reason reason);

#endif
