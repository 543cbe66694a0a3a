# Of scripts/gpu-check: what the machine is, and whether plbrun is right on it. Verdict and measurement of a check are
# what its function prints; see `later` in report.sh.

# ---- 0: the machine

make_confs() {
    local k
    for k in matmul spmm triad; do printf '[app]\nkernel = %s\n' "$folder/$k.so" >"$tmp/$k.conf"; done
    for k in burn faulty; do printf '[app]\nkernel = %s\n' "$gpu/$k.so" >"$tmp/$k.conf"; done
}

# What may still be taken of the host's memory: less than is free where this is a container.
host_memory() {
    local free most used
    free=$(awk '/^MemAvailable:/ {print $2 * 1024}' /proc/meminfo)
    most=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max) used=$(cat /sys/fs/cgroup/memory.current 2>/dev/null || echo 0)
    if [[ $most != max ]] && holds "$most - $used < $free"; then free=$((most - used)); fi
    echo "$free"
}
fact() { printf '| %s | %s |\n' "$1" "${2:-unknown}" >>"$tmp/text.0"; }
about_gpu() { # of nvidia-smi, which may be missing where CUDA is not
    timeout 20 nvidia-smi -i "$CUDA_VISIBLE_DEVICES" --query-gpu="$1" --format=csv,noheader 2>/dev/null </dev/null | head -n 1
}
commit() { git -C "$top" describe --always --dirty 2>/dev/null || cat "$top/commit" 2>/dev/null; }
cuda_version() {
    local at
    at=$(ldd "$gpu/plain" | sed -n 's/.*libcudart[^>]*=> \(.*\) (0x.*/\1/p')
    echo "runtime $(basename "$(readlink -f "${at:-unknown}")"), driver $(timeout 20 nvidia-smi 2>/dev/null </dev/null | grep -o 'CUDA Version: [0-9.]*' || echo unknown)"
}

