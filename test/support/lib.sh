# For test scripts: TAP lines, a scratch folder, and mpirun as tests need it. Source it first.
# PLBRUN and BUILD name the program and build folder under test.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PLBRUN=${PLBRUN:-$root/plbrun}
BUILD=${BUILD:-$root/build}
# shellcheck disable=SC2034 # for scripts that read larger matrices
DATA=${PLB_DATA:-$root/../shared/data}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export XDG_CACHE_HOME=$tmp/cache # never the user's own
if [ -e /dev/nvidiactl ]; then export PLB_CLUSTER_PUS=cpu; fi # scripts/gpu-check is for GPUs
# When a rank ends badly, mpirun gives the others a second to end. Only a sanitizer needs it.
[ -n "${SAN:-}" ] || export OMPI_MCA_odls_base_sigkill_timeout=0
count=0 failures=0

# ok NAME STATUS: one result. Where it failed, $tmp/out is shown, or the runs that `wrong_run` has noted.
ok() {
    local out=$tmp/out cause=''
    count=$((count + 1))
    [ ! -s "$tmp/wrong" ] || { out=$tmp/wrong cause=" ($(head -n 1 "$out"))"; }
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1$cause"; failures=$((failures + 1))
        [ -f "$out" ] && sed 's/^/# /' "$out"
    fi
    rm -f "$tmp/wrong"
}
# wrong_run STATUS WORDS...: notes a run that is not as it should be, for a result that has several. The
# result's name says of the first one how it ended.
wrong_run() {
    { echo "${*:2}: status $1, $(tail -n 1 "$tmp/out")"; sed 's/^/    /' "$tmp/out"; } >>"$tmp/wrong"
    return 1
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
# takes the cores away for a quarter of a second now and then. It says how often it tried, and test/run adds
# that up.
tries() {
    local i status
    for i in 1 2 3 4 5; do
        "$@"; status=$?
        [ $status -ne 0 ] || break
    done
    echo "# tries $i: $*"
    return $status
}
done_testing() { echo "1..$count"; [ "$failures" -eq 0 ]; exit; }
# python_with MODULE: prints a python3 that has it, the first in PATH or the system's: that of pyenv or conda
# may lack what scripts/install-deps has installed.
python_with() {
    local p
    for p in python3 /usr/bin/python3; do "$p" -c "import $1" 2>/dev/null && echo "$p" && return; done
    return 1
}
# lines FILE LINE...: the file has these lines and no other.
lines() { printf '%s\n' "${@:2}" >"$1"; }

# Options of mpirun. Another MPI may need others (test/other-mpi).
MPIRUN_OPTIONS=${MPIRUN_OPTIONS---oversubscribe --bind-to none}
# ranks N ARGUMENTS...: plbrun on N ranks, output in $tmp/out; returns its status. A run that MPI or PoCL
# spoils is tried again, once, which test/run counts.
ranks() {
    local n=$1 status; shift
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" >"$tmp/out" 2>&1
    status=$?
    if [ $status -ne 0 ] && { mpirun_misses_an_end || pocl_miscounts; }; then
        echo "# tries 2: mpirun has missed the end of a rank, or PoCL has miscounted its programs"
        # shellcheck disable=SC2086 # several words
        timeout 120 mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" >"$tmp/out" 2>&1
        status=$?
    fi
    [ $status -eq 0 ] || return $status
    answered "$@"
}
# mpirun_misses_an_end: $tmp/out is of a run that went well until mpirun of Open MPI 4 took a rank that had
# left MPI for one that had not, as it does now and then with any program
# (open-mpi/ompi issue 7833). A rank of plbrun that ends without leaving MPI says so.
mpirun_misses_an_end() {
    grep -q 'exiting improperly' "$tmp/out" && ! grep -q '^plbrun:' "$tmp/out"
}
# pocl_miscounts: $tmp/out is of a run that PoCL before 6.0 has ended. Two commands of one kernel are in
# flight, and their grids differ in width. Then it may give back the program of the other one
# (lib/CL/devices/common.c, pocl_release_dlhandle_cache).
pocl_miscounts() { grep -q 'pocl_release_dlhandle_cache: Assertion' "$tmp/out"; }
# answered ARGUMENTS...: $tmp/out, of a run that ended well, has what they ask for: "verified", or some word
# at least. Returns 99 where it has not, which no run of plbrun does.
answered() {
    case " $* " in
    *' --quiet '*) ;;
    *' --verify '*) grep -q '; verified' "$tmp/out" || return 99 ;;
    *) [ -s "$tmp/out" ] || return 99 ;;
    esac
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
# The numbers of ranks, seeds or sizes to try: a sanitized build tries the first and the last.
counts() { if [ -n "${SAN:-}" ]; then echo "$1" "${*: -1}"; else echo "$@"; fi; }
alone() {
    timeout 120 "$PLBRUN" "$@" >"$tmp/out" 2>&1 || return
    answered "$@"
}

