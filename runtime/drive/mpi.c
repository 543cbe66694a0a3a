/* MPI, two-sided and non-blocking. */
#include "drive/mpi.h"

#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/log.h"
#include "drive/frame.h"

/* Bytes of one MPI message of data. MPI counts bytes in an int, so that 2 GiB is the limit. Smaller: more
 * requests. */
#define DEFAULT_PART ((size_t)1 << 30)

enum tag { TAG_CONTROL = 1, TAG_CLOCK = 2, TAG_DATA = 16 };

static_assert(TAG_DATA + PLB_TAGS - 1 <= 32767, "MPI promises tags up to 32,767");

struct plb_mpi {
    int rank, size, local_rank, local_size;
    MPI_Comm control, data, local;
    size_t part;           /* bytes */
    struct plb_frame *out; /* per rank: being filled */
    unsigned char in[PLB_FRAME_BYTES];
    struct plb_frame_reader reader; /* of `in` */
    bool *warned;                   /* per rank: of a message that cannot be used */
    MPI_Request *requests;          /* in flight */
    int **pending;                  /* per request: the counter to lower, or NULL for a frame */
    void **owned;                   /* per request: a frame to free, or NULL */
    int *done;                      /* scratch for MPI_Testsome */
    int n, capacity, n_data;
    int64_t messages, bytes;
};

struct plb_mpi *plb_mpi_open(int *argc, char ***argv, size_t part_bytes)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    struct plb_mpi *m = plb_alloc(sizeof *m);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->data);
    MPI_Comm_rank(m->control, &m->rank);
    MPI_Comm_size(m->control, &m->size);
    MPI_Comm_split_type(m->control, MPI_COMM_TYPE_SHARED, m->rank, MPI_INFO_NULL, &m->local);
    MPI_Comm_rank(m->local, &m->local_rank);
    MPI_Comm_size(m->local, &m->local_size);
    m->part = part_bytes > 0 ? part_bytes : DEFAULT_PART;
    m->warned = plb_alloc((size_t)m->size * sizeof *m->warned);
    m->out = plb_alloc((size_t)m->size * sizeof *m->out);
    return m;
}

void plb_mpi_close(struct plb_mpi *m)
{
    while (m->n > 0)
        plb_mpi_progress(m);
    plb_mpi_meet(m);
    MPI_Comm_free(&m->control);
    MPI_Comm_free(&m->data);
    MPI_Comm_free(&m->local);
    MPI_Finalize();
    for (int r = 0; r < m->size; r++)
        free(m->out[r].at);
    free(m->out);
    free(m->warned);
    free(m->requests);
    free(m->pending);
    free(m->owned);
    free(m->done);
    free(m);
}

int plb_mpi_rank(const struct plb_mpi *m)
{
    return m->rank;
}

int plb_mpi_size(const struct plb_mpi *m)
{
    return m->size;
}

void plb_mpi_local(const struct plb_mpi *m, int *rank, int *size)
{
    *rank = m->local_rank;
    *size = m->local_size;
}

/* A place for one more request. */
static MPI_Request *track(struct plb_mpi *m, int *pending, void *owned)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity > 0 ? 2 * m->capacity : 64;
        size_t n = (size_t)m->capacity;
        m->requests = plb_grow(m->requests, n * sizeof *m->requests);
        m->pending = plb_grow(m->pending, n * sizeof *m->pending);
        m->owned = plb_grow(m->owned, n * sizeof *m->owned);
        m->done = plb_grow(m->done, n * sizeof *m->done);
    }
    m->pending[m->n] = pending;
    m->owned[m->n] = owned;
    if (pending != NULL) {
        ++*pending;
        m->n_data++;
    }
    return &m->requests[m->n++];
}

static void flush_one(struct plb_mpi *m, int to)
{
    struct plb_frame *f = &m->out[to];
    if (f->bytes == 0)
        return;
    MPI_Isend(f->at, (int)f->bytes, MPI_BYTE, to, TAG_CONTROL, m->control, track(m, NULL, f->at));
    *f = (struct plb_frame){0};
}

void plb_mpi_send(struct plb_mpi *m, const struct plb_message *message)
{
    struct plb_frame *f = &m->out[message->to];
    m->messages++;
    if (plb_frame_add(f, message))
        return;
    flush_one(m, message->to);
    plb_frame_add(f, message);
}

void plb_mpi_flush(struct plb_mpi *m)
{
    for (int to = 0; to < m->size; to++)
        flush_one(m, to);
}

static void warn(struct plb_mpi *m, int from, const char *wrong)
{
    if (!m->warned[from])
        plb_say("warning: rank %d sent a message that cannot be used (%s); it is ignored", from, wrong);
    m->warned[from] = true;
}

/* Drops a transmission that is too long for a frame. */
static void drop(struct plb_mpi *m, int from, int bytes)
{
    void *scratch = plb_alloc((size_t)bytes);
    MPI_Recv(scratch, bytes, MPI_BYTE, from, TAG_CONTROL, m->control, MPI_STATUS_IGNORE);
    free(scratch);
    warn(m, from, "too long for a frame");
}

/* Receives a frame; false where none has arrived. */
static bool receive_frame(struct plb_mpi *m)
{
    int arrived, bytes;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_CONTROL, m->control, &arrived, &status);
    if (!arrived)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes > PLB_FRAME_BYTES) {
        drop(m, status.MPI_SOURCE, bytes);
        return true;
    }
    MPI_Recv(m->in, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_CONTROL, m->control, MPI_STATUS_IGNORE);
    m->reader = (struct plb_frame_reader){m->in, (size_t)bytes, status.MPI_SOURCE, m->rank, m->size};
    return true;
}

