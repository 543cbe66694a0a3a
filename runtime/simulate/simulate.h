/* The simulation driver: the master and the workers of a run over a virtual clock. Exactly repeatable from
 * its seed. Thread-safe as far as calls share nothing. */
#ifndef PLB_SIMULATE_SIMULATE_H
#define PLB_SIMULATE_SIMULATE_H

#include "job/job.h"
#include "simulate/simulation.h"

/* PLB_OK, or PLB_EFAILED and a sentence where the run cannot end. `result` is written, and its master to be
 * freed, in both cases. */
int plb_simulate(const struct plb_simulation *simulation, struct plb_simulated *result,
                 struct plb_error *err);

/* The simulation of a job that was read for one, which is borrowed. */
struct plb_simulation plb_job_simulation(const struct plb_job *job);

#endif
