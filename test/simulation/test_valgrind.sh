#!/usr/bin/env bash
# valgrind over the parts that run without MPI: the simulation of both kernels, and the pure parts.
. "$(dirname "$0")/../support/lib.sh"
unset HWLOC_COMPONENTS # test_topology describes machines to hwloc
[ -z "${SAN:-}" ] || { skip "valgrind" "the build is already sanitized"; done_testing; }
[ -z "${PLB_QUICK:-}" ] || { skip "valgrind" "scripts/check --all runs it"; done_testing; }
command -v valgrind >/dev/null || { skip "valgrind" "not installed"; done_testing; }

checked() {
    valgrind -q --fair-sched=try --error-exitcode=9 --suppressions="$root/test/support/valgrind.supp" \
        --leak-check=full --errors-for-leak-kinds=definite "$@" >"$tmp/out" 2>&1
}
printf '[app]\nkernel = spmm\n[spmm]\nrows = 2000\ninner = 1000\n' >"$tmp/sparse.conf"
printf '[app]\nkernel = matmul\n' >"$tmp/dense.conf"
for conf in sparse dense; do
    checked "$PLBRUN" --simulate "$root/hostfiles/demo.cluster" \
        --trace "$tmp/t.json" --report "$tmp/r.json" "$tmp/$conf.conf"
    ok "simulation of $conf" $?
done
export PLB_SEEDS=50 # of the tests that draw their cases
# Each takes a minute or more under valgrind, and is arithmetic on arrays that the address sanitizer sees.
pure=' test_fit test_random_cluster test_solve test_objective test_objective_curves '
# Its impossible times give NLopt's SLSQP problems with no answer, which then reads work space that it has not
# written. The address sanitizer runs it.
pure+='test_master_malformed '
for source in "$root"/test/unit/test_*.c; do
    t=$(basename "$source" .c)
    [[ $pure == *" $t "* ]] && continue
    checked "$BUILD/test/unit/$t"
    ok "$t" $?
done
checked "$BUILD/test/simulation/test_seeds"
ok "fifty simulated clusters" $?
done_testing
