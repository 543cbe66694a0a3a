/* Host buffers of tasks, and their transfers. */
#include "node/pu/slot.h"

#include <string.h>

#include "base/clock.h"
#include "base/lease.h"
#include "base/memory.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Of the largest task: what a slot takes before a task needs more, where pages are locked. Larger: small
 * tasks lock memory that others need, and the first ones wait for that: 8 MB take about 3 ms. Smaller: more
 * slots lock pages a second time. A guess. */
#define FIRST 0.0625

static void unlock(struct plb_slot *slot, const struct plb_executor *e)
{
    if (slot->locked)
        plb_page_unlock(e->places.locks, e->ops, slot->memory, slot->bytes);
    slot->locked = false;
}

/* Gives the slot more memory, which the device copies best; ends the program where there is none. */
static void grow(struct plb_slot *slot, const struct plb_executor *e, size_t bytes)
{
    bool locks = e->ops->pin != NULL;
    size_t had = slot->bytes;
    unlock(slot, e);
    slot->bytes = locks && bytes < PAGE ? PAGE : bytes;
    slot->memory = plb_executor_grow(e, slot->memory, had, slot->bytes);
    slot->locked = locks && plb_page_lock(e->places.locks, e->ops, e->device, slot->memory, slot->bytes);
}

static void release(struct plb_slot *slot, const struct plb_executor *e)
{
    unlock(slot, e);
    plb_shared_free(slot->memory, slot->bytes);
    slot->memory = NULL;
}

/* Bytes to take for a task that needs `needed`. Memory that nobody locks grows by half: what was
 * written of it stays, and the largest task of a PU without memory of its own may be the whole data. */
static size_t room_for(const struct plb_executor *e, size_t needed, size_t most)
{
    size_t grown = needed + needed / 2;
    if (e->ops->pin != NULL)
        return plb_arena_bytes(needed, (size_t)(FIRST * (double)most) + 1, most);
    return needed <= most && grown > most ? most : grown;
}

/* Gives the task what it has for itself. */
static void take_room(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *e)
{
    int64_t scratch = slot->scratch ? plb_arena_buffers(set, PLB_MODE(PLB_OUTPUT)) : 0;
    int64_t mirrored = slot->mirrored ? plb_dataset_pulled(set) : 0,
            stays = plb_staying_buffers(slot->staying)
                  | (slot->gives != NULL ? plb_mirror_outputs(slot->gives) : 0),
            buffers = (plb_dataset_apart(set) & ~mirrored & ~stays) | scratch;
    size_t at[PLB_MAX_DATA], needed = plb_arena_layout(set, buffers, slot->task.range, at);
    if (slot->memory == NULL || needed > slot->bytes)
        grow(slot, e, room_for(e, needed, plb_arena_most(set, buffers, &e->limit)));
    if (slot->records == NULL && plb_dataset_records(set) != 0)
        slot->records = plb_records_new(set);
    for (int i = 0; i < set->n; i++)
        slot->buffer[i] = set->at[i].mode == PLB_RECORDS ? plb_records_part(slot->records, i)
                        : buffers & PLB_BUFFER(i)        ? slot->memory + at[i]
                                                         : NULL;
    if (slot->records != NULL)
        plb_records_begin(slot->records);
}

void plb_slot_make_room(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *e)
{
    take_room(slot, set, e);
}

void *plb_slot_buffer(const struct plb_slot *slot, const struct plb_dataset *set, int i, int64_t first)
{
    size_t from, to, bytes;
    plb_dataset_bytes(set, i, (struct plb_range){slot->task.range.first, 0}, &from, &bytes);
    plb_dataset_bytes(set, i, (struct plb_range){first, 0}, &to, &bytes);
    return slot->buffer[i] != NULL ? (char *)slot->buffer[i] + ((ptrdiff_t)to - (ptrdiff_t)from) : NULL;
}

/* The units of a buffer that are pulled. */
static struct plb_range pulled_of(const struct plb_slot *slot, const struct plb_dataset *set, int i)
{
    return slot->mirrored ? slot->pulled : plb_dataset_around(set, i, slot->pulled);
}

