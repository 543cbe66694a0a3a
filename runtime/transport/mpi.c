/* MPI, two-sided and non-blocking. */
#include "transport/mpi.h"

#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

#include "base/clock.h"
#include "host/crash.h"
#include "base/memory.h"
#include "base/log.h"
#include "transport/mpi_inside.h"

/* Bytes of one MPI message of data. MPI counts bytes in an int, so that 2 GiB is the limit. Smaller: more
 * requests. */
#define DEFAULT_PART ((size_t)1 << 30)

enum tag { TAG_CONTROL = 1, TAG_DATA = 16 };

static_assert(TAG_DATA + PLB_DATA_TAGS - 1 <= 32767, "MPI promises tags up to 32,767");

static bool lone_end; /* the others go on without this process */

void plb_mpi_end_alone(void)
{
    lone_end = true;
}

/* A process that ends before it has left MPI, such as one without memory or one whose kernel ends it,
 * would leave the other ranks waiting where the launcher does not look after them. */
static void end_all_ranks(int status, void *unused)
{
    int finalized;
    (void)unused;
    MPI_Finalized(&finalized);
    if (finalized)
        return;
    fflush(NULL);
    if (lone_end)
        _exit(status);
    MPI_Abort(MPI_COMM_WORLD, plb_crash_exits() ? PLB_EFAILED : status);
}

/* Fails on all ranks where the MPI of one of them cannot serve threads. */
static void check_threads(const struct plb_mpi *m, int provided, struct plb_error *err)
{
    int least;
    MPI_Allreduce(&provided, &least, 1, MPI_INT, MPI_MIN, m->control);
    if (least < MPI_THREAD_FUNNELED)
        plb_fail(err, PLB_EINPUT, "%s",
                 m->rank == 0 ? "this MPI supports only one thread (MPI_THREAD_SINGLE), but plbrun has one "
                                "per PU; use an MPI that is built with threads"
                              : "");
}

/* A rank goes before another one. */
static void link_two(const struct plb_mpi *m, int one, int other, int *before, int *after)
{
    if (m->rank == one)
        *after = other;
    if (m->rank == other)
        *before = one;
}

/* Ranks of a host stand side by side, so that data comes to each host once. */
static void make_chain(struct plb_mpi *m)
{
    int n = 0, first = m->rank, *hosts = m->hosts = plb_alloc((size_t)m->size * sizeof *hosts);
    MPI_Bcast(&first, 1, MPI_INT, 0, m->local); /* the host's lowest rank */
    MPI_Allgather(&first, 1, MPI_INT, hosts, 1, MPI_INT, m->control);
    m->chain = plb_alloc((size_t)m->size * sizeof *m->chain);
    for (int host = 0; host < m->size; host++)
        if (hosts[host] == host)
            for (int r = host; r < m->size; r++)
                if (hosts[r] == host)
                    m->chain[n++] = r;
    m->before = m->after = m->host_before = m->host_after = -1;
    m->first = first == 0;
    for (int i = 1, last = 0; i < n; i++) {
        link_two(m, m->chain[i - 1], m->chain[i], &m->before, &m->after);
        if (i > 1 && hosts[m->chain[i]] == hosts[m->chain[i - 1]])
            continue;
        link_two(m, last, m->chain[i], &m->host_before, &m->host_after);
        last = m->chain[i];
    }
}

struct plb_mpi *plb_mpi_open(int *argc, char ***argv, size_t part_bytes, struct plb_error *err)
{
    int provided = plb_mpi_start(argc, argv);
    on_exit(end_all_ranks, NULL);
    struct plb_mpi *m = plb_alloc(sizeof *m);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->data);
    MPI_Comm_rank(m->control, &m->rank);
    MPI_Comm_size(m->control, &m->size);
    m->all = m->size;
    MPI_Comm_split_type(m->control, MPI_COMM_TYPE_SHARED, m->rank, MPI_INFO_NULL, &m->local);
    MPI_Comm_rank(m->local, &m->local_rank);
    MPI_Comm_size(m->local, &m->local_size);
    make_chain(m);
    m->part = part_bytes > 0 ? part_bytes : DEFAULT_PART;
    m->warned = plb_alloc((size_t)m->size * sizeof *m->warned);
    m->lost = plb_alloc((size_t)m->size * sizeof *m->lost);
    m->out = plb_alloc((size_t)m->size * sizeof *m->out);
    m->frames_sent = plb_alloc((size_t)m->size * sizeof *m->frames_sent);
    check_threads(m, provided, err);
    plb_mpi_open_failures(m);
    return m;
}

