# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: GPU and CPU together beside the GPU alone, and beside the best fixed split.

# The jobs of `together` and `split`: kernel, settings, and the settings that make it small enough for the CPU
# alone.
joint_jobs() {
    local sparse="spmm.kind=powerlaw spmm.rows=$((8 * n)) spmm.inner=$((8 * n)) spmm.nnz_per_row=32"
    cat <<END
burn:burn.units=$((n * n / 64)) burn.steps=10000:burn.units=$((n * n / 4096 + 1))
matmul:matmul.rows=$((n / 2)) matmul.inner=$((n / 2)) matmul.columns=$((2 * n)):matmul.columns=$((n / 8))
triad:triad.elements=$(elements $((n * n / 2))):triad.elements=$(elements $((n * n / 4)))
spmm:$sparse spmm.columns=128:spmm.kind=powerlaw
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
# The runs take turns, so that a drift of the machine touches both. Keeps the times for `split`.
together() { # KERNEL SETTINGS...
    local kernel=$1 what="$1: GPU and CPU over GPU alone" i pus status a g by_cpu spreads
    local threads=${GPU_CHECK_THREADS:-0}
    shift
    progress "$what"
    rm -f "$tmp/$kernel".{auto,gpu}
    for ((i = 0; i < $(runs 5); i++)); do
        for pus in gpu auto; do
            job "$tmp/r.$pus.json" 40 "$kernel" cluster.pus=$pus cluster.threads="$threads" "$@"
            status=$?
            ((status == 0)) || { failed_row "$what, $pus" 'at most 1.01 times' $status; return; }
            value "$tmp/r.$pus.json" makespan_s >>"$tmp/$kernel.$pus"
        done
    done
    a=$(median <"$tmp/$kernel.auto") g=$(median <"$tmp/$kernel.gpu")
    value "$tmp/r.gpu.json" units >"$tmp/$kernel.units"
    spreads="spread of the GPU alone $(spread <"$tmp/$kernel.gpu"), of both $(spread <"$tmp/$kernel.auto")"
    by_cpu=$(percent "$(units_of "$tmp/r.auto.json" cpu) / $(value "$tmp/r.auto.json" units)")
    target "$what" 'at most 1.01 times the makespan' \
        "$(calc "$a / $g" %.3f) ($(seconds "$a") / $(seconds "$g"); $spreads; the CPU did $by_cpu)" \
        "$a <= 1.01 * $g"
}

# Is sure as fast as the best fixed split? The splits tried are around the one that the rates ask for.
part_split() {
    set_sizes
    local kernel settings small wanted='sure within 2 %'
    if [[ $quick ]]; then
        record 5 skipped 'the best fixed split' "$wanted" 'not with --quick'
        return
    fi
    while IFS=: read -r kernel settings small; do
        has_kernel "$kernel" || continue
        if [[ ! -s $tmp/$kernel.auto ]]; then
            record 5 skipped "$kernel: the best fixed split" "$wanted" 'needs the part together'
            continue
        fi
        read -ra settings <<<"$settings"
        read -ra small <<<"$small"
        split "$kernel" "${settings[@]}"
    done < <(joint_jobs)
}
fixed() { # POWER KERNEL SETTINGS...: a run with that split; its makespan in $makespan
    local p=$1 kernel=$2
    shift 2
    job "$tmp/r.json" 60 "$kernel" cluster.pus=auto cluster.threads="$(cpu_threads)" \
        cluster.gpu_power="$p" balance.balancer=static balance.migration=off "$@" &&
        makespan=$(value "$tmp/r.json" makespan_s)
}
split() { # KERNEL SETTINGS...; $small: for the CPU
    local kernel=$1 what="$1: sure over the best fixed split" wanted='at most 1.02 times'
    local threads power of_gpu of_cpu p best='' best_p i a g line=''
    shift
    progress "$what"
    threads=$(cpu_threads)
    ((threads > 0)) || { record 5 skipped "$what" "$wanted" 'too few cores: all drive the GPU'; return; }
    job "$tmp/r.json" 40 "$kernel" cluster.pus=cpu cluster.threads="$threads" "$@" "${small[@]}" ||
        { failed_row "$what: CPU alone" "$wanted" $?; return; }
    a=$(median <"$tmp/$kernel.auto") g=$(median <"$tmp/$kernel.gpu")
    # Units per second of the GPU and of a CPU thread. A unit of the smaller job costs the same.
    of_gpu="$(<"$tmp/$kernel.units") / $g"
    of_cpu="$(units_of "$tmp/r.json" cpu) / $(value "$tmp/r.json" makespan_s) / $threads"
    power=$(calc "$of_gpu / ($of_cpu)")
    for i in 0.7 0.85 1 1.2 1.5; do
        p=$(calc "$power * $i" %.4g)
        fixed "$p" "$kernel" "$@" || { failed_row "$what, power $p" "$wanted" $?; return; }
        line+="${line:+, }$p: $(seconds "$makespan")"
        if [[ ! $best ]] || holds "$makespan < $best"; then best=$makespan best_p=$p; fi
    done
    # The least of several times is low by chance. So the best split runs again, and the median counts.
    echo "$best" >"$tmp/again"
    for i in 1 2; do
        if fixed "$best_p" "$kernel" "$@"; then echo "$makespan" >>"$tmp/again"; fi
    done
    best=$(median <"$tmp/again")
    note 5 "$kernel, makespan by the GPU's power, where each of $threads CPU threads has 1: $line;" \
        "GPU alone $(seconds "$g")."
    if holds "$g < $best"; then best=$g best_p='infinite'; fi
    target "$what" "$wanted" \
        "$(calc "$a / $best" %.3f) ($(seconds "$a") / $(seconds "$best"), at power $best_p)" \
        "$a <= 1.02 * $best"
}
# plbrun takes one core to drive the GPU, and one to communicate.
cpu_threads() { echo "${GPU_CHECK_THREADS:-$(($(nproc) - 2))}"; }