bool plb_mpi_receive(struct plb_mpi *m, struct plb_message *message)
{
    const char *wrong;
    do {
        enum plb_frame_found found;
        while ((found = plb_frame_next(&m->reader, message, &wrong)) == PLB_FRAME_WRONG)
            warn(m, m->reader.from, wrong);
        if (found == PLB_FRAME_MESSAGE)
            return true;
    } while (receive_frame(m));
    return false;
}

void plb_mpi_put(struct plb_mpi *m, int to, int tag, const void *data, size_t bytes, int *pending)
{
    m->bytes += (int64_t)bytes;
    for (size_t at = 0; at < bytes; at += m->part) {
        size_t length = bytes - at < m->part ? bytes - at : m->part;
        MPI_Isend((const char *)data + at, (int)length, MPI_BYTE, to, TAG_DATA + tag, m->data,
                  track(m, pending, NULL));
    }
}

void plb_mpi_get(struct plb_mpi *m, int from, int tag, void *data, size_t bytes, int *pending)
{
    for (size_t at = 0; at < bytes; at += m->part) {
        size_t length = bytes - at < m->part ? bytes - at : m->part;
        MPI_Irecv((char *)data + at, (int)length, MPI_BYTE, from, TAG_DATA + tag, m->data,
                  track(m, pending, NULL));
    }
}

/* Drops finished requests, keeping the others in order. */
static void forget(struct plb_mpi *m)
{
    int kept = 0;
    for (int i = 0; i < m->n; i++) {
        if (m->requests[i] == MPI_REQUEST_NULL)
            continue;
        m->requests[kept] = m->requests[i];
        m->pending[kept] = m->pending[i];
        m->owned[kept++] = m->owned[i];
    }
    m->n = kept;
}

bool plb_mpi_progress(struct plb_mpi *m)
{
    int finished = 0;
    if (m->n == 0)
        return false;
    MPI_Testsome(m->n, m->requests, &finished, m->done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < finished; i++) {
        int at = m->done[i];
        free(m->owned[at]);
        if (m->pending[at] != NULL) {
            --*m->pending[at];
            m->n_data--;
        }
    }
    if (finished > 0)
        forget(m);
    return finished > 0;
}

bool plb_mpi_busy(const struct plb_mpi *m)
{
    return m->n_data > 0;
}

void plb_mpi_meet(struct plb_mpi *m)
{
    MPI_Request request;
    int met = 0;
    MPI_Ibarrier(m->control, &request);
    for (;;) {
        MPI_Test(&request, &met, MPI_STATUS_IGNORE);
        if (met)
            return;
        plb_sleep_until(plb_now() + 200e-6);
    }
}

void plb_mpi_broadcast(struct plb_mpi *m, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += m->part) {
        size_t length = bytes - at < m->part ? bytes - at : m->part;
        MPI_Bcast((char *)data + at, (int)length, MPI_BYTE, 0, m->data);
    }
    m->bytes += m->rank == 0 ? (int64_t)bytes * (m->size - 1) : 0;
}

int plb_mpi_max(struct plb_mpi *m, int value)
{
    int most;
    MPI_Allreduce(&value, &most, 1, MPI_INT, MPI_MAX, m->control);
    return most;
}

/* The middle of the shortest of several round trips (Cristian 1989). */
double plb_mpi_clock_offset(struct plb_mpi *m)
{
    double offset = 0.0;
    for (int r = 1; r < m->size; r++) {
        double shortest = 1e30;
        for (int trip = 0; trip < 8; trip++) {
            double sent = plb_now(), theirs = sent;
            if (m->rank == r)
                MPI_Sendrecv(&sent, 1, MPI_DOUBLE, 0, TAG_CLOCK, &theirs, 1, MPI_DOUBLE, 0, TAG_CLOCK,
                             m->control, MPI_STATUS_IGNORE);
            if (m->rank == 0) {
                MPI_Recv(&theirs, 1, MPI_DOUBLE, r, TAG_CLOCK, m->control, MPI_STATUS_IGNORE);
                sent = plb_now();
                MPI_Send(&sent, 1, MPI_DOUBLE, r, TAG_CLOCK, m->control);
            }
            double back = plb_now();
            if (m->rank == r && back - sent < shortest) {
                shortest = back - sent;
                offset = theirs - 0.5 * (sent + back);
            }
        }
    }
    return offset;
}

void plb_mpi_local_gather(const struct plb_mpi *m, const void *data, size_t bytes, void *all)
{
    MPI_Allgather(data, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, m->local);
}

void *plb_mpi_gather(struct plb_mpi *m, const void *data, size_t bytes, size_t *total)
{
    int64_t mine = (int64_t)bytes;
    int64_t *sizes = plb_alloc((size_t)m->size * sizeof *sizes);
    char *all = NULL;
    size_t sum = 0;
    int pending = 0;
    MPI_Gather(&mine, 1, MPI_INT64_T, sizes, 1, MPI_INT64_T, 0, m->control);
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
    while (pending > 0)
        plb_mpi_progress(m);
    free(sizes);
    *total = sum;
    return all;
}

void plb_mpi_counts(const struct plb_mpi *m, int64_t *messages, int64_t *bytes)
{
    *messages = m->messages;
    *bytes = m->bytes;
}
