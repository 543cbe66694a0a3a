# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: sections 1 to 4 of the report, whether plbrun is right on this machine. A check is a
# function. It prints its verdict and its measurement; see `later` in report.sh.

# ---- 1: devices

conformance() { # FAULT TEST...
    local log_status settings=(CMOCKA_MESSAGE_OUTPUT=stdout PLB_TEST_ENTRIES="$entries")
    [[ -z $1 ]] || settings+=(PLB_TEST_FAULT=1 PLB_FAKE_CUDA=fail=kernel:1) # a fake has to be told
    shift
    under 60 "$log" env "${settings[@]}" "$top/build/test/conformance/test_devices" "$@"
    log_status=$?
    if ((log_status == 0)) && ! grep -q PASSED "$log"; then log_status=1; fi
    verdict_of $log_status
    if ((log_status == 0)); then grep -m1 PASSED "$log"; else why $log_status "$log"; fi
}
part_conformance() {
    entries=${GPU_CHECK_ENTRIES:-$gpu/entries.so}
    now 1 'conformance suite of devices' 'passes on cuda' conformance ''
    # After an illegal address, a process cannot use CUDA any more.
    now 1 'asynchronous error of a kernel' 'is found' conformance fault an_asynchronous_error_is_found
}

# ---- 2: kernels

# ranks N: the words before the command that N ranks run, one a line.
ranks() {
    if (($1 == 1)); then return; fi
    printf '%s\n' "$mpirun" --oversubscribe --bind-to none -np "$1"
}
# A verified run on so many ranks. MODE says which PUs: gpu, cpu, hac (all), greedy (all, and each surely
# computes where there is enough work), both (all, and each has a share from the start).
verifies() { # MODE RANKS KERNEL SETTINGS...
    local mode=$1 n=$2 kernel=$3 launch more status report=$log.json
    local job=("$plbrun" --quiet --verify --report "$report" "$tmp/$kernel.conf")
    shift 3
    [[ $n -eq 1 || $mpirun ]] || { says skipped 'no mpirun'; return; }
    mapfile -t launch < <(ranks "$n")
    case $mode in
    hac) more=(cluster.pus=auto cluster.threads="$few_threads") ;;
    greedy) more=(cluster.pus=auto cluster.threads="$few_threads" balance.balancer=greedy) ;;
    both)
        more=(cluster.pus=auto cluster.threads="$few_threads" --balancer static cluster.gpu_power=1
            balance.migration=off) ;;
    *) more=(cluster.pus="$mode") ;;
    esac
    under 60 "$log" env OMP_WAIT_POLICY=passive "${launch[@]}" "${job[@]}" "${more[@]}" "$@"
    status=$?
    if ((status == 0)) && [[ $mode == both ]] && (($(pus_of "$report" | awk '$2 > 0' | wc -l) < 2 * n)); then
        says failed 'one of them had nothing to do'
        return
    fi
    verdict_of $status
    if ((status == 0)); then
        pus_of "$report" | awk '
            { n[$1] += $2; tasks += $4 }
            END { printf "verified; GPU %d, CPU %d units, %d tasks\n", n["gpu"], n["cpu"], tasks }'
    else
        why $status "$log"
    fi
}

# Name and settings of each case. The first word of the name is the kernel.
cases() {
    if [[ $fake ]]; then
        grep -E '^(matmul|spmm|triad) ' < <(every_case small) | while read -r kernel settings; do
            echo "$kernel:$settings"
        done
        return
    fi
    local file small='matmul.rows=517 matmul.inner=389 matmul.columns=1201'
    cat <<END
matmul float32, 517 x 389 x 1201:matmul.dtype=float32 $small
matmul float64, 517 x 389 x 1201:matmul.dtype=float64 $small
matmul float32 as TF32, 517 x 389 x 1201:matmul.dtype=float32 matmul.tf32=yes $small
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
# A matrix of 1000 x 900 with entries in a few rows. The first, the last and most other rows are empty.
make_holes() {
    awk 'BEGIN {
        print "%%MatrixMarket matrix coordinate real general\n1000 900 300"
        for (i = 0; i < 300; i++) {
            row = i < 290 ? 201 + int(i / 10) : 700
            print row, 1 + (i * 37) % 900, (i % 7) - 3.5
        }
    }' >"$tmp/holes.mtx"
}

