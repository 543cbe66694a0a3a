# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: how quick plbrun is, as ratios to plain CUDA calls, taken in one run. together.sh and
# sharing.sh use what is here. All sizes follow from n, the length of the largest square matrix.

runs() { if [[ $quick ]]; then echo 3; else echo "$1"; fi; }

# Sets n. The largest job has 3 n² elements in each of three arrays of float64. They must fit on the host, and
# for `plain` on the GPU.
set_sizes() {
    [[ ! ${n:-} ]] || return 0
    local host
    host=$(host_memory)
    n=$(awk -v quick="$quick" -v gpu="$gpu_bytes" -v host="$host" -v scale="${GPU_CHECK_SCALE:-1}" 'BEGIN {
        n = (quick ? 8192 : 16384) * scale
        m = sqrt(0.6 * (gpu < host ? gpu : host) / 72)
        n = n < m ? n : m
        step = n >= 2048 ? 256 : 32
        n = int(n / step) * step
        print n < 64 ? 64 : n
    }')
    note 5 "n = $n; sizes below follow from it. \"Execute\" is the GPU's busy_s - transfer_s in plbrun's" \
        "report, by CUDA events; \"from the 4th task on\" leaves out the first task of each of the three" \
        "streams, in which what the first few units did not load is loaded. Medians."
    warm_up
}
# About so many elements, in whole chunks of triad.
elements() { echo $((($1) / 4096 * 4096 < 4096 ? 4096 : ($1) / 4096 * 4096)); }
warm_up() {
    local k how_long=3
    [[ ! $quick ]] || how_long=1
    for k in matmul burn; do
        has_kernel $k || continue
        under 30 "$tmp/log" "$gpu/plain" --keep-busy "$how_long" "$tmp/$k.conf"
        return
    done
}

# job REPORT SECONDS KERNEL SETTINGS...: plbrun with a report and a trace; its output in $tmp/log.
job() {
    local report=$1 most=$2 kernel=$3
    shift 3
    rm -f "$report"
    under "$most" "$tmp/log" \
        "$plbrun" --quiet --report "$report" --trace "$report.trace.json" "$tmp/$kernel.conf" "$@"
}
execute_s() { pus_of "$1" | awk '$1 == "gpu" {s += $5 - $6} END {print s}'; }
units_of() { pus_of "$1" | awk -v k="$2" '$1 == k {s += $2} END {print s + 0}'; }
# Units per second of executing, from the GPU's 4th task on. Nothing where there are fewer tasks.
settled_rate() {
    "$gpu/blocks" --tasks "$1.trace.json" 0 | awk '
        NR > 3 { u += $3; s += $4 }
        END { if (s > 0) print u / s }'
}
# plain KERNEL SETTINGS...: plain CUDA calls. Sets $kernel_s and $copy_s, in seconds.
plain() {
    local kernel=$1 status
    shift
    under 60 "$tmp/log" "$gpu/plain" "$tmp/$kernel.conf" "$@"
    status=$?
    kernel_s=$(awk '/^kernel_s/ {print $2}' "$tmp/log") copy_s=$(awk '/^kernel_s/ {print $4}' "$tmp/log")
    if ((status == 0)) && [[ ! $copy_s ]]; then status=1; fi
    return $status
}
# failed_row WHAT WANTED STATUS: the row of a measurement that failed.
failed_row() { record 5 "$(verdict_of "$3")" "$1" "$2" "$(why "$3" "$tmp/log")" "$tmp/log"; }
target() { # WHAT WANTED MEASURED EXPRESSION: a row; passes where the expression holds
    record 5 "$(holds "$4" && echo pass || echo missed)" "$1" "$2" "$3"
}
shown() { record 5 shown "$1" "$2" "$3"; }

# beside_plain WHAT KERNEL SETTINGS...: `plain`, then three runs of plbrun on the GPU alone. Sets $kernel_s,
# $copy_s, $units, and the medians $makespan, $execute (seconds) and $settled (units per second).
beside_plain() {
    local what=$1 kernel=$2 i status
    shift 2
    progress "$what"
    plain "$kernel" "$@" || { failed_row "$what: plain" 'a time' $?; return 1; }
    rm -f "$tmp"/m.*
    for ((i = 0; i < 3; i++)); do
        job "$tmp/r.json" 60 "$kernel" cluster.pus=gpu "$@"
        status=$?
        ((status == 0)) || { failed_row "$what: plbrun" 'a time' $status; return 1; }
        value "$tmp/r.json" makespan_s >>"$tmp/m.makespan"
        execute_s "$tmp/r.json" >>"$tmp/m.execute"
        settled_rate "$tmp/r.json" >>"$tmp/m.settled"
    done
    units=$(value "$tmp/r.json" units)
    makespan=$(median <"$tmp/m.makespan")
    execute=$(median <"$tmp/m.execute")
    settled=$(median <"$tmp/m.settled")
}
# rate_rows WHAT PART: the targets of a job whose data `plain` has on the GPU.
rate_rows() {
    target "$1: execute" "at least $(percent "$2") of plain's rate" \
        "$(percent "$kernel_s / $execute") ($(seconds "$execute"), plain $(seconds "$kernel_s"))" \
        "$kernel_s >= $2 * $execute"
    [[ ! $settled ]] ||
        shown "$1: execute from the 4th task on" "(shown)" \
            "$(percent "$settled * $kernel_s / $units") of plain's rate"
    shown "$1: makespan" "(shown)" \
        "$(percent "$kernel_s / $makespan") of plain's rate ($(makespans); plain copies $(seconds "$copy_s"))"
}
makespans() { echo "$(seconds "$makespan"), spread $(spread <"$tmp/m.makespan")"; }

part_rate() {
    set_sizes
    has_kernel matmul || return 0
    local type
    for type in float32 float64; do
        beside_plain "matmul $type, $n" matmul \
            matmul.dtype=$type matmul.rows="$n" matmul.inner="$n" matmul.columns="$n" &&
            rate_rows "matmul $type, $n" 0.97
    done
}

part_streaming() {
    set_sizes
    local e what
    e=$(elements $((3 * n * n)))
    if has_kernel triad; then
        what="triad, $(calc "24 * $e / 1e9" %.3g) GB"
        beside_plain "$what" triad triad.elements="$e" && stream_row "$what"
    fi
    if has_kernel matmul; then
        what="matmul float32, $n x $((n / 32)) x $((8 * n))"
        beside_plain "$what" matmul \
            matmul.dtype=float32 matmul.rows="$n" matmul.inner=$((n / 32)) matmul.columns=$((8 * n)) &&
            stream_row "$what"
    fi
}
stream_row() {
    local least plain_s
    least=$(calc "$copy_s > $kernel_s ? $copy_s : $kernel_s")
    plain_s="copy $(seconds "$copy_s"), kernel $(seconds "$kernel_s")"
    target "$1: makespan" "at least 90.0 % of max(copy, kernel) of plain" \
        "$(percent "$least / $makespan") ($(makespans); plain: $plain_s)" "$least >= 0.9 * $makespan"
}

part_sparse() {
    set_sizes
    has_kernel spmm || return 0
    sparse powerlaw 32 64
    [[ ! $quick ]] || return 0
    sparse uniform 64 256
}
sparse() { # KIND ENTRIES-PER-ROW COLUMNS
    local rows=$((16 * n))
    local what="spmm $1, $rows rows, $3 columns"
    beside_plain "$what" spmm \
        spmm.kind="$1" spmm.rows=$rows spmm.inner=$rows spmm.nnz_per_row="$2" spmm.columns="$3" &&
        rate_rows "$what" 0.95
}
