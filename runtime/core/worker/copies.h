/* A node's knowledge of backups (core/again/backup.h): the copies that its PUs are to execute, and the units
 * whose results were accepted from other nodes. And its audits (core/again/audit.h): units that its PUs are
 * to execute although they were accepted. And the units that nobody may execute, or only alone
 * (core/again/suspects.h): messages may come in any order, so it is kept for the pass. Part of the worker.
 * Copies and audits do not move. Not thread-safe. */
#ifndef PLB_CORE_WORKER_COPIES_H
#define PLB_CORE_WORKER_COPIES_H

#include "core/worker/queue.h"

struct plb_copies {
    struct plb_queue *of;     /* by PU: units that it executes beside their holder */
    struct plb_queue *audits; /* by PU */
    int n_pus;
    struct plb_rangeset elsewhere; /* accepted from other nodes */
    struct plb_rangeset suspect;   /* of the pass: they are executed in blocks that are `alone` */
    struct plb_rangeset aside;     /* of these: they are not executed at all */
};

void plb_copies_init(struct plb_copies *copies, int n_pus);
void plb_copies_fini(struct plb_copies *copies);

/* A pass begins: there are no copies. */
void plb_copies_begin(struct plb_copies *copies);

/* Units have been accepted from another node: copies of them are executed no more. */
void plb_copies_cancel(struct plb_copies *copies, struct plb_range range);

/* Units are suspect, or aside. */
void plb_copies_ban(struct plb_copies *copies, struct plb_range range, bool aside);

/* Removes from a queue what may not be executed from there. */
void plb_copies_sweep(const struct plb_copies *copies, struct plb_queue *queue);

/* Whether a task that has not begun has units that may not be executed in it. */
bool plb_copies_banned(const struct plb_copies *copies, const struct plb_slice *task);

/* Whether all units of a range have been accepted from other nodes. */
bool plb_copies_accepted(const struct plb_copies *copies, struct plb_range range);

/* The next audit of a PU, as one task; false where there is none. */
bool plb_copies_take_audit(struct plb_copies *copies, int pu, const struct plb_cost_map *map,
                           struct plb_slice *task);

/* A PU executes no copies and no audits any more. */
void plb_copies_drop(struct plb_copies *copies, int pu);

#endif
