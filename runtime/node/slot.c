/* Host buffers of tasks, and their transfers. */
#include "node/slot.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define PAGE 4096 /* bytes; pages are what a device can lock */

/* Host memory that the device copies best; ends the program where there is none. */
static void *allocate(const struct plb_executor *e, size_t bytes)
{
    if (e->ops->pin == NULL)
        return plb_alloc(bytes);
    bytes = bytes < PAGE ? PAGE : bytes;
    void *memory = plb_alloc(bytes);
    e->ops->pin(e->device, memory, bytes);
    return memory;
}

static void release(const struct plb_executor *e, void *memory)
{
    if (e->ops->unpin != NULL && memory != NULL)
        e->ops->unpin(memory);
    free(memory);
}

/* Makes room for the task's part of a buffer. Returns its bytes. */
static size_t make_room(struct plb_slot *slot, const struct plb_dataset *set, int i,
                        const struct plb_executor *e)
{
    size_t offset, bytes;
    plb_dataset_bytes(set, i, slot->task.range, &offset, &bytes);
    if (bytes > slot->capacity[i] || slot->buffer[i] == NULL) {
        release(e, slot->buffer[i]);
        slot->buffer[i] = allocate(e, bytes);
        slot->capacity[i] = bytes;
    }
    return bytes;
}

void plb_slot_guard(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *e)
{
    for (int i = 0; i < set->n && slot->scratch; i++)
        if (set->at[i].mode == PLB_OUTPUT)
            make_room(slot, set, i, e);
}

void *plb_slot_buffer(const struct plb_slot *slot, const struct plb_dataset *set, int i, int64_t first)
{
    const struct plb_data *d = &set->at[i];
    if (!set->owner || d->mode != PLB_OUTPUT)
        return slot->buffer[i];
    size_t offset = (size_t)(first - slot->task.range.first) * d->unit_bytes;
    return slot->scratch ? (char *)slot->buffer[i] + offset : NULL;
}

bool plb_slot_fetch(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_executor *e,
                    const struct plb_wire *wire)
{
    bool pulls = false;
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        if (d->mode == PLB_REPLICATE || (set->owner && d->mode != PLB_REDUCE))
            continue;
        size_t bytes = make_room(slot, set, i, e);
        if (plb_data_is_input(d)) {
            pulls = true;
            wire->get(wire->context, slot->tag, slot->buffer[i], bytes, &slot->pending);
        }
    }
    slot->asked = slot->arrived = plb_now();
    return pulls;
}

void plb_slot_send(struct plb_slot *slot, const struct plb_dataset *set, const struct plb_wire *wire)
{
    if (set->owner) {
        slot->pending++;
        return;
    }
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, slot->task.range, &offset, &bytes);
        if (plb_data_is_result(&set->at[i]))
            wire->put(wire->context, slot->tag, slot->buffer[i], bytes, &slot->pending);
    }
}

void plb_slot_release(struct plb_slot *slot)
{
    slot->pending--;
}

void plb_slot_fini(struct plb_slot *slot, const struct plb_executor *e)
{
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        release(e, slot->buffer[i]);
        slot->buffer[i] = NULL;
    }
}