look_at_machine() {
    local k shown limit
    : >"$tmp/rows"
    for k in "${kernels[@]}"; do
        [[ ! -e $tmp/$k.conf ]] || under 60 "$tmp/shown" "$plbrun" --dry-run --show-pus --verbose "$tmp/$k.conf" cluster.pus=gpu && break
    done
    shown=$(grep -m1 "gpu '" "$tmp/shown" || true)
    [[ $shown ]] && model=$(sed "s/.*gpu '\([^']*\)'.*/\1/" <<<"$shown")
    gpu_bytes=$(sed -n "s/.*), \([0-9.e+]*\) GB free.*/\1e9/p" <<<"$shown" | awk '{printf "%.0f", $1}')
    : "${gpu_bytes:=0}" "${out:=$top/scripts/gpu-check.d/reports/$(date +%F)-$(tr -cs 'A-Za-z0-9\n' '-' <<<"${model#NVIDIA }").md}"
    if ! mkdir -p "$(dirname "$out")" || ! : >"$out"; then fail "cannot write $out"; fi
    out=$(realpath "$out")
    printf '\n| | |\n|---|---|\n' >"$tmp/text.0"
    fact plbrun "$("$plbrun" --version 2>&1 | head -n 1), commit $(commit || echo unknown)$([[ $plbrun == */bin/plbrun ]] && echo ', from a bundle')"
    fact GPU "$(about_gpu name,memory.total,memory.used || true)"
    fact 'as plbrun sees it' "$(sed 's/^plbrun: //' <<<"$shown")"
    fact 'GPUs' "$(timeout 20 nvidia-smi -L 2>/dev/null </dev/null | sed 's/(UUID.*//' | paste -sd ';' || true)"
    fact driver "$(about_gpu driver_version || true)"
    fact CUDA "$(cuda_version)"
    fact 'clocks: SM, memory, most SM, most memory' "$(about_gpu clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem || true)"
    fact 'temperature, power, power limit, persistence, MIG, ECC' "$(about_gpu temperature.gpu,power.draw,power.limit,persistence_mode,mig.mode.current,ecc.mode.current || true)"
    fact 'PCIe: generation, width, most' "$(about_gpu pcie.link.gen.current,pcie.link.width.current,pcie.link.gen.max,pcie.link.width.max || true)"
    limit=$(cat /sys/fs/cgroup/cpu.max 2>/dev/null || true)
    fact CPU "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) of $(grep -c ^processor /proc/cpuinfo) cores${limit:+, cgroup cpu.max $limit}"
    fact 'host memory' "$(calc "$(host_memory) / 1e9" '%.1f') GB available"
    fact mpirun "${mpirun:-none}"
    fact kernel "$(uname -sr)"
    fact date "$began"
    render
    if [[ -z $shown ]]; then
        ended=yes
        record 1 failed 'a GPU is found' yes "no: $(grep -m1 -E 'GPU|CUDA|plbrun:' "$tmp/shown")" "$tmp/shown"
        echo "gpu-check: no GPU that plbrun can use: $(grep -m1 -oE 'no GPU is used: .*|a GPU is not used: .*' "$tmp/shown" || echo 'see the report'); report: $out" >&2
        exit 1
    fi
    if [[ $(about_gpu compute_mode || true) == *Exclusive* ]]; then jobs_at_once=1; fi # a GPU for one process
    start_sampler
}

# Clocks, temperature and power, every second. It also keeps the driver from unloading between programs, which
# costs each of them a second or two where persistence is off.
start_sampler() {
    command -v nvidia-smi >/dev/null || return 0
    timeout $((deadline - SECONDS + 20)) nvidia-smi -i "$CUDA_VISIBLE_DEVICES" --query-gpu=clocks.sm,temperature.gpu,power.draw,utilization.gpu \
        --format=csv,noheader,nounits -lms 1000 >"$tmp/samples" 2>/dev/null </dev/null &
    others+=($!)
}
sampled() {
    local line
    line=$(awk -F ', *' '$4 > 50 {if (!n++ || $1 < low) low = $1; if ($1 > high) high = $1; if ($2 > hot) hot = $2; if ($3 > power) power = $3}
        END {if (n) printf "While the GPU was busy (%d samples): SM clock %d to %d MHz, at most %d °C and %d W.", n, low, high, hot, power}' "$tmp/samples" 2>/dev/null)
    [[ -z $line ]] || note 0 "$line"
}

# ---- 1: devices

conformance() { # FAULT TEST...
    local fault=() log_status
    [[ -z $1 ]] || fault=(PLB_TEST_FAULT=1 PLB_FAKE_CUDA=fail=kernel:1) # a fake has to be told
    shift
    under 60 "$log" env CMOCKA_MESSAGE_OUTPUT=stdout PLB_TEST_ENTRIES="$entries" "${fault[@]}" "$top/build/test/conformance/test_devices" "$@"
    log_status=$?
    if ((log_status == 0)) && ! grep -q PASSED "$log"; then log_status=1; fi
    verdict_of $log_status
    if ((log_status == 0)); then grep -m1 PASSED "$log"; else why $log_status "$log"; fi
}
part_conformance() {
    entries=${GPU_CHECK_ENTRIES:-$gpu/entries.so}
    now 1 'conformance suite of devices' 'passes on cuda' conformance ''
    # An illegal address is the end of CUDA in its process.
    now 1 'asynchronous error of a kernel' 'is found' conformance fault an_asynchronous_error_is_found
}

# ---- 2: kernels

ranks() { # N COMMAND...: what comes before it
    if (($1 == 1)); then return; fi
    printf '%s\n' "$mpirun" --oversubscribe --bind-to none -np "$1"
}
# A verified run. MODE: gpu, cpu, hac (all PUs), greedy (all, and each surely computes where there is enough), and how
# many ranks.
verifies() { # MODE RANKS KERNEL SETTINGS...
    local mode=$1 n=$2 kernel=$3 launch more status report=$log.json
    shift 3
    [[ $n -eq 1 || $mpirun ]] || { printf 'skipped\nno mpirun\n'; return; }
    mapfile -t launch < <(ranks "$n")
    case $mode in
    hac) more=(cluster.pus=auto cluster.threads=3) ;;
    greedy) more=(cluster.pus=auto cluster.threads=3 balance.balancer=greedy) ;;
    *) more=(cluster.pus="$mode") ;;
    esac
    under 60 "$log" env OMP_WAIT_POLICY=passive "${launch[@]}" "$plbrun" --quiet --verify --report "$report" "$tmp/$kernel.conf" "${more[@]}" "$@"
    status=$?
    verdict_of $status
    if ((status == 0)); then
        pus_of "$report" | awk '{n[$1] += $2; tasks += $4} END {printf "verified; GPU %d, CPU %d units, %d tasks\n", n["gpu"], n["cpu"], tasks}'
    else
        why $status "$log"
    fi
}

