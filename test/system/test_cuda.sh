#!/usr/bin/env bash
# device/cuda on the fake CUDA runtime: the conformance suite, runs over one to three ranks, GPUs that
# fail at any call, that have too little memory, or that plbrun cannot use.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda
if [ ! -e "$fake/libcudart.so.13" ]; then
    skip "device/cuda" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
printf '[app]\nkernel = %s\n' "$fake/kernels/modes.so" >"$tmp/modes.conf"

# told WHAT: what the fake is told from here on.
told() { export PLB_FAKE_CUDA=$1; }
# has PATTERN...: the output has all of them, and nothing that the fake found.
has() {
    local pattern
    for pattern in "$@" ; do
        grep -qE "$pattern" "$tmp/out" || { echo "lacks: $pattern" >>"$tmp/out"; return 1; }
    done
    ! grep -q '^fake cuda' "$tmp/out"
}
# run RANKS ARGUMENTS...: one rank needs no mpirun, which takes seconds to end a run that failed.
run() {
    local n=$1; shift
    if [ "$n" -eq 1 ]; then alone "$@"; else ranks "$n" "$@"; fi
}
# runs NAME RANKS ARGUMENTS...: a verified run with no finding.
runs() {
    local name=$1 n=$2; shift 2
    run "$n" --verify "$@" && has '; verified'
    ok "$name" $?
}

# did: the run that was told --report "$tmp/did.json" has worked to its end.
did() { [ -s "$tmp/did.json" ] && rm "$tmp/did.json"; }

conforms() { # NAME ARGUMENTS...: the conformance suite with cuda among the devices
    local name=$1; shift
    CMOCKA_MESSAGE_OUTPUT=stdout PLB_TEST_ENTRIES=$fake/entries.so \
        timeout 60 "$BUILD/test/conformance/test_devices" "$@" >"$tmp/out" 2>&1 && has 'PASSED'
    ok "$name" $?
}
told pageable=late
conforms "the conformance suite"
told pin=no
conforms "the conformance suite, where no memory can be pinned"
told fail=kernel:1
PLB_TEST_FAULT=1 conforms "an asynchronous error" an_asynchronous_error_is_found

kinds="pageable=late devices=3" turns=2 # a sanitized run takes longer
[ -n "${SAN:-}" ] || kinds="$kinds devices=2 pin=no copy=1e8" turns="1 2 7"
for what in $kinds; do
    told "$what"
    runs "one rank, $what" 1 "$tmp/modes.conf"
    runs "three ranks, $what" 3 "$tmp/modes.conf" cluster.pus=gpu
done
printf '[app]\nkernel = %s\n' "$fake/kernels/blur.so" >"$tmp/blur.conf"
runs "a halo is copied with its units" 2 "$tmp/blur.conf" cluster.pus=gpu blur.after=9 balance.grain=100
told devices=2
for b in $(balancers); do
    runs "two GPUs and a CPU, $b" 1 --balancer "$b" "$tmp/modes.conf" cluster.threads=1
