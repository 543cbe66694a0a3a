/* The inputs that each virtual node has: all on rank 0, and on others those that they have pulled, where
 * nodes keep them (core/place/residence.h). And the results that stay at a node (core/place/owners.h). Not
 * thread-safe. */
#ifndef PLB_SIMULATE_INPUTS_H
#define PLB_SIMULATE_INPUTS_H

#include "simulate/simulation.h"

struct plb_virtual_inputs;

/* Whether units have bytes: not their reduced arrays alone. */
static inline bool plb_virtual_has_bytes(const struct plb_sizes *sizes)
{
    return sizes->unit_bytes > 0.0 || sizes->n_indexed > 0;
}

/* The inputs that can be told from each other, as a mask: all others are as the first one. */
static inline int64_t plb_virtual_inputs_all(const struct plb_simulation *in)
{
    return in->feeds > 0 ? PLB_BUFFER(in->feeds) - 1 : PLB_BUFFER(0);
}

struct plb_virtual_inputs *plb_virtual_inputs_new(const struct plb_simulation *simulation);
void plb_virtual_inputs_free(struct plb_virtual_inputs *inputs);

/* Whether a node must pull inputs of a task of these units and their halo, and of which units: not of those
 * that another one has asked for. pull: a number of its own, by which they arrive. */
bool plb_virtual_inputs_pulls(struct plb_virtual_inputs *inputs, int node, struct plb_range task,
                              int64_t pull, struct plb_range *pulled);

/* The halo that a FROM has named is there (core/place/halos.h). False: that FROM has not come yet. */
bool plb_virtual_inputs_halo(struct plb_virtual_inputs *inputs, int node);

/* Whether a task waits for some of that, or for what another one has asked for. */
bool plb_virtual_inputs_waits(const struct plb_virtual_inputs *inputs, int node, struct plb_range task);

/* A pass begins at a node. */
void plb_virtual_inputs_begin(struct plb_virtual_inputs *inputs, int node, int pass,
                              const struct plb_pass *begin);

/* A node sends a message: how many bytes of results follow it. Says in a DONE whether its results stay. */
double plb_virtual_inputs_results(struct plb_virtual_inputs *inputs, struct plb_message *message);

/* Answers a FETCH. COUNTED of the pass that runs: a node has the inputs that it has computed. FROM: halos
 * come unasked; those of another pass are dropped. False: the message is about something else. */
bool plb_virtual_inputs_hear(struct plb_virtual_inputs *inputs, const struct plb_message *message, int pass,
                             struct plb_outbox *out);

/* Inputs that were pulled under this number are there, whether a task wants them still or not. Where inputs
 * have changed since, they are dropped. */
void plb_virtual_inputs_arrived(struct plb_virtual_inputs *inputs, int node, int64_t pull);

#endif
