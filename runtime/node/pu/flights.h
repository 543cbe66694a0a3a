/* The tasks in the lanes of a device. They belong to the PU's thread. */
#ifndef PLB_NODE_PU_FLIGHTS_H
#define PLB_NODE_PU_FLIGHTS_H

#include "node/pu/slot.h"

/* A task in a lane. */
struct plb_flight {
    struct plb_slice task;
    struct plb_slot *slot; /* or NULL */
    double exposed;        /* seconds that the device waited for its inputs */
    bool folded;           /* its arrays are part of what the PU holds back */
};

/* In the order in which they were started: at[(oldest + i) % lanes]. */
struct plb_flights {
    struct plb_flight at[PLB_MAX_LANES];
    int lanes, oldest, n;
    double idle_since; /* the run's clock */
};

#endif
