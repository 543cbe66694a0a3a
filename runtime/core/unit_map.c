/* Chunks of sorted entries. No chunk is empty. */
#include "core/unit_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void insert_chunk(struct plb_unit_map *m, int place)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity > 0 ? 2 * m->capacity : 8;
        m->chunks = plb_grow(m->chunks, (size_t)m->capacity * sizeof *m->chunks);
        m->firsts = plb_grow(m->firsts, (size_t)m->capacity * sizeof *m->firsts);
    }
    memmove(m->chunks + place + 1, m->chunks + place, (size_t)(m->n - place) * sizeof *m->chunks);
    memmove(m->firsts + place + 1, m->firsts + place, (size_t)(m->n - place) * sizeof *m->firsts);
    m->chunks[place] = plb_grow(NULL, sizeof **m->chunks);
    m->chunks[place]->n = 0;
    m->n++;
}

static void remove_chunk(struct plb_unit_map *m, int place)
{
    free(m->chunks[place]);
    m->n--;
    memmove(m->chunks + place, m->chunks + place + 1, (size_t)(m->n - place) * sizeof *m->chunks);
    memmove(m->firsts + place, m->firsts + place + 1, (size_t)(m->n - place) * sizeof *m->firsts);
}

struct plb_unit_map *plb_unit_map_new(int64_t units, struct plb_holding is)
{
    struct plb_unit_map *m = plb_alloc(sizeof *m);
    m->units = units;
    insert_chunk(m, 0);
    m->firsts[0] = 0;
    m->chunks[0]->at[0] = (struct plb_unit_entry){0, is};
    m->chunks[0]->n = 1;
    return m;
}

void plb_unit_map_free(struct plb_unit_map *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < m->n; i++)
        free(m->chunks[i]);
    free(m->chunks);
    free(m->firsts);
    free(m);
}

/* The last chunk, then the last entry, that does not begin after the unit. The halving has no branch that
 * depends on the units: a wrong guess of the processor would cost more than all else here. */
struct plb_unit_cursor plb_unit_map_find(const struct plb_unit_map *m, int64_t unit)
{
    const int64_t *first = m->firsts;
    for (int n = m->n; n > 1;) {
        int half = n / 2;
        first += first[half] <= unit ? half : 0;
        n -= half;
    }
    int chunk = (int)(first - m->firsts);
    const struct plb_unit_entry *entry = m->chunks[chunk]->at;
    for (int n = m->chunks[chunk]->n; n > 1;) {
        int half = n / 2;
        entry += entry[half].first <= unit ? half : 0;
        n -= half;
    }
    return (struct plb_unit_cursor){chunk, (int)(entry - m->chunks[chunk]->at)};
}

/* Makes room for `count` entries before place `index` of a chunk, whose upper half may become a chunk of its
 * own. Returns where the room is. */
static struct plb_unit_cursor make_room(struct plb_unit_map *m, struct plb_unit_cursor at, int count)
{
    struct plb_unit_chunk *c = m->chunks[at.chunk];
    if (c->n + count > PLB_UNIT_CHUNK) {
        insert_chunk(m, at.chunk + 1);
        struct plb_unit_chunk *upper = m->chunks[at.chunk + 1];
        int half = c->n / 2;
        upper->n = c->n - half;
        c->n = half;
        memcpy(upper->at, c->at + half, (size_t)upper->n * sizeof *upper->at);
        m->firsts[at.chunk + 1] = upper->at[0].first;
        if (at.index > half) {
            at = (struct plb_unit_cursor){at.chunk + 1, at.index - half};
            c = upper;
        }
    }
    memmove(c->at + at.index + count, c->at + at.index, (size_t)(c->n - at.index) * sizeof *c->at);
    c->n += count;
    return at;
}

/* Takes `count` entries of one chunk out, which are not all of the map. */
static void remove_entries(struct plb_unit_map *m, struct plb_unit_cursor at, int count)
{
    struct plb_unit_chunk *c = m->chunks[at.chunk];
    c->n -= count;
    memmove(c->at + at.index, c->at + at.index + count, (size_t)(c->n - at.index) * sizeof *c->at);
    if (c->n == 0)
        remove_chunk(m, at.chunk);
    else if (at.index == 0)
        m->firsts[at.chunk] = c->at[0].first;
}

