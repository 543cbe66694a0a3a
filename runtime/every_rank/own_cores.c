/* The thread's set of CPUs. */
#include "every_rank/own_cores.h"

#include "host/thread.h"

void plb_own_cores_begin(struct plb_rank *r)
{
    int local_rank, local_size;
    plb_mpi_local(r->mpi, &local_rank, &local_size);
    plb_pace_init(&r->pace, local_size, plb_thread_cores(), r->rank == 0 ? r->size - 1 : 1);
    plb_thread_wakes_fast();
    plb_thread_ends_team();
    r->bound = plb_node_cores(r->node, &r->own_cores) && plb_cores_of_thread(&r->all_cores);
    plb_own_cores_return(r);
}

static void bind(const struct plb_rank *r, const struct plb_cores *cores)
{
    char where[1];
    if (r->bound)
        plb_cores_bind(cores, where, sizeof where);
}

void plb_own_cores_leave(const struct plb_rank *r)
{
    bind(r, &r->all_cores);
}

void plb_own_cores_return(const struct plb_rank *r)
{
    bind(r, &r->own_cores);
}
