# For test scripts: TAP lines, a scratch folder, and mpirun as tests need it. Source it first.
# PLBRUN and BUILD name the program and build folder under test.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PLBRUN=${PLBRUN:-$root/plbrun}
BUILD=${BUILD:-$root/build}
DATA=${PLB_DATA:-$root/../shared/data}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME=$tmp/cache # never the user's own
if [ -e /dev/nvidiactl ]; then export PLB_CLUSTER_PUS=cpu; fi # scripts/gpu-check is for GPUs
# When a rank ends badly, mpirun gives the others a second to end. Only a sanitizer needs it.
[ -n "${SAN:-}" ] || export OMPI_MCA_odls_base_sigkill_timeout=0
count=0 failures=0

# ok NAME STATUS: one result. Where it failed, $tmp/out is shown.
ok() {
    count=$((count + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"; failures=$((failures + 1))
        [ -f "$tmp/out" ] && sed 's/^/# /' "$tmp/out"
    fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
# same NAME REFERENCE OUTPUT: the output equals the reference file. The first call makes the reference. Each
# call removes the output.
same() {
    [ -f "$2" ] || cp "$3" "$2"
    cmp "$2" "$3" >>"$tmp/out" 2>&1
    ok "$1" $?
    rm -f "$3"
}
# tries COMMAND...: the command, up to five times until it succeeds. For runs that measure: a busy machine
# takes the cores away for a quarter of a second now and then.
tries() { for _ in 1 2 3 4 5; do "$@" && return; done; return 1; }
done_testing() { echo "1..$count"; [ "$failures" -eq 0 ]; exit; }
# lines FILE LINE...: the file has these lines and no other.
lines() { printf '%s\n' "${@:2}" >"$1"; }

# Options of mpirun. Another MPI may need others (test/other-mpi).
MPIRUN_OPTIONS=${MPIRUN_OPTIONS---oversubscribe --bind-to none}
# ranks N ARGUMENTS...: plbrun on N ranks, output in $tmp/out; returns its status.
ranks() {
    local n=$1; shift
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" >"$tmp/out" 2>&1
}
# The balancers to try over real ranks. A sanitized build tries three: other tests show the sanitizers the
# code of all balancers.
balancers() {
    if [ -n "${SAN:-}" ]; then
        echo plb-hac plb-hec static
    else
        "$PLBRUN" --balancer help | awk '/^[^ ]/ && !/--simulate/ {print $1}'
    fi
}
# The numbers of ranks to try: a sanitized build tries the smallest and the largest.
counts() { if [ -n "${SAN:-}" ]; then echo "$1" "${*: -1}"; else echo "$@"; fi; }
alone() { timeout 120 "$PLBRUN" "$@" >"$tmp/out" 2>&1; }
