/* ULFM (User Level Failure Mitigation): MPI itself says which ranks have ended. Open MPI 5 has it, where
 * mpirun was told --with-ft ulfm; without that it names no rank. Its functions are looked up by name, since
 * others do not have them. Without ULFM the first error of a call ends the job, as MPI's default is. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/mpi.h"
#include "transport/mpi_inside.h"

/* A call that meets a rank which has ended returns, and any other error ends the job. */
static void on_error(MPI_Comm *comm, int *code, ...) /* NOLINT(readability-non-const-parameter): MPI's type */
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length;
    MPI_Error_string(*code, text, &length);
    if (strstr(text, "PROC_FAILED") != NULL)
        return;
    plb_log(PLB_LOG_ERROR, "MPI fails: %s", text);
    MPI_Abort(*comm, *code);
}

/* ISO C has no cast from void * to a pointer to a function. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
}

void plb_mpi_open_failures(struct plb_mpi *m)
{
    MPI_Errhandler handler;
    struct plb_mpi_failures *f = &m->failures;
    find("MPIX_Comm_get_failed", &f->get);
    find("MPIX_Comm_failure_ack", &f->acknowledge);
    if (f->get == NULL || f->acknowledge == NULL)
        return;
    f->known = plb_alloc((size_t)m->size * sizeof *f->known);
    MPI_Comm_group(m->control, &f->all);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(m->control, handler);
    MPI_Comm_set_errhandler(m->data, handler);
    MPI_Comm_set_errhandler(m->local, handler);
    MPI_Errhandler_free(&handler);
}

void plb_mpi_close_failures(struct plb_mpi *m)
{
    if (m->failures.known == NULL)
        return;
    MPI_Group_free(&m->failures.all);
    free(m->failures.known);
}

void plb_mpi_pass_over_failed(struct plb_mpi *m)
{
    if (m->failures.known != NULL)
        m->failures.acknowledge(m->control);
}

int plb_mpi_failed(struct plb_mpi *m)
{
    struct plb_mpi_failures *f = &m->failures;
    MPI_Group failed;
    int n = 0, rank = -1;
    if (f->known == NULL || f->get(m->control, &failed) != MPI_SUCCESS)
        return -1;
    MPI_Group_size(failed, &n);
    for (int i = 0; i < n && rank < 0; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, f->all, &rank);
        rank = f->known[rank] ? -1 : rank;
    }
    if (rank >= 0)
        f->known[rank] = true;
    MPI_Group_free(&failed);
    return rank;
}
