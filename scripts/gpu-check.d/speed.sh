# Of scripts/gpu-check: how quick plbrun is, as ratios to plain CUDA calls and to itself, taken in one run. All sizes
# follow from n, the length of the largest square matrix.

runs() { if [[ $quick ]]; then echo 3; else echo "$1"; fi; }

# The largest job has 3 n² elements of three arrays of float64: on the host, and for `plain` on the GPU.
set_sizes() {
    [[ ! ${n:-} ]] || return 0
    n=$(awk -v quick="$quick" -v gpu="$gpu_bytes" -v host="$(host_memory)" -v scale="${GPU_CHECK_SCALE:-1}" 'BEGIN {
        n = (quick ? 8192 : 16384) * scale
        m = sqrt(0.6 * (gpu < host ? gpu : host) / 72)
        n = n < m ? n : m
        step = n >= 2048 ? 256 : 32
        n = int(n / step) * step
        print n < 64 ? 64 : n }')
    elements() { echo $((($1) / 4096 * 4096 < 4096 ? 4096 : ($1) / 4096 * 4096)); }
    note 5 "n = $n; sizes below follow from it. \"Execute\" is the GPU's busy_s - transfer_s in plbrun's report, by CUDA events;" \
        "\"from the 4th task on\" leaves out the first task of each of the three streams, in which what the first few units did" \
        "not load is loaded. Medians."
    warm_up
}
warm_up() {
    local k how_long=3
    [[ ! $quick ]] || how_long=1
    for k in matmul burn; do
        if has_kernel $k; then under 30 "$tmp/log" "$gpu/plain" --keep-busy "$how_long" "$tmp/$k.conf"; return; fi
    done
}

# job REPORT SECONDS KERNEL SETTINGS...: plbrun with a report and a trace; its output in $tmp/log.
job() {
    local report=$1 most=$2 kernel=$3
    shift 3
    rm -f "$report"
    under "$most" "$tmp/log" "$plbrun" --quiet --report "$report" --trace "$report.trace" "$tmp/$kernel.conf" "$@"
}
execute_s() { pus_of "$1" | awk '$1 == "gpu" {s += $5 - $6} END {print s}'; }
units_of() { pus_of "$1" | awk -v k="$2" '$1 == k {s += $2} END {print s + 0}'; }
# Units per second of executing from the GPU's 4th task on; nothing where there are no more.
settled_rate() { "$gpu/blocks" --tasks "$1.trace" 0 | awk 'NR > 3 {u += $3; s += $4} END {if (s > 0) print u / s}'; }
# plain KERNEL SETTINGS...: kernel_s and copy_s in $kernel_s and $copy_s.
plain() {
    local kernel=$1 status
    shift
    under 60 "$tmp/log" "$gpu/plain" "$tmp/$kernel.conf" "$@"
    status=$?
    kernel_s=$(awk '/^kernel_s/ {print $2}' "$tmp/log") copy_s=$(awk '/^kernel_s/ {print $4}' "$tmp/log")
    if ((status == 0)) && [[ ! $copy_s ]]; then status=1; fi
    return $status
}
# failed_row WHAT WANTED STATUS: a measurement that there is not.
failed_row() { record 5 "$(verdict_of "$3")" "$1" "$2" "$(why "$3" "$tmp/log")" "$tmp/log"; }
target() { # WHAT WANTED MEASURED EXPRESSION: a row; passes where the expression holds
    record 5 "$(holds "$4" && echo pass || echo missed)" "$1" "$2" "$3"
}
shown() { record 5 shown "$1" "$2" "$3"; }

# beside_plain WHAT KERNEL SETTINGS...: `plain`, then plbrun on the GPU alone, into $kernel_s, $copy_s and medians
# $makespan, $execute and $settled (units/s), $units.
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
    makespan=$(median <"$tmp/m.makespan") execute=$(median <"$tmp/m.execute") settled=$(median <"$tmp/m.settled")
}
# rate_rows WHAT PART: the targets of a job whose data `plain` has on the GPU.
rate_rows() {
    target "$1: execute" "at least $(percent "$2") of plain's rate" \
        "$(percent "$kernel_s / $execute") ($(seconds "$execute"), plain $(seconds "$kernel_s"))" "$kernel_s >= $2 * $execute"
    [[ ! $settled ]] || shown "$1: execute from the 4th task on" "(shown)" "$(percent "$settled * $kernel_s / $units") of plain's rate"
    shown "$1: makespan" "(shown)" "$(percent "$kernel_s / $makespan") of plain's rate ($(seconds "$makespan"), spread $(spread <"$tmp/m.makespan"); plain copies $(seconds "$copy_s"))"
}

