/* Ranks that have joined: their connections beside MPI. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "transport/mpi.h"
#include "transport/mpi_inside.h"

/* The tag of what is broadcast to one rank; others are lower. */
#define SHARED_TAG (PLB_DATA_TAGS + 1)

/* Seconds between two looks whether a broadcast has arrived. Larger: joining lasts longer. Smaller: more of a
 * core. */
#define LOOK 100e-6

int plb_mpi_started(const struct plb_mpi *m)
{
    return m->size;
}

bool plb_mpi_has_joined(const struct plb_mpi *m)
{
    return m->joined;
}

void plb_mpi_reserve(struct plb_mpi *m, int joiners)
{
    size_t old = (size_t)m->all, n = old + (size_t)joiners;
    if (joiners == 0)
        return;
    m->warned = plb_grow(m->warned, n * sizeof *m->warned);
    m->lost = plb_grow(m->lost, n * sizeof *m->lost);
    m->out = plb_grow(m->out, n * sizeof *m->out);
    for (size_t i = old; i < n; i++) {
        m->warned[i] = false;
        m->lost[i] = m->rank == 0; /* it alone sends to them */
        m->out[i] = (struct plb_frame){0};
    }
    m->links = plb_alloc(n * sizeof *m->links);
    m->all = (int)n;
}

struct plb_mpi *plb_mpi_join(int socket, int rank, int n)
{
    struct plb_mpi *m = plb_alloc(sizeof *m);
    m->rank = rank;
    m->local_size = 1;
    m->joined = true;
    plb_mpi_reserve(m, n);
    m->frames_sent = plb_alloc((size_t)n * sizeof *m->frames_sent);
    m->links[0] = plb_link_new(socket);
    return m;
}

void plb_mpi_attach(struct plb_mpi *m, int rank, int socket)
{
    m->links[rank] = plb_link_new(socket);
}

void plb_mpi_tell(struct plb_mpi *m, int rank, int *pending)
{
    m->told = rank >= 0 ? m->links[rank] : NULL;
    m->told_pending = pending;
}

void plb_mpi_admit(struct plb_mpi *m, int rank)
{
    m->lost[rank] = false;
}

void plb_mpi_detach(struct plb_mpi *m, int rank)
{
    struct plb_link *link = plb_mpi_link(m, rank);
    if (link == NULL)
        return;
    plb_link_progress(link); /* a last word */
    plb_link_free(link);
    m->links[rank] = NULL;
}

int plb_mpi_gone(const struct plb_mpi *m, int after)
{
    if (m->links != NULL)
        for (int i = after + 1; i < m->all; i++)
            if (m->links[i] != NULL && plb_link_broken(m->links[i]))
                return i;
    return -1;
}

bool plb_mpi_receive_linked(struct plb_mpi *m)
{
    for (int i = 0; i < m->all; i++) {
        size_t bytes = m->links[i] != NULL ? plb_link_frame(m->links[i], m->in, sizeof m->in) : 0;
        if (bytes == 0)
            continue;
        m->reader = (struct plb_frame_reader){m->in, bytes, i, m->rank, m->all, true};
        return true;
    }
    return false;
}

/* Waits for what rank 0 tells. Zeros where it has ended. */
static void hear(struct plb_link *link, void *data, size_t bytes)
{
    int pending = 0;
    plb_link_get(link, SHARED_TAG, data, bytes, &pending);
    while (pending > 0 && !plb_link_broken(link))
        if (!plb_link_progress(link))
            plb_sleep_until(plb_now() + LOOK);
    if (pending > 0)
        plb_link_close(link);
}

bool plb_mpi_broadcast_linked(struct plb_mpi *m, void *data, size_t bytes)
{
    if (bytes > 0 && m->joined)
        hear(m->links[0], data, bytes);
    else if (bytes > 0 && m->told != NULL)
        plb_link_put(m->told, SHARED_TAG, data, bytes, m->told_pending);
    m->bytes += m->told != NULL ? (int64_t)bytes : 0;
    m->received += m->joined ? (int64_t)bytes : 0;
    return m->joined || m->told != NULL;
}

bool plb_mpi_progress_links(struct plb_mpi *m)
{
    bool moved = false;
    for (int i = 0; i < m->all; i++)
        if (m->links[i] != NULL)
            moved |= plb_link_progress(m->links[i]);
    return moved;
}

bool plb_mpi_any_link(const struct plb_mpi *m, bool (*is_so)(const struct plb_link *link))
{
    if (m->links != NULL)
        for (int i = 0; i < m->all; i++)
            if (m->links[i] != NULL && is_so(m->links[i]))
                return true;
    return false;
}

void plb_mpi_close_links(struct plb_mpi *m)
{
    if (m->links != NULL)
        for (int i = 0; i < m->all; i++)
            plb_link_free(m->links[i]);
    free(m->links);
    m->links = NULL;
}
