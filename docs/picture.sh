#!/usr/bin/env bash
# docs/picture.sh: makes docs/run.svg, for README.md, and docs/page.png, for docs/guide/report.md.
# It runs examples/spmm-imbalance three times (real arithmetic, emulated speeds), and draws the traces to one
# scale. The page is that of the first run: its begin, as chromium shows it. It needs a built ./plbrun. Run it
# on an idle machine: other work shows in the pictures.
set -euo pipefail
cd "$(dirname "$0")/.."
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run FILE BALANCER MIGRATION
run() {
    mpirun -np 3 --oversubscribe --bind-to none ./plbrun --quiet --trace "$tmp/$1.json" \
        --report "$tmp/$1.html" --balancer "$2" examples/spmm-imbalance/app.conf balance.migration="$3"
}
run 1 static off
run 2 static on
run 3 sure on

# A trace has one event per line. Times are in microseconds. The longest run is as wide as the picture.
awk '
function number(key) {
    if (!match($0, "\"" key "\":[-0-9.e+]+")) return -1
    return substr($0, RSTART + length(key) + 3, RLENGTH) + 0
}
function text(x, y, s) {
    printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"#222\">%s</text>\n", x, y, s
}
function box(x, y, w, h, more) {
    printf "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%d\" %s/>\n", x, y, w, h, more
}
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
    title[3] = "sure, the default: sizes follow what was measured"
    left = 64; width = 760; high = 20; gap = 34
    for (p = 1; p <= panel; p++) if (end[p] - begin[p] > longest) longest = end[p] - begin[p]
    scale = width / longest
    whole = panel * (pus * high + gap) + 8
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"%d\" ", whole
    printf "viewBox=\"0 0 900 %d\" font-family=\"sans-serif\" font-size=\"12\">\n", whole
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    for (p = 1; p <= panel; p++) {
        top = (p - 1) * (pus * high + gap) + gap - 8
        x = left + (end[p] - begin[p]) * scale
        text(left, top - 5, title[p])
        for (u = 0; u < pus; u++) {
            text(6, top + u * high + 13, name[u])
            box(left, top + u * high + 1, x - left, high - 2, "fill=\"#eee\"")
        }
        for (i = 1; i <= n; i++) if (at[i] == p) {
            stolen = owner[i] >= 0 && owner[i] != lane[i]
            colours = "fill=\"" (stolen ? "#d55e00" : "#0072b2") "\" stroke=\"#fff\" stroke-width=\"0.5\""
            x_of_task = left + (start[i] - begin[p]) * scale
            box(x_of_task, top + lane[i] * high + 1, seconds[i] * scale, high - 2, colours)
        }
        printf "<path d=\"M%.1f %dV%d\" stroke=\"#222\"/>\n", x, top - 2, top + pus * high + 2
        text(x + 5, top + pus * high / 2 + 4, sprintf("%.2f s", (end[p] - begin[p]) / 1e6))
    }
    print "</svg>"
}' "$tmp/1.json" "$tmp/2.json" "$tmp/3.json" >docs/run.svg
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$tmp/chromium" \
    --window-size=900,850 --screenshot=docs/page.png "file://$tmp/1.html" 2>"$tmp/log" ||
    { cat "$tmp/log" && exit 1; }
echo "docs/run.svg and docs/page.png are made"
