/* Collectives: each begins without blocking, and looks for lost ranks while it waits. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "transport/mpi.h"
#include "transport/mpi_inside.h"
#include "transport/stream.h"

/* Seconds of the sleep between two looks whether all ranks have met: a part of the time waited so far, within
 * these bounds. Longer: the last rank is noticed later. Shorter: a rank that waits uses more of a core. Rank
 * 0 may verify and write for hours while the others wait to leave. */
#define MEETING_PART 0.02
#define MEETING_SHORTEST 200e-6
#define MEETING_LONGEST 20e-3

/* Of messages between those of mpi.c. */
enum { TAG_CLOCK = 2, TAG_LOST = 3 };

void plb_mpi_watch(struct plb_mpi *m, plb_mpi_watch_fn *watch, void *watcher)
{
    m->watch = watch;
    m->watcher = watcher;
}

void plb_mpi_tell_lost(struct plb_mpi *m, int to, int lost)
{
    int *rank = plb_alloc(sizeof *rank);
    *rank = lost;
    MPI_Isend(rank, 1, MPI_INT, to, TAG_LOST, m->control,
              plb_requests_add(&m->requests, &(struct plb_request){.peer = to, .owned = rank}));
}

int plb_mpi_hear_lost(struct plb_mpi *m)
{
    int arrived = 0, lost = -1;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_LOST, m->control, &arrived, &status) != MPI_SUCCESS)
        plb_mpi_pass_over_failed(m);
    if (arrived)
        MPI_Recv(&lost, 1, MPI_INT, status.MPI_SOURCE, TAG_LOST, m->control, MPI_STATUS_IGNORE);
    return lost;
}

/* Waits for a request, until the time comes. True where it is complete; one that has failed, as a rank has
 * ended, never is: also where the call that began it has said so. dozes: it may take long, and each look may
 * come a little later than the last one; else nothing is more urgent. */
static bool await(struct plb_mpi *m, int began_with, MPI_Request *request, bool dozes, double until)
{
    int met = 0;
    bool failed = began_with != MPI_SUCCESS;
    double began = plb_now();
    for (;;) {
        failed = failed || MPI_Test(request, &met, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        met = met && !failed;
        double now = plb_now(), sleep = MEETING_PART * (now - began);
        if (met || now > until)
            return met;
        if (m->watch != NULL)
            m->watch(m->watcher);
        if (!dozes)
            continue;
        sleep = sleep > MEETING_SHORTEST ? sleep : MEETING_SHORTEST;
        plb_sleep_until(now + (sleep < MEETING_LONGEST ? sleep : MEETING_LONGEST));
    }
}

/* The checker knows MPI_Wait alone; await tests each request until it is complete.
 * NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
bool plb_mpi_meet_until(struct plb_mpi *m, double until)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (m->joined)
        return true;
    int begun = MPI_Ibarrier(m->control, &request);
    return await(m, begun, &request, true, until);
}

void plb_mpi_meet(struct plb_mpi *m)
{
    plb_mpi_meet_until(m, INFINITY);
}

/* Seconds of sleep where no piece has moved. Longer: pieces wait. Shorter: ranks on one core hinder each
 * other. */
#define PAUSE 50e-6

/* From rank to rank. MPI sends it from rank 0 to several, over one link. */
static void send_along(struct plb_mpi *m, int before, int after, void *data, size_t bytes)
{
    struct plb_stream stream;
    plb_stream_init(&stream, m, before);
    plb_stream_add(&stream, data, bytes);
    if (after >= 0)
        plb_stream_hand_on(&stream, after, 0);
    while (!plb_stream_over(&stream)) {
        bool moved = plb_mpi_progress(m);
        moved |= plb_stream_step(&stream);
        if (m->watch != NULL)
            m->watch(m->watcher);
        if (!moved) /* ranks may be more than cores */
            plb_sleep_until(plb_now() + PAUSE);
    }
    plb_stream_fini(&stream);
}

void plb_mpi_broadcast(struct plb_mpi *m, void *data, size_t bytes)
{
    if (plb_mpi_broadcast_linked(m, data, bytes))
        return;
    if (bytes > PLB_STREAM_SMALL && m->size > 1) {
        send_along(m, m->before, m->after, data, bytes);
    } else if (bytes > 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        int begun = MPI_Ibcast(data, (int)bytes, MPI_BYTE, 0, m->data, &request);
        await(m, begun, &request, false, INFINITY);
        m->bytes += m->rank == 0 ? (int64_t)bytes * (m->size - 1) : 0;
        m->received += m->rank == 0 ? 0 : (int64_t)bytes;
    }
}

void plb_mpi_broadcast_hosts(struct plb_mpi *m, void *data, size_t bytes)
{
    if (m->rank == 0 || m->host_before >= 0)
        send_along(m, m->host_before, m->host_after, data, bytes);
}

int plb_mpi_max(struct plb_mpi *m, int value)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int most = value;
    if (m->joined)
        return value;
    int begun = MPI_Iallreduce(&value, &most, 1, MPI_INT, MPI_MAX, m->control, &request);
    await(m, begun, &request, false, INFINITY);
    return most;
}

