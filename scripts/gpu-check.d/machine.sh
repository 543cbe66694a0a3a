# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: section 0 of the report, what the machine is.

make_confs() {
    local k
    for k in "${kernels[@]}"; do printf '[app]\nkernel = %s\n' "$(kernel_file "$k")" >"$tmp/$k.conf"; done
}
kernel_file() { # KERNEL [.cuda]
    local in=$folder
    [[ $fake || ! " burn faulty rod " == *" $1 "* ]] || in=$gpu
    echo "$in/$1${2:-}.so"
}
# Threads of the CPU in checks.
few_threads=$(($(nproc) > 4 ? 3 : 1))

# The bytes of host memory that may still be taken. A container may have less than is free.
host_memory() {
    local free most used
    free=$(awk '/^MemAvailable:/ {print $2 * 1024}' /proc/meminfo)
    most=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
    used=$(cat /sys/fs/cgroup/memory.current 2>/dev/null || echo 0)
    if [[ $most != max ]] && holds "$most - $used < $free"; then free=$((most - used)); fi
    echo "$free"
}
# nvidia-smi with a time limit and without words of its own. It may be missing where CUDA is not.
smi() { timeout 20 nvidia-smi "$@" 2>/dev/null </dev/null; }
about_gpu() { # FIELDS
    smi -i "$CUDA_VISIBLE_DEVICES" --query-gpu="$1" --format=csv,noheader | head -n 1
}
commit() { git -C "$top" describe --always --dirty 2>/dev/null || cat "$top/commit" 2>/dev/null; }
cuda_version() {
    local at driver
    at=$(ldd "$gpu/plain" | sed -n 's/.*libcudart[^>]*=> \(.*\) (0x.*/\1/p')
    driver=$(smi | grep -o 'CUDA Version: [0-9.]*' || echo unknown)
    echo "runtime $(basename "$(readlink -f "${at:-unknown}")"), driver $driver"
}
cpu_model() {
    local limit
    limit=$(cat /sys/fs/cgroup/cpu.max 2>/dev/null || true)
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
        "$(nproc) of $(grep -c ^processor /proc/cpuinfo) cores${limit:+, cgroup cpu.max $limit}"
}
plbrun_version() {
    local from=''
    [[ $plbrun != */bin/plbrun ]] || from=', from a bundle'
    echo "$("$plbrun" --version 2>&1 | head -n 1), commit $(commit || echo unknown)$from"
}

# fact NAME VALUE: a row of the machine's table. fact_of_gpu NAME FIELDS: the same, from nvidia-smi.
fact() { printf '| %s | %s |\n' "$1" "${2:-unknown}" >>"$tmp/text.0"; }
fact_of_gpu() { fact "$1" "$(about_gpu "$2" || true)"; }
facts() { # PLBRUN'S LINE ABOUT THE GPU
    printf '\n| | |\n|---|---|\n' >"$tmp/text.0"
    fact plbrun "$(plbrun_version)"
    fact_of_gpu GPU name,memory.total,memory.used
    fact 'as plbrun sees it' "${1#plbrun: }"
    fact 'GPUs' "$(smi -L | sed 's/(UUID.*//' | paste -sd ';' || true)"
    fact_of_gpu driver driver_version
    fact CUDA "$(cuda_version)"
    fact_of_gpu 'clocks: SM, memory, most SM, most memory' clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem
    fact_of_gpu 'temperature, power, power limit, persistence, MIG, ECC' \
        temperature.gpu,power.draw,power.limit,persistence_mode,mig.mode.current,ecc.mode.current
    fact_of_gpu 'PCIe: generation, width, most' \
        pcie.link.gen.current,pcie.link.width.current,pcie.link.gen.max,pcie.link.width.max
    fact CPU "$(cpu_model)"
    fact 'host memory' "$(calc "$(host_memory) / 1e9" '%.1f') GB available"
    fact mpirun "${mpirun:-none}"
    fact kernel "$(uname -sr)"
    fact date "$began"
}

# plbrun's words about the GPU, in $tmp/shown: a dry run of the first kernel that has a conf file.
ask_plbrun() {
    local k
    for k in "${kernels[@]}"; do
        [[ -e $tmp/$k.conf ]] || return 0
        under 60 "$tmp/shown" "$plbrun" --dry-run --show-pus --verbose "$tmp/$k.conf" cluster.pus=gpu &&
            return 0
    done
}
# The name of the report if the caller gives none: by day and GPU.
usual_name() {
    local gpu_name
    gpu_name=$(tr -cs 'A-Za-z0-9\n' '-' <<<"${model#NVIDIA }")
    echo "$top/scripts/gpu-check.d/reports/$(date +%F)-$gpu_name.md"
}
look_at_machine() {
    local shown why_not
    : >"$tmp/rows"
    ask_plbrun
    shown=$(grep -m1 "gpu '" "$tmp/shown" || true)
    [[ $shown ]] && model=$(grep -oP "gpu '\K[^']*" <<<"$shown" | tail -n 1)
    gpu_bytes=$(sed -n "s/.*), \([0-9.e+]*\) GB free.*/\1e9/p" <<<"$shown" | awk '{printf "%.0f", $1}')
    : "${gpu_bytes:=0}" "${out:=$(usual_name)}"
    if ! mkdir -p "$(dirname "$out")" || ! : >"$out"; then fail "cannot write $out"; fi
    out=$(realpath "$out")
    facts "$shown"
    render
    if [[ -z $shown ]]; then
        ended=yes
        why_not=$(grep -m1 -E 'GPU|CUDA|plbrun:' "$tmp/shown")
        record 1 failed 'a GPU is found' yes "no: $why_not" "$tmp/shown"
        why_not=$(grep -m1 -oE '(no GPU is|a GPU is not) used: .*' "$tmp/shown" || echo 'see the report')
        fail "no GPU that plbrun can use: $why_not; report: $out"
    fi
    record 1 pass 'a GPU is found' yes "${shown#plbrun: }"
    # A GPU in this mode is for one process.
    if [[ $(about_gpu compute_mode || true) == *Exclusive* ]]; then jobs_at_once=1; fi
    start_sampler
}

# Clocks, temperature and power, every second. It also keeps the driver from unloading between programs, which
# costs each of them a second or two where persistence is off.
start_sampler() {
    local fields=clocks.sm,temperature.gpu,power.draw,utilization.gpu
    command -v nvidia-smi >/dev/null || return 0
    timeout $((deadline - SECONDS + 20)) \
        nvidia-smi -i "$CUDA_VISIBLE_DEVICES" --query-gpu=$fields --format=csv,noheader,nounits -lms 1000 \
        >"$tmp/samples" 2>/dev/null </dev/null &
    others+=($!)
}
sampled() {
    local line
    line=$(awk -F ', *' '
        $4 > 50 {
            if (!n++ || $1 < low) low = $1
            if ($1 > high) high = $1
            if ($2 > hot) hot = $2
            if ($3 > power) power = $3
        }
        END {
            if (!n) exit
            printf "While the GPU was busy (%d samples): SM clock %d to %d MHz, ", n, low, high
            printf "at most %d °C and %d W.", hot, power
        }' "$tmp/samples" 2>/dev/null)
    [[ -z $line ]] || note 0 "$line"
}
