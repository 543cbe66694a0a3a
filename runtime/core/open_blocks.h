/* The open blocks: which blocks of each PU still have held units, and what the last operation on the ledger
 * did to them. Part of the ledger. Cost: O(1) per call. Not thread-safe. */
#ifndef PLB_CORE_OPEN_BLOCKS_H
#define PLB_CORE_OPEN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Open blocks of one PU: it executes one, and one waits in its queue. 1: PUs wait for the master. 3: work is
 * bound before the master knows which PU is fast. */
#define PLB_BLOCKS_AHEAD 2

/* What an operation did to one block. */
struct plb_block_change {
    int pu;                /* that the block was granted to */
    bool over;             /* the block has no held unit any more */
    double settled, freed; /* work of it that was accepted, and that became free */
};

struct plb_open_block {
    int64_t id;      /* PLB_CLOSED: none */
    int64_t pending; /* its held units */
    int change;      /* its place among the changes plus 1; 0: none */
};

#define PLB_CLOSED (-1)

struct plb_open_blocks {
    int n_pus;
    struct plb_open_block (*of)[PLB_BLOCKS_AHEAD]; /* by PU */
    int64_t next;                                  /* number of the next block, but for the PU */
    struct plb_block_change *changes;
    struct plb_open_block **changed; /* the blocks of the changes */
    int n_changes;
};

void plb_open_blocks_init(struct plb_open_blocks *blocks, int n_pus);
void plb_open_blocks_fini(struct plb_open_blocks *blocks);

/* A pass begins: no block is open. Numbers go on. */
void plb_open_blocks_begin(struct plb_open_blocks *blocks);

/* An operation begins: the changes of the last one are forgotten. */
void plb_open_blocks_operation(struct plb_open_blocks *blocks);

/* Opens a block of a PU that has fewer than PLB_BLOCKS_AHEAD, and returns its number: number % PUs is the PU.
 */
int64_t plb_open_blocks_open(struct plb_open_blocks *blocks, int pu, int64_t units);

/* The block of this number, or NULL. */
struct plb_open_block *plb_open_blocks_find(const struct plb_open_blocks *blocks, int pu, int64_t id);

/* An open block holds `units`, and `work`, less: they were accepted or freed. The block closes with its last
 * unit. */
void plb_open_blocks_let_go(struct plb_open_blocks *blocks, int pu, int64_t id, int64_t units, double work,
                            bool freed);

#endif
