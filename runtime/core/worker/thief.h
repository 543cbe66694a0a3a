/* The thief: what a node knows of other nodes, and whom it asks for work next: who has most left, who would
 * end last (A2WS), the first one (Li et al., section 4) or anyone. Part of the worker; no I/O, no clock. Not
 * thread-safe. */
#ifndef PLB_CORE_WORKER_THIEF_H
#define PLB_CORE_WORKER_THIEF_H

#include "core/message/message.h"
#include "core/work/migration.h"

#define PLB_NOBODY (-1)

struct plb_thief;

struct plb_thief *plb_thief_new(int node, int n_nodes, const struct plb_migration *migration);
void plb_thief_free(struct plb_thief *thief);

/* A pass begins: what was known of the pass before is forgotten. */
void plb_thief_begin(struct plb_thief *thief);

/* EMPTY and GIFT have arrived. */
void plb_thief_hint(struct plb_thief *thief, const struct plb_empty *empty);
void plb_thief_answered(struct plb_thief *thief, int victim, const struct plb_gifts *gifts);

/* Whom to ask now, or PLB_NOBODY: also while an answer is awaited that is not overdue. now: seconds. */
int plb_thief_ask(struct plb_thief *thief, double now);
bool plb_thief_awaits(const struct plb_thief *thief);

/* When a thief that everybody has refused asks again. Infinite: it can ask somebody, or waits for the
 * master, which hears of it where there are backups. */
double plb_thief_again_at(const struct plb_thief *thief);

#endif
