/* A job on PUs that draw power, which model/energy/objective shares out. Work in units, speed in units per
 * second, power in watts. */
#ifndef PLB_MODEL_ENERGY_POWER_JOB_H
#define PLB_MODEL_ENERGY_POWER_JOB_H

enum plb_objective {
    PLB_OBJECTIVE_TIME,
    PLB_OBJECTIVE_ENERGY,
    PLB_OBJECTIVE_EDP, /* energy times delay */
};

/* Which static watts count. */
enum plb_static_rule {
    PLB_STATIC_JOB,           /* of all nodes, until the job ends: the paper's */
    PLB_STATIC_BUSY,          /* of a node as long as one of its PUs works */
    PLB_STATIC_OFF_WHEN_IDLE, /* of each node with a PU that works, until the job ends */
};

struct plb_power_pu {
    double speed;         /* units/s; 0 or less: it gets no work */
    double dynamic_watts; /* finite, 0 or more */
    int node;             /* index of its node's static watts */
};

/* Everything is borrowed for the time of a call. */
struct plb_power_job {
    const struct plb_power_pu *pus; /* n of them */
    const double *static_watts;     /* n_nodes of them; finite, 0 or more */
    int n, n_nodes;
    enum plb_static_rule rule;
    double work; /* W, above 0 */
};

#endif
