#!/usr/bin/env bash
# A plbrun that no launcher has started needs no daemon of MPI, and leaves nothing in the environment.
# test/run: real MPI
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "no daemon for one process" "this MPI is not Open MPI 4, whose daemon is orted"
    done_testing
fi
# The daemon, and a process that has one, keep files there while they run.
mkdir mpi
files='find mpi -mindepth 1 | wc -l; : {}'
TMPDIR=$tmp/mpi "$PLBRUN" -j 1 --run "$files" --range 1-1 >stdout 2>out
[ $? -eq 0 ] && [ "$(cat stdout)" = 0 ]
ok "no daemon is started for one process" $?
TMPDIR=$tmp/mpi OMPI_MCA_ess_singleton_isolated=0 OMPI_MCA_orte_create_session_dirs=1 \
    "$PLBRUN" -j 1 --run "$files" --range 1-1 >stdout 2>out
[ $? -eq 0 ] && [ "$(cat stdout)" -gt 0 ]
ok "unless the user's environment asks for it" $?
for _ in 1 2 3 4 5 6 7 8; do
    { for _ in 1 2 3 4 5; do "$PLBRUN" --run 'echo {}' --range 1-1 2>&1; done; } >>many &
done
wait
[ "$(xargs <many)" = "$(yes 1 | head -n 40 | xargs)" ]
ok "many at a time do not meet" $?
cat >kernel.c <<'C'
#include <plb/kernel.h>
#include <stdlib.h>

static int setup(struct plb_app *app)
{
    plb_app_units(app, 1);
    return system("env | grep -q '^OMPI_MCA_[bpe]'") == 0 ? plb_app_error(app, "a variable is left") : PLB_OK;
}

static int entry(const struct plb_task *task)
{
    (void)task;
    return 0;
}

const struct plb_kernel plb_kernel = {
    .name = "none", PLB_KERNEL_HEAD, .unit = "units", .summary = "none", .cpu = entry, .setup = setup};
C
lines kernel.conf '[app]' 'kernel = ./kernel.so'
gcc -std=c11 -fPIC -shared -I"$root/runtime/include" -o kernel.so kernel.c && alone kernel.conf
ok "nothing of that is left in the environment" $?
# shellcheck disable=SC2086,SC2016 # several words; the programs' own variables
timeout 60 mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" -j 1 --run 'sleep 0.1; echo $PPID; : {}' --range 1-10 \
    >stdout 2>out
[ $? -eq 0 ] && [ "$(sort -u stdout | wc -l)" -eq 2 ]
ok "ranks of mpirun find each other" $?
done_testing
