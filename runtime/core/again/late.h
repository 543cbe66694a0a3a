/* Held units that are late, and what is expected of their holders: those that will probably be finished last,
 * and those next to them. Part of core/again/backup. Not thread-safe. */
#ifndef PLB_CORE_AGAIN_LATE_H
#define PLB_CORE_AGAIN_LATE_H

#include "core/ledger/ledger.h"

/* Late ranges that one look considers. Larger: a look costs more. Smaller: a range that nobody can help hides
 * others. */
#define PLB_TRIES 16

/* Who executes units again is late itself after this multiple of the seconds that its reports foretell.
 * Larger: a PU that hangs holds the pass up for longer. Smaller: a PU whose core was taken away is passed
 * over, and results that are long on their way count as late. */
#define PLB_LATE_AGAIN 4.0

struct plb_late {
    struct plb_held held;
    int pu;      /* that probably executes them */
    double left; /* seconds that it still needs for all that it holds */
};

/* A zeroed struct is empty. */
struct plb_lates {
    struct plb_late latest[PLB_TRIES]; /* that end last, last first; of one PU what it executes last */
    int n;
    struct plb_late *all; /* no two overlap */
    int n_all, capacity;
    bool sorted; /* by their units */
};

/* Whether a PU that has both probably executes a first: its own blocks in their order, and then what it has
 * taken from others. */
bool plb_late_is_first(const struct plb_late *a, const struct plb_late *b);

void plb_lates_clear(struct plb_lates *lates);
void plb_lates_add(struct plb_lates *lates, const struct plb_late *late);
void plb_lates_fini(struct plb_lates *lates);

/* The late units that begin where a range ends, or end where it begins; NULL: there are none. O(log n) after
 * the first one, which sorts. Lasts until more are added. */
const struct plb_late *plb_lates_after(struct plb_lates *lates, struct plb_range range);
const struct plb_late *plb_lates_before(struct plb_lates *lates, struct plb_range range);

#endif
