/* Tasks of a burst share a slot. Each has reduced arrays of its own, so that an entry finds neutral elements.
 */
#include "node/pu/launch.h"

#include "node/pu/device_stay.h"

/* Gives a later task of a burst other reduced arrays than those of the slot. */
static void take_arrays(struct plb_executor *e, struct plb_slot *later, void **buffers)
{
    const struct plb_dataset *set = e->set;
    plb_slot_make_room(later, set, e);
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            buffers[i] = later->buffer[i];
}

/* The task's chunks one after the other, on a device in host memory, or only one. The arrays of each are made
 * behind those of the chunks before it. */
static int launch_chunks(struct plb_executor *e, int lane, const struct plb_phase *phase,
                         struct plb_slice *task, struct plb_slot *slot)
{
    const struct plb_dataset *set = e->set;
    void *buffers[PLB_MAX_DATA] = {NULL};
    struct plb_range before = {task->range.first, 0}, next = before;
    int64_t end = plb_range_end(task->range);
    for (int status = 0; next.first < end; before.count += next.count, next.first += next.count) {
        int n = before.count > 0 ? plb_dataset_arrays(set, before) : 0;
        next.count = next.first + set->chunk < end ? set->chunk : end - next.first;
        for (int k = 0; k < set->n; k++) {
            buffers[k] = plb_slot_buffer(slot, set, k, next.first);
            if (set->at[k].mode == PLB_REDUCE)
                buffers[k] = (char *)buffers[k] + (size_t)n * plb_dataset_step(set, k);
        }
        status = plb_executor_submit(e, lane, phase, next, buffers);
        if (status != 0) {
            task->range = next;
            return status;
        }
        plb_device_stay_note(e, slot);
        if (task->range.count > set->chunk) /* else they may not be there yet */
            plb_dataset_sort(set, next, buffers);
        plb_dataset_add_chunk(set, before, slot->buffer, next);
    }
    return 0;
}

int plb_launch(struct plb_executor *e, int lane, const struct plb_phase *phase, struct plb_slice *task,
               struct plb_slot *slot, struct plb_slot *later)
{
    const struct plb_dataset *set = e->set;
    bool folds = slot != NULL && task->more > 0 && plb_dataset_reduces(set);
    void *buffers[PLB_MAX_DATA] = {NULL};
    struct plb_range rest = task->range, next = {rest.first, plb_slice_units(task)};
    int status = 0;
    if (slot != NULL && !plb_dataset_travels(set))
        plb_slot_make_room(slot, set, e);
    plb_device_stay_let(e, task, slot);
    if (set->chunk > 0 && slot != NULL)
        return launch_chunks(e, lane, phase, task, slot);
    for (int64_t i = task->more; i >= 0 && status == 0; i--) {
        bool is_later = folds && next.first > rest.first;
        next.count = i > 0 ? next.count : plb_range_end(rest) - next.first;
        if (slot != NULL)
            for (int k = 0; k < set->n; k++)
                buffers[k] = plb_slot_buffer(slot, set, k, next.first);
        if (is_later)
            take_arrays(e, later, buffers);
        status = plb_executor_submit(e, lane, phase, next, buffers);
        if (status == 0)
            plb_device_stay_note(e, slot);
        if (status != 0)
            task->range = next;
        else if (is_later)
            plb_dataset_fold_into(set, task->range, slot->buffer, next, later->buffer);
        else if (folds)
            plb_dataset_sort(set, next, slot->buffer);
        next.first += next.count;
    }
    return status;
}
