#!/usr/bin/env bash
# make bench-results: writes into examples/papers/RESULTS.md what the benches left in FOLDER. A table there
# stands between two comments that name it. Copies the plots too. Usage: test/bench/results.sh FOLDER
#
# FOLDER holds what papers, adaptation, growth and real.sh wrote; FOLDER/quiet that of papers without noise.
set -euo pipefail
folder=$(realpath "${1:?usage: test/bench/results.sh FOLDER}")
cd "$(dirname "$0")/../.."
page=examples/papers/RESULTS.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# put NAME: the lines between NAME's two comments become those of standard input.
put() {
    cat >"$tmp/part"
    grep -q "^<!-- $1 -->$" $page || { echo "results.sh: $page has no table '$1'" >&2; exit 1; }
    awk -v name="$1" -v part="$tmp/part" '
        $0 == "<!-- end of " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- " name " -->" {
            inside = 1
            while ((getline line < part) > 0) print line
        }' $page >"$tmp/page"
    cp "$tmp/page" $page
}
for part in order ahead hec hac; do
    awk -v part=$part -f test/bench/results.awk "$folder"/{cells,shares,quiet/cells}.csv | put $part
done
sed -n '/^sure within/,$ s/^/- /p' "$folder/papers.txt" | put judged # its last lines
{
    echo "| times slower | right block size after | makespan over the optimum |"
    echo "|---|---|---|"
    sed -E 's/^([0-9.]+) times.* after ([0-9.]+) s, .* s, ([0-9.]+) of .*/| \1 | \2 s | \3 |/' \
        "$folder/adaptation.txt"
} | put adaptation
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
[ ! -e "$folder/real.md" ] || put real <"$folder/real.md"
for plot in speedup-plb-hec speedup-plb-hac adaptation growth growth-files; do
    [ ! -e "$folder/$plot.png" ] || cp "$folder/$plot.png" examples/papers/
done