/* Locks the pages of what the task has in reserved memory. */
static void lock_pages(const struct plb_slot *slot, const struct plb_dataset *set,
                       const struct plb_executor *e, int64_t reserved)
{
    if (e->ops->pin == NULL)
        return;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        struct plb_range units = plb_data_is_result(&set->at[i])
                                   ? slot->task.range
                                   : plb_dataset_around(set, i, slot->task.range);
        plb_dataset_bytes(set, i, units, &offset, &bytes);
        if ((reserved & PLB_BUFFER(i)) != 0)
            plb_page_lock_part(e->places.locks, e->ops, e->device, plb_slot_buffer(slot, set, i, units.first),
                               bytes);
    }
}

void plb_slot_bind(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *e,
                   struct plb_mirror *mirror)
{
    slot->pulled = slot->task.range;
    slot->mirrored = mirror != NULL && plb_mirror_take(mirror, slot->task.range, &slot->pulled);
    slot->pulls = slot->pulled.count > 0 ? plb_dataset_pulled(set) : 0;
    if (slot->anew)
        slot->gives = slot->mirrored && plb_mirror_give(mirror, slot->task.range) ? mirror : NULL;
    slot->anew = slot->inputs_lost = false;
    take_room(slot, set, e);
    int64_t feeds = slot->gives != NULL ? plb_mirror_outputs(mirror) : 0,
            inputs = slot->mirrored ? plb_mirror_buffers(mirror) : 0,
            stays = plb_staying_buffers(slot->staying);
    slot->stored = stays | (set->fed != 0 ? feeds : 0);
    for (int i = 0; i < set->n; i++) {
        if ((inputs & PLB_BUFFER(i)) != 0)
            slot->buffer[i] = plb_mirror_place(mirror, i, slot->task.range.first);
        if ((stays & PLB_BUFFER(i)) != 0)
            slot->buffer[i] = plb_staying_place(slot->staying, i, slot->task.range.first);
        if ((feeds & PLB_BUFFER(i)) != 0)
            slot->buffer[i] = plb_mirror_result(mirror, i, slot->task.range.first);
    }
    lock_pages(slot, set, e, inputs | stays | feeds);
}

bool plb_slot_pull(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire,
                   bool checks)
{
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        if ((slot->pulls & ~set->fed & PLB_BUFFER(i)) == 0)
            continue;
        struct plb_range units = pulled_of(slot, set, i);
        plb_dataset_bytes(set, i, units, &offset, &bytes);
        wire->get(wire->context, 0, slot->tag, plb_slot_buffer(slot, set, i, units.first), bytes,
                  &slot->pending);
    }
    slot->awaits = (slot->pulls & (checks ? slot->pulls : set->fed)) != 0;
    plb_rangeset_clear(&slot->sources);
    slot->pending += slot->awaits;
    slot->asked = slot->arrived = plb_now();
    return slot->pulls != 0;
}

/* Where a node has the inputs of another slot of its own, or of one before. Without a mirror it has none, and
 * the task is of a pass that is over. False: they are lost. */
static bool copy_own(const struct plb_mirror *mirror, struct plb_node_device_results *results, int buffer,
                     struct plb_range range, void *to, size_t bytes)
{
    const void *from = mirror != NULL ? plb_mirror_place(mirror, buffer, range.first) : to;
    if (to == from)
        return true;
    const bool here = plb_device_results_bring_input(results, buffer, range, NULL);
    memcpy(to, from, bytes);
    return here;
}

static bool has_lost(const struct plb_slot *slot, const struct plb_wire *wire)
{
    for (int i = 0; i < slot->sources.n; i++)
        for (int64_t rank = slot->sources.at[i].first; rank < plb_range_end(slot->sources.at[i]); rank++)
            if (wire->is_lost(wire->context, (int)rank))
                return true;
    return false;
}

bool plb_slot_has_lost_inputs(const struct plb_slot *slot, const struct plb_wire *wire)
{
    return slot->inputs_lost || has_lost(slot, wire);
}

