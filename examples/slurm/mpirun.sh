#!/bin/bash
# plbrun in an allocation of Slurm, started by mpirun: sbatch mpirun.sh app.conf [plbrun's options].
# One rank on each node has all its cores and GPUs, so that no core is shared.
#SBATCH --job-name=plbrun
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=01:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --output=plbrun-%j.out

# exec: Slurm's signal, two minutes before the end, reaches mpirun, which passes it on. Then plbrun ends in
# time.
exec mpirun --bind-to none plbrun --report "plbrun-$SLURM_JOB_ID.json" "$@"
