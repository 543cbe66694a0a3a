/* Stops a rank of a run at a place that no test could hit by time. Preloaded. PLB_TEST_HALT=PLACE:N:RANK: the
 * rank gets a SIGSTOP when it is at the place for the N-th time; the test may kill it then. Places: before
 * MPI_Ibarrier, MPI_Ibcast, MPI_Isend and MPI_Finalize, and after the last: barrier, broadcast, send,
 * leaving, left. At the place "asked" the rank loops for ever in MPI_Iprobe instead. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the rank is at its place now. */
static int is_at(const char *place, int *times)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *halt = getenv("PLB_TEST_HALT"), *rank = NULL;
    char here[100];
    for (int i = 0; i < 3 && rank == NULL; i++)
        rank = getenv(variables[i]);
    snprintf(here, sizeof here, "%s:%d:%s", place, ++*times, rank != NULL ? rank : "");
    return halt != NULL && strcmp(here, halt) == 0;
}

static void halt_at(const char *place, int *times)
{
    if (is_at(place, times)) {
        fputs("a rank stands still\n", stderr);
        raise(SIGSTOP);
    }
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *there, MPI_Status *status)
{
    static int times;
    static volatile int forever;
    forever = is_at("asked", &times);
    while (forever)
        ;
    return PMPI_Iprobe(from, tag, comm, there, status);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    static int times;
    halt_at("barrier", &times);
    return PMPI_Ibarrier(comm, request);
}

int MPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    static int times;
    halt_at("broadcast", &times);
    return PMPI_Ibcast(data, n, type, root, comm, request);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static int times;
    halt_at("send", &times);
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
    static int before, after;
    halt_at("leaving", &before);
    int result = PMPI_Finalize();
    halt_at("left", &after);
    return result;
}
