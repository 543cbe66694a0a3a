/* Sets of units for each buffer. */
#include "node/pu/device_places.h"

#include <math.h>

#include "node/memory/arena.h"

#define ALIGNED 64 /* bytes: entries find a copy of units that begin elsewhere in the buffer */

/* --------------------------------------------------------------------- ranges of a buffer */

static bool is_replicated(const struct plb_dataset *set, int i)
{
    return set->at[i].mode == PLB_REPLICATE;
}

/* The byte of the buffer at which a unit begins; the ranges of a replicated buffer are bytes. */
static size_t byte_of(const struct plb_dataset *set, int i, int64_t unit)
{
    size_t offset = (size_t)unit, bytes;
    if (!is_replicated(set, i))
        plb_dataset_bytes(set, i, (struct plb_range){unit, 0}, &offset, &bytes);
    return offset;
}

static size_t bytes_of(const struct plb_dataset *set, int i, struct plb_range range)
{
    size_t offset, bytes = (size_t)range.count;
    if (!is_replicated(set, i))
        plb_dataset_bytes(set, i, range, &offset, &bytes);
    return bytes;
}

static struct plb_range whole(const struct plb_dataset *set, int i)
{
    return (struct plb_range){0, is_replicated(set, i) ? (int64_t)set->at[i].bytes : set->units};
}

static struct plb_range read_by(const struct plb_dataset *set, int i, struct plb_range task)
{
    return is_replicated(set, i) ? whole(set, i) : plb_dataset_around(set, i, task);
}

/* The units from `first` on that the memory holds; from a smaller one, where there are too few behind it. */
static struct plb_range fitting(const struct plb_place *in, const struct plb_dataset *set, int i,
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

/* Where a unit is in a place, from its begin: aligned there as it is in the buffer. */
static ptrdiff_t offset_of(const struct plb_device_places *p, int i, int64_t unit)
{
    const size_t begin = byte_of(p->set, i, p->at[i].units.first);
    return (ptrdiff_t)(begin % PLB_ARENA_ALIGNMENT + byte_of(p->set, i, unit)) - (ptrdiff_t)begin;
}

char *plb_device_place(const struct plb_device_places *p, int i, int64_t first)
{
    return p->at[i].memory + offset_of(p, i, first);
}

/* --------------------------------------------------------------------------------- memory */

/* Takes memory for these inputs: for each the same part of it. Leaves as much for their second places. */
static void take_all(struct plb_device_places *p, int64_t inputs, int places)
{
    double total = 0.0;
    for (int i = 0; i < p->set->n; i++)
        if ((inputs & PLB_BUFFER(i)) != 0)
            total += places * (double)bytes_of(p->set, i, whole(p->set, i));
    const double part = p->room < total ? p->room / total : 1.0;
    if (part > 0.0)
        for (int i = 0; i < p->set->n; i++)
            if ((inputs & PLB_BUFFER(i)) != 0)
                plb_device_take(p, &p->at[i], (size_t)(part * (double)bytes_of(p->set, i, whole(p->set, i))));
}

void plb_device_places_open(struct plb_device_places *p, double room)
{
    const int64_t inputs = plb_dataset_partitioned(p->set);
    p->room = room;
    take_all(p, inputs & ~p->set->named, 1);
    take_all(p, inputs & p->set->named, 2);
}

/* Gives up the places of a mask. Returns whether there were any. */
static bool give_up(struct plb_device_places *p, int64_t buffers)
{
    bool any = false;
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        struct plb_place *in = &p->at[i];
        if ((buffers & PLB_BUFFER(i)) == 0)
            continue;
        any |= in->memory != NULL;
        plb_device_give_back(p, &in->memory, in->bytes);
        plb_device_give_back(p, &in->results, in->bytes);
        plb_rangeset_fini(&in->here);
        plb_rangeset_fini(&in->made);
        plb_rangeset_fini(&in->elsewhere);
        for (int lane = 0; lane < PLB_MAX_LANES; lane++)
            plb_rangeset_fini(&in->coming[lane]);
        *in = (struct plb_place){.memory = NULL};
    }
    return any;
}

