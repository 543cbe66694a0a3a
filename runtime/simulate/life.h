/* The life of virtual nodes: who is silent, who is suspected, who is lost. core/liveness judges, as it does
 * for real ranks.
 *
 * A BEAT that arrives in time changes nothing. So while all nodes speak, none is simulated, and a run without
 * faults costs no more. When a node falls silent, rank 0 begins to look, ten times a second. It knows when it
 * would have heard each node's last BEAT. It stops looking when every silent node is lost or speaks again.
 * The questions about suspects, their answers, and the word of a host that a process has ended are messages
 * like all others.
 *
 * The judge is rank 0 of core/liveness, and node n is its rank n + 1: so the PUs of node 0 may be lost too,
 * which in a real run would end it. Not thread-safe. */
#ifndef PLB_SIMULATE_LIFE_H
#define PLB_SIMULATE_LIFE_H

#include "simulate/network.h"

struct plb_virtual_life;

struct plb_virtual_life *plb_virtual_life_new(struct plb_world *world, struct plb_faults *faults,
                                              struct plb_network *network);
/* A node has come. */
void plb_virtual_life_join(struct plb_virtual_life *life, int node);

void plb_virtual_life_free(struct plb_virtual_life *life);

/* A node has fallen silent, now. */
void plb_virtual_life_watch(struct plb_virtual_life *life);

/* Rank 0 looks who lives: PLB_EVENT_BEAT. Plans the next look, where there is somebody to look for. */
void plb_virtual_life_look(struct plb_virtual_life *life, struct plb_outbox *out);

/* Rank 0 has got a message. BEAT and LOST need nothing else. */
void plb_virtual_life_heard(struct plb_virtual_life *life, const struct plb_message *message);

/* A node has got a question about another one of its host. */
void plb_virtual_life_asked(struct plb_virtual_life *life, const struct plb_message *message);

/* A node that is lost since the last call, or -1. To be called after the look and after a message. */
int plb_virtual_life_lost(struct plb_virtual_life *life);

#endif
