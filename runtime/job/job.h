/* A job: everything that follows from the conf file. Rank 0 reads and checks it before any work. Main thread
 * only. */
#ifndef PLB_JOB_JOB_H
#define PLB_JOB_JOB_H

#include <time.h>

#include "core/master.h"
#include "app/application.h"
#include "config/cluster_file.h"
#include "config/replay_file.h"
#include "job/goal.h"
#include "job/job_settings.h"

struct plb_job {
    struct plb_settings settings;
    struct plb_balance_settings balance;
    struct plb_goal goal;
    struct plb_cluster_settings machines;
    struct plb_run_settings run;
    const struct plb_kernel *kernel;
    const struct plb_balancer *balancer;
    struct plb_param *params;
    struct plb_app app;
    struct plb_sizes sizes;          /* of its data */
    struct plb_cost_map *maps;       /* one per phase */
    int simulated[PLB_MAX_PHASES];   /* the phases that a simulation runs, one pass each, in this order */
    struct plb_cluster_spec cluster; /* no nodes: the real machines */
    struct plb_replay replay;        /* what the run simulated again tells of work */
    struct plb_cost_map *true_map;   /* by that run; NULL: as told */
    uint64_t seed;
    time_t began;                  /* when it was read */
    double began_s;                /* the same by plb_now() */
    struct plb_profiles *profiles; /* of profile/profiles.h; NULL where off, and before the PUs are known */
    struct plb_pareto *pareto;     /* of foresee/pareto.h; NULL: nobody wants the front */
    struct plb_what_if *what_if;   /* of foresee/what_if.h; NULL: nobody wants a report */
    struct plb_app_mode mode;      /* set before the setup, but for what settings say */
    bool finished;                 /* its results are written */
    struct plb_journal *journal;   /* of journal/journal.h; NULL where none is kept */
};

/* Reads and checks settings, kernel, balancer and .cluster file. `simulate` is the .cluster file of a
 * simulation or the report of a run to simulate again, or NULL. The assignments are borrowed until fini.
 * PLB_OK, or another status and a sentence; the caller releases the job in either case. */
int plb_job_read(struct plb_job *job, const char *conf_file, char *const *assignments, int n_assignments,
                 const char *simulate, uint64_t seed, struct plb_error *err);

/* Runs the kernel's setup, which reads the inputs, and asks for the costs of every phase. PLB_OK, or another
 * status and a sentence. */
int plb_job_setup(struct plb_job *job, bool simulated, struct plb_error *err);

/* After a pass: asks the kernel whether it wants another one. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_job_next(struct plb_job *job, int64_t pass, bool *again, struct plb_error *err);

/* Compares the results with the kernel's reference. PLB_OK; or PLB_EVERIFY or another status, and a
 * sentence. */
int plb_job_verify(struct plb_job *job, struct plb_error *err);

/* Calls the kernel's finish, and writes the results that the kernel has declared. The caller does not call it
 * after a wrong result. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_job_finish(struct plb_job *job, struct plb_error *err);

/* The job as the master must know it. It borrows from the job; the driver adds n_nodes. */
struct plb_master_config plb_job_master(const struct plb_job *job);

void plb_job_fini(struct plb_job *job);

#endif
