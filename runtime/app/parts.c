/* Ranges of bytes, and packets of them. */
#include "app/parts.h"

#include <string.h>

#define BUFFER(i) ((int64_t)1 << (i))

/* Bytes between two parts up to which they become one. Larger: more bytes travel that have not changed.
 * Smaller: more parts. A part more takes 24 bytes, and one more call of memcpy at each rank. */
#define NEAR 128

/* A packet has one for each part. */
struct entry {
    int64_t buffer;
    struct plb_range bytes;
};

void plb_parts_fini(struct plb_parts *p)
{
    for (int i = 0; i < PLB_PARTS_BUFFERS; i++)
        plb_rangeset_fini(&p->at[i]);
    p->buffers = 0;
}

void plb_parts_clear(struct plb_parts *p)
{
    plb_parts_drop(p, p->buffers);
}

void plb_parts_add(struct plb_parts *p, int buffer, struct plb_range bytes)
{
    plb_rangeset_add(&p->at[buffer], bytes);
    if (bytes.count > 0)
        p->buffers |= BUFFER(buffer);
}

void plb_parts_drop(struct plb_parts *p, int64_t buffers)
{
    for (int i = 0; i < PLB_PARTS_BUFFERS; i++)
        if ((p->buffers & buffers & BUFFER(i)) != 0)
            plb_rangeset_clear(&p->at[i]);
    p->buffers &= ~buffers;
}

void plb_parts_take(struct plb_parts *p, struct plb_parts *from)
{
    struct plb_parts old = *p;
    *p = *from;
    *from = old;
    plb_parts_clear(from);
}

struct plb_range plb_parts_next(const struct plb_rangeset *parts, int64_t near, int *k)
{
    struct plb_range part = parts->at[(*k)++];
    while (*k < parts->n && parts->at[*k].first - part.first - part.count <= near)
        part = plb_range_hull(part, parts->at[(*k)++]);
    return part;
}

static void close_gaps(struct plb_rangeset *set)
{
    int n = 0;
    set->units = 0;
    for (int k = 0; k < set->n; n++) {
        set->at[n] = plb_parts_next(set, NEAR, &k);
        set->units += set->at[n].count;
    }
    set->n = n;
}

void plb_parts_close(struct plb_parts *p)
{
    for (int i = 0; i < PLB_PARTS_BUFFERS; i++)
        if ((p->buffers & BUFFER(i)) != 0)
            close_gaps(&p->at[i]);
}

int64_t plb_parts_begin_pass(struct plb_parts *p, int64_t stale, const struct plb_pass *begin,
                             const struct plb_parts *changed)
{
    int64_t whole = begin->replaced & (~begin->parts | (stale & ~p->buffers));
    plb_parts_drop(p, whole);
    for (int i = 0; i < PLB_PARTS_BUFFERS && changed != NULL; i++) {
        const struct plb_rangeset *set = &changed->at[i];
        bool adds = (begin->parts & changed->buffers & ~whole & BUFFER(i)) != 0;
        if (adds)
            for (int k = 0; k < set->n; k++)
                plb_parts_add(p, i, set->at[k]);
    }
    return begin->replaced;
}

/* --------------------------------------------------------------------- packets */

static int64_t count(const struct plb_parts *p, int64_t *bytes)
{
    int64_t n = 0;
    *bytes = 0;
    for (int i = 0; i < PLB_PARTS_BUFFERS; i++) {
        n += p->at[i].n;
        *bytes += p->at[i].units;
    }
    return n;
}

size_t plb_parts_packet(const struct plb_parts *p)
{
    int64_t bytes, n = count(p, &bytes);
    return n > 0 ? sizeof n + (size_t)n * sizeof(struct entry) + (size_t)bytes : 0;
}

void plb_parts_pack(const struct plb_parts *p, void *const *host, char *packet)
{
    int64_t bytes, n = count(p, &bytes);
    char *to = packet + sizeof n + (size_t)n * sizeof(struct entry);
    memcpy(packet, &n, sizeof n);
    packet += sizeof n;
    for (int i = 0; i < PLB_PARTS_BUFFERS; i++)
        for (int k = 0; k < p->at[i].n; k++) {
            struct entry e = {i, p->at[i].at[k]};
            memcpy(packet, &e, sizeof e);
            packet += sizeof e;
            memcpy(to, (const char *)host[i] + e.bytes.first, (size_t)e.bytes.count);
            to += e.bytes.count;
        }
}

static bool is_part(const struct plb_data *data, const struct entry *e, int64_t buffers)
{
    if (e->buffer < 0 || e->buffer >= PLB_PARTS_BUFFERS || (buffers & BUFFER(e->buffer)) == 0)
        return false;
    const struct plb_data *d = &data[e->buffer];
    int64_t size = (int64_t)d->bytes, first = e->bytes.first;
    return d->mode == PLB_REPLICATE && first >= 0 && first <= size && e->bytes.count > 0
        && e->bytes.count <= size - first;
}

/* The parts of a packet; where its bytes begin is behind them. NULL: it is none. */
static const char *look(const struct plb_data *data, int64_t buffers, const char *packet, size_t bytes,
                        int64_t *n)
{
    const size_t size = sizeof(struct entry);
    if (bytes < sizeof *n)
        return NULL;
    memcpy(n, packet, sizeof *n);
    size_t left = bytes - sizeof *n;
    if (*n < 1 || (size_t)*n > left / size)
        return NULL;
    left -= (size_t)*n * size;
    for (int64_t k = 0; k < *n; k++) {
        struct entry e;
        memcpy(&e, packet + sizeof *n + (size_t)k * size, size);
        if (!is_part(data, &e, buffers) || (size_t)e.bytes.count > left)
            return NULL;
        left -= (size_t)e.bytes.count;
    }
    return left == 0 ? packet + sizeof *n : NULL;
}

bool plb_parts_unpack(struct plb_parts *p, int64_t buffers, const struct plb_data *data, void *const *host,
                      const char *packet, size_t bytes)
{
    int64_t n;
    const char *at = look(data, buffers, packet, bytes, &n);
    if (at == NULL)
        return false;
    const char *from = at + (size_t)n * sizeof(struct entry);
    plb_parts_clear(p);
    for (int64_t k = 0; k < n; k++) {
        struct entry e;
        memcpy(&e, at + (size_t)k * sizeof e, sizeof e);
        memcpy((char *)host[e.buffer] + e.bytes.first, from, (size_t)e.bytes.count);
        from += e.bytes.count;
        plb_parts_add(p, (int)e.buffer, e.bytes);
    }
    return true;
}
