#!/usr/bin/env bash
# Results that are the input of the next pass: heat in a rod, step by step. Each run is compared, bit by bit,
# with one loop over all steps.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/heat.so" '[heat]' 'named = yes'
apart=cluster.master_only=yes # rank 0 computes nothing
fixed=(--balancer static balance.migration=off)

# right NAME N ARGUMENTS...: the result is.
right() {
    local name=$1 n=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/h.conf" "$@" && grep -q verified "$tmp/out"
    ok "$name" $?
}
stays=heat.stays=yes          # results stay at their ranks
right "forty steps" 3 heat.passes=40 "${fixed[@]}"
right "units that change hands" 3 --balancer greedy balance.grain=500
right "that setup has not named, after each third pass" 2 heat.named=no heat.every=3 balance.grain=3000
right "with checksums and audits, though results should stay" 3 $stays run.checksums=yes run.audit=0.3 \
    balance.grain=3000
right "with checksums" 3 run.checksums=yes "${fixed[@]}" $apart balance.grain=3000
right "positions that all ranks have, in child processes" 2 heat.whole=yes run.isolate=yes balance.grain=3000
lines "$tmp/gpu.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[node c]' 'pus = q' '[pu p]' \
    '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'
right "on PUs with memory of their own" 3 cluster.file="$tmp/gpu.cluster" balance.grain=3000
right "that stay, where units change hands" 3 $stays --balancer greedy balance.grain=500 heat.passes=12
right "that stay, in child processes, after each third pass" 2 $stays run.isolate=yes heat.every=3 \
    balance.grain=3000
right "that stay, where next looks at some" 3 $stays heat.gather=3 balance.grain=3000
right "that stay, where next looks and rank 0 has computed all" 1 $stays heat.gather=3
right "that stay, where next looks at some that do not become inputs" 2 $stays --balancer static \
    heat.gather=2 heat.every=3 heat.passes=30
right "that stay, where inputs are not kept" 3 $stays run.keep_inputs=no balance.grain=3000

# moved N PASSES ARGUMENTS...: the bytes of a run.
moved() {
    local n=$1 passes=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/h.conf" "${fixed[@]}" $apart heat.passes="$passes" \
        "$@" && field bytes_moved
}
# Results of 8 bytes go to rank 0. Each rank pulls a cell beside its own on each side, with its rate. Those
# that stay go there after the last pass, so that one pass moves as much.
results=$((9 * 20000 * 8))
for n in $(counts 2 4); do
    one=$(moved "$n" 1) && two=${two-$one} && ten=$(moved "$n" 10) && [ $((ten - one)) -ge $results ] &&
        [ $((ten - one)) -le $((results * 101 / 100)) ]
    ok "a rank pulls nothing that it has computed: $n ranks" $?
    halos=$((9 * 2 * (n - 2) * 16))
    ten=$(moved "$n" 10 $stays) && [ $((ten - one)) -le $halos ]
    ok "where results stay, halos alone move: $n ranks" $?
done
ten=$(moved 2 10 balance.grain=2000) && [ $((ten - two)) -le $((results * 101 / 100)) ]
ok "nor does it in tasks" $?
ten=$(moved 2 10 run.keep_inputs=no) && [ $((ten - two)) -ge $((9 * 20000 * 24)) ]
ok "one that keeps nothing pulls all of it" $?

# A rank is lost. Others pull what it has computed. Where results stay, passes are made again.
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery)
# ended NAME PATTERN: the run is right without rank 1.
ended() {
    open_gate
    wait "$run" && grep -q "rank 1 on .* is lost" "$tmp/out" && grep -q "$2" "$tmp/out" &&
        grep -q verified "$tmp/out"
    ok "the result is right where a rank is lost: $1" $?
    awk '/^ +[0-9]+ +[0-9]+ / { sub(/ %.*/, ""); all += $NF } END { exit !(all > 99.7 && all < 100.3) }' \
        "$tmp/out" && again=$(sed -n 's/.*: .*the last \([0-9]*\) are re-executed.*/\1/p' "$tmp/out") &&
        if [ "$again" != '' ]; then grep -qE "; $again pass(es)? re-executed in " "$tmp/out"; fi
    ok "and the summary has its shares, and the passes that were computed again" $?
}
lose() {
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
}
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    fixed+=(heat.cells=19998) # three equal shares: a rank with a task more would wait in an earlier pass
    gate_at=1                 # in the second pass
    started 3 --verify "$tmp/h.conf" "${fixed[@]}"
    lose && ended "results are on rank 0" lost
    gate_at=4 # next has looked at the results of the third pass
    started 3 --verify "$tmp/h.conf" $stays "${fixed[@]}" heat.gather=3
    lose && ended "results stay" 'warning: results .* the last [123] are re-executed'
    # shellcheck disable=SC2034 # lib.sh reads it
    gate_at=1000000
    begin 3 --verify --log info "$tmp/h.conf" $stays "${fixed[@]}" heat.passes=3 heat.gate="$tmp/gate"
    await 1 'next waits at the gate'
    kill -KILL "$(process_of 1)" # rank 0 hears of it later
    ended "before it is asked for results" 'the last 3 are re-executed'
