/* Results that a simulated PU holds back, as node/pu/combine.h does: the reduced arrays of consecutive tasks
 * of one block become one result. */
#ifndef PLB_SIMULATE_HELD_H
#define PLB_SIMULATE_HELD_H

#include "core/worker/worker.h"

/* The result that a PU holds back. */
struct plb_virtual_held {
    struct plb_worker *worker; /* constant, as the next */
    int pu;                    /* number on the node */
    int number;                /* of its first task; negative: nothing is held */
    struct plb_slice units;    /* `more` counts their tasks */
    double execute_s, transfer_s;
};

/* A task that has ended. */
struct plb_virtual_ended {
    const struct plb_slice *task, *next, *last; /* that the PU has taken after it; NULL: none */
    int number;
    double execute_s, transfer_s;
};

/* Holds or reports the result of a task. Returns whether something is to be sent at once. */
bool plb_virtual_held_end(struct plb_virtual_held *held, const struct plb_virtual_ended *ended);

/* Reports what is held, where the next task does not continue it; NULL: there is none. */
void plb_virtual_held_report(struct plb_virtual_held *held, const struct plb_slice *next);

/* The device has failed or hangs. */
void plb_virtual_held_give_back(struct plb_virtual_held *held, const char *why);

#endif
