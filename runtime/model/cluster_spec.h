/* A cluster as data: what a .cluster file says of its PUs and nodes. config/cluster_file reads it,
 * model/optimum solves it, and the emulated device and the simulation play it. */
#ifndef PLB_MODEL_CLUSTER_SPEC_H
#define PLB_MODEL_CLUSTER_SPEC_H

#include "base/name.h"
#include "plb/balancer.h"

#define PLB_MAX_SLOW 8 /* `slow` lines of one PU */

/* One PU; plain data, so that it can be sent to the node that plays it. */
struct plb_pu_spec {
    char name[PLB_NAME]; /* of its section */
    enum plb_pu_kind kind;
    double power;                /* default: rate, else 1 */
    double rate;                 /* simulation: cost per second at large sizes; 0 = not given */
    double half;                 /* cost at which half of it is reached */
    double overhead;             /* seconds per task, which an empty task shows, too */
    double replicated_bandwidth; /* bytes/s at which a task first reads replicated data; 0: it does not */
    double noise;                /* relative spread, log-normal */
    int n_slow;
    double slow_at[PLB_MAX_SLOW], slow_by[PLB_MAX_SLOW]; /* from second at, `by` times slower; 0 = dies */
    double memory;                                       /* bytes; infinite where not given */
    double copy_bandwidth; /* to and from the host, bytes/s; infinite where not given */
    double copy_latency;   /* seconds per copy */
    double slowdown;       /* emulation: wall seconds per CPU second */
    /* Watts of the PU all the time, and besides while it works; NAN where not given. */
    double static_watts, dynamic_watts;
};

/* A node's link where nothing is said of it: 10 Gbit/s Ethernet. */
#define PLB_LINK_BANDWIDTH 1.25e9 /* bytes/s */
#define PLB_LINK_LATENCY 20e-6    /* s */

struct plb_node_spec {
    char name[PLB_HOST_NAME];
    double bandwidth, latency; /* to the other nodes: bytes/s, s */
    int first_pu, n_pus;       /* in the array of PUs */
};

/* A simulation's prices of rank 0's work, and its true costs. 0: the default; negative: nothing. */
struct plb_simulation_spec {
    double message_s;  /* of rank 0, for each message that it receives or sends */
    double frame_s;    /* of rank 0, for each frame of them */
    double solve_s;    /* for each active PU in a solve of the balancer */
    double fit_s;      /* for each curve fitted */
    double cost_error; /* relative spread of true costs around the told ones */
};

struct plb_cluster_spec {
    int n_nodes, n_pus;
    struct plb_node_spec *nodes;
    struct plb_pu_spec *pus;
    struct plb_simulation_spec simulation;
};

#endif
