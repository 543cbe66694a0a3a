# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: every kernel on GPU and CPU together, many passes, little memory, and several GPUs.

# A case of each kernel that has a CUDA entry; small: for the fake runtime, and under compute-sanitizer.
every_case() { # SIZE
    cat <<'END'
burn burn.units=2003 burn.steps=50
rod rod.cells=20000
END
    if [[ $fake || $1 == small ]]; then
        cat <<'END'
triad triad.elements=409600
kmeans kmeans.count=5003 kmeans.dimensions=5 kmeans.clusters=7 kmeans.passes=4
nbody nbody.bodies=600 nbody.steps=3
mandelbrot mandelbrot.width=133 mandelbrot.height=71 mandelbrot.depth=300
gaussian gaussian.width=67 gaussian.height=45 gaussian.sigma=3
binomial binomial.count=24 binomial.steps=101
grn grn.genes=24 grn.samples=70 grn.set=2 grn.levels=3
blackscholes blackscholes.count=3000
taylor taylor.width=77 taylor.height=31
stencil stencil.rows=200 stencil.columns=300 stencil.steps=5
spmm spmm.rows=300 spmm.inner=200 spmm.columns=17
matmul matmul.rows=60 matmul.inner=50 matmul.columns=70
END
    else
        cat <<'END'
triad triad.elements=16777216
kmeans kmeans.count=400000 kmeans.dimensions=16 kmeans.clusters=37 kmeans.passes=8
nbody nbody.bodies=6000 nbody.steps=4
mandelbrot mandelbrot.width=1920 mandelbrot.height=1080 mandelbrot.depth=1000
gaussian gaussian.width=2000 gaussian.height=1500 gaussian.sigma=5
binomial binomial.count=2000 binomial.steps=501
grn grn.genes=60 grn.samples=200 grn.set=2 grn.levels=3
blackscholes blackscholes.count=1000000
taylor taylor.width=1000 taylor.height=1000
stencil stencil.rows=2000 stencil.columns=2000 stencil.steps=20
spmm spmm.kind=powerlaw spmm.rows=20000 spmm.inner=15000 spmm.columns=64
matmul matmul.rows=517 matmul.inner=389 matmul.columns=1201
END
    fi
}

