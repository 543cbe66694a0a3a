#!/usr/bin/env bash
# Rank 0 is killed at random times, and the run resumed until it ends: the results are those of an
# undisturbed run. KILLS (default 50) in all, over three jobs on one and two ranks. Prints a table: kills,
# those while units were executed, resumes, and how much accepted work a kill has cost, in seconds: the median
# and the most. SEED (default 1) seeds the times. Two of three kills come after the run has begun, and one at
# any time from its start, so also while it reads its journal.
. "$(dirname "$0")/../support/lib.sh"
kills=${KILLS:-50} RANDOM=${SEED:-1}
j=$tmp/j y=$tmp/y.npy

lines "$tmp/1.cluster" '[node a]' 'pus = p, p' '[pu p]' 'slowdown = 1'
lines "$tmp/2.cluster" '[node a]' 'pus = p' '[node b]' 'pus = p' '[pu p]' 'slowdown = 1'
lines "$tmp/spmm.conf" '[app]' 'kernel = spmm' '[spmm]' 'kind = powerlaw' 'rows = 5000' 'inner = 3000' \
    'columns = 400' 'nnz_per_row = 200' "c = $y" '[cluster]' "file = $tmp/slow.cluster" '[run]' "journal = $j"
lines "$tmp/triad.conf" '[app]' 'kernel = triad' '[triad]' 'elements = 4194304' "a = $y" \
    "reduced = $tmp/reduced.npy" '[cluster]' "file = $tmp/slow.cluster" '[run]' "journal = $j"
lines "$tmp/chain.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" '[chain]' 'units = 600' \
    'passes = 10' 'nap = 0.003' "out = $y" '[run]' "journal = $j"

# slow JOB N: the cluster file of a job on N ranks. Its PUs are so slow that a run lasts 10 s, also on a busy
# machine: nobody is killed after its last unit.
slow() {
    local slowdown=10 seconds=0
    rm -f "$j"*
    [ "$1" != chain ] || return 0
    while [ "${seconds%.*}" -lt 8 ]; do
        sed "s/slowdown = .*/slowdown = $slowdown/" "$tmp/$2.cluster" >"$tmp/slow.cluster"
        resume "$2" "$1" --report "$tmp/r.json"
        wait "$run" || return
        rm -f "$j"*
        seconds=$(python3 -c "import json; print(json.load(open('$tmp/r.json'))['makespan_s'])")
        slowdown=$(awk -v s="$seconds" -v d="$slowdown" 'BEGIN { print s < 10 ? d * 10 / s : d }')
    done
}
now() { date +%s.%N; }
# resume N JOB [ARGUMENT...]: begins or goes on in the background; its pid is in $run.
resume() {
    : >"$tmp/out"
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --quiet --verify --show-pus --resume \
        "${@:3}" "$tmp/$2.conf" >>"$tmp/out" 2>&1 &
    run=$!
}
# begun N: when all N ranks have told their PUs, which they do just before they begin; 0: they have not yet.
begun() {
    if [ "$(grep -c 'PU [0-9]*: rank' "$tmp/out")" -ge "$1" ]; then stat -c %.9Y "$tmp/out"; else echo 0; fi
}
# window BEGUN KILLED: seconds before the kill in which the run accepted what the journal lacks. They begin
# with the run, or with the last units of the journal. 0 where the journal has all units of the last
# pass: then the run was writing or verifying its results.
window() {
    "$PLBRUN" --journal "$j" 2>/dev/null | awk -F'\t' -v begun="$1" -v killed="$2" -v all="${units[$job]}" \
        -v passes="${passes[$job]:-1}" '
        NR > 1 { end = $3 + $4 > end ? $3 + $4 : end
                 split($9, word, /, pass |: /); pass = word[2]
                 n = split(word[3], at, " "); units[pass] += n > 2 ? at[4] - at[2] + 1 : 1 }
        END { from = begun > end ? begun : end
              print begun == 0 || killed < from || units[passes] == all ? 0 : killed - from }'
}
# spread: how many kills came while units were executed, and the median and the longest of their windows.
spread() { sort -n "$tmp/windows" | awk '$1 > 0 { at[++n] = $1 }
    END { printf "%8d %8d %8.2f s %8.2f s", NR, n, at[int((n + 1) / 2)], at[n] }'; }

printf '%-8s %5s %8s %8s %10s %10s %8s\n' job ranks kills working median longest resumes
declare -A units=([spmm]=5000 [triad]=4194304 [chain]=600) passes=([chain]=10)
for job in spmm triad chain; do
    for n in 1 2; do
        slow $job $n
        rm -f "$j"* "$y" "$tmp/windows"
        resume $n $job && wait "$run" && mv "$y" "$tmp/$job.$n.npy"
        ok "$job, $n ranks, undisturbed" $?
        done=0 resumes=0 status=0 wanted=$(((kills + 5) / 6))
        while [ $done -lt $wanted ] && [ $resumes -lt $wanted ] && [ $status -eq 0 ]; do
            rm -f "$j"* "$y"
            for from in begin start begin; do
                resume $n $job
                while [ ! -s "$j" ] || { [ $from = begin ] && [ "$(begun $n)" = 0 ]; }; do
                    kill -0 "$run" 2>/dev/null || break
                    sleep 0.05
                done
                sleep "$(awk -v r="$RANDOM" 'BEGIN { print 3 * r / 32768 }')"
                began=$(begun $n)
                rank0=$(pgrep -P "$run" plbrun | head -1)
                [ -z "$rank0" ] || kill -9 "$rank0"
                killed=$(now)
                wait "$run"
                [ -n "$rank0" ] || continue
                window "$began" "$killed" >>"$tmp/windows"
                done=$((done + 1))
                [ $done -lt $wanted ] || break
            done
            resume $n $job
            wait "$run"
            status=$? resumes=$((resumes + 1))
            cmp "$y" "$tmp/$job.$n.npy" >>"$tmp/out" 2>&1 || status=9
        done
        printf '%-8s %5d %s %8d\n' $job $n "$(spread)" $resumes
        working=$(awk '$1 > 0' "$tmp/windows" | wc -l)
        [ $((2 * working)) -ge $wanted ]
        ok "$job, $n ranks: at least half of the kills come while units are executed" $?
        ok "$job, $n ranks, $done kills of rank 0: results as without" $status
    done
done
done_testing
