/* A map from the units of a pass to what the ledger knows of them, as ranges of equal value.
 *
 * Entries stand in order in chunks of up to 64, so that inserting moves at most two kilobytes however many
 * entries there are. Cost: O(log n) to find; to set, O(1) where entries only move within a chunk. Not
 * thread-safe. */
#ifndef PLB_CORE_UNIT_MAP_H
#define PLB_CORE_UNIT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rangeset.h"

enum plb_unit_state { PLB_FREE, PLB_HELD, PLB_ACCEPTED };

/* What is known of a range of units; only `state` means something where they are free or accepted, the rest
 * is 0. */
struct plb_holding {
    int64_t block; /* that they were granted in */
    int32_t pu;    /* that the block was granted to */
    int32_t node;  /* that has them */
    int32_t giver; /* the node that gave them to it; itself where they have not moved */
    int16_t hop;   /* how often they have moved */
    int16_t state; /* enum plb_unit_state */
};

struct plb_unit_entry {
    int64_t first; /* up to the next entry's */
    struct plb_holding is;
};

#define PLB_UNIT_CHUNK 64 /* entries; more: inserting moves more bytes, fewer: more chunks to search */

struct plb_unit_chunk {
    int n; /* never 0 */
    struct plb_unit_entry at[PLB_UNIT_CHUNK];
};

/* To be read through the functions below. */
struct plb_unit_map {
    int64_t units;
    struct plb_unit_chunk **chunks;
    int64_t *firsts; /* of each chunk: its first unit */
    int n, capacity;
};

/* All units [0, units) have the same value. */
struct plb_unit_map *plb_unit_map_new(int64_t units, struct plb_holding is);
void plb_unit_map_free(struct plb_unit_map *map);

/* Where an entry is. Any change of the map makes it invalid. */
struct plb_unit_cursor {
    int chunk, index;
};

/* The entry that has a unit. */
struct plb_unit_cursor plb_unit_map_find(const struct plb_unit_map *map, int64_t unit);

/* The entry. The pointer lasts until the next change. */
static inline const struct plb_unit_entry *plb_unit_map_at(const struct plb_unit_map *map,
                                                           struct plb_unit_cursor at)
{
    return &map->chunks[at.chunk]->at[at.index];
}

/* Goes on to the next entry; false at the end. */
static inline bool plb_unit_map_next(const struct plb_unit_map *map, struct plb_unit_cursor *at)
{
    if (at->index + 1 < map->chunks[at->chunk]->n) {
        at->index++;
        return true;
    }
    if (at->chunk + 1 == map->n)
        return false;
    *at = (struct plb_unit_cursor){at->chunk + 1, 0};
    return true;
}

/* Where the entry ends. */
static inline int64_t plb_unit_map_end(const struct plb_unit_map *map, struct plb_unit_cursor at)
{
    return plb_unit_map_next(map, &at) ? plb_unit_map_at(map, at)->first : map->units;
}

static inline bool plb_holding_equal(const struct plb_holding *a, const struct plb_holding *b)
{
    return a->state == b->state && a->block == b->block && a->node == b->node && a->giver == b->giver
        && a->hop == b->hop;
}

/* Gives a range a value, and joins it with neighbours that have the same. The range lies within the entry at
 * the cursor. */
void plb_unit_map_set(struct plb_unit_map *map, struct plb_unit_cursor at, struct plb_range range,
                      struct plb_holding is);

/* Changes the entry in place, without joining; plb_unit_map_join then joins all neighbours of one value.
 * O(n). */
void plb_unit_map_change(struct plb_unit_map *map, struct plb_unit_cursor at, struct plb_holding is);
void plb_unit_map_join(struct plb_unit_map *map);

#endif
