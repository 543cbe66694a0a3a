/* The open blocks: which units each PU's blocks still hold, as parts. A block begins as one part, or as
 * several where its units are non-contiguous. Moves and results cut parts; a block is open while it has
 * one. Part of the ledger.
 *
 * Parts stand in one array: to look at all of them is quick. Those of a block form a list. Cost: O(1) to
 * open a block, and to take a part away. Not thread-safe. */
#ifndef PLB_CORE_LEDGER_OPEN_BLOCKS_H
#define PLB_CORE_LEDGER_OPEN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rangeset.h"

/* Open blocks of one PU: it executes one, and one waits in its queue. 1: PUs wait for the master. 3: work is
 * bound before the master knows which PU is fast. */
#define PLB_BLOCKS_AHEAD 2

#define PLB_CLOSED (-1)  /* a block's number: none */
#define PLB_NO_PART (-1) /* a part's index: none */

/* Units of one block that one node has. */
struct plb_part {
    struct plb_range range; /* count = 0: the part is unused */
    int32_t block;          /* index of its block in `at` */
    int32_t node;           /* that has them */
    int32_t giver;          /* the node that gave them to it; itself where they have not moved */
    int32_t hop;            /* how often they have moved */
    int32_t before, next;   /* of the same block, or unused ones; PLB_NO_PART: the end */
};

struct plb_open_block {
    int64_t id;    /* PLB_CLOSED: none */
    int32_t parts; /* the first one; PLB_NO_PART: none */
};

struct plb_open_blocks {
    int n_pus;
    struct plb_open_block *at; /* PLB_BLOCKS_AHEAD of each PU, PU by PU */
    int64_t next;              /* number of the next block, but for the PU */
    struct plb_part *parts;
    int n_parts, capacity; /* parts that were ever used, and that there are */
    int32_t unused;        /* the first unused part below n_parts */
};

void plb_open_blocks_init(struct plb_open_blocks *blocks, int n_pus);
void plb_open_blocks_fini(struct plb_open_blocks *blocks);

/* A pass begins: no block is open. Numbers go on. */
void plb_open_blocks_begin(struct plb_open_blocks *blocks);

/* Opens a block of a PU that has fewer than PLB_BLOCKS_AHEAD, and returns its number: number % PUs is the PU.
 * The PU's node has the range. */
int64_t plb_open_blocks_open(struct plb_open_blocks *blocks, int pu, int node, struct plb_range range);

/* Adds a range that the node has to a block that is open. */
void plb_open_blocks_extend(struct plb_open_blocks *blocks, int64_t id, int node, struct plb_range range);

/* The first part of the block with this number; PLB_NO_PART where it is not open. */
int32_t plb_open_blocks_parts(const struct plb_open_blocks *blocks, int64_t id);

/* Cuts a part that overlaps the range, so that it lies within. The units outside become parts of their own,
 * before the others of the block: a loop that goes on with `next` does not meet them. Pointers to parts are
 * invalid then. */
void plb_open_blocks_cut(struct plb_open_blocks *blocks, int32_t index, struct plb_range range);

/* Takes a part away. Returns whether that was the last one: its block is closed then. */
bool plb_open_blocks_remove(struct plb_open_blocks *blocks, int32_t index);

/* The PU that a part's block was granted to. */
static inline int plb_part_pu(const struct plb_part *part)
{
    return part->block / PLB_BLOCKS_AHEAD;
}

#endif
