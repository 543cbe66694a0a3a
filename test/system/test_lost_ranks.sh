#!/usr/bin/env bash
# Ranks that are killed or stopped in the middle of a run: others execute their units, and results are those
# of an undisturbed run.
# test/run: real MPI, since what it does without some ranks is part of the question.
. "$(dirname "$0")/../support/lib.sh"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "lost ranks" "this mpirun is not Open MPI 4"
    done_testing
fi
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 1000' "out = $tmp/y.npy" '[balance]' 'grain = 20'
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery)

# disturbed SIGNAL "RANKS" N ARGUMENTS...: a run on N ranks; these ranks get the signal while all execute
# tasks. The others go on once rank 0 says that they are lost. SIGNAL = hold: their communication threads
# stand still for 2 s; suspend: they stop for 12 s. Its status is that of mpirun.
disturbed() {
    local signal=$1 victims=$2 n=$3 victim pid stopped=(); shift 3
    rm -f "$tmp/y.npy"
    started "$n" "$@"
    for victim in $victims; do
        pid=$(process_of "$victim")
        stopped+=("$pid")
        case $signal in
        hold) "$root/test/support/hold" "$pid" 2; forbidden=$? ;;
        suspend) ;;
        *) kill "-$signal" "$pid" ;;
        esac
    done
    case $signal in
    hold) ;;
    suspend) kill -STOP "${stopped[@]}"; sleep 12; kill -CONT "${stopped[@]}" ;;
    *) await "$(wc -w <<<"$victims")" 'is lost' ;;
    esac
    open_gate
    wait "$run"
}
ranks 1 "$tmp/s.conf"
mv "$tmp/y.npy" "$tmp/sleeper.npy"
for signal in KILL STOP; do
    disturbed $signal 1 3 "$tmp/s.conf" &&
        grep -q "rank 1 on .* is lost (it" "$tmp/out" &&
        cmp "$tmp/y.npy" "$tmp/sleeper.npy" >>"$tmp/out" 2>&1
    ok "one of three ranks, SIG$signal" $?
    disturbed $signal "1 2 3" 4 "$tmp/s.conf" && [ "$(grep -c 'is lost' "$tmp/out")" -eq 3 ] &&
        cmp "$tmp/y.npy" "$tmp/sleeper.npy" >>"$tmp/out" 2>&1
    ok "all ranks but rank 0, SIG$signal" $?
done
# MPI itself may know of a rank that has ended (ULFM). Here a stand-in names one that runs.
if [ -n "${SAN:-}" ]; then
    skip "MPI says that a rank has ended" "a sanitizer wants to be loaded first"
else
    rm -f "$tmp/y.npy"
    LAUNCH+=(-x "LD_PRELOAD=$BUILD/test/support/ulfm.so" -x "PLB_TEST_FAILED=$tmp/failed")
    started 3 "$tmp/s.conf"
    : >"$tmp/failed"
    await 1 'rank 2 on .* is lost .its process has ended'
    known=$?
    open_gate
    wait "$run" && [ $known -eq 0 ] && cmp "$tmp/y.npy" "$tmp/sleeper.npy" >>"$tmp/out" 2>&1
    ok "MPI says that a rank has ended" $?
    LAUNCH=("${LAUNCH[@]:0:4}")
fi
lines "$tmp/audit.conf" '[app]' "kernel = $BUILD/test/kernels/liar.so" \
    '[run]' 'audit = 0.3' 'checksums = yes' '[liar]' 'units = 1000' 'rank = -1' 'reduce = yes' \
    '[balance]' 'grain = 20'
for signal in KILL STOP; do
    disturbed $signal 1 3 --verify "$tmp/audit.conf" && grep -q "rank 1 on .* is lost (it" "$tmp/out" &&
        grep -q '[1-9][0-9]* tasks audited, 0 differences; .*verified' "$tmp/out"
    ok "audits of a rank that is lost go to others, and each sum counts once, SIG$signal" $?
done
disturbed hold 1 3 "$tmp/s.conf" && [ -s "$tmp/out" ] && ! grep -q 'is lost' "$tmp/out"
kept=$?
if [ "$forbidden" -eq 3 ]; then
    skip "a rank whose process runs is not given up" "ptrace is not allowed"
else
    ok "a rank whose process runs is not given up, though it says nothing" $kept
fi
# All stand still, as when a batch system suspends the job. Rank 0 was silent then, and nobody ends for that.
disturbed suspend "0 1 2" 3 "$tmp/s.conf" && ! grep -q 'is lost\|has sent no message' "$tmp/out" &&
    cmp "$tmp/y.npy" "$tmp/sleeper.npy" >>"$tmp/out" 2>&1
ok "a job that is suspended for 12 s goes on" $?
disturbed KILL 0 3 "$tmp/s.conf"
grep -q 'the process of rank 0 has ended; rank 1 ends' "$tmp/out" && [ ! -e "$tmp/y.npy" ]
ok "without rank 0 the others end" $?
disturbed STOP 1 3 --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf"
python3 - "$tmp" <<'P'
import json, sys
report = json.load(open(sys.argv[1] + '/r.json'))
pus = report['pus']
json.load(open(sys.argv[1] + '/t.json'))
right = pus[1]['failure'] == 'its rank was lost' and not pus[2]['failure'] and report['failed_pus'] == 1
sys.exit(not (report['status'] == 'done' and right))
P
ok "report and trace tell of it" $?
done_testing
