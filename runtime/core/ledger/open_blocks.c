/* Two blocks per PU, and lists of parts. */
#include "core/ledger/open_blocks.h"

#include <stdlib.h>

#include "base/memory.h"

void plb_open_blocks_init(struct plb_open_blocks *b, int n_pus)
{
    size_t blocks = (size_t)(n_pus > 0 ? n_pus : 1) * PLB_BLOCKS_AHEAD;
    *b = (struct plb_open_blocks){.n_pus = n_pus};
    b->at = plb_alloc(blocks * sizeof *b->at);
    plb_open_blocks_begin(b);
}

void plb_open_blocks_fini(struct plb_open_blocks *b)
{
    free(b->at);
    free(b->parts);
}

void plb_open_blocks_begin(struct plb_open_blocks *b)
{
    b->n_parts = 0;
    b->unused = PLB_NO_PART;
    for (int i = 0; i < b->n_pus * PLB_BLOCKS_AHEAD; i++)
        b->at[i] = (struct plb_open_block){PLB_CLOSED, PLB_NO_PART};
}

/* An unused part. */
static int32_t take_part(struct plb_open_blocks *b)
{
    int32_t index = b->unused;
    if (index != PLB_NO_PART) {
        b->unused = b->parts[index].next;
        return index;
    }
    b->parts = plb_room(b->parts, b->n_parts, &b->capacity, sizeof *b->parts);
    return b->n_parts++;
}

/* Adds a part at the front of a block's list. */
static struct plb_part *add_part(struct plb_open_blocks *b, int block, struct plb_range range)
{
    int32_t index = take_part(b), next = b->at[block].parts;
    struct plb_part *part = &b->parts[index];
    part->range = range;
    part->block = block;
    part->before = PLB_NO_PART;
    part->next = next;
    if (next != PLB_NO_PART)
        b->parts[next].before = index;
    b->at[block].parts = index;
    return part;
}

/* Adds a range that was just granted to a block. */
static void add_granted(struct plb_open_blocks *b, int block, int node, struct plb_range range)
{
    struct plb_part *part = add_part(b, block, range);
    part->node = part->giver = node;
    part->hop = 0;
}

int64_t plb_open_blocks_open(struct plb_open_blocks *b, int pu, int node, struct plb_range range)
{
    int index = pu * PLB_BLOCKS_AHEAD;
    index += b->at[index].id != PLB_CLOSED;
    b->at[index].id = b->next++ * b->n_pus + pu;
    b->at[index].parts = PLB_NO_PART;
    add_granted(b, index, node, range);
    return b->at[index].id;
}

/* The index in `at` of the block with this number; PLB_CLOSED where it is not open. */
static int index_of(const struct plb_open_blocks *b, int64_t id)
{
    if (id < 0 || b->n_pus == 0)
        return PLB_CLOSED;
    int first = (int)(id % b->n_pus) * PLB_BLOCKS_AHEAD;
    for (int i = first; i < first + PLB_BLOCKS_AHEAD; i++)
        if (b->at[i].id == id)
            return i;
    return PLB_CLOSED;
}

void plb_open_blocks_extend(struct plb_open_blocks *b, int64_t id, int node, struct plb_range range)
{
    add_granted(b, index_of(b, id), node, range);
}

int32_t plb_open_blocks_parts(const struct plb_open_blocks *b, int64_t id)
{
    int index = index_of(b, id);
    return index != PLB_CLOSED ? b->at[index].parts : PLB_NO_PART;
}

/* Units at one end of a part become a part of their own, of the same node. */
static void split_off(struct plb_open_blocks *b, int32_t index, int64_t first, int64_t count)
{
    struct plb_part *rest = add_part(b, b->parts[index].block, (struct plb_range){first, count});
    struct plb_part *part = &b->parts[index];
    rest->node = part->node;
    rest->giver = part->giver;
    rest->hop = part->hop;
    part->range.count -= count;
}

void plb_open_blocks_cut(struct plb_open_blocks *b, int32_t index, struct plb_range range)
{
    struct plb_range part = b->parts[index].range;
    int64_t before = range.first - part.first, end = plb_range_end(range);
    int64_t after = plb_range_end(part) - end;
    if (after > 0)
        split_off(b, index, end, after);
    if (before > 0) {
        split_off(b, index, part.first, before);
        b->parts[index].range.first = range.first;
    }
}

bool plb_open_blocks_remove(struct plb_open_blocks *b, int32_t index)
{
    struct plb_part *part = &b->parts[index];
    struct plb_open_block *block = &b->at[part->block];
    if (part->next != PLB_NO_PART)
        b->parts[part->next].before = part->before;
    if (part->before != PLB_NO_PART)
        b->parts[part->before].next = part->next;
    else
        block->parts = part->next;
    part->range.count = 0;
    part->next = b->unused;
    b->unused = index;
    if (block->parts == PLB_NO_PART)
        block->id = PLB_CLOSED;
    return block->id == PLB_CLOSED;
}
