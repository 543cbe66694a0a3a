/* A piece of device memory and sets of units for each input. */
#include "node/pu/uploaded.h"

#include <math.h>

#include "node/memory/arena.h"

#define ALIGNED 64 /* bytes: tasks whose units begin elsewhere in the buffer get them with each task */

/* The byte of the buffer at which a unit begins. */
static size_t byte_of(const struct plb_dataset *set, int i, int64_t unit)
{
    size_t offset, bytes;
    plb_dataset_bytes(set, i, (struct plb_range){unit, 0}, &offset, &bytes);
    return offset;
}

static size_t bytes_of(const struct plb_dataset *set, int i, struct plb_range range)
{
    size_t offset, bytes;
    plb_dataset_bytes(set, i, range, &offset, &bytes);
    return bytes;
}

/* Takes memory for an input, or for a part of it where the device has no piece as large. */
static void take(struct plb_uploaded_input *in, const struct plb_device_copies *c, size_t bytes)
{
    for (int tries = 0; tries < 4 && bytes > 0 && in->memory == NULL; tries++, bytes /= 2) {
        in->memory = c->ops->alloc(c->device, bytes + PLB_ARENA_ALIGNMENT);
        in->bytes = bytes;
    }
}

/* Takes memory for these inputs: for each the same part of it. Returns what is left of the room. */
static double take_all(struct plb_uploaded *u, const struct plb_device_copies *c,
                       const struct plb_dataset *set, int64_t inputs, double room)
{
    const struct plb_range all = {0, set->units};
    double total = 0.0;
    for (int i = 0; i < set->n; i++)
        total += inputs & PLB_BUFFER(i) ? (double)bytes_of(set, i, all) : 0.0;
    const double part = room < total ? room / total : 1.0;
    for (int i = 0; i < set->n && part > 0.0; i++)
        if ((inputs & PLB_BUFFER(i)) != 0)
            take(&u->at[i], c, (size_t)(part * (double)bytes_of(set, i, all)));
    return room - fmax(part, 0.0) * total;
}

void plb_uploaded_open(struct plb_uploaded *u, const struct plb_device_copies *c,
                       const struct plb_dataset *set, double room)
{
    const int64_t inputs = plb_dataset_inputs(set); /* fed ones are copied in each pass anyway */
    room = take_all(u, c, set, inputs & ~set->fed, room);
    take_all(u, c, set, inputs & set->fed, room);
}

bool plb_uploaded_close(struct plb_uploaded *u, const struct plb_device_copies *c)
{
    bool any = false;
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        struct plb_uploaded_input *in = &u->at[i];
        if (in->memory != NULL)
            c->ops->free(c->device, in->memory);
        any |= in->memory != NULL;
        plb_rangeset_fini(&in->here);
        for (int lane = 0; lane < PLB_MAX_LANES; lane++)
            plb_rangeset_fini(&in->coming[lane]);
        *in = (struct plb_uploaded_input){.memory = NULL};
    }
    return any;
}

char *plb_uploaded_place(const struct plb_uploaded *u, const struct plb_dataset *set, int i, int64_t first)
{
    const struct plb_uploaded_input *in = &u->at[i];
    const size_t begin = byte_of(set, i, in->units.first); /* aligned there as it is in the buffer */
    return in->memory + begin % PLB_ARENA_ALIGNMENT + ((ptrdiff_t)byte_of(set, i, first) - (ptrdiff_t)begin);
}

/* The units from `first` on that the memory holds; from a smaller one, where there are too few behind it. */
static struct plb_range fitting(const struct plb_uploaded_input *in, const struct plb_dataset *set, int i,
                                int64_t first)
{
    int64_t low = first, high = set->units;
    while (low < high) { /* the last end that fits */
        const int64_t middle = low + (high - low + 1) / 2;
        if (byte_of(set, i, middle) - byte_of(set, i, first) <= in->bytes)
            low = middle;
        else
            high = middle - 1;
    }
    const int64_t end = low;
    for (low = 0, high = first; low < high && end == set->units;) { /* the first begin that does */
        const int64_t middle = low + (high - low) / 2;
        if (byte_of(set, i, end) - byte_of(set, i, middle) <= in->bytes)
            high = middle;
        else
            low = middle + 1;
    }
    return (struct plb_range){high, end - high};
}