part_kernels() {
    local line kernel name settings seen='' file
    make_holes
    while IFS=: read -r name settings; do
        kernel=${name%% *}
        has_kernel "$kernel" || continue
        read -ra settings <<<"$settings"
        later 2 "$name; GPU alone" verified verifies gpu 1 "$kernel" "${settings[@]}"
        [[ $quick && $seen == *" $kernel "* ]] ||
            later 2 "$name; GPU and CPU, greedy" verified verifies greedy 1 "$kernel" "${settings[@]}"
        # The first of each kernel, and all matmuls of its types, over several ranks.
        if [[ $seen != *" $kernel "* || $name == matmul*1201 && ! $quick ]]; then
            later 2 "$name; GPU and CPU, the default" verified verifies hac 1 "$kernel" "${settings[@]}"
            later 2 "$name; 2 ranks, GPU alone" verified verifies gpu 2 "$kernel" "${settings[@]}"
            later 2 "$name; 3 ranks, GPU and CPU" verified verifies greedy 3 "$kernel" "${settings[@]}"
        fi
        seen+=" $kernel "
    done < <(cases)
    if has_kernel triad; then
        later 2 'triad scale 2: a of the GPU and of the CPU' 'the same bits' same_bits
    fi
    settle
    file=$(data)
    [[ -d $file ]] ||
        record 2 skipped 'real matrices' verified 'no folder with .mtx files; PLB_DATA names one'
}

# Where the scale is a power of two, the product is exact. So one rounding gives the same bits as two.
same_bits() {
    local pus status
    for pus in gpu cpu; do
        under 60 "$log" "$plbrun" --quiet "$tmp/triad.conf" cluster.pus=$pus \
            triad.elements=4194304 triad.scale=2 triad.a="$log.$pus.npy"
        status=$?
        ((status == 0)) || { verdict_of $status; why $status "$log"; return; }
    done
    if cmp "$log.gpu.npy" "$log.cpu.npy" >>"$log" 2>&1; then
        says pass '4194304 elements are the same'
    else
        says failed "$(tail -n 1 "$log")"
    fi
}

# ---- 3: failures

# The run should print one sentence with the kernel, the PU and a range that has the bad unit, and write no
# file.
faults() { # RANKS
    local launch status bad=700001 line first last
    [[ $1 -eq 1 || $mpirun ]] || { says skipped 'no mpirun'; return; }
    mapfile -t launch < <(ranks "$1")
    if [[ $fake ]]; then bad=-1; fi
    under 60 "$log" env "${told_to_fail[@]}" "${launch[@]}" "$plbrun" --quiet "$tmp/faulty.conf" \
        cluster.pus=gpu faulty.bad=$bad faulty.out="$log.npy"
    status=$?
    line=$(grep '^plbrun: ' "$log")
    [[ ! $fake ]] || line=$(head -n 1 <<<"$line") # each rank is told to fail
    read -r first last < <(sed -n 's/.*units \([0-9]*\) to \([0-9]*\).*/\1 \2/p' <<<"$line")
    if ((status != 1)); then
        says "$(verdict_of $((status > 0 ? status : 1)))" "$(why $status "$log")"
    elif [[ -e $log.npy ]]; then
        says failed 'there is an output file'
    elif [[ $(wc -l <<<"$line") -ne 1 ]]; then
        says failed "$(wc -l <<<"$line") sentences"
    elif [[ $line != *"kernel faulty failed"*"CUDA "*"on PU '$model'"* || -z ${last:-} ]] ||
        ((bad >= 0 && (bad < first || bad > last))); then
        says failed "$line"
    else
        says pass "status 1: ${line#plbrun: }"
    fi
}
sound() { # the same kernel with no bad unit
    under 60 "$log" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=gpu faulty.out="$log.npy"
    local status=$?
    verdict_of $status
    if [[ -s $log.npy ]]; then echo "status $status, and an output file"; else why $status "$log"; fi
}
# A fake is told to fail; a GPU fails at the bad unit.
told_to_fail=(PLB_FAKE_CUDA=fail=kernel:5)