# Runs that are disturbed. A slow machine must not change what a test sees: so it waits for what it needs, and
# the tasks of the run wait for the test at a gate (test/kernels/gate.h).
LAUNCH=(mpirun)
gate_at=5 # which task of each rank waits
PATIENCE=${PLB_PATIENCE:-120} # seconds that a test waits for what should happen at once
# begin N ARGUMENTS...: plbrun on N ranks in the background, output in $tmp/out; its pid is in $run.
begin() {
    local n=$1; shift
    rm -f "$tmp/gate"
    : >"$tmp/out"
    # shellcheck disable=SC2086 # several words
    PLB_TEST_GATE=$gate_at:$tmp/gate "${LAUNCH[@]}" $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" \
        >"$tmp/out" 2>&1 &
    run=$!
}
# await N PATTERN: waits until the run has printed N lines with the pattern. Fails where it ends before, and
# after PATIENCE.
await() {
    local end=$((SECONDS + PATIENCE)) goes_on=yes
    until [ "$(grep -cE -- "$2" "$tmp/out" 2>&1)" -ge "$1" ] 2>/dev/null; do # it may not be there yet
        [ $goes_on = yes ] && [ $SECONDS -lt $end ] || return
        sleep 0.05
        kill -0 "$run" 2>/dev/null || goes_on=no
    done
}
# soon COMMAND...: waits until the command succeeds. Fails after PATIENCE.
soon() {
    local end=$((SECONDS + PATIENCE))
    until "$@"; do
        [ $SECONDS -lt $end ] || return
        sleep 0.05
    done
}
# started N ARGUMENTS...: begins a run, and waits until a task of each rank waits at the gate.
started() { begin "$@" && await "$1" 'a task waits at the gate'; }
open_gate() { : >"$tmp/gate"; }
# process_of RANK: the pid of this rank of a run of this test.
process_of() {
    local files
    files=$(pgrep -x plbrun | sed 's|.*|/proc/&/environ|')
    # shellcheck disable=SC2086 # names without blanks
    files=$(grep -lzxF "XDG_CACHE_HOME=$XDG_CACHE_HOME" /dev/null $files 2>/dev/null)
    # shellcheck disable=SC2086
    grep -lzxE "(OMPI_COMM_WORLD|PMIX|PMI)_RANK=$1" /dev/null $files 2>/dev/null | head -n 1 | cut -d / -f 3
}
# field KEY: what the report $tmp/r.json says.
field() { python3 -c "import json; print(json.load(open('$tmp/r.json'))['$1'])"; }
# kept UNITS: $tmp/y.npy.partial has some of these units of the sleeper, right where its .units says so.
kept() {
    python3 - "$tmp/y.npy.partial" "$1" <<'P'
import struct, sys
path, n = sys.argv[1], int(sys.argv[2])
values = struct.unpack(f'<{n}d', open(path, 'rb').read()[-8 * n:])
ranges = [tuple(map(int, line.split(','))) for line in open(path + '.units') if line[0] != '#']
units = [u for first, last in ranges for u in range(first, last + 1)]
sys.exit(0 if 0 < len(units) < n and all(values[u] == u + 1 for u in units) else 1)
P
}
