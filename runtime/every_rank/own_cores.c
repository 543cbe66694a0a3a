/* The thread's set of CPUs. */
#include "every_rank/own_cores.h"

#include "host/thread.h"

void plb_own_cores_begin(struct plb_rank *r)
{
    struct plb_own_cores *cores = &r->cores;
    int local_rank, local_size;
    plb_mpi_local(r->mpi, &local_rank, &local_size);
    plb_pace_init(&r->pace, local_size, plb_thread_cores(), r->rank == 0 ? r->size - 1 : 1);
    plb_thread_wakes_fast();
    plb_thread_ends_team();
    cores->thread = pthread_self();
    cores->bound = plb_node_cores(r->node, &cores->own) && plb_cores_of_thread(&cores->all);
    r->data.cores = cores;
    plb_own_cores_return(cores);
}