int plb_mpi_rank(const struct plb_mpi *m)
{
    return m->rank;
}

int plb_mpi_size(const struct plb_mpi *m)
{
    return m->all;
}

int plb_mpi_first_of_host(const struct plb_mpi *m)
{
    return m->first;
}

void plb_mpi_local(const struct plb_mpi *m, int *rank, int *size)
{
    *rank = m->local_rank;
    *size = m->local_size;
}

bool plb_mpi_is_near(const struct plb_mpi *m, int rank)
{
    return !m->joined && rank < m->size && m->hosts[rank] == m->hosts[m->rank];
}

const int *plb_mpi_chain(const struct plb_mpi *m)
{
    return m->chain;
}

static void flush_one(struct plb_mpi *m, int to)
{
    struct plb_frame *f = &m->out[to];
    struct plb_link *link = plb_mpi_link(m, to);
    if (f->bytes == 0)
        return;
    if (link != NULL) {
        plb_link_put_frame(link, f->at, f->bytes);
    } else {
        MPI_Isend(f->at, (int)f->bytes, MPI_BYTE, to, TAG_CONTROL, m->control,
                  plb_requests_add(&m->requests, &(struct plb_request){.peer = to, .owned = f->at}));
        m->frames_sent[to]++;
    }
    *f = (struct plb_frame){0};
}

void plb_mpi_send(struct plb_mpi *m, const struct plb_message *message)
{
    bool relayed = m->joined || (m->rank != 0 && message->to >= m->size);
    int to = relayed ? 0 : message->to;
    struct plb_frame *f = &m->out[to];
    if (m->lost[message->to])
        return;
    m->messages++;
    if (plb_frame_add(f, message))
        return;
    flush_one(m, to);
    plb_frame_add(f, message);
}

void plb_mpi_flush(struct plb_mpi *m)
{
    for (int to = 0; to < m->all; to++)
        flush_one(m, to);
}

static void warn(struct plb_mpi *m, int from, const char *wrong)
{
    if (!m->warned[from])
        plb_log(PLB_LOG_WARNING, "rank %d sent an invalid message (%s); it is ignored", from, wrong);
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
    int arrived = 0, bytes;
    MPI_Status status;
    if (m->links != NULL && plb_mpi_receive_linked(m))
        return true;
    if (m->joined)
        return false;
    m->turns++;
    int error = MPI_Iprobe(MPI_ANY_SOURCE, TAG_CONTROL, m->control, &arrived, &status);
    m->turns++;
    if (error != MPI_SUCCESS)
        plb_mpi_pass_over_failed(m);
    if (!arrived)
        return false;
    m->frames_received++;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes > PLB_FRAME_BYTES) {
        drop(m, status.MPI_SOURCE, bytes);
        return true;
    }
    bool whole = MPI_Recv(m->in, bytes, MPI_BYTE, status.MPI_SOURCE, TAG_CONTROL, m->control,
                          MPI_STATUS_IGNORE)
              == MPI_SUCCESS;
    size_t used = !whole || m->lost[status.MPI_SOURCE] ? 0 : (size_t)bytes; /* nobody hears who is lost */
    m->reader = (struct plb_frame_reader){m->in, used, status.MPI_SOURCE, m->rank, m->all, m->all > m->size};
    return true;
}

bool plb_mpi_receive(struct plb_mpi *m, struct plb_message *message)
{
    const char *wrong;
    do {
        enum plb_frame_found found;
        while ((found = plb_frame_next(&m->reader, message, &wrong)) == PLB_FRAME_WRONG)
            warn(m, m->reader.from, wrong);
        if (found == PLB_FRAME_MESSAGE && message->to == m->rank)
            return true;
        if (found == PLB_FRAME_MESSAGE) /* rank 0 passes it on */
            plb_mpi_send(m, message);
    } while (m->reader.left > 0 || receive_frame(m));
    return false;
}

