#!/usr/bin/env bash
# make bench-command: the kernel `command` beside GNU parallel and xargs, on the same cores and in turn.
# command.sh [LINES [RUNS]]
set -u
lines=${1:-10000} runs=${2:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cores=$(nproc)
seq 1 "$lines" >"$tmp/lines"

# seconds COMMAND...: how long it takes.
seconds() {
    local begin=$EPOCHREALTIME
    "$@" >/dev/null 2>&1
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}
with_plbrun() { "$PLBRUN" --run true --lines "$tmp/lines"; }
with_ranks() {
    mpirun --oversubscribe --bind-to none -np "$cores" "$PLBRUN" --jobs 1 --run true --lines "$tmp/lines"
}
with_parallel() { parallel --will-cite -j "$cores" true :::: "$tmp/few"; }
with_xargs() { xargs -P "$cores" -n 1 true <"$tmp/lines"; }

head -n $((lines / 10)) "$tmp/lines" >"$tmp/few" # GNU parallel is slow
printf '%-12s %10s %10s\n' '' lines/s seconds
for ((run = 0; run < runs; run++)); do
    for what in plbrun ranks xargs parallel; do
        command -v "$what" >/dev/null || [ $what = plbrun ] || [ $what = ranks ] || continue
        n=$lines
        [ $what = parallel ] && n=$((lines / 10))
        took=$(seconds "with_$what")
        awk -v w=$what -v n="$n" -v t="$took" 'BEGIN { printf "%-12s %10.0f %10.2f\n", w, n / t, t }'
    done
done | tee "$tmp/table"
awk '{ n[$1]++; sum[$1] += 1 / $2 }
    END { for (w in n) if (w != "plbrun")
        printf "plbrun : %s = %.2f\n", w, sum[w] / n[w] / sum["plbrun"] * n["plbrun"] }' \
    "$tmp/table"
