/* What a node knows of backups (core/backup.h): the copies that its PUs are to execute, and the units whose
 * results were accepted from other nodes. Part of the worker. Copies do not move. Not thread-safe. */
#ifndef PLB_CORE_COPIES_H
#define PLB_CORE_COPIES_H

#include "core/queue.h"

struct plb_copies {
    struct plb_queue *of; /* by PU: units that it executes beside their holder */
    int n_pus;
    struct plb_rangeset elsewhere; /* accepted from other nodes */
};

void plb_copies_init(struct plb_copies *copies, int n_pus);
void plb_copies_fini(struct plb_copies *copies);

/* A pass begins: there are no copies. */
void plb_copies_begin(struct plb_copies *copies);

/* Units have been accepted from another node: copies of them are executed no more. */
void plb_copies_cancel(struct plb_copies *copies, struct plb_range range);

/* Whether all units of a range have been accepted from other nodes. */
bool plb_copies_accepted(const struct plb_copies *copies, struct plb_range range);

#endif
