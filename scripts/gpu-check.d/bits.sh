# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: results that are to have the same bits in each run on the GPU, and those that are to
# have the CPU's, as docs/reference/kernels.md says.

# KERNEL, OUTPUT, and whether the CPU has the same bits. Settings are those of `every_case`.
bit_cases() {
    cat <<'END'
mandelbrot counts.npy cpu
taylor values.npy cpu
gaussian values.npy cpu
kmeans labels.npy cpu
grn network.tsv cpu
kmeans centroids.npy
nbody positions.npy
binomial prices.npy
blackscholes results.npy
triad a.npy
matmul c.npy
END
}

# Two runs on the GPU, with the same tasks, and one on the CPU if its bits are to be the same.
same_results() { # KERNEL OUTPUT [cpu] SETTINGS...
    local kernel=$1 key=$1.${2%.*} type=${2#*.} runs=(gpu again) run status
    local alike=(--balancer static balance.migration=off)
    shift 2
    if [[ $1 == cpu ]]; then runs+=(cpu); shift; fi
    for run in "${runs[@]}"; do
        under 60 "$log" "$plbrun" --quiet "$tmp/$kernel.conf" cluster.pus="${run/again/gpu}" \
            "${alike[@]}" "$@" "$key=$log.$run.$type"
        status=$?
        ((status == 0)) || { says "$(verdict_of $status)" "$(why $status "$log")"; return; }
        cmp "$log.gpu.$type" "$log.$run.$type" >"$log" 2>&1 ||
            { says failed "$run: $(tail -n 1 "$log")"; return; }
    done
    says pass "$(wc -c <"$log.gpu.$type") bytes are the same"
}
part_bits() {
    local kernel output cpu settings wanted
    while read -r kernel output cpu; do
        has_kernel "$kernel" || continue
        read -ra settings < <(every_case large | sed -n "s/^$kernel //p")
        wanted="the same bits in two runs${cpu:+, and on the CPU}"
        later 2 "$kernel: ${output%.*}" "$wanted" \
            same_results "$kernel" "$output" ${cpu:+cpu} "${settings[@]}"
    done < <(bit_cases)
    settle
}
