/* For the benches that simulate: a job read from its conf, run again and again with other seeds. */
#ifndef BENCH_SIMULATED_H
#define BENCH_SIMULATED_H

#include <stdio.h>
#include <stdlib.h>

#include "simulate/simulate.h"

#define MAX_SETTINGS 8

/* Reads a job as `plbrun --simulate CLUSTER CONF SETTINGS...` would; ends the bench where that fails. */
static inline void open_job(struct plb_job *job, const char *cluster, const char *conf, char *const *settings,
                            int n_settings)
{
    struct plb_error err = {.status = PLB_OK};
    if (plb_job_read(job, conf, settings, n_settings, cluster, 1, &err) != PLB_OK
        || plb_job_setup(job, true, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
}

/* One run, which is watched if `watch` is not NULL; the master of the result is to be freed. */
static inline struct plb_simulated run_watched(const struct plb_job *job, uint64_t seed,
                                               const struct plb_watch *watch)
{
    struct plb_error err = {.status = PLB_OK};
    struct plb_simulation s = plb_job_simulation(job);
    struct plb_simulated result;
    s.seed = seed;
    if (watch != NULL)
        s.watch = *watch;
    if (plb_simulate(&s, &result, &err) != PLB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return result;
}

static inline struct plb_simulated run_job(const struct plb_job *job, uint64_t seed)
{
    return run_watched(job, seed, NULL);
}

#endif
