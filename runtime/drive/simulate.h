/* The simulation driver: master and workers over a virtual clock, PUs as curves. Exactly repeatable
 * from its seed. Thread-safe as far as calls share nothing. */
#ifndef PLB_DRIVE_SIMULATE_H
#define PLB_DRIVE_SIMULATE_H

#include "core/master.h"
#include "job/job.h"
#include "model/cluster_spec.h"
#include "report/report.h"
#include "report/trace.h"

/* Told of every range that the master accepted for the first time, for tests. */
typedef void (*plb_accepted_fn)(void *context, struct plb_range range, int64_t fresh);

/* Told of every block that the master grants, for benches. */
typedef void (*plb_granted_fn)(void *context, double now, int pu, struct plb_range range);

struct plb_simulation {
    const struct plb_cluster_spec *cluster;
    const struct plb_cost_map *maps;    /* one per phase: master.kernels of them; all borrowed */
    struct plb_master_config master;
    double input_bytes, output_bytes;   /* moved per unit of average cost */
    uint64_t seed;
    int passes;                         /* 0 counts as 1 */
    const int *phases;                  /* of each pass; NULL = 0 */
    struct plb_migration migration;
    bool master_only;                   /* node 0 leads and its PUs compute nothing */
    struct plb_trace *trace;            /* or NULL */
    struct plb_profiles *profiles;      /* to begin with, or NULL */
    /* Stress, for tests: every message is up to `delay` seconds late, independently, so that they
     * overtake each other, and the nodes named by `lose` (n_lose of them) die at these times. */
    double delay;
    int n_lose;
    const int *lose;
    const double *lose_at;
    plb_accepted_fn accepted;
    plb_granted_fn granted;
    void *context;
};

struct plb_simulated {
    struct plb_master *master;  /* for plb_results_from_master; free it */
    double makespan_s;          /* virtual, as all times but the next two */
    double lead_s, solve_s;     /* real seconds in the master, and in those of its calls that solved */
    double optimum_s;           /* of all passes, by the true curves (run/optimum.h) */
    int64_t messages, bytes, events;
};

/* PLB_OK, or PLB_EFAILED and a sentence where the run cannot end. `result` is written, and its
 * master to be freed, in both cases. */
int plb_simulate(const struct plb_simulation *simulation, struct plb_simulated *result,
                 struct plb_error *err);

/* The simulation of a job that was read for one. */
struct plb_simulation plb_job_simulation(const struct plb_job *job);

#endif
