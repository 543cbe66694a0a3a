/* Bytes that this rank has and others get (FETCH): inputs that it has computed, which no other rank has
 * (core/place/owners.h), and results that stayed here, for rank 0.
 *
 * Inputs of a pass may still be on their way to a task that nobody wants when the next one begins. Then
 * nobody writes to their place in that pass. Rank 0 waits for results that it has asked for, or drops them.
 * Communication thread only. */
#ifndef PLB_NODE_MEMORY_SENDS_H
#define PLB_NODE_MEMORY_SENDS_H

#include "node/memory/device_results.h"
#include "node/memory/staying.h"
#include "node/memory/mirror.h"

/* Where a rank has what it sends. Mirror and staying may be NULL. */
struct plb_node_memory {
    const struct plb_node_config *config;
    const struct plb_mirror *mirror;
    const struct plb_staying *staying;
    struct plb_node_device_results *results;
};

/* A zeroed struct is empty. */
struct plb_sends {
    struct plb_sent_inputs *inputs; /* on their way */
    struct plb_sent_inputs *owed;   /* in the order in which they are to be sent */
    int results;                    /* transfers of them */
};

void plb_sends_fini(struct plb_sends *sends);

/* FETCH: sends what is wanted out of the mirror, or of what stays. To rank 0 says FROM: whether the results
 * are here. False: the inputs have no place here. */
bool plb_send(struct plb_sends *sends, const struct plb_node_memory *memory, const struct plb_message *fetch,
              struct plb_outbox *out);

/* Inputs that are lost with a device are owed: who waits for them needs them no more when their pass is over.
 * Then, or at the end of the run, any bytes are sent, so that the transfers end. */
void plb_sends_pay(struct plb_sends *sends, const struct plb_node_config *config,
                   const struct plb_mirror *mirror);

/* Adds the units of inputs that are on their way. */
void plb_sends_under_way(struct plb_sends *sends, struct plb_rangeset *units);

#endif