# Kernel, name and settings of each case.
cases() {
    cat <<END
matmul float32, 517 x 389 x 1201:matmul.dtype=float32 matmul.rows=517 matmul.inner=389 matmul.columns=1201
matmul float64, 517 x 389 x 1201:matmul.dtype=float64 matmul.rows=517 matmul.inner=389 matmul.columns=1201
matmul float32 as TF32, 517 x 389 x 1201:matmul.dtype=float32 matmul.tf32=yes matmul.rows=517 matmul.inner=389 matmul.columns=1201
matmul float64, 1 x 1 x 1:matmul.rows=1 matmul.inner=1 matmul.columns=1
matmul float32, 1 x 1031 x 20011:matmul.dtype=float32 matmul.rows=1 matmul.inner=1031 matmul.columns=20011
matmul float64, 2053 x 1 x 999:matmul.rows=2053 matmul.inner=1 matmul.columns=999
spmm uniform, 64 columns:spmm.kind=uniform spmm.rows=20000 spmm.inner=15000 spmm.columns=64
spmm powerlaw, 64 columns:spmm.kind=powerlaw spmm.rows=20000 spmm.inner=15000 spmm.columns=64
spmm arrow, 64 columns:spmm.kind=arrow spmm.rows=5003 spmm.inner=5003 spmm.columns=64
spmm li, 64 columns:spmm.kind=li spmm.rows=900 spmm.inner=700 spmm.columns=64
spmm powerlaw, 1 column:spmm.rows=20000 spmm.inner=15000 spmm.columns=1
spmm powerlaw, 3 columns:spmm.rows=20000 spmm.inner=15000 spmm.columns=3
spmm powerlaw, 512 columns:spmm.rows=5000 spmm.inner=4000 spmm.columns=512
spmm uniform, 70000 columns:spmm.kind=uniform spmm.rows=60 spmm.inner=50 spmm.columns=70000
spmm most rows empty:spmm.matrix=$tmp/holes.mtx spmm.columns=17
spmm all rows empty:spmm.kind=li spmm.zeros=1 spmm.rows=300 spmm.inner=200 spmm.columns=8
triad scale 3:triad.elements=16777216
triad scale -2.5:triad.elements=16777216 triad.scale=-2.5
triad 1024 tasks:triad.elements=16777216 balance.grain=4
triad one chunk:triad.elements=4096
burn 200000 units:burn.units=200000 burn.steps=300
burn 1000 tasks:burn.units=100003 burn.steps=100 balance.grain=100
END
    local file
    for file in "$(data)"/*.mtx; do
        [[ ! -e $file ]] || echo "spmm $(basename "$file"), 16 columns:spmm.matrix=$file spmm.columns=16"
    done
}
data() {
    local d
    for d in "${PLB_DATA:-}" "$top/../shared/data" "$top/../../../shared/data" shared/data; do
        [[ -z $d || ! -d $d ]] || { echo "$d"; return; }
    done
    echo /nowhere
}
# 1000 x 900, with entries in a few rows: the first, the last and long stretches have none.
make_holes() {
    awk 'BEGIN { print "%%MatrixMarket matrix coordinate real general\n1000 900 300"
        for (i = 0; i < 300; i++) print (i < 290 ? 201 + int(i / 10) : 700), 1 + (i * 37) % 900, (i % 7) - 3.5 }' >"$tmp/holes.mtx"
}

part_kernels() {
    local line kernel name settings seen='' file
    make_holes
    while IFS=: read -r name settings; do
        kernel=${name%% *}
        has_kernel "$kernel" || continue
        read -ra settings <<<"$settings"
        later 2 "$name; GPU alone" verified verifies gpu 1 "$kernel" "${settings[@]}"
        [[ $quick && $seen == *" $kernel "* ]] || later 2 "$name; GPU and CPU, greedy" verified verifies greedy 1 "$kernel" "${settings[@]}"
        # The first of each kernel, and all matmuls of its types, over several ranks.
        if [[ $seen != *" $kernel "* || $name == matmul*1201 && ! $quick ]]; then
            later 2 "$name; GPU and CPU, plb-hac" verified verifies hac 1 "$kernel" "${settings[@]}"
            later 2 "$name; 2 ranks, GPU alone" verified verifies gpu 2 "$kernel" "${settings[@]}"
            later 2 "$name; 3 ranks, GPU and CPU" verified verifies greedy 3 "$kernel" "${settings[@]}"
        fi
        seen+=" $kernel "
    done < <(cases)
    if has_kernel triad; then later 2 'triad scale 2: a of the GPU and of the CPU' 'the same bits' same_bits; fi
    settle
    file=$(data)
    [[ -d $file ]] || record 2 skipped 'real matrices' verified 'no folder with .mtx files; PLB_DATA names one'
}

# With a power of two for scale, the product is exact, so rounding once or twice is the same.
same_bits() {
    local pus status
    for pus in gpu cpu; do
        under 60 "$log" "$plbrun" --quiet "$tmp/triad.conf" triad.elements=4194304 triad.scale=2 cluster.pus=$pus triad.a="$log.$pus.npy"
        status=$?
        ((status == 0)) || { verdict_of $status; why $status "$log"; return; }
    done
    if cmp "$log.gpu.npy" "$log.cpu.npy" >>"$log" 2>&1; then printf 'pass\n4194304 elements are the same\n'; else printf 'failed\n%s\n' "$(tail -n 1 "$log")"; fi
}

# ---- 3: failures

# Its output is to be one sentence that names kernel, PU and a range with the bad unit in it; and no file.
faults() { # RANKS
    local launch status bad=700001 line first last
    [[ $1 -eq 1 || $mpirun ]] || { printf 'skipped\nno mpirun\n'; return; }
    mapfile -t launch < <(ranks "$1")
    under 60 "$log" "${launch[@]}" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=gpu faulty.bad=$bad faulty.out="$log.npy"
    status=$?
    line=$(grep '^plbrun: ' "$log")
    if ((status != 1)); then printf '%s\n%s\n' "$(verdict_of $((status > 0 ? status : 1)))" "$(why $status "$log")"; return; fi
    if [[ -e $log.npy ]]; then printf 'failed\nthere is an output file\n'; return; fi
    if [[ $(wc -l <<<"$line") -ne 1 ]]; then printf 'failed\n%d sentences\n' "$(wc -l <<<"$line")"; return; fi
    read -r first last < <(sed -n 's/.*units \([0-9]*\) to \([0-9]*\).*/\1 \2/p' <<<"$line")
    if [[ $line != *"kernel faulty failed"*"CUDA "*"on PU '$model'"* || -z ${last:-} ]] || ((bad < first || bad > last)); then
        printf 'failed\n%s\n' "$line"
    else
        printf 'pass\nstatus 1: %s\n' "${line#plbrun: }"
    fi
}
sound() { # the same kernel with no bad unit
    under 60 "$log" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=gpu faulty.out="$log.npy"
    local status=$?
    verdict_of $status
    if [[ -s $log.npy ]]; then echo "status $status, and an output file"; else why $status "$log"; fi
}
# Another program holds all but 3 GB of the GPU, and the job wants 4 GB on it: no host has the memory to fill a large
# GPU. (Where 4 GB are not to be had either, smaller.)
refuses() {
    local spare=3e9 n=32768 holder status line
    if holds "$gpu_bytes < 8e9"; then spare=$(calc "$gpu_bytes / 4" %.0f) n=$(calc "sqrt($gpu_bytes / 2.5 / 4)" %d); fi
    if holds "$(host_memory) < 12 * $n * $n"; then printf 'skipped\nthe host has too little memory to ask for more than is left of the GPU\n'; return; fi
    timeout 60 "$gpu/plain" --hold "$spare" >"$log.held" 2>&1 </dev/null &
    holder=$!
    for _ in {1..100}; do [[ ! -s $log.held ]] || break; sleep 0.1; done
    if ! grep -q held "$log.held"; then
        printf 'skipped\nthe memory could not be taken: %s\n' "$(head -n 1 "$log.held")"
        kill $holder 2>/dev/null
        return
    fi
    under 60 "$log" "$plbrun" "$tmp/matmul.conf" cluster.pus=gpu matmul.dtype=float32 matmul.rows="$n" matmul.inner="$n" matmul.columns=16
    status=$?
    kill $holder 2>/dev/null
    wait $holder 2>/dev/null
    line=$(grep -m1 'is not used: its memory of .* bytes cannot hold' "$log")
    if ((status == 1)) && [[ $line ]]; then
        printf 'pass\n%s\n' "${line#plbrun: }"
    else
        printf '%s\n%s\n' "$(verdict_of $((status == 75 ? 75 : 1)))" "$(why $status "$log")"
    fi
}
part_failures() {
    if has_kernel faulty; then
        now 3 'kernel faulty, no bad unit' 'status 0 and an output file' sound
        now 3 'a kernel writes to a bad address' 'status 1, a sentence with kernel, PU and range, no output file' faults 1
        now 3 'the same, 2 ranks' 'the same' faults 2
    fi
    if has_kernel matmul; then now 3 'replicated data larger than what is left of the GPU' 'refused, with the numbers' refuses; fi
}