bool plb_device_places_give_up(struct plb_device_places *p)
{
    if (p->own != NULL)
        plb_device_results_bring_all(p->own);
    return give_up(p, plb_dataset_partitioned(p->set));
}

void plb_device_places_fini(struct plb_device_places *p)
{
    give_up(p, -1);
    plb_device_lanes_free(p);
}

/* ---------------------------------------------------------------------------- a new pass */

/* An output feeds the input from now on, which gets a second place. Where there is too little memory for it,
 * both get the half of what the first one had. The message may be wrong. */
static void take_results(struct plb_device_places *p, const struct plb_feed *f)
{
    const struct plb_dataset *set = p->set;
    struct plb_place *in = &p->at[f->input];
    const bool fits = f->output < set->n && in->memory != NULL && set->at[f->input].mode == PLB_PARTITION
                   && set->at[f->output].mode == PLB_OUTPUT
                   && set->at[f->input].unit_bytes == set->at[f->output].unit_bytes;
    if (!fits)
        return;
    for (int i = 0; i < set->n; i++) /* one place for the results of one output */
        if (i != f->input && p->at[i].results != NULL && p->at[i].output == f->output)
            return;
    if (in->results == NULL && (double)in->bytes > p->room) {
        const double all = (double)in->bytes + fmax(p->room, 0.0);
        plb_device_give_back(p, &in->memory, in->bytes);
        plb_device_take(p, in, (size_t)(all / 2.0));
        in->units.count = 0;
        plb_rangeset_clear(&in->here);
    }
    if (in->results == NULL && in->memory != NULL
        && (in->results = p->ops->alloc(p->device, in->bytes + PLB_ARENA_ALIGNMENT)) != NULL)
        p->room -= (double)in->bytes;
    in->output = f->output;
}

/* The results of the last pass become the input. Those are here that counted. */
static void change_places(struct plb_place *in, const struct plb_rangeset *counted)
{
    char *results = in->results;
    in->results = in->memory;
    in->memory = results;
    for (int k = 0; k < in->made.n; k++)
        plb_rangeset_add_common(&in->here, in->made.at[k], counted);
}

/* Inputs that are split: what has changed is here no more. After a pass without tasks, inputs may be in the
 * place of results alone. A task brings its units to the host before it writes there: they are not here. */
static void feed(struct plb_device_places *p, const struct plb_renewal *n)
{
    const bool next = p->pass > 0 && n->pass == p->pass + 1;
    for (int i = 0; i < p->set->n; i++)
        if ((n->fed & PLB_BUFFER(i)) != 0)
            plb_rangeset_clear(&p->at[i].here);
    for (int k = 0; k < n->n_feeds; k++) {
        const struct plb_feed *f = &n->feeds[k];
        if (f->input >= p->set->n) /* the core knows nothing of buffers */
            continue;
        struct plb_place *in = &p->at[f->input];
        if (next && f->now && in->results != NULL && in->output == f->output)
            change_places(in, &n->counted);
        take_results(p, f);
    }
    for (int i = 0; i < p->set->n; i++) {
        plb_rangeset_clear(&p->at[i].made);
        plb_rangeset_clear(&p->at[i].elsewhere);
    }
    p->pass = n->pass;
}

/* Those parts of a replicated buffer that have changed are here no more. */
static void forget(struct plb_place *in, const struct plb_renewal *n, int i, size_t near)
{
    if ((n->parts.buffers & PLB_BUFFER(i)) == 0)
        plb_rangeset_clear(&in->here);
    for (int k = 0; k < n->parts.at[i].n && (n->parts.buffers & PLB_BUFFER(i)) != 0;)
        plb_rangeset_remove(&in->here, plb_parts_next(&n->parts.at[i], (int64_t)near, &k));
}