static void move_first(struct plb_unit_map *m, struct plb_unit_cursor at, int64_t first)
{
    m->chunks[at.chunk]->at[at.index].first = first;
    if (at.index == 0)
        m->firsts[at.chunk] = first;
}

static bool step_back(const struct plb_unit_map *m, struct plb_unit_cursor *at)
{
    if (at->index > 0)
        at->index--;
    else if (at->chunk > 0)
        *at = (struct plb_unit_cursor){at->chunk - 1, m->chunks[at->chunk - 1]->n - 1};
    else
        return false;
    return true;
}

/* A whole entry gets a value: it may join one neighbour or both. */
static void set_whole(struct plb_unit_map *m, struct plb_unit_cursor at, struct plb_holding is,
                      bool joins_before)
{
    struct plb_unit_cursor next = at;
    bool joins_next = plb_unit_map_next(m, &next) && plb_holding_equal(&plb_unit_map_at(m, next)->is, &is);
    m->chunks[at.chunk]->at[at.index].is = is;
    if (joins_before && joins_next && next.chunk == at.chunk) {
        remove_entries(m, at, 2);
        return;
    }
    if (joins_next)
        remove_entries(m, next, 1);
    if (joins_before)
        remove_entries(m, at, 1);
}

void plb_unit_map_set(struct plb_unit_map *m, struct plb_unit_cursor at, struct plb_range range,
                      struct plb_holding is)
{
    int64_t end = range.first + range.count, old_end = plb_unit_map_end(m, at);
    const struct plb_unit_entry old = *plb_unit_map_at(m, at);
    struct plb_unit_cursor before = at, next = at;
    bool from_start = old.first == range.first, to_end = old_end == end;
    bool joins_before = from_start && step_back(m, &before)
                     && plb_holding_equal(&plb_unit_map_at(m, before)->is, &is);
    if (from_start && to_end) {
        set_whole(m, at, is, joins_before);
    } else if (from_start && joins_before) {
        move_first(m, at, end);
    } else if (from_start) {
        m->chunks[at.chunk]->at[at.index].is = is;
        at = make_room(m, (struct plb_unit_cursor){at.chunk, at.index + 1}, 1);
        m->chunks[at.chunk]->at[at.index] = (struct plb_unit_entry){end, old.is};
    } else if (to_end && plb_unit_map_next(m, &next)
               && plb_holding_equal(&plb_unit_map_at(m, next)->is, &is)) {
        move_first(m, next, range.first);
    } else {
        at = make_room(m, (struct plb_unit_cursor){at.chunk, at.index + 1}, to_end ? 1 : 2);
        struct plb_unit_entry *e = &m->chunks[at.chunk]->at[at.index];
        e[0] = (struct plb_unit_entry){range.first, is};
        if (!to_end)
            e[1] = (struct plb_unit_entry){end, old.is};
    }
}

void plb_unit_map_change(struct plb_unit_map *m, struct plb_unit_cursor at, struct plb_holding is)
{
    m->chunks[at.chunk]->at[at.index].is = is;
}

void plb_unit_map_join(struct plb_unit_map *m)
{
    const struct plb_holding *last = NULL;
    int kept_chunks = 0;
    for (int i = 0; i < m->n; i++) {
        struct plb_unit_chunk *c = m->chunks[i];
        int kept = 0;
        for (int j = 0; j < c->n; j++)
            if (last == NULL || !plb_holding_equal(last, &c->at[j].is)) {
                c->at[kept] = c->at[j];
                last = &c->at[kept++].is;
            }
        c->n = kept;
        if (kept == 0) {
            free(c);
            continue;
        }
        m->chunks[kept_chunks] = c;
        m->firsts[kept_chunks++] = c->at[0].first;
    }
    m->n = kept_chunks;
}
