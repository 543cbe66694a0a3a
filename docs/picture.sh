#!/usr/bin/env bash
# docs/picture.sh: makes docs/run.svg, the picture of a run in README.md.
# It runs examples/spmm-imbalance three times (real arithmetic, emulated speeds) and draws the traces to one scale.
# Needs a built ./plbrun. Run it on a machine that is idle, if you can: other work shows in the picture.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run FILE BALANCER MIGRATION
run() {
    mpirun -np 3 --oversubscribe --bind-to none ./plbrun --quiet --trace "$tmp/$1.json" --balancer "$2" \
        examples/spmm-imbalance/app.conf balance.migration="$3"
}
run 1 static off
run 2 static on
run 3 plb-hac on

# A trace has one event per line. Times are microseconds; the width of the picture is the longest run's makespan.
awk '
function number(key) { return match($0, "\"" key "\":[-0-9.e+]+") ? substr($0, RSTART + length(key) + 3, RLENGTH) + 0 : -1 }
FNR == 1 { panel++ }
/"thread_name"/ && !/"master"/ {
    pu = number("tid")
    name[pu] = $0; sub(/.*: /, "", name[pu]); sub(/".*/, "", name[pu])
    if (pu >= pus) pus = pu + 1
}
/"name":"task"/ {
    n++
    at[n] = panel; lane[n] = number("tid"); start[n] = number("ts"); seconds[n] = number("dur")
    owner[n] = number("granted_to"); block[n] = number("block")
    if (!(panel in begin) || start[n] < begin[panel]) begin[panel] = start[n]
    if (start[n] + seconds[n] > end[panel]) end[panel] = start[n] + seconds[n]
}
END {
    title[1] = "static shares by speed: the rows cost different amounts, so the shares are wrong"
    title[2] = "the same with migration: an idle PU takes queued rows from another (orange)"
    title[3] = "plb-hac, the default: sizes follow what was measured"
    left = 64; width = 760; high = 20; gap = 34
    for (p = 1; p <= panel; p++) if (end[p] - begin[p] > longest) longest = end[p] - begin[p]
    scale = width / longest
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"%d\" viewBox=\"0 0 900 %d\" font-family=\"sans-serif\" font-size=\"12\">\n", \
           panel * (pus * high + gap) + 8, panel * (pus * high + gap) + 8
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    for (p = 1; p <= panel; p++) {
        top = (p - 1) * (pus * high + gap) + gap - 8
        x = left + (end[p] - begin[p]) * scale
        printf "<text x=\"%d\" y=\"%d\" fill=\"#222\">%s</text>\n", left, top - 5, title[p]
        for (u = 0; u < pus; u++)
            printf "<text x=\"6\" y=\"%.1f\" fill=\"#222\">%s</text><rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"#eee\"/>\n", \
                   top + u * high + 13, name[u], left, top + u * high + 1, x - left, high - 2
        for (i = 1; i <= n; i++) if (at[i] == p) {
            stolen = owner[i] >= 0 && owner[i] != lane[i]
            printf "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.5\"/>\n", \
                   left + (start[i] - begin[p]) * scale, top + lane[i] * high + 1, seconds[i] * scale, high - 2, stolen ? "#d55e00" : "#0072b2"
        }
        printf "<path d=\"M%.1f %dV%d\" stroke=\"#222\"/><text x=\"%.1f\" y=\"%.1f\" fill=\"#222\">%.2f s</text>\n", \
               x, top - 2, top + pus * high + 2, x + 5, top + pus * high / 2 + 4, (end[p] - begin[p]) / 1e6
    }
    print "</svg>"
}' "$tmp/1.json" "$tmp/2.json" "$tmp/3.json" >docs/run.svg
echo "docs/run.svg is made"
