#!/usr/bin/env bash
# Virtual task migration over real ranks: work moves, results stay right, and data does not move for it.
# test/run: alone, since the speeds of the PUs decide how much moves.
. "$(dirname "$0")/../support/lib.sh"

# Two nodes of equal power, of which one is eight times slower: half of what it was given must move.
pus=('[pu quick]' 'power = 1' 'slowdown = 2' '[pu slow]' 'power = 1' 'slowdown = 16')
lines "$tmp/two.cluster" '[node a]' 'pus = quick' '[node b]' 'pus = slow' "${pus[@]}"
lines "$tmp/three.cluster" \
    '[node a]' 'pus = quick' '[node b]' 'pus = quick' '[node c]' 'pus = slow' "${pus[@]}"
lines "$tmp/app.conf" '[app]' 'kernel = spmm' '[spmm]' \
    'kind = li' 'rows = 800' 'inner = 800' 'columns = 128' 'cost = no'
says() { grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -1; }
# run N SETTINGS...: verified, with a report.
run() { local n=$1; shift; ranks "$n" --verify --report "$tmp/r.json" "$tmp/app.conf" "$@"; }

run 2 cluster.file="$tmp/two.cluster" --balancer static balance.migration=off
ok "static without migration" $?
[ "$(number migrated_units)" -eq 0 ] && [ "$(number migrations)" -eq 0 ] &&
    grep -q '"migration": false' "$tmp/r.json"
ok "moves nothing" $?
# Under a sanitizer a task has a longer start: so the job has four times the work, or slices would be too few.
moves_rows() {
    run 2 cluster.file="$tmp/two.cluster" --balancer static ${SAN:+spmm.columns=512} &&
        [ "$(number migrated_units)" -ge 100 ]
}
tries moves_rows
ok "static with migration, which is the default, moves rows to the quick node" $?
grep -q '"migration": true' "$tmp/r.json"
ok "and the report says that it was on" $?
says "the summary says so" "rows stolen by other nodes in"
grep -q '"stolen_in": [1-9]' "$tmp/r.json" && grep -q '"stolen_out": [1-9]' "$tmp/r.json"
ok "and the report who took from whom" $?

# In virtual time: both nodes together can end in 2/9 of the time that the slow one needs for its half. Three
# tasks of the slow node move no more: the one that it executes, and two whose inputs it has fetched.
lines "$tmp/virtual.cluster" '[node a]' 'pus = quick' '[node b]' 'pus = slow' \
    '[pu quick]' 'power = 1' 'rate = 8e9' '[pu slow]' 'power = 1' 'rate = 1e9'
for migration in off on; do
    alone --simulate "$tmp/virtual.cluster" --report "$tmp/r.json" --balancer static "$tmp/app.conf" \
        balance.migration=$migration
    number makespan_s
done >"$tmp/makespans"
paste -s "$tmp/makespans" | awk '{exit !(NF == 2 && $2 < 0.33 * $1)}'
status=$?
cp "$tmp/makespans" "$tmp/out"
ok "and ends sooner" $status

for victim in most-remaining first random a2ws; do
    run 3 cluster.file="$tmp/three.cluster" --balancer static balance.migration_victim=$victim
    ok "asking $victim: verified" $?
done
for b in $(balancers); do
    run 3 cluster.file="$tmp/three.cluster" --balancer "$b"
    ok "$b with migration: verified" $?
done
run 1 --balancer static
ok "one rank" $?

# Rank 0 computes nothing, so every input is pulled once, by whoever executes it.
export PLB_BALANCE_BACKUPS=off # they pull inputs twice
run 3 --balancer static cluster.master_only=yes balance.migration=off
off=$(number bytes_moved)
run 3 --balancer static cluster.master_only=yes balance.grain=7
[ -n "$off" ] && [ "$(number bytes_moved)" -eq "$off" ]
ok "the bytes moved are the same with migration and without" $?
unset PLB_BALANCE_BACKUPS

ranks 3 --trace "$tmp/t.html" --balancer static "$tmp/app.conf" cluster.file="$tmp/three.cluster"
ok "a chart of it" $?
grep -q 'class="steal"' "$tmp/t.html" && grep -q '</html>' "$tmp/t.html" && ! grep -q '://' "$tmp/t.html"
ok "has arrows and needs no network" $?

alone "$tmp/app.conf" balance.migration=perhaps; [ $? -eq 2 ]
ok "migration = perhaps is a mistake" $?
says "that says what is expected" "migration = perhaps is not yes or no"
alone "$tmp/app.conf" balance.migration_victim=last; [ $? -eq 2 ]
ok "so is migration_victim = last" $?
says "which names the choices" "most-remaining|first|random|a2ws"
alone "$tmp/app.conf" balance.migration_threshold=-1; [ $? -eq 2 ]
ok "and a threshold below 0" $?
MATRIX=$tmp/none.mtx "$root/scripts/imbalance" --no-install >"$tmp/out" 2>&1; [ $? -eq 2 ]
ok "the demo refuses a matrix that is not there" $?
says "with a sentence" "cannot read the matrix $tmp/none.mtx"
# Li's barrier before execution: rank 1 is half a second late, and no PU of rank 0 begins before.
# shellcheck disable=SC2016 # for the script
lines "$tmp/late" '#!/bin/sh' '[ "$OMPI_COMM_WORLD_RANK" != 1 ] || export PLB_TEST_LATE=yes' \
    "exec '$PLBRUN' \"\$@\""
chmod +x "$tmp/late"
lines "$tmp/naps.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[sleeper]' 'units = 40'
PLBRUN=$tmp/late ranks 2 --balancer static --trace "$tmp/t.json" "$tmp/naps.conf" &&
    awk '/"name":"task"/ {
             match($0, /"pid":[0-9]+/); node = substr($0, RSTART + 6, RLENGTH - 6)
             match($0, /"ts":[0-9.e+-]+/); at = substr($0, RSTART + 5, RLENGTH - 5) / 1e6
             print "node", node, "begins a task at", at
             if (at < 0.5) early = 1
             seen[node] = 1
         }
         END { exit early || !(0 in seen) || !(1 in seen) }' "$tmp/t.json" >>"$tmp/out"
ok "no node begins before the slowest one is ready" $?

done_testing
