/* Tasks of a burst share a slot. Each has reduced arrays of its own, so that an entry finds neutral elements.
 */
#include "node/launch.h"

/* Gives a later task of a burst other reduced arrays than those of the slot. */
static void take_arrays(struct plb_executor *e, struct plb_slot *later, void **buffers)
{
    const struct plb_dataset *set = e->set;
    plb_slot_make_room(later, set, e);
    for (int i = 0; i < set->n; i++)
        if (set->at[i].mode == PLB_REDUCE)
            buffers[i] = later->buffer[i];
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
    for (int64_t i = task->more; i >= 0 && status == 0; i--) {
        bool is_later = folds && next.first > rest.first;
        next.count = i > 0 ? next.count : rest.first + rest.count - next.first;
        for (int k = 0; k < set->n && slot != NULL; k++)
            buffers[k] = plb_slot_buffer(slot, set, k, next.first);
        if (is_later)
            take_arrays(e, later, buffers);
        status = plb_executor_submit(e, lane, phase, next, buffers);
        if (status != 0)
            task->range = next;
        else if (is_later)
            plb_dataset_fold_into(set, slot->buffer, later->buffer);
        else if (folds)
            plb_dataset_sort(set, slot->buffer);
        next.first += next.count;
    }
    return status;
}
