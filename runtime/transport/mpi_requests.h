/* The requests of MPI that are in flight. Part of the transport; communication thread only. */
#ifndef PLB_TRANSPORT_MPI_REQUESTS_H
#define PLB_TRANSPORT_MPI_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <mpi.h>

#include "transport/coming.h"

/* A request and its purpose. */
struct plb_request {
    int peer;     /* rank */
    size_t bytes; /* that it receives; 0: it sends */
    int *pending; /* data: the counter to lower when it completes; NULL for a frame */
    void *owned;  /* freed when it completes, or NULL */
    bool over;    /* complete, or given up */
};

/* A zeroed struct is empty. */
struct plb_requests {
    MPI_Request *at;
    struct plb_request *of; /* by request */
    int *done;              /* scratch for MPI_Testsome */
    MPI_Status *how;        /* the same */
    int n, capacity, n_data;
    int next;                  /* the request that is tested first at the next look */
    struct plb_coming *coming; /* by rank, n_peers of them */
    int n_peers;
};

/* A place for one more request. Its counter is raised. Valid until the next call. */
MPI_Request *plb_requests_add(struct plb_requests *requests, const struct plb_request *request);

/* Completes what it can of a part of the requests, and of all in at most ten calls; true where something did.
 * A request that fails stays until its peer is given up: MPI knows that it has ended. */
bool plb_requests_progress(struct plb_requests *requests);

/* The data on its way from a rank. `arrived` is reset. */
struct plb_coming plb_requests_look(struct plb_requests *requests, int peer);

/* Gives up all requests from and to a rank that is lost. MPI tells nothing of a rank that dies: what is sent
 * to it stays pending, and what it would send never comes. Counters are lowered as if the requests were
 * complete; buffers stay valid until the process ends. */
void plb_requests_abandon(struct plb_requests *requests, int peer);

/* None is left in flight. */
void plb_requests_fini(struct plb_requests *requests);

#endif