else
    skip "the result is right where a rank is lost" "this mpirun is not Open MPI 4"
fi

# Rank 0 is killed in a later pass: the journal has the input of that pass.
j=$tmp/j
broken() {
    rm -f "$j"* "$tmp/gate"
    PLB_TEST_GATE=15:$tmp/gate "$PLBRUN" --quiet "$tmp/h.conf" run.journal="$j" balance.grain=2000 "$@" \
        >"$tmp/out" 2>&1 &
    run=$!
    await 1 'a task waits at the gate' && soon test -s "$j.pass" && kill -9 $run
    wait $run 2>/dev/null
    [ -s "$j.pass" ]
}
for whole in no yes; do
    broken heat.whole=$whole &&
        alone --resume --verify "$tmp/h.conf" run.journal="$j" balance.grain=2000 heat.whole=$whole &&
        grep -q 'resumed in pass [23]' "$tmp/out" && grep -q verified "$tmp/out"
    ok "a run that broke goes on, whole = $whole" $?
done

# refused NAME PATTERN ARGUMENTS...: with one sentence.
refused() {
    local name=$1 pattern=$2; shift 2
    alone "$tmp/h.conf" heat.named=no "$@"
    [ $? -ne 0 ] && grep -q "plb_app_feed.*: $pattern" "$tmp/out"
    ok "$name" $?
}
refused "an input is no result" 'the first handle is not that of an OUTPUT' heat.from=0
refused "a result is no input" 'the second handle is not that of a PARTITION' heat.to=2
refused "there is no such buffer" 'the first handle is not' heat.from=-7
refused "results stay though setup has not named them" 'the results stay at their nodes' heat.stays=yes

# The kernel stencil: the same bits on three ranks in two parts as in one; mistakes in one sentence.
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/kernels/stencil.so" '[stencil]' 'rows = 90' 'columns = 37' \
    'steps = 30'
cd "$tmp" && ranks 3 --verify s.conf stencil.end=whole.npy && grep -q verified out &&
    ranks 3 s.conf stencil.steps=20 stencil.end=half.npy &&
    ranks 2 --verify s.conf stencil.start=half.npy stencil.steps=10 stencil.end=end.npy \
        stencil.picture=p.png &&
    cmp whole.npy end.npy && [ "$(head -c 4 p.png | tail -c 3)" = PNG ]
ok "a stencil goes on where it has ended" $?
alone s.conf stencil.tolerance=0.25 && grep -q '^stencil: 2 steps; the last one .* from 0 to 1$' out
ok "it ends when little changes" $?
# wrong NAME PATTERN ARGUMENTS...: refused with status 2.
wrong() {
    local name=$1 pattern=$2; shift 2
    alone s.conf "$@"
    [ $? -eq 2 ] && grep -q "$pattern" out
    ok "$name" $?
}
wrong "a plate without inner points" 'rows = 2 is out of range' stencil.rows=2
python3 - <<'END'
import struct
def npy(name, kind, rows, columns, data):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += ' ' * (117 - len(head)) + '\n'
    open(name, 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data)
npy('flat.npy', '<f8', 2, 9, bytes(8 * 18))
npy('narrow.npy', '<f4', 3, 3, bytes(4 * 9))
npy('hole.npy', '<f8', 3, 3, struct.pack('<9d', 0, 0, 0, 0, float('nan'), 0, 0, 0, 0))
END
wrong "the same of a file" 'flat.npy: is 2 x 9' stencil.start=flat.npy
wrong "other numbers" 'narrow.npy: is float32' stencil.start=narrow.npy
wrong "a number that is none" 'hole.npy: column 2 of row 2 is nan' stencil.start=hole.npy
done_testing
