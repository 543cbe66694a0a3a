/* Two places per PU, and a list of changes. */
#include "core/open_blocks.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_open_blocks_init(struct plb_open_blocks *b, int n_pus)
{
    size_t blocks = (size_t)(n_pus > 0 ? n_pus : 1) * PLB_BLOCKS_AHEAD;
    *b = (struct plb_open_blocks){.n_pus = n_pus};
    b->of = plb_alloc(blocks * sizeof **b->of);
    b->changes = plb_alloc(blocks * sizeof *b->changes);
    b->changed = plb_alloc(blocks * sizeof *b->changed);
    plb_open_blocks_begin(b);
}

void plb_open_blocks_fini(struct plb_open_blocks *b)
{
    free(b->of);
    free(b->changes);
    free(b->changed);
}

void plb_open_blocks_begin(struct plb_open_blocks *b)
{
    b->n_changes = 0;
    for (int p = 0; p < b->n_pus; p++)
        for (int i = 0; i < PLB_BLOCKS_AHEAD; i++)
            b->of[p][i] = (struct plb_open_block){PLB_CLOSED, 0, 0};
}

void plb_open_blocks_operation(struct plb_open_blocks *b)
{
    for (int i = 0; i < b->n_changes; i++)
        b->changed[i]->change = 0;
    b->n_changes = 0;
}

int64_t plb_open_blocks_open(struct plb_open_blocks *b, int pu, int64_t units)
{
    struct plb_open_block *block = &b->of[pu][b->of[pu][0].id == PLB_CLOSED ? 0 : 1];
    *block = (struct plb_open_block){b->next++ * b->n_pus + pu, units, 0};
    return block->id;
}

struct plb_open_block *plb_open_blocks_find(const struct plb_open_blocks *b, int pu, int64_t id)
{
    for (int i = 0; i < PLB_BLOCKS_AHEAD; i++)
        if (b->of[pu][i].id == id)
            return &b->of[pu][i];
    return NULL;
}

void plb_open_blocks_let_go(struct plb_open_blocks *b, int pu, int64_t id, int64_t units, double work,
                            bool freed)
{
    struct plb_open_block *block = plb_open_blocks_find(b, pu, id);
    if (block->change == 0) {
        b->changed[b->n_changes] = block;
        b->changes[b->n_changes++] = (struct plb_block_change){.pu = pu};
        block->change = b->n_changes;
    }
    struct plb_block_change *change = &b->changes[block->change - 1];
    block->pending -= units;
    *(freed ? &change->freed : &change->settled) += work;
    if (block->pending > 0)
        return;
    change->over = true;
    block->id = PLB_CLOSED;
}
