#!/usr/bin/env bash
# The bench of the papers on one small cell: a row for each balancer, and plots of it where gnuplot is.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
if [ -n "${SAN:-}" ]; then
    skip "the bench of the papers" "it loads the kernels of the normal build"
    done_testing
fi
data=$tmp/data
mkdir "$data"

timeout 60 "$BUILD/bench/papers" "$data" plb-hac-a/mm/4096 2 >"$tmp/out" 2>&1
ok "the bench runs one cell" $?
cp "$data/cells.csv" "$tmp/out"
awk -F, '
    NR == 1 { next }
    { n++ }
    $1 == "plb-hac-a" && $2 == "mm" && $3 == 4096 && !seen[$4]++ {
        good += $6 ~ /^[0-9.]+$/ && $6 > 0 && $7 ~ /^[0-9.]+$/
    }
    END { exit !(n == 14 && good == n) }' "$data/cells.csv"
ok "a row for each balancer, with a finite ratio" $?
awk -F, '$4 == "oracle" {n++; near = $6 > 0.9 && $6 < 1.1} END {exit !(n == 1 && near)}' "$data/cells.csv"
ok "the oracle is near the optimum" $?
cp "$data/shares.csv" "$tmp/out"
awk -F, '
    NR > 1 { n++; sum[$4] += $7 }
    END {
        for (b in sum) bad += sum[b] < 0.9999 || sum[b] > 1.0001
        exit !(n == 28 && bad == 0)
    }' "$data/shares.csv"
ok "the shares of each balancer make up the work" $?

if command -v gnuplot >/dev/null; then
    timeout 60 test/bench/papers.sh "$data" >"$tmp/out" 2>&1
    ok "the plots are drawn" $?
    for plot in speedup idle shares; do
        file=$data/$plot-plb-hac
        [ "$(head -c 4 "$file.png" | tail -c 3)" = PNG ] && tail -n 3 "$file.svg" | grep -q '</svg>'
        ok "$plot as PNG and SVG" $?
    done
else
    skip "the plots are drawn" "no gnuplot"
    timeout 60 test/bench/papers.sh "$data" >"$tmp/out" 2>&1 &&
        grep -qF 'scripts/install-deps --bench' "$tmp/out"
    ok "without gnuplot it says how to get plots" $?
fi
done_testing
