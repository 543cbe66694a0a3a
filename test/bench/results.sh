#!/usr/bin/env bash
# make bench-results: runs what examples/papers/RESULTS.md is made of, and writes its tables and plots anew.
# A table there stands between two comments that name it. Usage: test/bench/results.sh FOLDER [--written]
#
# FOLDER gets what the benches write; quiet/ that of papers without noise, readings/ that of the other
# readings of the texts. With --written it holds all that from an earlier call.
set -euo pipefail
folder=$(realpath "${1:?usage: test/bench/results.sh FOLDER [--written]}")
cd "$(dirname "$0")/../.."
: "${PLBRUN:=$PWD/plbrun}" "${BUILD:=$PWD/build}"
export PLBRUN BUILD
page=examples/papers/RESULTS.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

run_all() {
    mkdir -p "$folder"/{quiet,readings}
    "$BUILD/bench/papers" "$folder" >"$folder/papers.txt"
    "$BUILD/bench/papers" "$folder/quiet" "" 1 0 >"$folder/quiet/papers.txt"
    "$BUILD/bench/papers" "$folder/readings" "" 3 - readings >"$folder/readings/papers.txt"
    "$BUILD/bench/adaptation" "$folder" >"$folder/adaptation.txt"
    "$BUILD/bench/growth" "$folder" 1000 >"$folder/growth.txt"
    "$BUILD/bench/solver" >"$folder/solver.txt"
    "$BUILD/bench/energy" examples/energy "$folder" >"$folder/energy.txt"
    test/bench/curves.sh "$folder"
    test/bench/real.sh "$folder" "${RUNS:-3}" >"$folder/real.txt"
    examples/li-table5/run.sh >"$folder/li.txt"
    test/bench/papers.sh "$folder"
    local commit
    commit=$(git rev-parse --short HEAD 2>/dev/null || echo "an archive")
    echo "Last written at commit $commit, in $(((SECONDS + 59) / 60)) minutes." >"$folder/commit.txt"
}
[ "${2:-}" = --written ] || run_all

# put NAME [PAGE]: the lines between NAME's two comments become those of standard input.
put() {
    local page=${2:-$page}
    cat >"$tmp/part"
    grep -q "^<!-- $1 -->$" "$page" || { echo "results.sh: $page has no table '$1'" >&2; exit 1; }
    awk -v name="$1" -v part="$tmp/part" '
        $0 == "<!-- end of " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " name " -->" {
            inside = 1
            while ((getline line < part) > 0) print line
        }' "$page" >"$tmp/page"
    cp "$tmp/page" "$page"
}
for part in order ahead hec hac readings; do
    awk -v part=$part -f test/bench/results.awk \
        "$folder"/{cells,shares,quiet/cells,readings/cells,real}.csv | put $part
done
for part in solver adapts li stafford; do
    awk -v part=$part -f test/bench/results_text.awk "$folder"/{solver,adaptation,li,energy}.txt | put $part
done
sed -n '/^sure within/,$ s/^/- /p' "$folder/papers.txt" | put judged # its last lines
{
    echo "| PUs | balancer | makespan over the optimum | blocks | master, µs per block | messages per PU |"
    echo "|---|---|---|---|---|---|"
    awk -F, 'NR > 1 { printf "| %d | `%s` | %.3f | %d | %.1f | %.0f |\n", $1, $2, $4, $5, $6, $7 / $1 }' \
        "$folder/growth.csv"
} | put growth
{
    echo "| PUs | makespan, data in rank 0's memory | makespan, data in files | of its optimum |"
    echo "|---|---|---|---|"
    awk -F, '$2 != "sure" { next }
             FNR == NR { memory[$1] = $3; next }
             { slow = $1 in memory ? sprintf("%.2f s", memory[$1]) : ""
               printf "| %d | %s | %.2f s | %.3f |\n", $1, slow, $3, $4 }' \
        "$folder/growth.csv" "$folder/growth-files.csv"
} | put growth-files
put real <"$folder/real.md"
put commit <"$folder/commit.txt"
{
    echo '```'
    cat "$folder/li.txt"
    echo '```'
} | put table5 examples/li-table5/README.md
for plot in {speedup,shares}-plb-{hec,hac} adaptation growth growth-files energy curves; do
    [ ! -e "$folder/$plot.png" ] || cp "$folder/$plot.png" examples/papers/
done