# ---- 4: compute-sanitizer

sanitizer() {
    PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer
}
# Errors of calls are plbrun's own to handle (it asks for what may fail); those inside kernels are looked for.
sanitized() { # TOOL KERNEL SETTINGS...
    local tool=$1 kernel=$2 status
    shift 2
    under 75 "$log" "$(sanitizer)" --tool "$tool" --target-processes all --report-api-errors no --error-exitcode 9 \
        "$plbrun" --quiet --verify "$tmp/$kernel.conf" cluster.pus=gpu "$@"
    status=$?
    verdict_of $status
    if ((status == 0)); then grep -m1 'ERROR SUMMARY' "$log" | sed 's/^=* *//' || echo 'status 0'; else why $status "$log"; fi
}
part_sanitizer() {
    [[ $(sanitizer) ]] || { record 4 skipped 'memcheck, racecheck, initcheck' 'no errors' 'there is no compute-sanitizer'; return; }
    has_kernel matmul && later 4 'memcheck, matmul float32' 'no errors' sanitized memcheck matmul matmul.dtype=float32 matmul.rows=129 matmul.inner=65 matmul.columns=301
    has_kernel spmm && later 4 'memcheck, spmm' 'no errors' sanitized memcheck spmm spmm.rows=2000 spmm.inner=1500 spmm.columns=33
    has_kernel spmm && later 4 'memcheck, spmm, 70000 columns' 'no errors' sanitized memcheck spmm spmm.rows=20 spmm.inner=15 spmm.columns=70000
    has_kernel triad && later 4 'racecheck, triad' 'no errors' sanitized racecheck triad triad.elements=409600
    [[ ! $quick ]] || { settle; return; }
    has_kernel triad && later 4 'memcheck, triad' 'no errors' sanitized memcheck triad triad.elements=409600
    has_kernel burn && later 4 'memcheck, burn' 'no errors' sanitized memcheck burn burn.units=5000 burn.steps=10
    has_kernel triad && later 4 'initcheck, triad' 'no errors' sanitized initcheck triad triad.elements=409600
    settle
}
