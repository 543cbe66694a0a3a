/* The copies that the master has given to idle PUs (core/again/backup.h): a table without order. A full table
 * takes no more. Not thread-safe. */
#ifndef PLB_CORE_AGAIN_MADE_COPIES_H
#define PLB_CORE_AGAIN_MADE_COPIES_H

#include <stdbool.h>

#include "base/rangeset.h"

/* Copies at a time. Larger: a look costs more. Smaller: with many late PUs the later ones wait. */
#define PLB_COPIES 64

/* Units that a PU executes beside their holders. */
struct plb_copy {
    struct plb_range range;
    int64_t block; /* of the first of them */
    int pu;
    int64_t reported; /* units of it that the PU has reported, also where they were dropped */
    bool won;         /* it was first with some of them */
    double until;     /* then the PU is late itself */
    bool late;        /* it is: another one may get a copy */
    bool trial;       /* nothing is known of the PU's speed: one of known speed may get a copy, too */
};

/* A zeroed struct is empty. */
struct plb_made_copies {
    struct plb_copy at[PLB_COPIES];
    int n;
};

/* Removes copy i; the last one takes its place. */
void plb_made_copies_end(struct plb_made_copies *copies, int i);

/* Marks copies that are late themselves. Each doubles *patience, but for those of PUs of unknown speed.
 * Returns when the next one will be; INFINITY: none. */
double plb_made_copies_look(struct plb_made_copies *copies, double now, double *patience);

/* The first units of a range that have no copy which keeps others from getting one. trial: others of unknown
 * speed. */
struct plb_range plb_made_copies_without(const struct plb_made_copies *copies, struct plb_range range,
                                         bool trial);

#endif
