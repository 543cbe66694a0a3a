#!/usr/bin/env bash
# The costs of the runtime itself, all in one run: an empty task, efficiency against the size of a task, the
# smallest size that still reaches 50 % (METG, Slaughter et al., Task Bench, SC 2020), a pass and a task that
# travels, alone and beside two programs that compute, a steal beside a plain MPI round trip, the BEATs of a
# thousand nodes, and how long a node in long kernels lets a thief wait.
# PLBRUN and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
conf=$tmp/empty.conf
printf '[app]\nkernel = %s\n[balance]\nbalancer = static\ngrain = 1\n' "$BUILD/test/kernels/empty.so" >"$conf"

number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -n 1; }
# seconds N UNITS NANOSECONDS [SETTING]: makespan of N ranks; median of five.
seconds() {
    for _ in 1 2 3 4 5; do
        mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --quiet --report "$tmp/r.json" \
            "$conf" cluster.threads=1 empty.units="$2" empty.work="$3" "${@:4}" 2>/dev/null || exit $?
        number makespan_s
    done | sort -g | sed -n 3p
}

for n in 1 2; do
    s=$(seconds $n 1000000 0)
    awk -v s="$s" -v n=$n 'BEGIN {
        printf "an empty task, a million on %d PU%s  ", n, (n > 1 ? "s" : " ")
        printf "%8.3f us per task (wanted at most 0.2)\n", s
    }'
done
for n in 1 2; do
    s=$(seconds $n 1000000 0 empty.reduce=yes)
    awk -v s="$s" -v n=$n 'BEGIN {
        printf "the same with a reduced array, %d PU%s      ", n, (n > 1 ? "s" : " ")
        printf "%8.3f us per task (wanted at most 0.5)\n", s
    }'
done
peer=$(command -v tasks_overhead || echo /usr/lib/x86_64-linux-gnu/starpu/examples/tasks_overhead)
if [ -x "$peer" ]; then
    STARPU_NCPU=1 STARPU_NCUDA=0 "$peer" -i 100000 2>&1 | grep '^Per task:' | sed 's/^/StarPU, one worker: /'
fi

echo "efficiency of one PU against the time of a task"
for ns in 50 100 200 500 1000 2000 5000 10000 100000; do
    units=$((200000000 / ns))
    s=$(seconds 1 $units $ns)
    awk -v s="$s" -v ns=$ns -v u=$units 'BEGIN { printf "%8d ns  %6.1f %%\n", ns, 100 * u * ns * 1e-9 / s }'
done | tee "$tmp/efficiency"
awk '$3 >= 50 { printf "METG(50 %%): %d ns or less\n", $1; exit }' "$tmp/efficiency"

sed 's/empty\.so/short.so/' "$conf" >"$tmp/short.conf"
# each N [SETTING]: microseconds of each of N passes or tasks of two ranks; median of five.
each() {
    for _ in 1 2 3 4 5; do
        mpirun --oversubscribe --bind-to none -np 2 "$PLBRUN" --quiet --report "$tmp/r.json" \
            "$tmp/short.conf" cluster.threads=1 "${@:2}" 2>/dev/null || exit $?
        number makespan_s
    done | sort -g | sed -n 3p | awk -v n="$1" '{ printf "%.1f", 1e6 * $1 / n }'
}
beside() { for _ in 1 2; do timeout 300 sh -c 'while :; do :; done' & done; }
for others in '' ' beside two programs that compute'; do
    [ -z "$others" ] || beside
    printf 'a pass of two ranks%s %s us' "$others" "$(each 1000 short.units=2 short.passes=1000)"
    [ -n "$others" ] || printf ' (wanted at most 100)'
    printf '\na task whose data travels%s %s us' "$others" \
        "$(each 2000 short.units=4000 short.bytes=8 balance.migration=no)"
    [ -n "$others" ] || printf ' (wanted at most 20)'
    echo
done
for pid in $(jobs -p); do kill "$pid" 2>/dev/null; done

mpirun --oversubscribe --bind-to none -np 2 "$BUILD/bench/steal"
mpirun --oversubscribe --bind-to none -np 2 "$BUILD/bench/frames"

for way in self,vader self,tcp; do
    echo "BEATs over $way"
    mpirun --oversubscribe --bind-to none --mca btl $way -np 9 "$BUILD/bench/beats"
done

# Node 0 has three units of five seconds, node 1 two: it asks while node 0 executes its third, in a kernel
# that leaves its core free, as one on a GPU does.
printf '[node a]\npus = one\n[node b]\npus = one\n[pu one]\npower = 1\n' >"$tmp/two.cluster"
for asleep in yes no; do
    mpirun --oversubscribe --bind-to none -np 2 "$PLBRUN" --quiet --report "$tmp/r.json" \
        "$conf" cluster.file="$tmp/two.cluster" empty.units=5 empty.work=5e9 empty.asleep=$asleep || exit $?
    if [ $asleep = yes ]; then kind='that leave their core free'; else kind='that take all cores'; fi
    awk -v s="$(number slowest_answer_s)" -v kind="$kind" 'BEGIN {
        printf "a victim in five-second kernels %s answers within %.3f ms (wanted 1 ms)\n", kind, 1e3 * s
    }'
done
