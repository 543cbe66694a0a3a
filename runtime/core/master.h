/* The master: the balancer's side of the protocol as a state machine. No I/O, no threads, no clock:
 * events go in with the time they happened at, messages to send come out.
 *
 * It keeps the ledger (each unit accepted once), asks the balancer for grants, keeps one block ahead
 * at each PU, and puts a lost node's unaccepted units back. Calls never overlap. */
#ifndef PLB_CORE_MASTER_H
#define PLB_CORE_MASTER_H

#include "core/cost.h"
#include "core/members.h"
#include "core/migration.h"
#include "core/history.h"

struct plb_master;

struct plb_master_config {
    const struct plb_balancer *balancer;
    const struct plb_param *params; /* of the balancer; borrowed */
    double replicated_bytes;    /* what every PU holds all the time */
    double unit_bytes;          /* input and output of one unit, on average */
    double task_bytes;          /* a task whose data is pulled moves about this much; 0 = any */
    int kernels;                /* how many kernels the passes run, in turn; 0 counts as 1 */
    double grain;               /* units per task at most, as the user wants it; 0 = no wish */
    bool migration;             /* nodes are told when nothing is left to grant, and from whom to take */
};

/* What a PU has done in all passes so far. */
struct plb_pu_totals {
    int64_t units, blocks, tasks;
    int64_t stolen_in, stolen_out; /* units executed for another PU, and by another one */
    double execute_s, transfer_s;
};

/* For these PUs, in the order their ids will have: by node, then by number on the node. The array
 * is copied. A PU whose memory cannot hold the replicated data and three units is not used. */
struct plb_master *plb_master_new(const struct plb_master_config *config,
                                  const struct plb_pu_info *pus, int n_pus);
void plb_master_free(struct plb_master *master);

/* Before the first pass: what an earlier run measured of a kernel on a PU. Copied. */
void plb_master_recall(struct plb_master *master, int kernel, int pu, const struct plb_sample *samples,
                       int n);

/* Before the first pass of a simulation: the optimum, one part per PU; borrowed until the end. */
void plb_master_ideal(struct plb_master *master, const struct plb_ideal *ideals);

/* Starts a pass of a kernel over all units of the map, which is borrowed until the next one. Pass
 * numbers grow. What was measured of the kernel in earlier passes is kept. */
void plb_master_begin(struct plb_master *master, int pass, int kernel, const struct plb_cost_map *map,
                      double now, struct plb_outbox *out);

/* A DONE whose outputs have arrived. Returns how many of its units are accepted now for the first
 * time: 0 for what comes from a lost node, of another pass, or twice. */
int64_t plb_master_done(struct plb_master *master, const struct plb_message *done, double now,
                        struct plb_outbox *out);

/* Units have moved from one node to another; they stay part of the block that they were granted in. */
void plb_master_moved(struct plb_master *master, const struct plb_message *moved, double now,
                      struct plb_outbox *out);

/* A node is gone. What it was granted, or ever moved to it, and has not been accepted goes to the others;
 * whatever still arrives from it is dropped. */
void plb_master_lost(struct plb_master *master, int node, double now, struct plb_outbox *out);

bool plb_master_over(const struct plb_master *master);          /* all units are accepted */
const char *plb_master_failure(const struct plb_master *master); /* why no end is in sight, or NULL */
int64_t plb_master_accepted(const struct plb_master *master);   /* units, of this pass */

/* For the report. */
int plb_master_pus(const struct plb_master *master);
const struct plb_pu_info *plb_master_pu(const struct plb_master *master, int pu);
const struct plb_pu_totals *plb_master_totals(const struct plb_master *master, int pu);
void plb_master_migrations(const struct plb_master *master, int64_t *gifts, int64_t *units); /* between nodes,
                                                                                        of all passes */
bool plb_master_refused(const struct plb_master *master, int pu); /* too little memory */
const struct plb_history *plb_master_history(const struct plb_master *master, int kernel, int pu);
const struct plb_balancer_stats *plb_master_stats(const struct plb_master *master);

#endif
