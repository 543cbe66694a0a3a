/* Collectives of the fake MPI: contributions go to rank 0, and what comes of them goes from there to all. */
#include "fake_mpi.h"

#include <stdlib.h>
#include <string.h>

enum kind { BARRIER, BCAST, GATHER, ALLGATHER, REDUCE, REDUCE_SCATTER };
enum { ROOT = 0 };

struct collective {
    enum kind kind;
    int context, sequence;
    const void *own;
    void *result;
    unsigned char *gathered; /* on the root: of all ranks, in their order */
    size_t bytes;            /* of each rank's contribution */
    MPI_Op op;
    MPI_Request parts[2 * MOST_RANKS];
    int n_parts;
    bool downwards; /* the second half is under way */
};

static void send_part(struct collective *c, const void *data, size_t bytes, int to)
{
    c->parts[c->n_parts++] = fake_send(data, bytes, to, c->sequence, c->context);
}

static void receive_part(struct collective *c, void *data, size_t bytes, int from)
{
    c->parts[c->n_parts++] = fake_receive(data, bytes, from, c->sequence, c->context);
}

static void contribute(struct collective *c)
{
    if (c->kind == BCAST)
        return;
    if (fake_rank() != ROOT) {
        send_part(c, c->own, c->bytes, ROOT);
        return;
    }
    c->gathered = malloc(c->bytes * (size_t)fake_size() + 1);
    memcpy(c->gathered, c->own, c->bytes);
    for (int r = 1; r < fake_size(); r++)
        receive_part(c, c->gathered + (size_t)r * c->bytes, c->bytes, r);
}

static int64_t combined(MPI_Op op, int64_t a, int64_t b)
{
    return op == MPI_SUM ? a + b : (op == MPI_MAX) == (a > b) ? a : b;
}

/* Of ints, or of 64 bit numbers for REDUCE_SCATTER, into the place of the root's own contribution. */
static void combine(struct collective *c)
{
    for (int r = 1; r < fake_size(); r++)
        if (c->kind == REDUCE) {
            int a, b;
            memcpy(&a, c->gathered, sizeof a);
            memcpy(&b, c->gathered + (size_t)r * sizeof b, sizeof b);
            a = (int)combined(c->op, a, b);
            memcpy(c->gathered, &a, sizeof a);
        } else {
            for (size_t i = 0; i < (size_t)fake_size(); i++) {
                int64_t a, b;
                memcpy(&a, c->gathered + i * sizeof a, sizeof a);
                memcpy(&b, c->gathered + (size_t)r * c->bytes + i * sizeof b, sizeof b);
                a = combined(c->op, a, b);
                memcpy(c->gathered + i * sizeof a, &a, sizeof a);
            }
        }
}

/* Bytes that each rank has in the end. */
static size_t outcome_bytes(const struct collective *c)
{
    return c->kind == ALLGATHER      ? c->bytes * (size_t)fake_size()
         : c->kind == REDUCE_SCATTER ? sizeof(int64_t)
                                     : c->bytes;
}

static void hand_down(struct collective *c)
{
    size_t bytes = outcome_bytes(c);
    c->n_parts = 0;
    c->downwards = true;
    if (c->kind == REDUCE || c->kind == REDUCE_SCATTER)
        if (fake_rank() == ROOT)
            combine(c);
    if (c->kind == GATHER) {
        if (fake_rank() == ROOT)
            memcpy(c->result, c->gathered, c->bytes * (size_t)fake_size());
        return;
    }
    if (fake_rank() != ROOT) {
        receive_part(c, c->result, bytes, ROOT);
        return;
    }
    const unsigned char *outcome = c->kind == BCAST ? c->result : c->gathered;
    for (int r = 1; r < fake_size(); r++)
        send_part(c, outcome + (c->kind == REDUCE_SCATTER ? (size_t)r * bytes : 0), bytes, r);
    if (c->kind != BCAST)
        memcpy(c->result, outcome, bytes);
}

/* Goes on with a collective. True where it is complete; it is freed then. */
bool fake_collective_step(struct collective *c)
{
    for (;;) {
        for (int i = 0; i < c->n_parts; i++)
            if (c->parts[i] != MPI_REQUEST_NULL && !fake_ended(&c->parts[i]))
                return false;
        if (c->downwards)
            break;
        hand_down(c);
    }
    free(c->gathered);
    free(c);
    return true;
}

static MPI_Request begin(const struct collective *wanted, MPI_Comm comm)
{
    struct collective *c = malloc(sizeof *c);
    *c = *wanted;
    c->context = 2 * comm->context + 1;
    c->sequence = comm->collectives++;
    contribute(c);
    return fake_collective(c);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    static const char nothing;
    static char all;
    *request = begin(&(struct collective){.kind = BARRIER, .own = &nothing, .result = &all, .bytes = 1},
                     comm);
    return MPI_SUCCESS;
}

int MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    fake_must(root == ROOT, "MPI_Ibcast from rank 0");
    *request = begin(&(struct collective){.kind = BCAST, .result = data, .bytes = fake_bytes(n, type)}, comm);
    return MPI_SUCCESS;
}

int MPI_Iallreduce(const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
    fake_must(n == 1 && type == MPI_INT, "MPI_Iallreduce of one int");
    *request = begin(
        &(struct collective){.kind = REDUCE, .own = own, .result = all, .bytes = sizeof(int), .op = op},
        comm);
    return MPI_SUCCESS;
}

int MPI_Iallgather(const void *own, int n, MPI_Datatype type, void *all, int m, MPI_Datatype to,
                   MPI_Comm comm, MPI_Request *request)
{
    fake_must(n == m && type == to, "MPI_Iallgather of the same type and number");
    *request = begin(
        &(struct collective){.kind = ALLGATHER, .own = own, .result = all, .bytes = fake_bytes(n, type)},
        comm);
    return MPI_SUCCESS;
}

int MPI_Igather(const void *own, int n, MPI_Datatype type, void *all, int m, MPI_Datatype to, int root,
                MPI_Comm comm, MPI_Request *request)
{
    fake_must(n == m && type == to && root == ROOT, "MPI_Igather of the same type and number to rank 0");
    *request = begin(
        &(struct collective){.kind = GATHER, .own = own, .result = all, .bytes = fake_bytes(n, type)}, comm);
    return MPI_SUCCESS;
}

int MPI_Reduce_scatter_block(const void *own, void *result, int n, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm)
{
    fake_must(n == 1 && type == MPI_INT64_T && op == MPI_SUM, "MPI_Reduce_scatter_block of one sum");
    size_t bytes = sizeof(int64_t) * (size_t)fake_size();
    return fake_wait(begin(
        &(struct collective){.kind = REDUCE_SCATTER, .own = own, .result = result, .bytes = bytes, .op = op},
        comm));
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibcast(data, n, type, root, comm, &request);
    return fake_wait(request);
}

int MPI_Allreduce(const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Iallreduce(own, all, n, type, op, comm, &request);
    return fake_wait(request);
}

int MPI_Allgather(const void *own, int n, MPI_Datatype type, void *all, int m, MPI_Datatype to, MPI_Comm comm)
{
    MPI_Request request;
    MPI_Iallgather(own, n, type, all, m, to, comm, &request);
    return fake_wait(request);
}

PROFILED(MPI_Ibarrier);
PROFILED(MPI_Ibcast);