void plb_mpi_put(struct plb_mpi *m, int to, int tag, const void *data, size_t bytes, int *pending)
{
    struct plb_link *link = plb_mpi_link(m, to);
    m->bytes += (int64_t)bytes;
    if (link != NULL && bytes > 0 && !m->lost[to])
        plb_link_put(link, tag, data, bytes, pending);
    if (link != NULL)
        return;
    for (size_t at = 0; at < bytes && !m->lost[to]; at += m->part) {
        size_t length = bytes - at < m->part ? bytes - at : m->part;
        MPI_Isend((const char *)data + at, (int)length, MPI_BYTE, to, TAG_DATA + tag, m->data,
                  plb_requests_add(&m->requests, &(struct plb_request){.peer = to, .pending = pending}));
    }
}

void plb_mpi_get(struct plb_mpi *m, int from, int tag, void *data, size_t bytes, int *pending)
{
    struct plb_link *link = plb_mpi_link(m, from);
    m->received += (int64_t)bytes;
    if (link != NULL && bytes > 0)
        plb_link_get(link, tag, data, bytes, pending);
    for (size_t at = 0; at < bytes && link == NULL; at += m->part) {
        size_t length = bytes - at < m->part ? bytes - at : m->part;
        MPI_Irecv((char *)data + at, (int)length, MPI_BYTE, from, TAG_DATA + tag, m->data,
                  plb_requests_add(&m->requests,
                                   &(struct plb_request){.peer = from, .bytes = length, .pending = pending}));
    }
}

bool plb_mpi_progress(struct plb_mpi *m)
{
    m->turns++;
    bool moved = plb_requests_progress(&m->requests);
    m->turns++;
    return (m->links != NULL && plb_mpi_progress_links(m)) || moved;
}

unsigned plb_mpi_turns(const struct plb_mpi *m)
{
    return m->turns;
}

struct plb_coming plb_mpi_coming(struct plb_mpi *m, int rank)
{
    struct plb_link *link = plb_mpi_link(m, rank);
    return link != NULL ? plb_link_coming(link) : plb_requests_look(&m->requests, rank);
}

bool plb_mpi_busy(const struct plb_mpi *m)
{
    return m->requests.n_data > 0 || plb_mpi_any_link(m, plb_link_busy);
}

bool plb_mpi_is_lost(const struct plb_mpi *m, int rank)
{
    return m->lost[rank];
}

void plb_mpi_abandon(struct plb_mpi *m, int rank)
{
    m->lost[rank] = true;
    m->out[rank].bytes = 0;
    plb_requests_abandon(&m->requests, rank);
    plb_mpi_detach(m, rank);
}

/* Receives the frames that nobody has read: MPI wants every message received, and MPICH fails where one is
 * not. Collective, after the last frame of all ranks was sent. */
static void receive_rest(struct plb_mpi *m)
{
    int64_t sent; /* to this rank, by all */
    MPI_Reduce_scatter_block(m->frames_sent, &sent, 1, MPI_INT64_T, MPI_SUM, m->control);
    while (m->frames_received < sent)
        receive_frame(m);
}

void plb_mpi_drain(struct plb_mpi *m, double seconds)
{
    double until = plb_now() + seconds;
    while ((m->requests.n > 0 || plb_mpi_any_link(m, plb_link_sends)) && plb_now() < until)
        plb_mpi_progress(m);
}

static void free_all(struct plb_mpi *m)
{
    for (int r = 0; r < m->all; r++)
        free(m->out[r].at);
    free(m->out);
    free(m->frames_sent);
    free(m->hosts);
    free(m->chain);
    free(m->warned);
    free(m->lost);
    plb_requests_fini(&m->requests);
    free(m);
}

bool plb_mpi_close(struct plb_mpi *m, double seconds)
{
    double until = plb_now() + seconds;
    plb_mpi_drain(m, seconds);
    plb_mpi_close_links(m);
    if (m->joined) {
        free_all(m);
        return true;
    }
    if (m->requests.n > 0 || !plb_mpi_meet_until(m, until))
        return false;
    receive_rest(m);
    plb_mpi_close_failures(m);
    MPI_Comm_free(&m->control);
    MPI_Comm_free(&m->data);
    MPI_Comm_free(&m->local);
    MPI_Finalize();
    free_all(m);
    return true;
}

void plb_mpi_counts(const struct plb_mpi *m, int64_t *messages, int64_t *bytes, int64_t *received)
{
    *messages = m->messages;
    *bytes = m->bytes;
    *received = m->received;
}
