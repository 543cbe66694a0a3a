/* Backups: late units are executed a second time by a PU that is idle. Part of the master.
 *
 * A node says IDLE of a PU that has nothing to execute and finds nobody to take work from. Then the PU may
 * get a copy of held units, where nothing is left to grant. The first report counts: the ledger accepts a
 * unit once. Late units that are next to each other are one copy, whoever holds them, where the idle PU would
 * otherwise spend more than 1 % of its time on starts; its block is the one of the first unit.
 *
 * A copy is worth its execution if the idle PU needs less than half the time that the holder still needs
 * (Hadoop's and MapReduce's rule is the same in kind). The holder still needs the time of all that it holds,
 * less the time since it last reported. One that has not reported may be ten times as slow as its power says.
 * A holder that is late by d seconds is taken to need d seconds more, since the longer something lasts, the
 * longer it will probably still last. An idle PU that has never reported may get a copy, too: whether it is
 * fast can only be found out by trying. One that has reported gets none that a faster PU, which is still
 * busy, would end in half of its time: that PU will ask soon.
 *
 * It does not know which PU of a node executes a unit that has moved there, nor when a task began. It takes
 * the PU that has reported longest ago, and the time of that report.
 *
 * Cost: O(1) per report while there is no copy. A look costs O(held ranges + PUs), and O(n log n) in the held
 * ranges where neighbours are looked for. Looks are at least PLB_LOOK_GAP apart. Not thread-safe. */
#ifndef PLB_CORE_AGAIN_BACKUP_H
#define PLB_CORE_AGAIN_BACKUP_H

#include "core/again/backup_config.h"

struct plb_backups;

struct plb_backups *plb_backups_new(const struct plb_backups_config *config);
void plb_backups_free(struct plb_backups *backups);

/* A pass begins, now. */
void plb_backups_begin(struct plb_backups *backups, int pass, int phase, const struct plb_cost_map *map,
                       double now);

/* PUs that had no block have got one, by the messages from `from` on, or a node was given units: they work
 * from now on. */
void plb_backups_granted(struct plb_backups *backups, const struct plb_outbox *out, int from, double now);
void plb_backups_given(struct plb_backups *backups, int node, double now);

/* A PU has reported this range, and the ledger has accepted or dropped it. Cancels what is obsolete now. */
void plb_backups_reported(struct plb_backups *backups, int pu, struct plb_range range, bool accepted,
                          double now, struct plb_outbox *out);

/* A node says that a PU is idle. */
void plb_backups_idle(struct plb_backups *backups, int pu, double now);

/* These PUs are gone, with their node or alone. */
void plb_backups_lost(struct plb_backups *backups, int first_pu, int n_pus);

/* Whether a PU may hang. */
bool plb_backups_doubts(const struct plb_backups *backups, int pu);

/* When to look next; infinite: not before something else happens. */
double plb_backups_due(const struct plb_backups *backups);

/* Looks whether an idle PU should get a copy. */
void plb_backups_look(struct plb_backups *backups, double now, struct plb_outbox *out);

/* The PU that is most overdue, or will be, by its estimate. For people who wait; also where there are no
 * backups. */
struct plb_slowest {
    int pu;
    struct plb_range range; /* that it executes, with what waits behind it in the same block */
    double seconds;         /* since its latest report, or since it got these units */
    double expected;        /* seconds for the range; 0: it has not reported yet */
};

/* False where nobody holds units. O(held ranges). */
bool plb_backups_slowest(struct plb_backups *backups, double now, struct plb_slowest *slowest);

/* The units of a PU, as far as the master knows. */
struct plb_at_work {
    int64_t units;          /* that it holds; 0: it is idle */
    struct plb_range first; /* the first of them that are next to each other */
    double seconds;         /* since its latest report, or since it got units */
    double expected;        /* seconds for all of them, from then on; 0: it has not reported yet */
};

/* Fills in a row for each PU. O(held ranges + PUs). */
void plb_backups_at_work(struct plb_backups *backups, double now, struct plb_at_work *pus);

const struct plb_backup_counts *plb_backups_counts(const struct plb_backups *backups);

#endif
