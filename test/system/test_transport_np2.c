/* The MPI transport between two ranks: large data in pieces (of 1000 bytes here, as above 1 GiB in
 * real), several transfers at once, control messages in order, the gather. Rank 0 speaks TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "drive/mpi.h"

static int rank, tests, failures;

static void ok(const char *name, int fine)
{
    if (rank != 0)
        return;
    printf("%s %d - %s\n", fine ? "ok" : "not ok", ++tests, name);
    failures += !fine;
}

static void fill(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(seed + i * 31 + i / 251);
}

static int is_filled(const unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(seed + i * 31 + i / 251))
            return 0;
    return 1;
}

/* Sizes around the piece's, and none at all. */
static void data_travels_in_pieces(struct plb_mpi *m)
{
    static const size_t sizes[] = {0, 1, 999, 1000, 1001, 2000, 123457};
    unsigned char *buffers[7];
    int pending = 0, fine = 1;
    for (int i = 0; i < 7; i++) {
        buffers[i] = plb_alloc(sizes[i]);
        if (rank == 1)
            fill(buffers[i], sizes[i], (unsigned)i);
        if (rank == 1)
            plb_mpi_put(m, 0, i, buffers[i], sizes[i], &pending);
        else
            plb_mpi_get(m, 1, i, buffers[i], sizes[i], &pending);
    }
    while (pending > 0)
        plb_mpi_progress(m);
    for (int i = 0; i < 7; i++) {
        fine = fine && is_filled(buffers[i], sizes[i], (unsigned)i);
        free(buffers[i]);
    }
    ok("data travels in pieces", fine);
    ok("nothing is on its way afterwards", !plb_mpi_busy(m));
}

static void control_messages_keep_their_order(struct plb_mpi *m)
{
    enum { N = 1000 };
    struct plb_message message = {.type = PLB_BLOCK, .to = 0};
    int next = 0, fine = 1;
    for (int i = 0; i < N && rank == 1; i++) {
        message.block = i;
        plb_mpi_send(m, &message);
    }
    plb_mpi_flush(m);
    while (rank == 0 && next < N)
        if (plb_mpi_receive(m, &message))
            fine = fine && message.block == next++;
    ok("control messages keep their order", fine);
}

static void a_broadcast_reaches_everyone(struct plb_mpi *m)
{
    unsigned char data[5003];
    if (rank == 0)
        fill(data, sizeof data, 7);
    plb_mpi_broadcast(m, data, sizeof data);
    ok("a broadcast in pieces reaches everyone", plb_mpi_max(m, !is_filled(data, sizeof data, 7)) == 0);
}

static void a_gather_joins_unlike_sizes(struct plb_mpi *m)
{
    unsigned char mine[3000];
    size_t bytes = rank == 0 ? 10 : 3000, total;
    fill(mine, bytes, (unsigned)rank);
    unsigned char *all = plb_mpi_gather(m, mine, bytes, &total);
    ok("a gather joins unlike sizes", rank != 0 || (total == 3010 && is_filled(all, 10, 0) && is_filled(all + 10, 3000, 1)));
    free(all);
}

int main(int argc, char **argv)
{
    struct plb_mpi *m = plb_mpi_open(&argc, &argv, 1000);
    rank = plb_mpi_rank(m);
    data_travels_in_pieces(m);
    control_messages_keep_their_order(m);
    a_broadcast_reaches_everyone(m);
    a_gather_joins_unlike_sizes(m);
    plb_mpi_close(m);
    return failures > 0;
}
