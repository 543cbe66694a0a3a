# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: what a start, page locks and joules cost, and how well CPU and GPU work together.

part_start() {
    local us
    has_kernel burn || return 0
    under 60 "$tmp/log" "$plbrun" --log debug "$tmp/burn.conf" cluster.pus=gpu burn.units=1000 burn.steps=1
    us=$(sed -n 's/.*an empty task takes \([0-9.e+-]*\) us.*/\1/p' "$tmp/log" | head -n 1)
    if [[ $us ]]; then
        target 'start of a task' 'at most 50 us' "$us us" "$us <= 50"
    else
        record 5 failed 'start of a task' 'at most 50 us' 'plbrun does not tell' "$tmp/log"
    fi
}

# Page locks, by plain calls: seconds to lock, and the rates of copies with and without.
part_pin() {
    local line lock locked pageable
    under 60 "$tmp/log" "$gpu/plain" --pin 1073741824
    line=$(grep '^pin_s' "$tmp/log")
    read -r _ lock _ locked _ pageable _ <<<"$line"
    if [[ ! $pageable ]]; then
        record 5 failed 'page locks of 1 GiB' 'a time' "$(head -n 1 "$tmp/log")" "$tmp/log"
        return
    fi
    shown 'page locks of 1 GiB' '(shown)' \
        "$(seconds "$lock"); a copy takes $(seconds "$locked"), from other memory $(seconds "$pageable")"
    target 'copies from locked pages' 'less time than from others' "$(percent "$locked / $pageable")" \
        "$locked < $pageable"
}

# NVML's counter beside the integral of what nvidia-smi says once a second.
part_energy() {
    local counted mean span
    has_kernel burn || return 0
    if [[ ! -s $tmp/samples ]]; then
        record 5 skipped "joules of the GPU" 'within 10 %' 'there is no nvidia-smi'
        return
    fi
    set_sizes
    : >"$tmp/samples.before"
    wc -l <"$tmp/samples" >"$tmp/samples.before"
    job "$tmp/r.json" 60 burn cluster.pus=gpu burn.units=$((n * n / 8)) burn.steps=20000 ||
        { failed_row 'joules of the GPU' 'within 10 %' $?; return; }
    mean=$(tail -n +"$(($(<"$tmp/samples.before") + 2))" "$tmp/samples" | awk -F ', *' '
        $3 > 0 { sum += $3; n++ } END { if (n > 3) print sum / n }')
    read -r counted span < <(awk '
        /"meters":/ { inside = 1 }
        !inside { next }
        { gsub(/[",]/, "") }
        $1 ~ /^(joules|seconds|meter):$/ { v[$1] = $2 }
        $1 == "note:" && v["meter:"] == "nvml" { print v["joules:"], v["seconds:"]; exit }' "$tmp/r.json")
    if [[ ! $counted || ! $mean ]]; then
        record 5 skipped 'joules of the GPU' 'within 10 %' 'NVML tells none, or the run was too short'
        return
    fi
    target 'joules of the GPU' 'within 10 % of the integral of its power' \
        "$counted J counted; $(calc "$mean" %.4g) W in $(seconds "$span"): $(calc "$mean * $span" %.4g) J" \
        "$counted > 0.9 * $mean * $span && $counted < 1.1 * $mean * $span"
}

# The rate of both over the sum of the rates of each alone.
part_efficiency() {
    set_sizes
    local kernel settings small
    while IFS=: read -r kernel settings small; do
        has_kernel "$kernel" || continue
        if [[ ! -s $tmp/$kernel.auto ]]; then
            record 5 skipped "$kernel: efficiency of GPU and CPU" 'at least 97.0 %' 'needs the part together'
            continue
        fi
        read -ra settings <<<"$settings"
        read -ra small <<<"$small"
        efficiency "$kernel" "${settings[@]}"
    done < <(joint_jobs)
}
efficiency() { # KERNEL SETTINGS...; $small: for the CPU
    local kernel=$1 what="$1: efficiency of GPU and CPU" both of_gpu of_cpu units threads
    shift
    threads=$(cpu_threads)
    ((threads > 0)) || { record 5 skipped "$what" 'at least 97.0 %' 'all cores drive the GPU'; return; }
    job "$tmp/r.json" 40 "$kernel" cluster.pus=cpu cluster.threads="$threads" "$@" "${small[@]}" ||
        { failed_row "$what: CPU alone" 'at least 97.0 %' $?; return; }
    units=$(<"$tmp/$kernel.units")
    both="($units / $(median <"$tmp/$kernel.auto"))"
    of_gpu="($units / $(median <"$tmp/$kernel.gpu"))"
    of_cpu="($(units_of "$tmp/r.json" cpu) / $(value "$tmp/r.json" makespan_s))"
    target "$what" 'at least 97.0 % of both rates together' \
        "$(percent "$both / ($of_gpu + $of_cpu)") (GPU $(calc "$of_gpu"), CPU $(calc "$of_cpu") units/s)" \
        "$both >= 0.97 * ($of_gpu + $of_cpu)"
}