done
different_gpus() { grep -oE '0000:[0-9A-F:.]+' "$tmp/out" | sort -u | wc -l; } # how many the output names
runs "one GPU each for two ranks" 2 "$tmp/modes.conf" cluster.pus=gpu --show-pus
[ "$(grep -c "PU [01]: rank [01] on .*, gpu 'Fake GPU' (0000:.* GPU-" "$tmp/out")" -eq 2 ] &&
    [ "$(different_gpus)" -eq 2 ]
ok "and they are two GPUs" $?
told devices=1
runs "two ranks share a GPU" 2 "$tmp/modes.conf" cluster.pus=gpu --show-pus
[ "$(grep -oE '0000:[0-9A-F:.]+ GPU-[0-9a-f-]+' "$tmp/out" | sort | uniq -c | awk '{print $1}')" = 2 ]
ok "and it is one GPU" $?
grep -q '0.51 GB free' "$tmp/out"
ok "of which each takes half the memory" $?
runs "a CPU and no GPU" 1 "$tmp/modes.conf" cluster.pus=cpu --show-pus
has "PU 0: .* cpu '" && ! grep -q 'gpu' "$tmp/out"
ok "and only the CPU is a PU" $?
runs "a GPU and no CPU" 1 "$tmp/modes.conf" cluster.pus=gpu --show-pus
has "PU 0: .* gpu '" && ! grep -q "cpu '" "$tmp/out"
ok "and only the GPU is a PU" $?
runs "several passes with a trace" 2 "$tmp/modes.conf" cluster.threads=1 --trace "$tmp/t.json"
grep -q '"name": *"task"' "$tmp/t.json"
ok "and it has tasks" $?

# Every call fails once, early and late. The CPU goes on: the run says at most which GPU it uses no more, and
# why. It never hangs, and leaves nothing behind (the fake looks).
calls='cudaMalloc cudaHostRegister cudaStreamCreateWithFlags cudaEventCreateWithFlags cudaMemGetInfo
    cudaSetDevice cudaMemcpyAsync cudaEventRecord cudaEventSynchronize cudaEventQuery cudaLaunchHostFunc
    kernel cudaGetDeviceProperties cudaFree'
for call in $calls; do
    failed=0
    for n in $turns; do
        told fail="$call:$n"
        alone --quiet --verify --report "$tmp/did.json" "$tmp/modes.conf" cluster.threads=1
        status=$?
        did || [ $status -ne 0 ] || status=nothing
        [ $status = 0 ] && [ ! -s "$tmp/out" ] && continue
        [ $status = 0 ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
            has '^plbrun: warning: .*(GPU|CUDA)' && continue
        echo "failing at call $n: status $status" >>"$tmp/out"
        failed=1
        break
    done
    ok "$call fails" $failed
done
told fail=kernel:5
ranks 2 "$tmp/modes.conf" cluster.pus=gpu
status=$?
what='kernel modes failed \(an illegal memory access was encountered, CUDA 700\)'
[ $status -eq 1 ] &&
    has "^plbrun: $what on PU 'Fake GPU' \(rank [01] on .*\) for things? [0-9]+( to [0-9]+)?; no output"
ok "an error inside a kernel names kernel, PU and range" $?

# First calls load libraries before the first pass, on every rank.
told fail=kernel:1
ranks 2 "$tmp/modes.conf" cluster.pus=gpu
early="PU 'Fake GPU' is not used: $what before the first pass"
has "rank 0 on .*: $early" "rank 1 on .*: $early"
ok "the first call is before the first pass, on every rank" $?

# Pages that cannot be locked are told to those who want to know, once, with bytes and reason.
told fail=cudaHostRegister:1
alone --verbose --verify "$tmp/modes.conf" cluster.pus=gpu
has '; verified' '[0-9]+ bytes could not be page-locked: out of memory; copies' &&
    [ "$(grep -c 'not be page-locked' "$tmp/out")" -eq 1 ]
ok "--verbose says why pages are not locked" $?
told pin=no
alone --verbose --verify "$tmp/modes.conf" cluster.pus=gpu
has '; verified' '[0-9]+ bytes could not be page-locked: operation not supported' &&
    [ "$(grep -c 'not be page-locked' "$tmp/out")" -eq 1 ]
ok "and says it once" $?

# A GPU drops out: others execute its units, whenever it fails, and the summary says so.
for n in 1 2 5 9; do
    told fail=kernel:$n,devices=2
    runs "a GPU of two fails at kernel $n, three ranks" 3 "$tmp/modes.conf" cluster.threads=1
done
told fail=kernel:4
alone --verify "$tmp/modes.conf" cluster.threads=1 --report "$tmp/r.json"
[ $? -eq 0 ] && has '; verified' 'Fake GPU .* failed: an illegal memory access was encountered, CUDA 700' \
    "^plbrun: warning: $what on PU 'Fake GPU' .* for things? [0-9]+( to [0-9]+)?; this PU is no longer used"
ok "a GPU that fails drops out, and the run goes on" $?
grep -q '"failure": "an illegal memory access was encountered, CUDA 700"' "$tmp/r.json"
ok "and the report has the reason" $?
told fail=kernel:7,devices=2 # each has had the first kernel of its three lanes
alone --verify "$tmp/modes.conf" cluster.threads=1 --balancer static balance.migration=off
[ $? -eq 0 ] && has '; verified' \
    'after a failure of GPU [01] \(an illegal .*\), CUDA no longer works in this process' \
    '^plbrun: warning: .*kernel modes failed \(GPU [01] made CUDA unusable in this process, CUDA error 700\)'
ok "it takes the other GPUs of its rank along, and the run says so" $?
told fail=cudaSetDevice:1
why="^plbrun: warning: rank 0 on .*: PU 'Fake GPU' is not used: GPU 0 cannot be opened"
alone --verify "$tmp/modes.conf" cluster.threads=1
[ $? -eq 0 ] && has '; verified' "$why" 'Fake GPU .* failed: it could not be opened'
ok "a GPU that cannot be opened is left out" $?
alone --verify "$tmp/modes.conf" cluster.pus=gpu
[ $? -eq 1 ] && has '^plbrun: no PU can be used'
ok "and where there is no other PU the run ends" $?

# A GPU that does not fit, is too old, or is not there.
told memory=20000
alone --verify "$tmp/modes.conf" cluster.threads=1
status=$?
why='its memory of 1.9e\+04 bytes cannot hold 2.407e\+04 bytes of replicated data'
[ $status -eq 0 ] && has "warning: PU 0 \(Fake GPU, rank 0\) is not used: $why" '; verified'
ok "a GPU with too little memory is left out, with the numbers" $?
alone --verify "$tmp/modes.conf" cluster.pus=gpu
[ $? -eq 2 ] && has 'no PU has enough memory for this job'
ok "and where there is no other PU the run ends" $?
failed=0
for memory in 40000 60000 130000 200000 300000; do # tasks that are as large as three in flight may be
    told memory=$memory
    alone --quiet --verify --report "$tmp/did.json" "$tmp/modes.conf" cluster.pus=gpu && did || failed=1
done
ok "the room that buffers may grow by takes none from the other tasks in flight" $failed

# each VISIBLE... -- ARGUMENTS...: a rank for each list of GPUs that it may see.
each() {
    local launch=() visible=()
    while [ "$1" != -- ]; do visible+=("$1"); shift; done
    shift
    for list in "${visible[@]}"; do
        launch+=(-np 1 -x "CUDA_VISIBLE_DEVICES=$list" "$PLBRUN" "$@" :)
    done
    timeout 120 mpirun --oversubscribe --bind-to none "${launch[@]}" >"$tmp/out" 2>&1
}

# Memory for tasks is taken before the first pass, whatever the blocks become: for three lanes, for two
# replicated buffers, and for two inputs that stay.
counted() { # WORDS: the number in the line of counts at which this pattern has [N]
    grep '^counted: [1-9]' "$tmp/out" | sed -E "s/.*${1/\[N\]/([0-9]+)}.*/\1/"
}
told count=yes
alone --verify "$tmp/modes.conf" cluster.pus=gpu modes.units=100000 --balancer factoring
has '; verified' && [ "$(counted 'counted: [N] kernels')" -ge 20 ] &&
    [ "$(counted '[N] cudaMalloc')" -eq 7 ] &&
    [ "$(counted 'the last after [N] kernels, at most [0-9]+ bytes; [0-9]+ locks')" -le 3 ]
ok "device memory is taken before the first pass" $?
told count=yes,memory=20000000
alone --verify "$tmp/modes.conf" cluster.pus=gpu modes.units=100000 --balancer gss
has '; verified' && [ "$(counted '[N] cudaMalloc')" -le 11 ]
ok "on a small GPU each lane takes memory three times at most" $?
alone --verify "$tmp/modes.conf" cluster.pus=gpu modes.units=100000 balance.grain=200 run.keep_inputs=no
has '; verified' && [ "$(counted 'at most [N] bytes; [0-9]+ locks')" -le 5000000 ]
ok "and small tasks leave the rest of its memory alone" $?
told count=yes
each '' 0 -- --verify "$tmp/modes.conf" cluster.master_only=yes modes.units=100000 --balancer factoring \
    run.keep_inputs=no
# Offsets, which next may replace, and three of each slot: lanes, two ahead and one that is sent.
has '; verified' && [ "$(counted 'bytes; [N] locks')" -le 19 ]
ok "each slot of another rank locks pages three times at most" $?
told capability=7.5
alone --verbose "$tmp/modes.conf"
[ $? -eq 0 ] &&
    has 'a GPU is not used: Fake GPU has compute capability 7.5, and the kernels are built for 8.0 and later'
ok "a GPU of an older generation is no PU" $?
told devices=0
alone --verbose "$tmp/modes.conf"
[ $? -eq 0 ] && has 'no GPU is used: no CUDA-capable device is detected'
ok "no GPU is no PU" $?
alone "$tmp/modes.conf" cluster.pus=gpu
[ $? -eq 2 ] && has "^plbrun: command line: pus = gpu, but there is no GPU that kernel modes can use"
ok "and cannot be asked for" $?

# A GPU that is there, by its device file, and cannot be used.
if [ -z "${SAN:-}" ]; then
    preloaded() { # THERE ARGUMENTS...: the device file is there, yes or no
        env "PLB_FAKE_DEVICE_FILE=$1" LD_PRELOAD="$fake/device_file.so" timeout 120 "$PLBRUN" "${@:2}" \
            >"$tmp/out" 2>&1
    }
    told fail=cudaGetDeviceCount:1
    preloaded yes "$tmp/modes.conf" &&
        has '^plbrun: warning: rank 0 on .*: no GPU is used: the NVIDIA driver is older than CUDA [0-9.]+; '
    ok "a driver that is too old is a warning" $?
    preloaded no --quiet --report "$tmp/did.json" "$tmp/modes.conf" && did && [ ! -s "$tmp/out" ]
    ok "and where there is no GPU nobody hears of it" $?
    preloaded yes --quiet --report "$tmp/did.json" "$tmp/modes.conf" cluster.pus=cpu && did &&
        [ ! -s "$tmp/out" ]
    ok "nor where GPUs are not wanted" $?
    printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/unequal.so" >"$tmp/for_cpus.conf"
    preloaded yes --quiet --report "$tmp/did.json" "$tmp/for_cpus.conf" && did && [ ! -s "$tmp/out" ]
    ok "nor where the kernel runs on CPUs alone" $?
    told fail=cudaGetDeviceProperties:1
    preloaded yes "$tmp/modes.conf" && has '^plbrun: warning: rank 0 on .*: GPU 0 is not used: invalid device'
    ok "a GPU that CUDA cannot describe is a warning" $?
    told devices=0
    preloaded yes --quiet --report "$tmp/did.json" "$tmp/modes.conf" && did && [ ! -s "$tmp/out" ]
    ok "a GPU that CUDA_VISIBLE_DEVICES hides is none" $?
fi
told devices=1
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/modes.so" >"$tmp/plain.conf"
alone --verbose "$tmp/plain.conf"
[ $? -eq 0 ] && has 'cuda devices are not used: kernel modes has no cuda entry'
ok "a kernel without a cuda entry runs on the CPU" $?

printf '[app]\nkernel = %s\n' "$fake/kernels/gpu_only.so" >"$tmp/gpu_only.conf"
each '' 0 -- --verify "$tmp/gpu_only.conf" && has '; verified'
ok "a kernel for GPUs alone, and rank 0 has none" $?
each 0 '' -- --verify "$tmp/gpu_only.conf" && has '; verified'
ok "and another rank has none" $?
CUDA_VISIBLE_DEVICES='' alone "$tmp/gpu_only.conf"
[ $? -eq 2 ] && has '^plbrun: kernel gpu_only has no cpu entry, and there is no other kind of PU here'
ok "and nobody has one" $?

# Who uses which GPUs.
gpus_are() { # N MEMORY: so many different ones, each with this much
    has "gpu '.* $2 GB free" && [ "$(different_gpus)" -eq "$1" ] &&
        [ "$(grep -c "gpu '.* $2 GB free" "$tmp/out")" -eq "$1" ]
}
told devices=4
each 0 1 -- --show-pus "$tmp/modes.conf" cluster.pus=gpu && gpus_are 2 1.02
ok "a GPU for each rank by CUDA_VISIBLE_DEVICES is that rank's alone" $?
each 0,1 2,3 -- --show-pus "$tmp/modes.conf" cluster.pus=gpu && gpus_are 4 1.02
ok "and so are two" $?
each 0,1 1,0 -- --show-pus "$tmp/modes.conf" cluster.pus=gpu && gpus_are 2 1.02
ok "ranks share out GPUs that each of them sees in another order" $?
told devices=2,mig=yes
each 0 1 -- --show-pus "$tmp/modes.conf" cluster.pus=gpu &&
    has "gpu 'Fake GPU MIG.*0000:1A:00.0 MIG-[0-9a-f]" &&
    [ "$(grep -oE 'MIG-[0-9a-f-]+' "$tmp/out" | sort -u | wc -l)" -eq 2 ] && ! grep -q 'GPU-' "$tmp/out"
ok "parts of a GPU have UUIDs of their own kind" $?
told devices=1,others=536870912
ranks 2 --show-pus "$tmp/modes.conf" cluster.pus=gpu && has "0.255 GB free"
ok "ranks that share a GPU share what others have left of its memory" $?
told devices=4
ranks 2 --show-pus "$tmp/modes.conf" cluster.pus=gpu cluster.master_only=yes && gpus_are 4 1.02
ok "a rank that only leads takes no GPU from the others" $?
told devices=1
ranks 2 --show-pus "$tmp/modes.conf" cluster.pus=gpu cluster.master_only=yes && gpus_are 1 1.02
ok "and no memory of one" $?

# Cores: eight by the word of hwloc, of which one is left by the launcher.
if command -v taskset >/dev/null; then
    env -u PLB_CLUSTER_THREADS HWLOC_SYNTHETIC='core:8 pu:1' HWLOC_THISSYSTEM=1 \
        timeout 120 taskset -c 0 "$PLBRUN" "$tmp/modes.conf" >"$tmp/out" 2>&1
    [ $? -eq 0 ] && has 'warning: rank 0 on .* may use 1 of 8 cores, .* --bind-to none'
    ok "a launcher's binding that leaves the CPU no core beside a GPU is told" $?
fi

# The real cuda entry of matmul, with the fake cuBLAS.
if [ -z "${SAN:-}" ] && [ -e "$BUILD/kernels/matmul.cuda.so" ]; then
    printf '[app]\nkernel = matmul\n[matmul]\nrows = 120\ninner = 90\ncolumns = 700\n' >"$tmp/dense.conf"
    told devices=2
    for n in 1 2; do
        for type in float32 float64; do
            runs "matmul $type on GPUs, $n ranks" $n "$tmp/dense.conf" matmul.dtype=$type cluster.pus=gpu
        done
    done
fi
done_testing
