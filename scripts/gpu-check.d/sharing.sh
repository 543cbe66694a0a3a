# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: two ranks on one GPU, and another program that takes a part of it.

part_sharing() {
    set_sizes
    local kernel=burn unit=burn.units count
    has_kernel burn || { kernel=matmul unit=matmul.columns; has_kernel matmul || return 0; }
    count=$([[ $kernel == burn ]] && echo $((n * n / 64)) || echo $((4 * n)))
    settings=()
    [[ $kernel == burn ]] && settings=(burn.steps=10000)
    two_ranks
    if [[ $quick ]]; then
        record 5 skipped 'a competing process' 'blocks follow' 'not with --quick'
    else
        competitor
    fi
}
two_ranks() {
    local what="$kernel: two ranks on one GPU" wanted='both get 40 to 60 %'
    local ranks launch status i one two share times
    local job=("$plbrun" --quiet --report "$tmp/r.json" "$tmp/$kernel.conf" cluster.pus=gpu)
    progress "$what"
    [[ $mpirun ]] || { record 5 skipped "$what" "$wanted" 'no mpirun'; return; }
    rm -f "$tmp"/m.*
    for ((i = 0; i < 3; i++)); do
        for ranks in 1 2; do
            mapfile -t launch < <(ranks $ranks)
            under 60 "$tmp/log" "${launch[@]}" "${job[@]}" "$unit=$count" "${settings[@]}"
            status=$?
            ((status == 0)) || { failed_row "$what" "$wanted" $status; return; }
            value "$tmp/r.json" makespan_s >>"$tmp/m.$ranks"
        done
        pus_of "$tmp/r.json" | awk '{n[NR] = $2; s += $2} END {print n[1] / s}' >>"$tmp/m.share"
    done
    one=$(median <"$tmp/m.1") two=$(median <"$tmp/m.2") share=$(median <"$tmp/m.share")
    times="makespan $(calc "$two / $one" %.3f) of one rank's ($(seconds "$two") / $(seconds "$one"))"
    target "$what" "$wanted" "$(percent "$share") and $(percent "1 - $share"); $times" \
        "$share >= 0.4 && $share <= 0.6"
}

# A run of some 16 s. From its 6th second on, another program keeps the GPU busy for 6 s. A block lasts half a
# second, so that there are enough of them before the end.
competitor() {
    local what="$kernel: a competing process" g more busy pid status
    local threads=${GPU_CHECK_THREADS:-0}
    progress "$what"
    if [[ ! -s $tmp/m.1 && ! -s $tmp/$kernel.gpu ]]; then
        record 5 skipped "$what" 'blocks follow' 'the time of a run is not known'
        return
    fi
    g=$(cat "$tmp/m.1" "$tmp/$kernel.gpu" 2>/dev/null | median)
    more=$(calc "$count * ${GPU_CHECK_SECONDS:-16} / $g" %d) busy=$(calc "$count * 0.02 / $g + 1" %d)
    job "$tmp/r.json" 60 "$kernel" "$unit=$more" "${settings[@]}" \
        cluster.pus=auto cluster.threads="$threads" &
    pid=$!
    others+=("$pid")
    sleep 6
    under 20 "$tmp/busy.log" "$gpu/plain" --keep-busy 6 "$tmp/$kernel.conf" "$unit=$busy" "${settings[@]}"
    wait $pid
    status=$?
    ((status == 0)) || { failed_row "$what" 'blocks follow' $status; return; }
    "$gpu/blocks" "$tmp/r.json.trace.json" 0 >"$tmp/blocks"
    show_blocks
    follows "$what"
}
show_blocks() {
    {
        printf '\nBlocks of the GPU in that run:\n\n```\n'
        printf 'block  start s       units      seconds    units/s\n'
        awk '{
            rate = $5 > 0 ? $3 / $5 : 0
            printf "%5d %8.2f %11d %12.4f %10.4g\n", NR, $2, $3, $5, rate
        }' "$tmp/blocks" | head -n 70
        printf '```\n'
    } >>"$tmp/text.5"
}
# Do the sizes of blocks follow the GPU's rate? follows.awk finds the disturbed blocks.
follows() { # WHAT
    local first last before steady third part wanted measured
    wanted='the 3rd block after it starts is within 25 % of the new size'
    read -r first last before steady third part \
        < <(awk -f "$top/scripts/gpu-check.d/follows.awk" "$tmp/blocks")
    if [[ $first == no || ! $part ]]; then
        record 5 failed "$1" "$wanted" 'no six disturbed blocks in a row were seen'
        return
    fi
    measured="$part of it ($third units, new size $steady, before $before; blocks $first to $last disturbed)"
    target "$1" "$wanted" "$measured" "$part >= 0.75 && $part <= 1.25"
}
