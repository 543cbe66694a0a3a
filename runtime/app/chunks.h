/* Chunks: fixed ranges of units, whose reduced arrays are folded in a fixed order ([run] reproducible).
 *
 * A chunk's array is made by one call of the entry, for all of the chunk. The chunks are the leaves of a
 * binary tree: node (level l, index p) has the chunks from p * 2^l on, 2^l of them, and its array is its left
 * half's, into which its right half's was folded. A half without chunks is left out. So the root's bits
 * depend on the number of units alone, and not on who computed what, or when.
 *
 * A result of several chunks has one array for each of the largest nodes that its chunks fill, from left to
 * right: its forest. Rank 0 folds two nodes into their parent as soon as it has both. Pure functions but for
 * the tree, which belongs to one thread. */
#ifndef PLB_APP_CHUNKS_H
#define PLB_APP_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/rangeset.h"

/* Chunks of a job at most. More: tasks may be smaller, and more arrays wait on rank 0. Fewer: a job of few
 * units keeps fewer PUs busy near its end. A power of two. */
#define PLB_MOST_CHUNKS 4096

/* Arrays that a forest has room for: two of each of twelve levels, the one that is added, and some more for
 * ranges of messages that are dropped. */
#define PLB_FOREST 28

/* Units of a chunk: whole multiples of so many units. At most PLB_MOST_CHUNKS chunks have all units. */
int64_t plb_chunk_units(int64_t units, int64_t multiple);

/* Folds one set of arrays into another: `from` is behind `into`. */
struct plb_chunk_fold {
    void *context;
    void (*fold)(void *context, int into, int from); /* arrays of a forest, by number */
};

/* Nodes of a forest, from left to right. Chunks are numbers from 0. */
struct plb_forest {
    int n;
    struct {
        int64_t first; /* chunk */
        int level;
    } at[PLB_FOREST];
};

/* The forest of a range of chunks. */
void plb_forest_of(struct plb_forest *forest, int64_t first, int64_t count);

/* Adds a node behind the last one: array number forest->n. Calls `fold` for each two that become one; the
 * array of the left one is the parent's. */
void plb_forest_add(struct plb_forest *forest, int64_t first, int level, const struct plb_chunk_fold *fold);

#endif
