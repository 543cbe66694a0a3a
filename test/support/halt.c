/* Stops a rank of a run at a place that no test could hit by time. Preloaded. PLB_TEST_HALT=PLACE:RANK;
 * places: joined (it has just joined MPI), leaving (it is about to leave MPI), left (it has just left). It
 * gets a SIGSTOP there; the test may kill it then. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Finalize(void);
int PMPI_Finalize(void);

static void halt_at(const char *place)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *halt = getenv("PLB_TEST_HALT"), *rank = NULL;
    size_t length = strlen(place);
    for (int i = 0; i < 3 && rank == NULL; i++)
        rank = getenv(variables[i]);
    if (halt != NULL && rank != NULL && strncmp(halt, place, length) == 0 && halt[length] == ':'
        && strcmp(halt + length + 1, rank) == 0)
        raise(SIGSTOP);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int result = PMPI_Init_thread(argc, argv, required, provided);
    halt_at("joined");
    return result;
}

int MPI_Finalize(void)
{
    halt_at("leaving");
    int result = PMPI_Finalize();
    halt_at("left");
    return result;
}