part_rate() {
    set_sizes
    has_kernel matmul || return 0
    local type
    for type in float32 float64; do
        beside_plain "matmul $type, $n" matmul matmul.dtype=$type matmul.rows="$n" matmul.inner="$n" matmul.columns="$n" &&
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
        beside_plain "$what" matmul matmul.dtype=float32 matmul.rows="$n" matmul.inner=$((n / 32)) matmul.columns=$((8 * n)) && stream_row "$what"
    fi
}
stream_row() {
    local least
    least=$(calc "$copy_s > $kernel_s ? $copy_s : $kernel_s")
    target "$1: makespan" "at least 90.0 % of max(copy, kernel) of plain" \
        "$(percent "$least / $makespan") ($(seconds "$makespan"), spread $(spread <"$tmp/m.makespan"); plain: copy $(seconds "$copy_s"), kernel $(seconds "$kernel_s"))" "$least >= 0.9 * $makespan"
}

part_sparse() {
    set_sizes
    has_kernel spmm || return 0
    beside_plain "spmm powerlaw, $((16 * n)) rows, 64 columns" spmm spmm.kind=powerlaw spmm.rows=$((16 * n)) spmm.inner=$((16 * n)) \
        spmm.nnz_per_row=32 spmm.columns=64 && rate_rows "spmm powerlaw, $((16 * n)) rows, 64 columns" 0.95
    [[ ! $quick ]] || return 0
    beside_plain "spmm uniform, $((16 * n)) rows, 256 columns" spmm spmm.kind=uniform spmm.rows=$((16 * n)) spmm.inner=$((16 * n)) \
        spmm.nnz_per_row=64 spmm.columns=256 && rate_rows "spmm uniform, $((16 * n)) rows, 256 columns" 0.95
}

# ---- GPU and CPU

