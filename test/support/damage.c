/* An MPI_Isend for LD_PRELOAD that flips a byte of some messages on their way. PLB_DAMAGE=N: of each N-th one
 * of 512 bytes or more that carries data. The sender's own bytes stay as they are. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define DATA 16 /* the first tag of data (transport/mpi.c) */
#define LEAST 512

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static int n;
    const char *each = getenv("PLB_DAMAGE");
    if (each == NULL || tag < DATA || count < LEAST || ++n % atoi(each) != 0)
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    unsigned char *copy = malloc((size_t)count); /* never freed: MPI may read it at any time */
    memcpy(copy, data, (size_t)count);
    copy[count / 16 * 8 + 7] ^= 0x40; /* the exponent of a float64 */
    return PMPI_Isend(copy, count, type, to, tag, comm, request);
}
