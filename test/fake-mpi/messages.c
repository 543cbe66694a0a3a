/* Messages of the fake MPI: those of a pair keep their order, a receive that is posted first is served first,
 * and large ones go on whenever their rank calls MPI. */
#include "fake_mpi.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Looks in vain before a rank that waits sleeps between them, and for how long. Ranks are more than cores,
 * and one that only looked would keep those from a core that it waits for. */
#define EAGER 100
#define PAUSE_NS 50000

struct ompi_request_t {
    struct ompi_request_t *next; /* of those to the same rank, or of the receives that are posted */
    struct collective *collective;
    unsigned char *data;
    size_t bytes, moved;
    int peer, tag, context; /* peer: the receiver, or the sender, or MPI_ANY_SOURCE */
    bool complete, headed;  /* headed: the head has been written */
};
struct head {
    int context, tag;
    uint64_t bytes;
};

/* A message that nobody has posted a receive for, or that is being received. */
struct arrival {
    struct arrival *next;
    struct head head;
    int from;
    size_t got;
    unsigned char *data; /* the receiver's memory, or its own */
    bool own;
    MPI_Request receiver; /* NULL: none yet */
};

struct queue {
    MPI_Request first, last;
};

static int rank, size = 1;
static struct shared *all; /* NULL: this rank is alone */
static struct queue out[MOST_RANKS], posted;
static struct arrival *coming[MOST_RANKS], *unexpected;

int fake_rank(void)
{
    return rank;
}

int fake_size(void)
{
    return size;
}

void fake_begin(struct shared *shared, int r, int n)
{
    all = shared;
    rank = r;
    size = n;
}

void fake_must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "the fake MPI serves %s alone\n", what);
    _exit(99);
}

static void append(struct queue *q, MPI_Request r)
{
    r->next = NULL;
    if (q->first == NULL)
        q->first = r;
    else
        q->last->next = r;
    q->last = r;
}

static void take_out(struct queue *q, MPI_Request r)
{
    MPI_Request before = NULL;
    for (MPI_Request at = q->first; at != r; at = at->next) {
        if (at == NULL)
            return;
        before = at;
    }
    if (before == NULL)
        q->first = r->next;
    else
        before->next = r->next;
    if (q->last == r)
        q->last = before;
}

/* ------------------------------------------------------------------------------------------ rings */

/* Copies as much as there is room for, or as there is; returns how much. */
static size_t write_ring(struct ring *r, const void *from, size_t bytes)
{
    uint64_t written = atomic_load_explicit(&r->written, memory_order_relaxed);
    size_t room = RING_BYTES - (written - atomic_load_explicit(&r->read, memory_order_acquire));
    size_t n = bytes < room ? bytes : room, at = written % RING_BYTES;
    size_t straight = n < RING_BYTES - at ? n : RING_BYTES - at;
    memcpy(r->at + at, from, straight);
    memcpy(r->at, (const unsigned char *)from + straight, n - straight);
    atomic_store_explicit(&r->written, written + n, memory_order_release);
    return n;
}

static size_t ring_holds(struct ring *r)
{
    return atomic_load_explicit(&r->written, memory_order_acquire)
         - atomic_load_explicit(&r->read, memory_order_relaxed);
}

static size_t read_ring(struct ring *r, void *into, size_t bytes)
{
    uint64_t read = atomic_load_explicit(&r->read, memory_order_relaxed);
    size_t there = ring_holds(r), n = bytes < there ? bytes : there, at = read % RING_BYTES;
    size_t straight = n < RING_BYTES - at ? n : RING_BYTES - at;
    memcpy(into, r->at + at, straight);
    memcpy((unsigned char *)into + straight, r->at, n - straight);
    atomic_store_explicit(&r->read, read + n, memory_order_release);
    return n;
}

static size_t ring_room(struct ring *r)
{
    return RING_BYTES - ring_holds(r);
}

static void push(int to)
{
    struct ring *ring = &all->rings[rank * size + to];
    for (MPI_Request r; (r = out[to].first) != NULL;) {
        if (!r->headed && ring_room(ring) < sizeof(struct head))
            return;
        if (!r->headed)
            write_ring(ring, &(struct head){r->context, r->tag, r->bytes}, sizeof(struct head));
        r->headed = true;
        r->moved += write_ring(ring, r->data + r->moved, r->bytes - r->moved);
        if (r->moved < r->bytes)
            return;
        r->complete = true;
        out[to].first = r->next;
    }
}

