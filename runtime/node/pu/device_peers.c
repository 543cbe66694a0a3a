/* A list of devices, and counts of who reads what. */
#include "node/pu/device_places.h"

/* Units that another device has, and where. */
struct offer {
    struct plb_range units;
    const struct plb_device *device;
    const char *from;
};

static void lock(const struct plb_device_places *p)
{
    if (p->peers != NULL)
        pthread_mutex_lock(&p->peers->lock);
}

static void unlock(const struct plb_device_places *p)
{
    if (p->peers != NULL)
        pthread_mutex_unlock(&p->peers->lock);
}

void plb_peers_join(struct plb_peers *peers, struct plb_device_places *p)
{
    p->peers = peers;
    lock(p);
    p->next_peer = peers->first;
    peers->first = p;
    unlock(p);
}

void plb_peers_leave(struct plb_device_places *p)
{
    if (p->peers == NULL)
        return;
    plb_peers_withdraw(p);
    lock(p);
    struct plb_device_places **at = &p->peers->first;
    while (*at != p)
        at = &(*at)->next_peer;
    *at = p->next_peer;
    unlock(p);
}

void plb_peers_withdraw(struct plb_device_places *p)
{
    lock(p);
    for (int i = 0; i < p->set->n; i++)
        plb_rangeset_fini(&p->at[i].offered);
    unlock(p);
}

void plb_peers_offer(struct plb_device_places *p)
{
    if (p->peers == NULL || p->pass == 0)
        return;
    lock(p);
    const bool alone = p->peers->first == p && p->next_peer == NULL;
    for (int i = 0; i < p->set->n && !alone; i++)
        if (p->at[i].results != NULL)
            plb_rangeset_add_all(&p->at[i].offered, &p->at[i].here);
    unlock(p);
}

bool plb_peers_read(const struct plb_device_places *p, const struct plb_place *in, bool results)
{
    lock(p);
    const bool read = in->readers[results ? !in->side : in->side] > 0;
    unlock(p);
    return read;
}

/* The first of these units that this other device offers; count = 0: none. Under the lock. */
static struct plb_range first_offered(const struct plb_place *in, struct plb_range units)
{
    for (int k = 0; k < in->offered.n; k++) {
        const struct plb_range common = plb_range_common(in->offered.at[k], units);
        if (common.count > 0)
            return common;
    }
    return (struct plb_range){0, 0};
}

/* Finds the first of some units that another device has in the same pass, and notes that the lane reads
 * there. */
static bool borrow(struct plb_device_places *p, int lane, int i, struct plb_range units, struct offer *found)
{
    int *readers = NULL;
    found->units = (struct plb_range){0, 0};
    if (p->peers == NULL || p->pass == 0 || p->n_borrowed[lane] == PLB_BORROWED)
        return false;
    lock(p);
    for (struct plb_device_places *q = p->peers->first; q != NULL; q = q->next_peer) {
        struct plb_place *in = &q->at[i];
        const struct plb_range first = first_offered(in, units);
        if (q == p || q->ops != p->ops || first.count == 0 || q->pass != p->pass
            || (readers != NULL && first.first >= found->units.first))
            continue;
        *found = (struct offer){first, q->device, plb_device_place(q, i, first.first)};
        readers = &in->readers[in->side];
    }
    if (readers != NULL) {
        ++*readers;
        p->borrowed[lane][p->n_borrowed[lane]++] = readers;
    }
    unlock(p);
    return readers != NULL;
}

void plb_peers_copied(struct plb_device_places *p, int lane)
{
    if (p->n_borrowed[lane] == 0)
        return;
    lock(p);
    while (p->n_borrowed[lane] > 0)
        --*p->borrowed[lane][--p->n_borrowed[lane]];
    unlock(p);
}

/* Copies units from the host. */
static int copy_in(struct plb_device_places *p, int lane, int i, struct plb_range units, const char *host)
{
    return plb_copy_in(p, lane, plb_device_place(p, i, units.first), host, plb_place_bytes(p->set, i, units));
}

int plb_peers_copy(struct plb_device_places *p, int lane, int i, struct plb_range units, const char *host)
{
    int status = 0;
    struct offer found;
    while (units.count > 0 && status == 0 && borrow(p, lane, i, units, &found)) {
        const struct plb_range before = {units.first, found.units.first - units.first};
        const size_t skipped = plb_place_bytes(p->set, i, before),
                     bytes = plb_place_bytes(p->set, i, found.units);
        if (before.count > 0)
            status = copy_in(p, lane, i, before, host);
        host += skipped;
        if (status == 0)
            status = p->ops->copy_peer(p->device, lane, plb_device_place(p, i, found.units.first),
                                       found.device, found.from, bytes);
        if (status == PLB_DEVICE_APART)
            status = copy_in(p, lane, i, found.units, host);
        else
            p->in += (int64_t)bytes, p->from_peers += (int64_t)bytes;
        host += bytes;
        units = (struct plb_range){plb_range_end(found.units),
                                   plb_range_end(units) - plb_range_end(found.units)};
    }
    return units.count > 0 && status == 0 ? copy_in(p, lane, i, units, host) : status;
}
