/* The faults of a simulation: which nodes and PUs still work, which nodes the master has given up, and which
 * messages are lost on their way: those of dead nodes alone. Not thread-safe. */
#ifndef PLB_SIMULATE_FAULTS_H
#define PLB_SIMULATE_FAULTS_H

#include "simulate/events.h"
#include "simulate/simulation.h"

struct plb_faults;

/* Plans the faults of the simulation, and those of PUs whose `slow` lines have a factor 0: they hang. */
struct plb_faults *plb_faults_new(struct plb_world *world);
void plb_faults_free(struct plb_faults *faults);

/* A fault happens, now: PLB_EVENT_FAULT with this number. Returns whether rank 0 should look who lives. */
bool plb_faults_strike(struct plb_faults *faults, int number);

/* A node has died in a task, and has said so. */
void plb_faults_crash(struct plb_faults *faults, int node);

/* The next node that is given up before the first pass, once each; negative: none. */
int plb_faults_before_first_pass(struct plb_faults *faults);

/* A node has come that was not there before. */
void plb_faults_join(struct plb_faults *faults, int node);

/* PUs by their number in the cluster. A PU that is broken works: its tasks fail. */
bool plb_faults_node_works(const struct plb_faults *faults, int node);
bool plb_faults_pu_works(const struct plb_faults *faults, int node, int pu);
bool plb_faults_pu_broken(const struct plb_faults *faults, int pu);

/* The moment at which a node that is stopped goes on; and that before which nothing that it says to rank 0
 * arrives. In the past where there is none. */
double plb_faults_stopped(const struct plb_faults *faults, int node);
double plb_faults_unheard(const struct plb_faults *faults, int node);

/* Signs of life that others could notice, now. Silent: rank 0 hears no BEAT of the node, which says none from
 * *since on. Ended: its process has, though it may not have been noticed. Running: it has not ended, and is
 * not stopped. */
bool plb_faults_silent(const struct plb_faults *faults, int node, double *since);
bool plb_faults_ended(const struct plb_faults *faults, int node);
bool plb_faults_running(const struct plb_faults *faults, int node);

/* The master gives a node up, or has done so. */
void plb_faults_give_up(struct plb_faults *faults, int node);
bool plb_faults_given_up(const struct plb_faults *faults, int node);

/* A node has sent, or received, a message: a fault may be bound to that. */
void plb_faults_sent(struct plb_faults *faults, const struct plb_message *message);
void plb_faults_received(struct plb_faults *faults, const struct plb_message *message);

/* Whether a frame that would arrive now is lost, because its sender died while it was on its way; then,
 * whether a message of the frame is. It is not where the master has said it, since rank 0 lives. */
bool plb_faults_lose(struct plb_faults *faults, int from);
bool plb_faults_swallow(struct plb_faults *faults, const struct plb_message *message);

#endif