# Audited tasks of the GPU are executed on the CPU, too, and the other way round.
parity() { # KERNEL SETTINGS...
    local kernel=$1 status audited report=$log.json
    shift
    under 60 "$log" "$plbrun" --quiet --report "$report" "$tmp/$kernel.conf" cluster.pus=auto \
        cluster.threads="$few_threads" --balancer static cluster.gpu_power=1 run.audit=0.5 "$@"
    status=$?
    audited=$(value "$report" audited 2>/dev/null)
    if ((status != 0)); then
        says "$(verdict_of $status)" "$(why $status "$log")"
    elif [[ ${audited:-0} -eq 0 ]]; then
        says failed 'no task was audited'
    else
        says pass "$audited tasks audited, $(value "$report" audit_differences) differences"
    fi
}
part_every() {
    local file kernel settings
    for file in "$folder"/*.so; do
        kernel=$(basename "$file" .so)
        [[ $kernel != *.* && ! -e ${file%.so}.cuda.so ]] || continue
        record 2 shown "$kernel: GPU and CPU together" '(shown)' 'it has no CUDA entry'
    done
    while read -r kernel settings; do
        has_kernel "$kernel" && [[ -e $(kernel_file "$kernel" .cuda) ]] || continue
        read -ra settings <<<"$settings"
        later 2 "$kernel: GPU and CPU together" 'verified, and both worked' \
            verifies both 1 "$kernel" "${settings[@]}"
        later 2 "$kernel: GPU against CPU" 'audited tasks agree' parity "$kernel" "${settings[@]}"
    done < <(every_case large)
    settle
}

# The bytes that all passes of a job copy to the GPU (in), or from it, beside those of its inputs or results.
copied_once() { # in|out KERNEL BYTES SETTINGS...
    local way=$1 kernel=$2 once=$3 bytes status
    shift 3
    under 60 "$log" "$plbrun" --quiet --verify --report "$log.json" "$tmp/$kernel.conf" cluster.pus=gpu "$@"
    status=$?
    bytes=$(awk -v key="\"copied_$way\":" '$1 == key {sum += $2} END {print sum + 0}' "$log.json" 2>/dev/null)
    if ((status != 0)); then
        says "$(verdict_of $status)" "$(why $status "$log")"
    else
        says "$(holds "$bytes > 0 && $bytes <= 1.5 * $once" && echo pass || echo failed)" \
            "$bytes bytes in $(value "$log.json" passes) passes over $once bytes"
    fi
}
part_passes() {
    local count=400000 cells=4000000 where mode n line name kernel settings
    local labels="kmeans.count=8000 kmeans.labels=$tmp/labels.npy"
    many_passes=(kmeans.passes=12 kmeans.clusters=40 kmeans.tolerance=0)
    [[ ! $fake ]] || count=8000 cells=20000
    if has_kernel kmeans; then
        now 2 'inputs are copied once' 'at most 1.5 times the bytes of the points' copied_once in \
            kmeans $((64 * count)) "${many_passes[@]}" kmeans.count=$count kmeans.dimensions=8
    fi
    now 2 'results that feed stay' 'at most 1.5 times the bytes of the cells' copied_once in \
        rod $((8 * cells)) rod.cells=$cells rod.passes=20
    now 2 'results that stay are read once' 'at most 1.5 times the bytes of the cells' copied_once out \
        rod $((8 * cells)) rod.cells=$cells rod.passes=20 rod.stays=yes run.keep_results=yes
    while IFS=: read -r name kernel settings; do
        has_kernel "$kernel" || continue
        read -ra settings <<<"$settings"
        for where in 'gpu 1 GPU alone' 'both 1 GPU and CPU' 'both 2 GPU and CPU, 2 ranks'; do
            read -r mode n line <<<"$where"
            later 2 "$name; $line" verified verifies "$mode" "$n" "$kernel" "${settings[@]}"
        done
    done <<END
many passes, replaced inputs, outputs that stay:kmeans:${many_passes[*]} $labels
results that feed replicated and divided inputs:nbody:nbody.bodies=600 nbody.steps=9
halo, feed, replaced parts, phases:rod:rod.cells=20000
halo, feed, replaced parts, phases, results stay:rod:rod.cells=20000 rod.stays=yes
halo, feed, results stay on the GPU:rod:rod.cells=20000 rod.stays=yes run.keep_results=yes
END
    settle
}

# holds_memory SPARE: another program takes all of the GPU but so much. Sets $holder; on the fake it is told.
holds_memory() {
    holder=''
    if [[ $fake ]]; then
        export PLB_FAKE_CUDA=memory=$1
        return
    fi
    timeout 90 "$gpu/plain" --hold "$1" >"$log.held" 2>&1 </dev/null &
    holder=$!
    for _ in {1..100}; do [[ ! -s $log.held ]] || break; sleep 0.1; done
    grep -q held "$log.held"
}
# Points that do not fit: some of them stay on the GPU, or none.
presses() { # SPARE COUNT
    local status
    if ! holds_memory "$1"; then
        says skipped "the memory could not be taken: $(head -n 1 "$log.held")"
    else
        under 75 "$log" "$plbrun" --quiet --verify --report "$log.json" "$tmp/kmeans.conf" cluster.pus=gpu \
            kmeans.count="$2" kmeans.dimensions=16 kmeans.clusters=5 kmeans.passes=4
        status=$?
        if ((status == 0)); then
            says pass "verified; $(awk '$1 == "\"copied_in\":" {s += $2} END {print s}' "$log.json") bytes in"
        else
            says "$(verdict_of $status)" "$(why $status "$log")"
        fi
    fi
    [[ ! $holder ]] || kill "$holder" 2>/dev/null
}
part_memory() {
    has_kernel kmeans || return 0
    if [[ $fake ]]; then
        now 3 'inputs larger than the GPU has room for' verified presses 400000 5003
        now 3 'inputs twice as large as that' verified presses 200000 5003
    else
        now 3 'inputs larger than the GPU has room for' verified presses 2e9 20000000
        now 3 'inputs twice as large as that' verified presses 1e9 20000000
    fi
}

# two_gpus RANKS KERNEL SETTINGS...: verified, and with two GPUs.
two_gpus() {
    local n=$1
    export CUDA_VISIBLE_DEVICES=$pair
    [[ ! $fake ]] || export PLB_FAKE_CUDA=devices=2
    shift
    verifies both "$n" "$@" >"$log.said"
    if [[ $(head -n 1 "$log.said") == pass && $(pus_of "$log.json" | grep -c '^gpu [1-9]') -ne 2 ]]; then
        says failed "$(pus_of "$log.json" | grep -c '^gpu [1-9]') GPUs had units"
    else
        cat "$log.said"
    fi
}
# The first two GPUs that the caller may use; nothing where there is one.
find_pair() {
    local all
    all=$([[ $fake ]] && echo 0,1 || smi -L | sed -n 's/^GPU \([0-9]*\):.*/\1/p' | paste -sd , || true)
    [[ ! $visible ]] || all=$visible
    cut -d , -f 1,2 <<<"$all" | grep , || true
}
part_gpus() {
    local parts
    pair=$(find_pair)
    later 2 'two ranks on one GPU: k-means' verified verifies gpu 2 kmeans kmeans.count=8000
    later 2 'two ranks on one GPU: rod' verified verifies gpu 2 rod rod.cells=20000
    if [[ $pair ]]; then
        later 2 'two GPUs of one rank: k-means' 'verified, two GPUs' two_gpus 1 kmeans kmeans.count=8000
        later 2 'two GPUs of one rank: rod' 'verified, two GPUs' two_gpus 1 rod rod.cells=20000
        later 2 'a rank for each of two GPUs: rod' 'verified, two GPUs' two_gpus 2 rod rod.stays=yes
    fi
    settle
    [[ $pair ]] || record 2 skipped 'two GPUs' verified 'there is one'
    parts=$(smi -L | grep -o 'MIG-[0-9a-f-]*' | head -n 1 || true)
    if [[ $fake ]]; then
        now 2 'parts of a GPU (MIG)' verified env_verifies PLB_FAKE_CUDA=mig=yes,devices=2
    elif [[ $parts ]]; then
        now 2 'parts of a GPU (MIG)' verified env_verifies CUDA_VISIBLE_DEVICES="$parts"
    else
        record 2 skipped 'parts of a GPU (MIG)' verified 'this GPU has none'
    fi
}
env_verifies() { # VARIABLE=VALUE
    export "${1?}"
    verifies gpu 1 rod rod.cells=20000
}
