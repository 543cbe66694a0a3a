/* A stream between two ranks of a host. Rank 0 speaks TAP. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "transport/stream.h"

#define BYTES ((size_t)8 << 20)
#define PATIENCE 10.0 /* seconds */

/* The sender hands pieces on once, then computes: no rank of its host waits for it meanwhile. MPI alone goes
 * on, for those that cannot read the memory of another process. */
static int all_comes_while_the_sender_computes(struct plb_mpi *m, int rank)
{
    unsigned char *data = plb_alloc(BYTES);
    double until = plb_now() + PATIENCE;
    struct plb_stream stream;
    int said = 0, fine = 1;
    for (size_t i = 0; rank == 1 && i < BYTES; i++)
        data[i] = (unsigned char)(7 + i * 31 + i / 251);
    plb_stream_init(&stream, m, rank == 0 ? 1 : -1);
    plb_stream_add(&stream, data, BYTES);
    if (rank == 1) {
        plb_stream_hand_on(&stream, 0, 0);
        plb_stream_step(&stream);
        plb_mpi_get(m, 0, 1, &fine, sizeof fine, &said);
        while (said > 0)
            plb_mpi_progress(m);
    } else {
        while (!plb_stream_here(&stream) && plb_now() < until) {
            plb_mpi_progress(m);
            plb_stream_step(&stream);
        }
        fine = plb_stream_here(&stream);
        plb_mpi_put(m, 1, 1, &fine, sizeof fine, &said);
    }
    while (!plb_stream_over(&stream) || said > 0) {
        plb_mpi_progress(m);
        plb_stream_step(&stream);
    }
    for (size_t i = 0; i < BYTES; i++)
        fine &= data[i] == (unsigned char)(7 + i * 31 + i / 251);
    plb_stream_fini(&stream);
    free(data);
    return fine;
}

int main(int argc, char **argv)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_mpi *m = plb_mpi_open(&argc, &argv, 0, &err);
    int rank = plb_mpi_rank(m), fine = all_comes_while_the_sender_computes(m, rank);
    plb_mpi_close(m, 10.0);
    if (rank == 0)
        printf("%s 1 - all comes while the sender computes\n", fine ? "ok" : "not ok");
    return !fine;
}
