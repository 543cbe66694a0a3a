#!/usr/bin/env bash
# valgrind over the parts that run without MPI: the simulation of both kernels, and the pure parts.
. "$(dirname "$0")/../support/lib.sh"
unset HWLOC_COMPONENTS # test_topology describes machines to hwloc
[ -z "${SAN:-}" ] || { skip "valgrind" "the build is already sanitized"; done_testing; }
[ -z "${PLB_QUICK:-}" ] || { skip "valgrind" "scripts/check --all runs it"; done_testing; }
command -v valgrind >/dev/null || { skip "valgrind" "not installed"; done_testing; }

# checked NAME COMMAND...: its output is in $tmp/NAME.out, its status in $tmp/NAME.status.
checked() {
    valgrind -q --fair-sched=try --error-exitcode=9 --suppressions="$root/test/support/valgrind.supp" \
        --leak-check=full --errors-for-leak-kinds=definite "${@:2}" >"$tmp/$1.out" 2>&1
    echo $? >"$tmp/$1.status"
}
# begin NAME COMMAND...: beside others, one for each core.
names=()
begin() {
    [ "$(jobs -r | wc -l)" -lt "$(nproc)" ] || wait -n
    names+=("$1")
    checked "$@" &
}
printf '[app]\nkernel = spmm\n[spmm]\nrows = 2000\ninner = 1000\n' >"$tmp/sparse.conf"
printf '[app]\nkernel = matmul\n' >"$tmp/dense.conf"
for conf in sparse dense; do
    begin "simulation-of-$conf" "$PLBRUN" --simulate "$root/hostfiles/demo.cluster" \
        --trace "$tmp/$conf-trace.json" --report "$tmp/$conf-report.json" "$tmp/$conf.conf"
done
export PLB_SEEDS=50 # of the tests that draw their cases
# Each takes a minute or more under valgrind, and is arithmetic on arrays that the address sanitizer sees.
pure=' test_fit test_front test_random_cluster test_solve test_objective test_objective_curves '
# Its impossible times give NLopt's SLSQP problems with no answer, which then reads work space that it has not
# written. The address sanitizer runs it.
pure+='test_master_malformed '
# valgrind makes vfork a fork, whose child cannot say why a program was not started.
pure+='test_server '
begin fifty-simulated-clusters "$BUILD/test/simulation/test_seeds"
for source in "$root"/test/unit/test_*.c; do
    t=$(basename "$source" .c)
    [[ $pure == *" $t "* ]] || begin "$t" "$BUILD/test/unit/$t"
done
wait
for name in "${names[@]}"; do
    mv "$tmp/$name.out" "$tmp/out"
    ok "$name" "$(cat "$tmp/$name.status")"
done
done_testing
