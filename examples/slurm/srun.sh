#!/bin/bash
# plbrun in an allocation of Slurm, started by srun over PMIx: sbatch srun.sh app.conf [plbrun's options].
# "srun --mpi=list" has to name pmix, and MPI has to be built with it, as Debian's Open MPI is.
#SBATCH --job-name=plbrun
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --signal=USR1@120
#SBATCH --output=plbrun-%j.out

# Two minutes before the end Slurm sends its signal to the step. Then plbrun ends in time.
exec srun --mpi=pmix --cpu-bind=none plbrun --report "plbrun-$SLURM_JOB_ID.json" "$@"