static bool matches(const struct arrival *a, int from, int tag, int context)
{
    return a->head.context == context && a->head.tag == tag && (from == MPI_ANY_SOURCE || from == a->from);
}

static void deliver(struct arrival *a)
{
    MPI_Request r = a->receiver;
    if (a->own) {
        memcpy(r->data, a->data, a->head.bytes);
        free(a->data);
    }
    r->moved = a->head.bytes;
    r->peer = a->from;
    r->complete = true;
    free(a);
}

static void give(struct arrival *a, MPI_Request r)
{
    fake_must(a->head.bytes <= r->bytes, "messages that fit their receiver");
    a->receiver = r;
}

static struct arrival *begin_arrival(int from, struct ring *ring)
{
    struct arrival *a = calloc(1, sizeof *a), **end = &unexpected;
    read_ring(ring, &a->head, sizeof a->head);
    a->from = from;
    for (MPI_Request r = posted.first; r != NULL; r = r->next)
        if (matches(a, r->peer, r->tag, r->context)) {
            take_out(&posted, r);
            give(a, r);
            a->data = r->data;
            return a;
        }
    a->own = true;
    a->data = malloc(a->head.bytes + 1);
    while (*end != NULL)
        end = &(*end)->next;
    return *end = a;
}

static void pull(int from)
{
    struct ring *ring = &all->rings[from * size + rank];
    for (;;) {
        struct arrival *a = coming[from];
        if (a == NULL && ring_holds(ring) < sizeof a->head)
            return;
        if (a == NULL)
            a = coming[from] = begin_arrival(from, ring);
        a->got += read_ring(ring, a->data + a->got, a->head.bytes - a->got);
        if (a->got < a->head.bytes)
            return;
        coming[from] = NULL;
        if (a->receiver != NULL)
            deliver(a);
    }
}

void fake_progress(void)
{
    for (int r = 0; r < size && all != NULL; r++) {
        push(r);
        pull(r);
    }
}

/* --------------------------------------------------------------------------------------- requests */

MPI_Request fake_send(const void *data, size_t bytes, int to, int tag, int context)
{
    MPI_Request r = calloc(1, sizeof *r);
    *r = (struct ompi_request_t){
        .data = (unsigned char *)data, .bytes = bytes, .peer = to, .tag = tag, .context = context};
    append(&out[to], r);
    push(to);
    return r;
}

MPI_Request fake_receive(void *data, size_t bytes, int from, int tag, int context)
{
    MPI_Request r = calloc(1, sizeof *r);
    *r = (struct ompi_request_t){.data = data, .bytes = bytes, .peer = from, .tag = tag, .context = context};
    for (struct arrival **a = &unexpected; *a != NULL; a = &(*a)->next)
        if (matches(*a, from, tag, context)) {
            struct arrival *found = *a;
            *a = found->next;
            give(found, r);
            if (found->got == found->head.bytes)
                deliver(found);
            return r;
        }
    append(&posted, r);
    return r;
}

MPI_Request fake_collective(struct collective *c)
{
    MPI_Request r = calloc(1, sizeof *r);
    r->collective = c;
    return r;
}

static bool ended(MPI_Request r)
{
    if (!r->complete && r->collective != NULL)
        r->complete = fake_collective_step(r->collective);
    return r->complete;
}

bool fake_ended(MPI_Request *r)
{
    if (!ended(*r))
        return false;
    free(*r);
    *r = MPI_REQUEST_NULL;
    return true;
}

void fake_rest(int looks)
{
    if (looks < EAGER)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
}

int fake_wait(MPI_Request r)
{
    for (int looks = 0; fake_progress(), !fake_ended(&r); looks++)
        fake_rest(looks);
    return MPI_SUCCESS;
}

void fake_flush(void)
{
    for (int r = 0; r < size; r++)
        while (out[r].first != NULL)
            fake_progress();
}

bool fake_probe(int from, int tag, int context, int *sender, size_t *bytes)
{
    for (struct arrival *a = unexpected; a != NULL; a = a->next)
        if (a->got == a->head.bytes && matches(a, from, tag, context)) {
            *sender = a->from;
            *bytes = a->head.bytes;
            return true;
        }
    return false;
}

void fake_cancel(MPI_Request request)
{
    take_out(&posted, request);
}