int plb_device_places_renew(struct plb_device_places *p, const struct plb_renewal *n, void *const *host,
                            struct plb_error *err)
{
    int status = 0;
    feed(p, n);
    for (int i = 0; i < p->set->n && status == 0; i++) {
        struct plb_place *in = &p->at[i];
        const size_t bytes = p->set->at[i].bytes;
        if (!is_replicated(p->set, i) || (n->stale & PLB_BUFFER(i)) == 0)
            continue;
        in->memory = in->memory == NULL ? p->ops->alloc(p->device, bytes) : in->memory;
        if (in->memory == NULL)
            return plb_fail(err, PLB_EFAILED, "no device memory for the %zu bytes of a replicated buffer",
                            bytes);
        in->units = whole(p->set, i);
        forget(in, n, i, p->ops->near);
        plb_copies_lock(p, host[i], bytes);
        status = plb_device_places_bring(p, 0, i, in->units, host[i], in->memory);
    }
    const int waited = p->ops->wait(p->device, 0, NULL);
    plb_device_places_end(p, 0, status == 0 && waited == 0);
    if (status != 0 || waited != 0)
        return plb_fail(err, PLB_EFAILED, "copying to the device failed: %s",
                        p->ops->failure != NULL ? p->ops->failure(p->device) : "");
    return PLB_OK;
}

/* -------------------------------------------------------------------------------- a task */

/* Whether a task in another lane brings some of these units. */
static bool comes_elsewhere(const struct plb_place *in, int lane, struct plb_range units)
{
    for (int other = 0; other < PLB_MAX_LANES; other++)
        if (other != lane && plb_rangeset_overlaps(&in->coming[other], units))
            return true;
    return false;
}

/* Whether a task writes its results to the place of those that feed the input. A second task of a unit does
 * not, as either result may count: the one that is there becomes no input. */
static bool writes(struct plb_place *in, struct plb_range task, bool reaches)
{
    if (in->results == NULL)
        return false;
    if (reaches && plb_range_within(task, in->units) && !plb_rangeset_overlaps(&in->made, task)
        && !plb_rangeset_overlaps(&in->elsewhere, task))
        return true;
    plb_rangeset_remove(&in->made, task);
    plb_rangeset_add(&in->elsewhere, task);
    return false;
}

int64_t plb_device_places_find(struct plb_device_places *p, int lane, struct plb_range task, bool wanted,
                               void *data[PLB_MAX_DATA])
{
    const struct plb_dataset *set = p->set;
    int64_t found = 0;
    for (int i = 0; i < set->n; i++) {
        struct plb_place *in = &p->at[i];
        if (in->memory == NULL || (!wanted && !is_replicated(set, i)))
            continue;
        const struct plb_range around = read_by(set, i, task);
        if (in->units.count == 0 && !is_replicated(set, i))
            in->units = fitting(in, set, i, around.first);
        const bool aligned = set->at[i].mode != PLB_PARTITION || byte_of(set, i, task.first) % ALIGNED == 0;
        const bool reaches = aligned || p->ops->copy_within != NULL;
        if (writes(in, task, reaches)) {
            data[in->output] = aligned ? in->results + offset_of(p, i, task.first) : NULL;
            found |= PLB_BUFFER(in->output);
        }
        if (!reaches || !plb_range_within(around, in->units)
            || (p->ops->follow == NULL && comes_elsewhere(in, lane, around)))
            continue;
        data[i] = aligned ? plb_device_place(p, i, is_replicated(set, i) ? 0 : task.first) : NULL;
        found |= PLB_BUFFER(i);
    }
    return found;
}

/* Leaves out the units that other tasks bring; the lane waits for those that are in other lanes. */
static int leave_out(const struct plb_device_places *p, const struct plb_place *in, int lane,
                     struct plb_range around, struct plb_rangeset *missing)
{
    int status = 0;
    for (int other = 0; other < PLB_MAX_LANES && status == 0; other++) {
        const struct plb_rangeset *coming = &in->coming[other];
        if (!plb_rangeset_overlaps(coming, around))
            continue;
        plb_rangeset_remove_all(missing, coming);
        status = other != lane ? p->ops->follow(p->device, lane, other) : 0;
    }
    return status;
}

/* The range k of those that are missing, with the ones behind it that are near: units between them, which are
 * here already, are copied again. *k becomes the last one. */
static struct plb_range with_near(const struct plb_device_places *p, int i,
                                  const struct plb_rangeset *missing, int *k)
{
    struct plb_range all = missing->at[*k];
    for (; *k + 1 < missing->n; ++*k) {
        const struct plb_range next = missing->at[*k + 1];
        const struct plb_range between = {plb_range_end(all), next.first - plb_range_end(all)};
        if (bytes_of(p->set, i, between) > p->ops->near
            || plb_rangeset_lacking(&p->at[i].here, between).count > 0)
            break;
        all = plb_range_hull(all, next);
    }
    return all;
}

