#!/usr/bin/env bash
# docs/kinds.sh: makes docs/kinds.svg, the picture of fast and slow cores in guide/run.md.
# hwloc reads a machine of two quick cores and four slow ones from XML, and lines sleep three times as long on
# a slow one. It needs a built ./plbrun.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

{
    set_of() { printf 'cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1"' "$1" "$1"; }
    echo '<?xml version="1.0"?><topology version="2.0">'
    more='allowed_cpuset="0x3f" allowed_nodeset="0x1"'
    echo "<object type=\"Machine\" os_index=\"0\" $(set_of 0x3f) $more>"
    echo "<object type=\"NUMANode\" os_index=\"0\" $(set_of 0x3f) local_memory=\"1073741824\"/>"
    for cpu in 0 1 2 3 4 5; do
        object="os_index=\"$cpu\" $(set_of "$(printf 0x%x $((1 << cpu)))")"
        echo "<object type=\"Core\" $object><object type=\"PU\" $object/></object>"
    done
    echo '</object><cpukind cpuset="0x3" forced_efficiency="2"/>'
    echo '<cpukind cpuset="0x3c" forced_efficiency="1"/></topology>'
} >"$tmp/cores.xml"
HWLOC_XMLFILE=$tmp/cores.xml ./plbrun --quiet --trace "$tmp/run.json" --range 1-60 \
    --run 'sleep $([ {%} -le 2 ] && echo 0.1 || echo 0.3); : {}' >"$tmp/out"

# A trace has one event per line. Times are in microseconds.
awk '
function number(key) {
    if (!match($0, "\"" key "\":[-0-9.e+]+")) return -1
    return substr($0, RSTART + length(key) + 3, RLENGTH) + 0
}
/"thread_name"/ && !/"master"/ {
    pu = number("tid")
    name[pu] = /P cores/ ? "P core" : "E core"
    if (pu >= pus) pus = pu + 1
}
/"name":"task"/ {
    n++
    lane[n] = number("tid"); start[n] = number("ts"); seconds[n] = number("dur")
    lines[lane[n]] += number("count")
    if (n == 1 || start[n] < begin) begin = start[n]
    if (start[n] + seconds[n] > end) end = start[n] + seconds[n]
}
END {
    left = 64; high = 20; top = 30; scale = 720 / (end - begin)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"%d\" ", top + pus * high + 12
    printf "viewBox=\"0 0 900 %d\" font-family=\"sans-serif\" font-size=\"12\">\n", top + pus * high + 12
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    printf "<text x=\"%d\" y=\"20\" fill=\"#222\">60 lines of --run on two quick cores ", left
    printf "and four slow ones: %.2f s</text>\n", (end - begin) / 1e6
    for (u = 0; u < pus; u++) {
        y = top + u * high
        printf "<text x=\"6\" y=\"%d\" fill=\"#222\">%s</text>\n", y + 14, name[u]
        printf "<text x=\"%d\" y=\"%d\" fill=\"#222\">%d lines</text>\n", left + 730, y + 14, lines[u]
    }
    for (i = 1; i <= n; i++) {
        colour = name[lane[i]] == "P core" ? "#0072b2" : "#56b4e9"
        printf "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\" stroke=\"#fff\"/>\n",
            left + (start[i] - begin) * scale, top + lane[i] * high + 1, seconds[i] * scale, high - 2, colour
    }
    print "</svg>"
}' "$tmp/run.json" >docs/kinds.svg
echo "docs/kinds.svg is made"