void plb_slot_abandon(struct plb_slot *slot, const struct plb_wire *wire, struct plb_mirror *mirror)
{
    if (!has_lost(slot, wire))
        return;
    if (slot->mirrored) {
        plb_mirror_leave(mirror, slot->pulled);
        return;
    }
    plb_lease_for_ever(slot->memory);
    slot->memory = NULL;
    slot->locked = false;
}

/* Gets a buffer of a part from another rank. */
static void get_part(struct plb_slot *slot, const struct plb_wire *wire, const struct plb_source *part,
                     void *to, size_t bytes)
{
    if (part->node > 0)
        plb_rangeset_add(&slot->sources, (struct plb_range){part->node, 1});
    wire->get(wire->context, part->node, slot->tag, to, bytes, &slot->pending);
}

bool plb_slot_from(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire,
                   const struct plb_mirror *mirror, struct plb_node_device_results *results,
                   const struct plb_message *m)
{
    const struct plb_sources *from = &m->sources;
    if (!slot->awaits || from->slot != slot->tag)
        return false;
    for (int k = 0; k < from->n; k++) {
        const struct plb_source *part = &from->at[k];
        if ((part->buffers & ~(slot->pulls & set->fed)) != 0)
            return false;
        for (int i = 0; i < set->n; i++) {
            if ((part->buffers & PLB_BUFFER(i)) == 0)
                continue;
            if (!plb_range_within(part->range, pulled_of(slot, set, i)))
                return false;
            size_t offset, bytes;
            void *to = plb_slot_buffer(slot, set, i, part->range.first);
            plb_dataset_bytes(set, i, part->range, &offset, &bytes);
            if (part->node != m->to)
                get_part(slot, wire, part, to, bytes);
            else if (!copy_own(mirror, results, i, part->range, to, bytes))
                slot->inputs_lost = true;
        }
    }
    slot->inputs_lost |= from->n == 0 && (slot->pulls & set->fed) != 0;
    slot->sum = from->sum;
    slot->awaits = !from->last;
    slot->pending -= from->last;
    return true;
}

uint32_t plb_slot_sum(const struct plb_slot *slot, const struct plb_dataset *set)
{
    void *parts[PLB_MAX_DATA];
    for (int i = 0; i < set->n; i++)
        parts[i] = plb_slot_buffer(slot, set, i, pulled_of(slot, set, i).first);
    return plb_dataset_sum(set, slot->pulled, !slot->mirrored, parts, slot->pulls);
}

void plb_slot_complete(struct plb_slot *slot, const struct plb_dataset *set, struct plb_range range)
{
    plb_dataset_sort(set, range, slot->buffer);
    if (slot->records != NULL)
        plb_records_seal(slot->records, range);
}

void *plb_slot_records(const struct plb_slot *slot, size_t *bytes)
{
    *bytes = 0;
    return slot->records != NULL ? plb_records_bytes(slot->records, bytes) : NULL;
}

int64_t plb_slot_sent(const struct plb_slot *slot, const struct plb_dataset *set)
{
    return plb_dataset_sent(set) & ~slot->stored;
}

void plb_slot_send(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire)
{
    if (set->on_rank0) {
        slot->pending++;
        return;
    }
    int64_t sent = plb_slot_sent(slot, set);
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, slot->task.range, &offset, &bytes);
        if (sent & PLB_BUFFER(i))
            wire->put(wire->context, 0, slot->tag, slot->buffer[i], bytes, &slot->pending);
    }
    size_t bytes;
    const void *records = plb_slot_records(slot, &bytes);
    if (records != NULL)
        wire->put(wire->context, 0, slot->tag, records, bytes, &slot->pending);
}

void plb_slot_release(struct plb_slot *slot)
{
    slot->pending--;
}

void plb_slot_fini(struct plb_slot *slot, const struct plb_executor *e)
{
    release(slot, e);
    plb_rangeset_fini(&slot->sources);
    plb_records_free(slot->records);
    slot->records = NULL;
}