# The GPU has the first three quarters of the units, in several tasks. The CPU takes none of them from it, and
# executes what it leaves.
survives() {
    local bad=700001
    [[ ! $fake ]] || bad=-1
    under 60 "$log" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=cpu faulty.out="$log.sound.npy"
    under 60 "$log" env "${told_to_fail[@]}" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=auto \
        cluster.threads="$few_threads" cluster.gpu_power=$((3 * few_threads)) --balancer static \
        balance.migration=off balance.backups=off balance.grain=100000 \
        faulty.bad=$bad faulty.out="$log.npy"
    goes_on $?
}
# Two ranks, each with a GPU where there are two. That of rank 1 fails, and the other one executes all units.
spares() {
    local launch one pair fault='' bad=700001
    [[ $mpirun ]] || { says skipped 'no mpirun'; return; }
    mapfile -t launch < <(ranks 2)
    pair=$(find_pair)
    one="[ \"\$OMPI_COMM_WORLD_RANK\" = 1 ] || export GPU_CHECK_SPARED=yes"
    if [[ $fake ]]; then
        fault="[ \"\$OMPI_COMM_WORLD_RANK\" != 1 ] || export PLB_FAKE_CUDA=devices=2,fail=kernel:5"
        export PLB_FAKE_CUDA=devices=2 bad=-1
    fi
    printf '%s\n' '#!/bin/sh' "$one" "$fault" "exec '$plbrun' \"\$@\"" >"$log.one"
    chmod +x "$log.one"
    under 60 "$log" "$plbrun" --quiet "$tmp/faulty.conf" cluster.pus=cpu faulty.out="$log.sound.npy"
    under 60 "$log" env CUDA_VISIBLE_DEVICES="${pair:-$CUDA_VISIBLE_DEVICES}" "${launch[@]}" "$log.one" \
        --quiet "$tmp/faulty.conf" cluster.pus=gpu --balancer static balance.migration=off \
        balance.backups=off balance.grain=100000 faulty.bad=$bad faulty.out="$log.npy"
    goes_on $?
}
goes_on() { # STATUS of a run in which a GPU was to fail
    local status=$1
    if ((status != 0)); then
        says "$(verdict_of "$status")" "$(why "$status" "$log")"
    elif ! cmp "$log.npy" "$log.sound.npy" >/dev/null 2>&1; then
        says failed 'the results are wrong'
    elif ! grep -q 'CUDA .*this PU is no longer used' "$log"; then
        says failed 'the GPU did not fail'
    else
        says pass "$(grep -m1 'this PU is no longer used' "$log" | sed 's/^plbrun: //')"
    fi
}
isolates() {
    verifies both 1 triad triad.elements=409600 run.isolate=yes >"$log.said"
    if [[ $(head -n 1 "$log.said") == pass ]] && ! grep -q 'is not isolated' "$log"; then
        says failed 'no warning that the GPU is not isolated'
    else
        cat "$log.said"
    fi
}
# Another program holds all but 3 GB of the GPU, and the job wants 4 GB on it: no host has the memory to fill
# a large GPU. On a GPU of less than 8 GB both are smaller.
refuses() {
    local spare=3e9 n=32768 holder
    if [[ $fake ]]; then
        export PLB_FAKE_CUDA=memory=4000000
        refused_at 1000
        return
    fi
    if holds "$gpu_bytes < 8e9"; then
        spare=$(calc "$gpu_bytes / 4" %.0f) n=$(calc "sqrt($gpu_bytes / 2.5 / 4)" %d)
    fi
    if holds "$(host_memory) < 12 * $n * $n"; then
        says skipped 'the host has too little memory to ask for more than is left of the GPU'
        return
    fi
    timeout 60 "$gpu/plain" --hold "$spare" >"$log.held" 2>&1 </dev/null &
    holder=$!
    for _ in {1..100}; do [[ ! -s $log.held ]] || break; sleep 0.1; done
    if ! grep -q held "$log.held"; then
        says skipped "the memory could not be taken: $(head -n 1 "$log.held")"
        kill $holder 2>/dev/null
        return
    fi
    refused_at "$n"
    kill $holder 2>/dev/null
    wait $holder 2>/dev/null
}
refused_at() { # ROWS
    local status line
    under 60 "$log" "$plbrun" "$tmp/matmul.conf" cluster.pus=gpu \
        matmul.dtype=float32 matmul.rows="$1" matmul.inner="$1" matmul.columns=16
    status=$?
    line=$(grep -m1 'is not used: its memory of .* bytes cannot hold' "$log")
    if ((status == 2)) && [[ $line ]]; then
        says pass "${line#plbrun: }"
    else
        says "$(verdict_of $((status == 75 ? 75 : 1)))" "$(why $status "$log")"
    fi
}
part_failures() {
    if has_kernel faulty; then
        now 3 'kernel faulty, no bad unit' 'status 0 and an output file' sound
        now 3 'a kernel writes to a bad address' \
            'status 1, a sentence with kernel, PU and range, no output file' faults 1
        now 3 'the same, 2 ranks' 'the same' faults 2
        now 3 'a GPU fails beside a CPU that goes on' 'status 0, a warning, right results' survives
        now 3 'a GPU fails beside another rank on one' 'the same' spares
    fi
    if has_kernel triad; then
        now 3 'CPUs are isolated beside a GPU' 'verified, and a warning' isolates
    fi
    if has_kernel matmul; then
        now 3 'replicated data larger than what is left of the GPU' 'refused, with the numbers' refuses
    fi
}

