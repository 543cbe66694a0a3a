/* A job: everything that follows from the conf file, read and checked on rank 0 before any work. */
#ifndef PLB_JOB_JOB_H
#define PLB_JOB_JOB_H

#include "core/master.h"
#include "job/application.h"
#include "config/cluster_file.h"
#include "job/job_settings.h"

struct plb_job {
    struct plb_settings settings;
    struct plb_balance_settings balance;
    struct plb_cluster_settings machines;
    const struct plb_kernel *kernel;
    const struct plb_balancer *balancer;
    struct plb_param *params;
    struct plb_app app;
    struct plb_cost_map *maps;  /* one per phase */
    int simulated[PLB_MAX_PHASES]; /* the phases that a simulation runs: each once, in order */
    struct plb_cluster_spec cluster; /* no nodes: the real machines */
    uint64_t seed;
    struct plb_profiles *profiles;  /* run/profiles.h; NULL until the PUs are known, and where off */
};

/* Reads and checks settings, kernel, balancer and .cluster file. `simulate`: the .cluster file of a
 * simulation, or NULL. The job is to be released in any case. */
int plb_job_read(struct plb_job *job, const char *conf_file, char *const *assignments, int n_assignments,
                 const char *simulate, uint64_t seed, struct plb_error *err);

/* Runs the kernel's setup and measures the costs: the inputs are in memory after this. */
int plb_job_setup(struct plb_job *job, bool simulated, struct plb_error *err);

/* Between passes: whether the kernel wants another. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_job_next(struct plb_job *job, int64_t pass, bool *again, struct plb_error *err);

/* The verification, then the output files. PLB_OK, PLB_EVERIFY, or another status and a sentence; no
 * file is written after a wrong result. */
int plb_job_verify(struct plb_job *job, struct plb_error *err);
int plb_job_finish(struct plb_job *job, struct plb_error *err);

/* What the master has to know. */
struct plb_master_config plb_job_master(const struct plb_job *job);

void plb_job_fini(struct plb_job *job);

#endif
