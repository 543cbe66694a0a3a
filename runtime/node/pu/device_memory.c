/* Memory of a device, copies, and the news of a pass. */
#include "node/pu/device_places.h"

#include <math.h>
#include <string.h>

#include "app/reduce.h"
#include "base/clock.h"
#include "base/memory.h"
#include "node/memory/arena.h"

/* Of the memory that replicated data leaves: what a lane takes before a task needs more. Larger: small tasks
 * take memory from the libraries of kernels. Smaller: a lane is more often given other memory, for which all
 * lanes wait. A guess. With 2 GB left, a lane has room for the largest task (cuda.c) at once. */
#define FIRST 0.0625

void plb_device_give_back(struct plb_device_places *p, char **memory, size_t bytes)
{
    if (*memory != NULL)
        p->ops->free(p->device, *memory);
    p->room += *memory != NULL ? (double)bytes : 0.0;
    *memory = NULL;
}

void plb_device_take(struct plb_device_places *p, struct plb_place *in, size_t bytes)
{
    for (int tries = 0; tries < 4 && bytes > 0 && in->memory == NULL; tries++, bytes /= 2) {
        in->memory = p->ops->alloc(p->device, bytes + PLB_ARENA_ALIGNMENT);
        in->bytes = bytes;
    }
    p->room -= in->memory != NULL ? (double)in->bytes : 0.0;
}

static char *alloc_lane(struct plb_device_places *p, size_t bytes)
{
    return p->child != NULL ? plb_child_alloc(p->child, bytes) : p->ops->alloc(p->device, bytes);
}

void plb_device_lane_free(struct plb_device_places *p, int lane)
{
    if (p->lane[lane] != NULL && p->child != NULL)
        plb_shared_free(p->lane[lane], p->lane_bytes[lane]);
    else if (p->lane[lane] != NULL)
        p->ops->free(p->device, p->lane[lane]);
    p->lane[lane] = NULL;
}

void plb_device_lanes_free(struct plb_device_places *p)
{
    for (int lane = 0; lane < PLB_MAX_LANES; lane++)
        plb_device_lane_free(p, lane);
}

char *plb_device_lane(struct plb_device_places *p, int lane, size_t needed, double room,
                      const struct plb_task_limit *limit)
{
    if (p->lane[lane] != NULL && needed <= p->lane_bytes[lane])
        return p->lane[lane];
    const size_t most = plb_arena_most(p->set, plb_arena_buffers(p->set, PLB_MODES_OF_TASKS), limit);
    size_t bytes = plb_arena_bytes(needed, (size_t)fmin(FIRST * room + 1.0, (double)most), most);
    plb_device_lane_free(p, lane);
    p->lane[lane] = alloc_lane(p, bytes);
    if (p->lane[lane] == NULL && bytes > needed)
        p->lane[lane] = alloc_lane(p, bytes = needed);
    p->lane_bytes[lane] = bytes;
    return p->lane[lane];
}

void plb_copies_lock(struct plb_device_places *p, const void *memory, size_t bytes)
{
    const double began = plb_now();
    plb_page_lock_offered(p->locks, p->ops, p->device, memory, bytes);
    p->locking_s += plb_now() - began;
}

void plb_copies_lock_task(struct plb_device_places *p, void *const *host, struct plb_range task,
                          void *const *buffers)
{
    const struct plb_dataset *set = p->set;
    for (int i = 0; i < set->n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(set, i, plb_dataset_around(set, i, task), &offset, &bytes);
        if (set->at[i].mode != PLB_REPLICATE && (buffers == NULL || buffers[i] == NULL))
            plb_copies_lock(p, (char *)host[i] + offset, bytes);
    }
}

int64_t plb_zeroed_buffers(const struct plb_dataset *set, bool results, bool on_host)
{
    int64_t zeroed = 0;
    for (int i = 0; i < set->n; i++) {
        const struct plb_data *d = &set->at[i];
        bool output = d->mode == PLB_OUTPUT && results && !set->writes_all;
        bool sums = d->mode == PLB_REDUCE && !on_host && plb_reduce_is_zero(d);
        zeroed |= output || sums ? PLB_BUFFER(i) : 0;
    }
    return zeroed;
}

int plb_copy_in(struct plb_device_places *p, int lane, void *to, const void *from_host, size_t bytes)
{
    size_t at = 0, piece;
    int status;
    p->in += (int64_t)bytes;
    do {
        piece = plb_page_piece(p->locks, (const char *)from_host + at, bytes - at);
        status = p->ops->copy_in(p->device, lane, (char *)to + at, (const char *)from_host + at, piece);
        at += piece;
    } while (at < bytes && status == 0);
    return status;
}

int plb_copy_out(struct plb_device_places *p, int lane, void *to_host, const void *from, size_t bytes)
{
    size_t at = 0, piece;
    int status;
    p->out += (int64_t)bytes;
    do {
        piece = plb_page_piece(p->locks, (char *)to_host + at, bytes - at);
        status = p->ops->copy_out(p->device, lane, (char *)to_host + at, (const char *)from + at, piece);
        at += piece;
    } while (at < bytes && status == 0);
    return status;
}

void plb_renewal_begin(struct plb_renewal *n, const struct plb_message *pass, bool on_rank0, bool on_host,
                       const struct plb_parts *parts)
{
    const struct plb_pass *begin = &pass->begin;
    for (int i = 0; i < begin->n_feeds; i++) {
        const struct plb_feed *f = &begin->feeds[i];
        n->stale |= on_rank0 || (f->now && !on_host) ? PLB_BUFFER(f->input) : 0;
        n->fed |= f->now ? PLB_BUFFER(f->input) : 0;
    }
    n->stale |= plb_parts_begin_pass(&n->parts, n->stale, begin, on_host ? NULL : parts);
    n->pass = begin->again ? 0 : pass->pass;
    n->n_feeds = begin->n_feeds;
    memcpy(n->feeds, begin->feeds, sizeof n->feeds);
    plb_rangeset_clear(&n->counted);
    n->any = n->stale != 0 || (n->n_feeds > 0 && !on_host);
}

void plb_renewal_counted(struct plb_renewal *n, const struct plb_message *m)
{
    for (int i = 0; i < m->counted.n && m->pass == n->pass; i++)
        plb_rangeset_add(&n->counted, m->counted.at[i]);
}

void plb_renewal_take(struct plb_renewal *n, struct plb_renewal *from)
{
    struct plb_renewal old = *n;
    *n = *from;
    plb_parts_clear(&old.parts);
    plb_rangeset_clear(&old.counted);
    *from = (struct plb_renewal){.parts = old.parts, .pass = n->pass, .counted = old.counted};
}

void plb_renewal_fini(struct plb_renewal *n)
{
    plb_parts_fini(&n->parts);
    plb_rangeset_fini(&n->counted);
}

int64_t plb_device_places_may_stay(const struct plb_device_places *p, int pass)
{
    int64_t outputs = 0;
    if (p->own == NULL || p->pass != pass || !plb_device_results_may_stay(p->own, pass))
        return 0;
    for (int i = 0; i < p->set->n; i++)
        if ((p->set->fed & PLB_BUFFER(i)) != 0 && p->at[i].results != NULL)
            outputs |= PLB_BUFFER(p->at[i].output);
    return outputs;
}

bool plb_device_places_on_host(struct plb_device_places *p, int i, struct plb_range units)
{
    return p->all == NULL || plb_device_results_bring_input(p->all, i, units, p->own);
}