int plb_device_places_bring(struct plb_device_places *p, int lane, int i, struct plb_range task,
                            const char *host, char *data)
{
    struct plb_place *in = &p->at[i];
    struct plb_rangeset missing = {0};
    const struct plb_range around = read_by(p->set, i, task);
    const size_t begin = is_replicated(p->set, i) ? 0 : byte_of(p->set, i, task.first);
    plb_rangeset_missing(&in->here, around, &missing);
    int status = leave_out(p, in, lane, around, &missing);
    for (int k = 0; k < missing.n && status == 0; k++) {
        const struct plb_range r = with_near(p, i, &missing, &k);
        status = plb_device_places_on_host(p, i, r) ? 0 : PLB_INPUT_LOST;
        if (status == 0)
            status = plb_copy_in(p, lane, plb_device_place(p, i, r.first),
                                 host + ((ptrdiff_t)byte_of(p->set, i, r.first) - (ptrdiff_t)begin),
                                 bytes_of(p->set, i, r));
    }
    for (int k = 0; k < missing.n && status == 0; k++)
        plb_rangeset_add(&in->coming[lane], missing.at[k]);
    plb_rangeset_fini(&missing);
    const ptrdiff_t before = (ptrdiff_t)byte_of(p->set, i, around.first) - (ptrdiff_t)begin; /* or 0 */
    char *at = plb_device_place(p, i, around.first);
    if (status == 0 && data + before != at)
        status = p->ops->copy_within(p->device, lane, data + before, at, bytes_of(p->set, i, around));
    if (in->read[lane].count == 0)
        in->host[lane] = host + before;
    in->read[lane] = in->read[lane].count > 0 ? plb_range_hull(in->read[lane], around) : around;
    return status;
}

int plb_device_places_launched(struct plb_device_places *p, int lane, struct plb_range task, int64_t found,
                               int64_t stay, void *const *data, void *const *host)
{
    int status = 0;
    for (int i = 0; i < p->set->n && status == 0; i++) {
        struct plb_place *in = &p->at[i];
        if (in->results == NULL || (found & PLB_BUFFER(in->output)) == 0)
            continue;
        char *at = in->results + offset_of(p, i, task.first);
        if (data[in->output] != at)
            status = p->ops->copy_within(p->device, lane, at, data[in->output], bytes_of(p->set, i, task));
        if (status == 0)
            plb_rangeset_add(&in->made, task);
        if (status != 0 || (stay & PLB_BUFFER(in->output)) == 0)
            continue;
        in->stays[lane] = task;
        in->results_host = (char *)host[in->output] - (size_t)task.first * p->set->at[i].unit_bytes;
        p->stays_pass[lane] = p->pass;
    }
    return status;
}

/* Notes results of the lane's task that are on the device alone. */
static void note(struct plb_device_places *p, int lane, int i)
{
    const struct plb_place *in = &p->at[i];
    p->noted[lane] = true;
    plb_device_results_made(p->own, p->stays_pass[lane], i, in->output, in->stays[lane],
                            &(struct plb_device_units){
                                .device = in->results, .lead = offset_of(p, i, 0), .host = in->results_host});
}

void plb_device_places_end(struct plb_device_places *p, int lane, bool well)
{
    p->noted[lane] = false;
    for (int i = 0; i < PLB_MAX_DATA; i++) {
        if (well && p->at[i].stays[lane].count > 0)
            note(p, lane, i);
        p->at[i].stays[lane].count = 0;
        struct plb_rangeset *coming = &p->at[i].coming[lane];
        if (well)
            plb_rangeset_add_all(&p->at[i].here, coming);
        plb_rangeset_clear(coming);
        p->at[i].read[lane].count = 0;
        if (!well) { /* what was there may count, and a later task of the same units is a second one */
            plb_rangeset_add_all(&p->at[i].elsewhere, &p->at[i].made);
            plb_rangeset_clear(&p->at[i].made);
        }
    }
}