static void swap_clocks(struct plb_mpi *m, int with, double *own, double *theirs)
{
    MPI_Request request = MPI_REQUEST_NULL;
    bool first = m->rank != 0;
    if (first)
        MPI_Send(own, 1, MPI_DOUBLE, with, TAG_CLOCK, m->control);
    int begun = MPI_Irecv(theirs, 1, MPI_DOUBLE, with, TAG_CLOCK, m->control, &request);
    await(m, begun, &request, false, INFINITY);
    *own = first ? *own : plb_now();
    if (!first)
        MPI_Send(own, 1, MPI_DOUBLE, with, TAG_CLOCK, m->control);
}

/* The middle of the shortest of several round trips (Cristian 1989). */
double plb_mpi_clock_offset(struct plb_mpi *m)
{
    double offset = 0.0;
    for (int r = 1; r < m->size; r++) {
        double shortest = 1e30;
        for (int trip = 0; trip < 8; trip++) {
            double sent = plb_now(), theirs = sent;
            if (m->rank == r || m->rank == 0)
                swap_clocks(m, m->rank == 0 ? r : 0, &sent, &theirs);
            double back = plb_now();
            if (m->rank == r && back - sent < shortest) {
                shortest = back - sent;
                offset = theirs - 0.5 * (sent + back);
            }
        }
    }
    return offset;
}

void plb_mpi_local_gather(struct plb_mpi *m, const void *data, size_t bytes, void *all)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (m->joined) { /* it is alone on its host, as far as it knows */
        memcpy(all, data, bytes);
        return;
    }
    int begun = MPI_Iallgather(data, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, m->local, &request);
    await(m, begun, &request, false, INFINITY);
}

void *plb_mpi_gather(struct plb_mpi *m, const void *data, size_t bytes, size_t *total)
{
    *total = 0;
    if (m->joined)
        return NULL;
    int64_t mine = (int64_t)bytes;
    int64_t *sizes = plb_alloc((size_t)m->size * sizeof *sizes);
    char *all = NULL;
    size_t sum = 0;
    int pending = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    int begun = MPI_Igather(&mine, 1, MPI_INT64_T, sizes, 1, MPI_INT64_T, 0, m->control, &request);
    await(m, begun, &request, false, INFINITY);
    if (m->rank == 0) {
        for (int r = 0; r < m->size; r++)
            sum += (size_t)sizes[r];
        all = plb_alloc(sum);
        if (bytes > 0)
            memcpy(all, data, bytes);
        size_t at = bytes;
        for (int r = 1; r < m->size; at += (size_t)sizes[r++])
            plb_mpi_get(m, r, 0, all + at, (size_t)sizes[r], &pending);
    } else {
        plb_mpi_put(m, 0, 0, data, bytes, &pending);
    }
    for (; pending > 0; plb_mpi_progress(m))
        if (m->watch != NULL)
            m->watch(m->watcher);
    free(sizes);
    *total = sum;
    return all;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
