#!/usr/bin/env bash
# Rank 0 is killed at random times, and the run resumed until it ends: the results are those of an
# undisturbed run. KILLS (default 50) in all, over three jobs on one and two ranks. Prints a table: kills,
# resumes, and the longest time of accepted work that a kill has cost. SEED (default 1) seeds the times.
. "$(dirname "$0")/../support/lib.sh"
kills=${KILLS:-50} RANDOM=${SEED:-1}
j=$tmp/j y=$tmp/y.npy

lines "$tmp/1.cluster" '[node a]' 'pus = p, p' '[pu p]' 'rate = 1'
lines "$tmp/2.cluster" '[node a]' 'pus = p' '[node b]' 'pus = p' '[pu p]' 'rate = 1'
lines "$tmp/spmm.conf" '[app]' 'kernel = spmm' '[spmm]' 'rows = 2000' 'inner = 2000' "c = $y" \
    '[cluster]' "file = $tmp/slow.cluster" '[run]' "journal = $j"
lines "$tmp/triad.conf" '[app]' 'kernel = triad' '[triad]' 'elements = 4194304' "a = $y" \
    "reduced = $tmp/reduced.npy" '[cluster]' "file = $tmp/slow.cluster" '[run]' "journal = $j"
lines "$tmp/chain.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" '[chain]' 'units = 600' \
    'passes = 10' 'nap = 0.001' "out = $y" '[run]' "journal = $j"

# work JOB: what its units cost in all, as plbrun counts work; the PUs are made so slow that a run lasts 4 s.
work() {
    alone --simulate "$tmp/1.cluster" --report "$tmp/r.json" "$tmp/$1.conf" cluster.file="$tmp/1.cluster" &&
        python3 -c "import json; print(json.load(open('$tmp/r.json'))['makespan_s'] * 2)"
}
# slow JOB N: the cluster file of a job on N ranks.
slow() {
    [ "$1" = chain ] || sed "s/rate = .*/rate = $(awk -v w="$(work "$1")" 'BEGIN { print w / 8 }')/" \
        "$tmp/$2.cluster" >"$tmp/slow.cluster"
}
now() { date +%s.%N; }
# resume N JOB: begins or goes on in the background; its pid is in $run.
resume() {
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --quiet --verify --resume "$tmp/$2.conf" \
        >>"$tmp/out" 2>&1 &
    run=$!
}
# window TIME: seconds from the acceptance of the last units that the journal has to this time.
window() {
    "$PLBRUN" --journal "$j" 2>/dev/null |
        awk -F'\t' -v t="$1" 'NR > 1 { end = $3 + $4 } END { if (end > 0) print t - end }'
}

printf '%-8s %5s %6s %8s %14s\n' job ranks kills resumes 'longest loss'
for job in spmm triad chain; do
    for n in 1 2; do
        touch "$tmp/slow.cluster"
        slow $job $n
        rm -f "$j"* "$y"
        : >"$tmp/out"
        resume $n $job && wait "$run" && mv "$y" "$tmp/$job.$n.npy"
        ok "$job, $n ranks, undisturbed" $?
        done=0 resumes=0 longest=0 status=0 wanted=$(((kills + 5) / 6))
        while [ $done -lt $wanted ] && [ $status -eq 0 ]; do
            rm -f "$j"* "$y"
            for _ in 1 2 3; do
                resume $n $job
                while [ ! -s "$j" ] && kill -0 "$run" 2>/dev/null; do sleep 0.05; done
                sleep "$(awk -v r=$RANDOM 'BEGIN { print 3 * r / 32768 }')"
                if ! pgrep -P "$run" plbrun | head -1 | xargs -r kill -9; then break; fi
                lost=$(window "$(now)")
                longest=$(awk -v a="$longest" -v b="${lost:-0}" 'BEGIN { print (a > b ? a : b) }')
                wait "$run"
                done=$((done + 1))
                [ $done -lt $wanted ] || break
            done
            resume $n $job
            wait "$run"
            status=$? resumes=$((resumes + 1))
            cmp "$y" "$tmp/$job.$n.npy" >>"$tmp/out" 2>&1 || status=9
        done
        printf '%-8s %5d %6d %8d %12.2f s\n' $job $n $done $resumes "$longest"
        ok "$job, $n ranks, $done kills of rank 0: results as without" $status
    done
done
done_testing
