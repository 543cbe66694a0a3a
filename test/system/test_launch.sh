#!/usr/bin/env bash
# Processes that MPI does not join would each run the whole job: they are refused before anything is written.
# test/run: real MPI, since its launchers are what this is about.
. "$(dirname "$0")/../support/lib.sh"
[ "${SAN:-}" != thread ] || { skip "launch" "no PU runs"; done_testing; }

lines "$tmp/app.conf" '[app]' 'kernel = matmul' \
    '[matmul]' 'rows = 4' 'inner = 4' 'columns = 4' "c = $tmp/c.npy"

# started VARIABLE=VALUE...: plbrun as a launcher with these variables starts it; returns its status.
started() {
    rm -f "$tmp/c.npy" "$tmp/r.json"
    # shellcheck disable=SC2163 # assignments
    (export "$@"; alone "$tmp/app.conf" --report "$tmp/r.json")
}
# refused NAME PATTERN VARIABLE=VALUE...
refused() {
    local name=$1 pattern=$2; shift 2
    started "$@"
    [ $? -eq 2 ] && [ ! -e "$tmp/c.npy" ] && [ ! -e "$tmp/r.json" ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] \
        && grep -q "$pattern" "$tmp/out"
    ok "$name" $?
}
# silent NAME VARIABLE=VALUE...: another process than the first says nothing.
silent() {
    local name=$1; shift
    started "$@"
    [ $? -eq 2 ] && [ ! -e "$tmp/c.npy" ] && [ ! -s "$tmp/out" ]
    ok "$name" $?
}
runs() {
    local name=$1; shift
    started "$@" && [ -e "$tmp/c.npy" ]
    ok "$name" $?
}

step='SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_NTASKS=4'
# shellcheck disable=SC2086 # several variables
{
    refused 'srun' 'srun has started 4 processes (SLURM_STEP_NUM_TASKS=4), but MPI sees one.*--mpi=pmix' \
        $step SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0
    silent 'srun, another task' $step SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=3
    runs 'srun of one task' $step SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0
}
runs 'a script of sbatch' SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0
runs 'a shell of salloc' SLURM_JOB_ID=7 SLURM_NTASKS=4
refused "another MPI's mpirun" "Open MPI's mpirun has started 3 .*plbrun is built with" \
    OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0
refused "another MPI's mpiexec" "(PMI_SIZE=3).*plbrun is built with" PMI_SIZE=3 PMI_RANK=0
silent "another MPI's mpiexec, another process" PMI_SIZE=3 PMI_RANK=1
refused 'flux' "flux run has started 2" FLUX_JOB_SIZE=2 FLUX_TASK_RANK=0

(export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0; ranks 2 "$tmp/app.conf")
ok 'mpirun inside a step of one task' $?
(export SLURM_NTASKS=9; ranks 2 "$tmp/app.conf")
ok 'mpirun inside sbatch' $?

# An MPI that gives less than was asked for.
lines "$tmp/single.c" 'int PMPI_Init_thread(int *argc, char ***argv, int wanted, int *provided);' \
    'int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)' \
    '{ int status = PMPI_Init_thread(argc, argv, wanted, provided); *provided = 0; return status; }'
if [ -n "${SAN:-}" ]; then
    skip 'an MPI without threads' 'a sanitizer wants to be loaded first'
elif ${CC:-cc} -shared -fPIC -o "$tmp/single.so" "$tmp/single.c"; then
    rm -f "$tmp/c.npy"
    timeout 60 mpirun --oversubscribe -x LD_PRELOAD="$tmp/single.so" -np 2 \
        "$PLBRUN" "$tmp/app.conf" >"$tmp/out" 2>&1
    [ $? -eq 2 ] && [ "$(grep -c '^plbrun: this MPI supports only one thread' "$tmp/out")" -eq 1 ] \
        && [ ! -e "$tmp/c.npy" ]
    ok 'an MPI without threads' $?
else
    skip 'an MPI without threads' 'no compiler'
fi
done_testing