# The jobs of `together` and `split`: kernel and settings, and what makes it small enough for the CPU alone.
joint_jobs() {
    cat <<END
burn:burn.units=$((n * n / 64)) burn.steps=10000:burn.units=$((n * n / 4096 + 1))
matmul:matmul.rows=$((n / 2)) matmul.inner=$((n / 2)) matmul.columns=$((2 * n)):matmul.columns=$((n / 8))
triad:triad.elements=$(elements $((n * n / 2))):triad.elements=$(elements $((n * n / 4)))
spmm:spmm.kind=powerlaw spmm.rows=$((8 * n)) spmm.inner=$((8 * n)) spmm.nnz_per_row=32 spmm.columns=128:spmm.kind=powerlaw
END
}
part_together() {
    set_sizes
    local kernel settings small
    while IFS=: read -r kernel settings small; do
        has_kernel "$kernel" || continue
        [[ $quick && $kernel == [sm]* && ${#kernels[@]} -gt 1 ]] && continue
        read -ra settings <<<"$settings"
        together "$kernel" "${settings[@]}"
    done < <(joint_jobs)
}
# In turn, so that what drifts drifts for both. Keeps the gpu-only times for `split`.
together() { # KERNEL SETTINGS...
    local kernel=$1 what="$1: GPU and CPU over GPU alone" i pus status a g
    shift
    progress "$what"
    rm -f "$tmp/$kernel".{auto,gpu}
    for ((i = 0; i < $(runs 5); i++)); do
        for pus in gpu auto; do
            job "$tmp/r.$pus.json" 40 "$kernel" cluster.pus=$pus cluster.threads="${GPU_CHECK_THREADS:-0}" "$@"
            status=$?
            ((status == 0)) || { failed_row "$what, $pus" 'at most 1.01 times' $status; return; }
            value "$tmp/r.$pus.json" makespan_s >>"$tmp/$kernel.$pus"
        done
    done
    a=$(median <"$tmp/$kernel.auto") g=$(median <"$tmp/$kernel.gpu")
    value "$tmp/r.gpu.json" units >"$tmp/$kernel.units"
    target "$what" 'at most 1.01 times the makespan' \
        "$(calc "$a / $g" %.3f) ($(seconds "$a") / $(seconds "$g"); spread of the GPU alone $(spread <"$tmp/$kernel.gpu"), of both $(spread <"$tmp/$kernel.auto"); the CPU did $(percent "$(units_of "$tmp/r.auto.json" cpu) / $(value "$tmp/r.auto.json" units)"))" \
        "$a <= 1.01 * $g"
}

# Fixed shares by power around what the rates ask for, without migration: does plb-hac find the best of them?
part_split() {
    set_sizes
    local kernel settings small
    if [[ $quick ]]; then record 5 skipped 'the best fixed split' 'plb-hac within 2 %' 'not with --quick'; return; fi
    while IFS=: read -r kernel settings small; do
        has_kernel "$kernel" || continue
        [[ -s $tmp/$kernel.auto ]] || { record 5 skipped "$kernel: the best fixed split" 'plb-hac within 2 %' 'needs the part together'; continue; }
        read -ra settings <<<"$settings"
        read -ra small <<<"$small"
        split "$kernel" "${settings[@]}"
    done < <(joint_jobs)
}
fixed() { # POWER KERNEL SETTINGS...: a run with that split; its makespan in $makespan
    local p=$1 kernel=$2
    shift 2
    job "$tmp/r.json" 60 "$kernel" cluster.pus=auto cluster.threads="$(cpu_threads)" cluster.gpu_power="$p" balance.balancer=static balance.migration=off "$@" &&
        makespan=$(value "$tmp/r.json" makespan_s)
}
split() { # KERNEL SETTINGS...; $small: for the CPU
    local kernel=$1 what="$1: plb-hac over the best fixed split" threads power p best='' best_p i a g line=''
    shift
    progress "$what"
    threads=$(cpu_threads)
    ((threads > 0)) || { record 5 skipped "$what" 'at most 1.02 times' 'too few cores: all drive the GPU'; return; }
    job "$tmp/r.json" 40 "$kernel" cluster.pus=cpu cluster.threads="$threads" "$@" "${small[@]}" || { failed_row "$what: CPU alone" 'at most 1.02 times' $?; return; }
    a=$(median <"$tmp/$kernel.auto") g=$(median <"$tmp/$kernel.gpu")
    # Units per second of each; a unit of the smaller job costs the same.
    power=$(calc "$(<"$tmp/$kernel.units") / $g / ($(units_of "$tmp/r.json" cpu) / $(value "$tmp/r.json" makespan_s) / $threads)")
    for i in 0.7 0.85 1 1.2 1.5; do
        p=$(calc "$power * $i" %.4g)
        fixed "$p" "$kernel" "$@" || { failed_row "$what, power $p" 'at most 1.02 times' $?; return; }
        line+="${line:+, }$p: $(seconds "$makespan")"
        if [[ ! $best ]] || holds "$makespan < $best"; then best=$makespan best_p=$p; fi
    done
    # The least of several is low by chance: again, and the median.
    echo "$best" >"$tmp/again"
    for i in 1 2; do
        if fixed "$best_p" "$kernel" "$@"; then echo "$makespan" >>"$tmp/again"; fi
    done
    best=$(median <"$tmp/again")
    note 5 "$kernel, makespan by the GPU's power, where each of $threads CPU threads has 1: $line; GPU alone $(seconds "$g")."
    if holds "$g < $best"; then best=$g best_p='infinite'; fi
    target "$what" 'at most 1.02 times' "$(calc "$a / $best" %.3f) ($(seconds "$a") / $(seconds "$best"), at power $best_p)" "$a <= 1.02 * $best"
}
# As plbrun counts: a core drives the GPU, and one communicates.
cpu_threads() { echo "${GPU_CHECK_THREADS:-$(($(nproc) - 2))}"; }

# ---- sharing the GPU

part_sharing() {
    set_sizes
    local kernel=burn unit=burn.units count
    has_kernel burn || { kernel=matmul unit=matmul.columns; has_kernel matmul || return 0; }
    count=$([[ $kernel == burn ]] && echo $((n * n / 64)) || echo $((4 * n)))
    settings=()
    [[ $kernel == burn ]] && settings=(burn.steps=10000)
    two_ranks
    if [[ $quick ]]; then record 5 skipped 'a competing process' 'blocks follow' 'not with --quick'; else competitor; fi
}
two_ranks() {
    local what="$kernel: two ranks on one GPU" ranks launch status i one two
    progress "$what"
    [[ $mpirun ]] || { record 5 skipped "$what" 'both get 40 to 60 %' 'no mpirun'; return; }
    rm -f "$tmp"/m.*
    for ((i = 0; i < 3; i++)); do
        for ranks in 1 2; do
            mapfile -t launch < <(ranks $ranks)
            under 60 "$tmp/log" "${launch[@]}" "$plbrun" --quiet --report "$tmp/r.json" "$tmp/$kernel.conf" cluster.pus=gpu "$unit=$count" "${settings[@]}"
            status=$?
            ((status == 0)) || { failed_row "$what" 'both get 40 to 60 %' $status; return; }
            value "$tmp/r.json" makespan_s >>"$tmp/m.$ranks"
        done
        pus_of "$tmp/r.json" | awk '{n[NR] = $2; s += $2} END {print n[1] / s}' >>"$tmp/m.share"
    done
    one=$(median <"$tmp/m.1") two=$(median <"$tmp/m.2") share=$(median <"$tmp/m.share")
    target "$what" 'both get 40 to 60 %' "$(percent "$share") and $(percent "1 - $share"); makespan $(calc "$two / $one" %.3f) of one rank's ($(seconds "$two") / $(seconds "$one"))" \
        "$share >= 0.4 && $share <= 0.6"
}

# A run of some 16 s, and from its 5th second on for 6 s another program that keeps the GPU busy. Blocks of half a
# second, so that there are enough of them before the tail.
competitor() {
    local what="$kernel: a competing process" g more busy pid status
    progress "$what"
    [[ -s $tmp/m.1 ]] || [[ -s $tmp/$kernel.gpu ]] || { record 5 skipped "$what" 'blocks follow' 'the time of a run is not known'; return; }
    g=$(cat "$tmp/m.1" "$tmp/$kernel.gpu" 2>/dev/null | median)
    more=$(calc "$count * ${GPU_CHECK_SECONDS:-16} / $g" %d) busy=$(calc "$count * 0.02 / $g + 1" %d)
    job "$tmp/r.json" 60 "$kernel" "$unit=$more" "${settings[@]}" cluster.pus=auto cluster.threads="${GPU_CHECK_THREADS:-0}" balance.block_seconds=0.5 &
    pid=$!
    others+=("$pid")
    sleep 6
    under 20 "$tmp/busy.log" "$gpu/plain" --keep-busy 6 "$tmp/$kernel.conf" "$unit=$busy" "${settings[@]}"
    wait $pid
    status=$?
    ((status == 0)) || { failed_row "$what" 'blocks follow' $status; return; }
    "$gpu/blocks" "$tmp/r.json.trace" 0 >"$tmp/blocks"
    follows "$what" <"$tmp/blocks"
}
# From block number, start, units, execute seconds and seconds of each. The rate of an undisturbed block is the upper
# quartile; disturbed are the longest stretch of blocks below 3/4 of it. Its first block was in work, and two more had
# their sizes, when the other program began: from the third after it on, sizes are to be right.
follows() { # WHAT
    local found
    found=$(awk '{start[NR] = $2; units[NR] = $3; rate[NR] = $5 > 0 ? $3 / $5 : 0; order[NR] = rate[NR]}
        function middle(from, to,    i, j, n, v, x) {
            for (i = from; i <= to; i++) v[++n] = units[i]
            for (i = 2; i <= n; i++) { x = v[i]; for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]; v[j + 1] = x }
            return n ? v[int((n + 1) / 2)] : 0 }
        END {
            for (i = 2; i <= NR; i++) { x = order[i]; for (j = i - 1; j > 0 && order[j] > x; j--) order[j + 1] = order[j]; order[j + 1] = x }
            full = order[int(0.75 * NR)]
            for (i = 4; i <= NR; i++) if (rate[i] < 0.75 * full) { for (j = i; j < NR && rate[j + 1] < 0.75 * full; j++); if (j - i > last - first) {first = i; last = j}; i = j }
            if (last - first < 5) { print "no"; exit }
            before = middle(4, first - 1); steady = middle(first + 3, last)
            printf "%d %d %.6g %.6g %.6g %.3f\n", first, last, before, steady, units[first + 3], units[first + 3] / steady }')
    { printf '\nBlocks of the GPU in that run:\n\n```\nblock  start s       units      seconds    units/s\n'
      awk '{printf "%5d %8.2f %11d %12.4f %10.4g\n", NR, $2, $3, $5, ($5 > 0 ? $3 / $5 : 0)}' "$tmp/blocks" | head -n 70; printf '```\n'; } >>"$tmp/text.5"
    local first last before steady third part
    read -r first last before steady third part <<<"$found"
    if [[ $first == no || ! $part ]]; then
        record 5 failed "$1" 'the 3rd block after it starts is within 25 % of the new size' 'no six disturbed blocks in a row were seen'
        return
    fi
    target "$1" 'the 3rd block after it starts is within 25 % of the new size' \
        "$part of it ($third units, new size $steady, before $before; blocks $first to $last disturbed)" "$part >= 0.75 && $part <= 1.25"
}
