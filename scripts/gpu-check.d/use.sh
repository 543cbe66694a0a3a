# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: which GPUs are used, and what plbrun says of them.

# plbrun's line about the GPU, beside what nvidia-smi says.
names() {
    local line others at='([0-9A-Fa-f:.]+)' uuid='((GPU|MIG)-[0-9A-Fa-f-]+)'
    line=$(grep -m1 "gpu '" "$tmp/shown")
    if [[ ! $line =~ gpu\ \'[^\']+\'\ \($at\ $uuid\).*driven\ from\ core ]]; then
        says failed "$line"
        return
    fi
    others=$(about_gpu pci.bus_id || true)
    if [[ $others && ${others^^} != *"${BASH_REMATCH[1]^^}" ]]; then
        says failed "bus id ${BASH_REMATCH[1]}, and $others by nvidia-smi"
    else
        says pass "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}${others:+, as nvidia-smi says}"
    fi
}
no_gpu() { # SETTING...: the CPU is a PU, and no GPU is
    under 60 "$log" "$plbrun" --dry-run --show-pus "$tmp/${kernels[0]}.conf" "$@"
    if grep -q "cpu '" "$log" && ! grep -q "gpu '" "$log"; then
        says pass 'only the CPU is a PU'
    else
        says failed "$(grep -m1 "gpu '" "$log" || tail -n 1 "$log")"
    fi
}
hidden() { CUDA_VISIBLE_DEVICES='' no_gpu cluster.pus=auto; }
# Rank 1 sees no GPU. The GPU and both CPUs have a share from the start.
mixed() {
    local real=$plbrun plbrun=$log.hides
    printf '%s\n' '#!/bin/sh' "[ \"\$OMPI_COMM_WORLD_RANK\" != 1 ] || export CUDA_VISIBLE_DEVICES=" \
        "exec '$real' \"\$@\"" >"$plbrun"
    chmod +x "$plbrun"
    verifies auto 2 rod rod.cells=20000 cluster.threads="$few_threads" --balancer static cluster.gpu_power=1 \
        balance.migration=off >"$log.said"
    if [[ $(head -n 1 "$log.said") == pass && $(working "$log.json") != '1 GPUs and 2 CPUs' ]]; then
        says failed "$(working "$log.json") worked"
    else
        cat "$log.said"
    fi
}
working() { # REPORT
    pus_of "$1" | awk '$2 > 0 { n[$1]++ } END { printf "%d GPUs and %d CPUs", n["gpu"], n["cpu"] }'
}
# Seconds of page locks are in the report of a run.
locks() {
    local status seconds
    under 60 "$log" "$plbrun" --quiet --report "$log.json" "$tmp/triad.conf" cluster.pus=gpu \
        triad.elements=4194304
    status=$?
    ((status == 0)) || { says "$(verdict_of $status)" "$(why $status "$log")"; return; }
    seconds=$(value "$log.json" locking_s)
    says "$(holds "${seconds:-0} > 0" && echo pass || echo failed)" "locking_s ${seconds:-is not there}"
}
part_use() {
    now 1 "the GPU's line has bus id, UUID and cores" 'those of nvidia-smi' names
    now 1 'a GPU that CUDA_VISIBLE_DEVICES hides' 'is no PU' hidden
    now 1 'a run for CPUs alone' 'no GPU is a PU' no_gpu cluster.pus=cpu
    if has_kernel rod; then
        now 1 'a rank that sees no GPU beside one that does' verified mixed
    fi
    if has_kernel triad; then
        now 1 'the time of page locks' 'is in the report' locks
    fi
}