/* Whether a task in another lane brings some of these units. */
static bool comes_elsewhere(const struct plb_uploaded_input *in, int lane, struct plb_range units)
{
    for (int other = 0; other < PLB_MAX_LANES; other++)
        if (other != lane && plb_rangeset_overlaps(&in->coming[other], units))
            return true;
    return false;
}

int64_t plb_uploaded_find(struct plb_uploaded *u, const struct plb_device_copies *c,
                          const struct plb_dataset *set, int lane, struct plb_range task,
                          void *data[PLB_MAX_DATA])
{
    int64_t found = 0;
    for (int i = 0; i < set->n; i++) {
        struct plb_uploaded_input *in = &u->at[i];
        if (in->memory == NULL)
            continue;
        const struct plb_range around = plb_dataset_around(set, i, task);
        if (in->units.count == 0)
            in->units = fitting(in, set, i, around.first);
        const bool aligned = set->at[i].mode != PLB_PARTITION || byte_of(set, i, task.first) % ALIGNED == 0;
        if (!aligned || !plb_range_within(around, in->units)
            || (c->ops->follow == NULL && comes_elsewhere(in, lane, around)))
            continue;
        data[i] = plb_uploaded_place(u, set, i, task.first);
        found |= PLB_BUFFER(i);
    }
    return found;
}

/* Leaves out the units that other tasks bring; the lane waits for those that are in other lanes. */
static int leave_out(const struct plb_uploaded_input *in, const struct plb_device_copies *c, int lane,
                     struct plb_range around, struct plb_rangeset *missing)
{
    int status = 0;
    for (int other = 0; other < PLB_MAX_LANES && status == 0; other++) {
        const struct plb_rangeset *coming = &in->coming[other];
        if (!plb_rangeset_overlaps(coming, around))
            continue;
        for (int k = 0; k < coming->n; k++)
            plb_rangeset_remove(missing, coming->at[k]);
        status = other != lane ? c->ops->follow(c->device, lane, other) : 0;
    }
    return status;
}

int plb_uploaded_bring(struct plb_uploaded *u, struct plb_device_copies *c, const struct plb_dataset *set,
                       int lane, int i, struct plb_range task, const char *host)
{
    struct plb_uploaded_input *in = &u->at[i];
    struct plb_rangeset missing = {0};
    const struct plb_range around = plb_dataset_around(set, i, task);
    const size_t begin = byte_of(set, i, task.first);
    plb_rangeset_missing(&in->here, around, &missing);
    int status = leave_out(in, c, lane, around, &missing);
    for (int k = 0; k < missing.n && status == 0; k++) {
        const struct plb_range r = missing.at[k];
        status = plb_copy_in(c, lane, plb_uploaded_place(u, set, i, r.first),
                             host + ((ptrdiff_t)byte_of(set, i, r.first) - (ptrdiff_t)begin),
                             bytes_of(set, i, r));
        if (status == 0)
            plb_rangeset_add(&in->coming[lane], r);
    }
    plb_rangeset_fini(&missing);
    if (in->read[lane].count == 0)
        in->host[lane] = host + ((ptrdiff_t)byte_of(set, i, around.first) - (ptrdiff_t)begin);
    in->read[lane] = in->read[lane].count > 0 ? plb_range_hull(in->read[lane], around) : around;
    return status;
}

void plb_uploaded_end(struct plb_uploaded *u, int lane, bool here)
{
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        struct plb_rangeset *coming = &u->at[i].coming[lane];
        for (int k = 0; k < coming->n && here; k++)
            plb_rangeset_add(&u->at[i].here, coming->at[k]);
        plb_rangeset_clear(coming);
        u->at[i].read[lane].count = 0;
    }
}

void plb_uploaded_forget(struct plb_uploaded *u, int64_t buffers)
{
    for (int i = 0; i < PLB_MAX_DATA; i++)
        if ((buffers & PLB_BUFFER(i)) != 0)
            plb_rangeset_clear(&u->at[i].here);
}
