/* Environment variables in which launchers tell of themselves. */
#ifndef PLB_MEMBERSHIP_LAUNCH_H
#define PLB_MEMBERSHIP_LAUNCH_H

#include <stdbool.h>

#include "base/error.h"

struct plb_launch {
    int rank;      /* of this process, as its launcher says; -1 where it was started by hand */
    int processes; /* that the launcher has started; 1 where that is not known */
    const char *launcher, *variable, *remedy; /* for the sentence; static storage */
};

/* Reads the environment. Called before MPI starts, since MPI adds to it. */
struct plb_launch plb_launch_read(void);

/* Seconds until the batch system ends the job: Slurm's SLURM_JOB_END_TIME; infinite where nobody says so, and
 * where that time is over, since a job that has ended runs nothing. */
double plb_launch_time_left(void);

/* Compares MPI's number of ranks with the number of processes. Where MPI sees one rank and the launcher has
 * started several, each process would run the whole job, all into the same files: PLB_EINPUT, and a sentence
 * on the process that the launcher calls rank 0. Else PLB_OK. */
int plb_launch_check(const struct plb_launch *launch, int ranks, struct plb_error *err);

/* Whether the launcher leaves the other ranks running when one ends by a signal, as far as the environment
 * tells: plbrun-mpirun, or mpirun --enable-recovery of Open MPI 4. */
bool plb_launch_survives(void);

/* Says, on rank 0, where the loss of a rank may end the job, and how to start it so that it does not. A
 * warning where ranks are on several hosts, which may be lost. */
void plb_launch_say_fragile(bool several_hosts);

/* The same when a rank has been lost, unless the run survives that: mpirun's signal to end may come next. */
void plb_launch_say_lost(bool survives);

/* Leaves a mark for scripts/plbrun-mpirun, if that has started this process: plbrun has begun. A file of the
 * name that PLB_STATUS_FILE has, with .begun behind it. Called by rank 0, as its first act. */
void plb_launch_begin(void);

/* Tells scripts/plbrun-mpirun the status with which this process ends, if that has started it: in the file
 * that PLB_STATUS_FILE names, which is whole or not there. in_order: MPI was left with all ranks. Called by
 * rank 0, as its last act. */
void plb_launch_tell(int status, bool in_order);

/* The same by another rank, which has seen that rank 0 has ended: without a status, if it has told none. */
void plb_launch_tell_lost(void);

#endif