# ---- 4: compute-sanitizer

sanitizer() {
    PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer
}
# The tool looks for errors inside kernels. plbrun handles errors of calls: some of its calls may fail.
sanitized() { # TOOL KERNEL SETTINGS...
    local tool=$1 kernel=$2 status
    shift 2
    under 75 "$log" "$(sanitizer)" --tool "$tool" \
        --target-processes all --report-api-errors no --error-exitcode 9 \
        "$plbrun" --quiet --verify "$tmp/$kernel.conf" cluster.pus=gpu "$@"
    status=$?
    verdict_of $status
    if ((status == 0)); then
        grep -m1 'ERROR SUMMARY' "$log" | sed 's/^=* *//' || echo 'status 0'
    else
        why $status "$log"
    fi
}
# sanitize NOTE TOOL KERNEL SETTINGS...: starts a run under a tool, where the kernel is to be checked.
sanitize() {
    local note=$1 tool=$2 kernel=$3
    shift 3
    if has_kernel "$kernel"; then
        later 4 "$tool, $kernel$note" 'no errors' sanitized "$tool" "$kernel" "$@"
    fi
}
part_sanitizer() {
    local tool kernel settings why_not=''
    [[ $(sanitizer) ]] || why_not='there is no compute-sanitizer'
    [[ ! $fake ]] || why_not='the fake runtime has no code to look at'
    if [[ $why_not ]]; then
        record 4 skipped 'memcheck, racecheck, synccheck, initcheck' 'no errors' "$why_not"
        return
    fi
    for tool in memcheck racecheck synccheck; do
        while read -r kernel settings; do
            [[ -e $(kernel_file "$kernel" .cuda) ]] || continue
            read -ra settings <<<"$settings"
            sanitize '' $tool "$kernel" "${settings[@]}"
        done < <(every_case small)
    done
    sanitize ' float32' memcheck matmul \
        matmul.dtype=float32 matmul.rows=129 matmul.inner=65 matmul.columns=301
    sanitize ', 70000 columns' memcheck spmm spmm.rows=20 spmm.inner=15 spmm.columns=70000
    sanitize '' initcheck triad triad.elements=409600
    settle
}
