/* A fake MPI for tests: the calls that plbrun makes, between processes of one host, over rings in memory that
 * they share. It stands in for Open MPI's library, whose header it is compiled with, so that the same
 * programs run with either. It says nothing of a rank that has died, as Open MPI does with
 * --enable-recovery. */
#include "fake_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct ompi_predefined_communicator_t {
    struct ompi_communicator_t comm;
} ompi_mpi_comm_world;
struct ompi_predefined_datatype_t {
    size_t bytes;
} ompi_mpi_byte = {1}, ompi_mpi_int = {sizeof(int)}, ompi_mpi_double = {sizeof(double)},
  ompi_mpi_int64_t = {sizeof(int64_t)};
struct ompi_predefined_op_t {
    char unused;
} ompi_mpi_op_min, ompi_mpi_op_max, ompi_mpi_op_sum;
struct ompi_predefined_info_t {
    char unused;
} ompi_mpi_info_null;
struct ompi_predefined_request_t {
    char unused;
} ompi_request_null;

static int contexts = 1;
static bool over;
static struct shared *all;

size_t fake_bytes(int n, MPI_Datatype type)
{
    return (size_t)n * ((struct ompi_predefined_datatype_t *)type)->bytes;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    const char *memory = getenv(FAKE_MPI);
    (void)argc;
    (void)argv;
    *provided = wanted;
    if (memory == NULL)
        return MPI_SUCCESS;
    int size = atoi(getenv("OMPI_COMM_WORLD_SIZE")), rank = atoi(getenv("OMPI_COMM_WORLD_RANK"));
    all = mmap(NULL, sizeof *all + (size_t)(size * size) * sizeof *all->rings, PROT_READ | PROT_WRITE,
               MAP_SHARED, atoi(memory), 0);
    fake_must(all != MAP_FAILED, "ranks that its own mpirun has started");
    close(atoi(memory));
    fake_begin(all, rank, size);
    all->begun[rank] = true;
    setvbuf(stdout, NULL, _IOLBF, 0); /* the real mpirun gives ranks a terminal to write to */
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    fake_flush();
    if (all != NULL)
        all->finalized[fake_rank()] = true;
    over = true;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = over;
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    if (all != NULL)
        all->aborted = status;
    _exit(status);
}

int MPI_Comm_rank(MPI_Comm comm, int *r)
{
    (void)comm;
    *r = fake_rank();
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *n)
{
    (void)comm;
    *n = fake_size();
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    (void)comm;
    *copy = calloc(1, sizeof **copy);
    (*copy)->context = contexts++;
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
    (void)type;
    (void)key;
    (void)info;
    return MPI_Comm_dup(comm, part); /* all are on this host */
}

int MPI_Comm_free(MPI_Comm *comm)
{
    free(*comm);
    *comm = NULL;
    return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    *request = fake_send(data, fake_bytes(n, type), to, tag, 2 * comm->context);
    return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    *request = fake_receive(data, fake_bytes(n, type), from, tag, 2 * comm->context);
    return MPI_SUCCESS;
}

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return fake_wait(fake_send(data, fake_bytes(n, type), to, tag, 2 * comm->context));
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    fake_must(status == MPI_STATUS_IGNORE, "MPI_Recv without a status");
    return fake_wait(fake_receive(data, fake_bytes(n, type), from, tag, 2 * comm->context));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
    fake_progress();
    status->MPI_TAG = tag;
    *found = fake_probe(from, tag, 2 * comm->context, &status->MPI_SOURCE, &status->_ucount);
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *n)
{
    *n = (int)(status->_ucount / fake_bytes(1, type));
    return MPI_SUCCESS;
}

/* Called again and again by who has nothing else to do. */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    static int looks;
    (void)status;
    fake_progress();
    *flag = *request == MPI_REQUEST_NULL || fake_ended(request);
    if (*flag)
        looks = 0;
    else
        fake_rest(looks++);
    return MPI_SUCCESS;
}

int MPI_Testsome(int n, MPI_Request *requests, int *n_done, int *done, MPI_Status *how)
{
    int active = 0;
    fake_progress();
    *n_done = 0;
    for (int i = 0; i < n; i++) {
        active += requests[i] != MPI_REQUEST_NULL;
        if (requests[i] != MPI_REQUEST_NULL && fake_ended(&requests[i])) {
            how[*n_done].MPI_ERROR = MPI_SUCCESS;
            done[(*n_done)++] = i;
        }
    }
    *n_done = active > 0 ? *n_done : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* One that is matched goes on. */
int MPI_Cancel(MPI_Request *request)
{
    fake_cancel(*request);
    return MPI_SUCCESS;
}

int MPI_Error_string(int error, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "error %d", error);
    return MPI_SUCCESS;
}

PROFILED(MPI_Init_thread);
PROFILED(MPI_Finalize);
PROFILED(MPI_Isend);
PROFILED(MPI_Iprobe);

/* plbrun calls these where MPI has ULFM, which this one has not. */
static int none(void)
{
    fake_must(false, "an MPI without ULFM");
    return 1;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    (void)comm;
    (void)group;
    return none();
}

int MPI_Group_size(MPI_Group group, int *n)
{
    (void)group;
    (void)n;
    return none();
}

int MPI_Group_translate_ranks(MPI_Group group, int n, const int *ranks, MPI_Group other, int *theirs)
{
    (void)group;
    (void)n;
    (void)ranks;
    (void)other;
    (void)theirs;
    return none();
}

int MPI_Group_free(MPI_Group *group)
{
    (void)group;
    return none();
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler)
{
    (void)function;
    (void)handler;
    return none();
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm;
    (void)handler;
    return none();
}

int MPI_Errhandler_free(MPI_Errhandler *handler)
{
    (void)handler;
    return none();
}
