#!/usr/bin/env bash
# scripts/gpu-check on the fake CUDA runtime, with kernels compiled for the CPU: both calls go through all
# parts. Those that do not measure are run, and pass. The report names what was not tried.
. "$(dirname "$0")/../support/lib.sh"
on_cpu=$BUILD/test/cuda-on-cpu
[ -z "${SAN:-}" ] || { skip "gpu-check" "it is for the normal build"; done_testing; }
if [ ! -e "$on_cpu/rod.cuda.so" ]; then
    skip "gpu-check" "plbrun was built without CUDA"
    done_testing
fi
unset PLB_CLUSTER_PUS PLB_FAKE_CUDA
export LD_LIBRARY_PATH=$BUILD/test/fake-cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} OPENBLAS_NUM_THREADS=1
export GPU_CHECK_FAKE=$on_cpu GPU_CHECK_ENTRIES=$BUILD/test/fake-cuda/entries.so
export GPU_CHECK_KERNELS='rod faulty kmeans triad matmul'
check() { timeout 400 "$root/scripts/gpu-check" --out "$tmp/report.md" "$@" >"$tmp/out" 2>&1; }
has() { # PATTERN...: the report has a line for each
    local pattern
    for pattern in "$@"; do
        grep -qE -- "$pattern" "$tmp/report.md" || { echo "lacks: $pattern" >>"$tmp/out"; return 1; }
    done
}
parts() { sed -n "s/^$1=(\(.*\))$/\1/p" "$root/scripts/gpu-check"; }

check --call 1
status=$?
cp "$tmp/report.md" "$tmp/out"
[ $status -eq 3 ] && [ "$(grep -c ' | pass |$' "$tmp/report.md")" -ge 30 ] &&
    ! grep -qE '\*\*(failed|missed|does not)\*\*' "$tmp/report.md"
ok "the first call: all checks pass, and what was skipped is no success" $?
has '^\| memcheck, racecheck, .* the fake runtime has no code to look at \| skipped' \
    '^\| Failures \| all checks pass \| ([0-9]+) of \1 \| pass' \
    '^\| compute-sanitizer \| all checks pass \| 0 of 0, and 1 skipped \| skipped'
ok "and the summary says so" $?
has '^\| kmeans: GPU and CPU together .* GPU [1-9][0-9]*, CPU [1-9]' \
    '^\| kmeans: GPU against CPU .* [1-9][0-9]* tasks audited, 0 differences' \
    '^\| inputs are copied once .* in 13 passes' '^\| results that feed stay .* in 20 passes' \
    'phases, results stay; GPU and CPU, 2 ranks .* \| pass' \
    '^\| a GPU fails beside a CPU .* no longer used' \
    '^\| a GPU fails beside another rank .*\(rank 1 on .* no longer used' \
    '^\| two GPUs of one rank: rod .* \| pass' '^\| parts of a GPU .* \| pass' \
    '^\| inputs larger than .* \| pass' '^\| CPUs are isolated .* \| pass'
ok "kernels together, audits, passes, failures, memory, several GPUs" $?
has "^\| the GPU's line .* 0000:1A:00.0 GPU-[0-9a-f-]+ \| pass" \
    '^\| a GPU that CUDA_VISIBLE_DEVICES hides .* \| pass' '^\| a run for CPUs alone .* \| pass' \
    '^\| a rank that sees no GPU .* GPU [1-9][0-9]*, CPU [1-9].* \| pass' \
    '^\| the time of page locks .* locking_s [0-9.]*[1-9].* \| pass'
ok "which GPUs are used" $?
has '^\| kmeans: labels \| the same bits in two runs, and on the CPU \| 20140 bytes are the same \| pass' \
    '^\| kmeans: centroids \| the same bits in two runs \| 408 bytes are the same \| pass'
ok "results with the same bits" $?
failed=0
for part in $(parts measurements); do has "^\| $part \| .* \| not asked for \| skipped" || failed=1; done
ok "and the report names what was not asked for" $failed
has "^\| Partitioned inputs of a kernel with several passes stay .* \| holds \|" \
    '^\| If pages cannot be locked, copies are slower \| not tried \| no such check was run' \
    '^\| Start one rank per GPU if a kernel error .* \| holds \| 1 of 1 checks' \
    '^\| Illegal addresses, .* \| not tried \| no check here tries it'
ok "and says of each claim whether it holds" $?
check --call 2
[ $? -eq 3 ] && [ -s "$tmp/report.md" ] && grep -q '0 missed, 0 failed' "$tmp/out"
ok "the second call ends" $?
failed=0
for part in $(parts measurements); do
    has "^\| $part \| .* the fake runtime measures nothing \| skipped" || failed=1
done
ok "and measures nothing" $failed
check --call 1 --only failures --minutes 6
[ $? -eq 0 ] && has '^\| a GPU fails beside' '^\| every \| .* not asked for' &&
    ! has '^\| inputs are copied once'
ok "parts of a call" $?
check --call 3
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ]
ok "a third call" $?
PLB_FAKE_CUDA=fail=kernel:3 check --only passes --minutes 6
[ $? -eq 1 ] && has 'Partitioned inputs .* \| \*\*does not\*\* \|'
ok "a claim that does not hold" $?

# Checks find what is wrong. with PART COMMAND...: with a part of gpu-check, and stand-ins for what it calls.
# shellcheck disable=SC2034,SC2317 # what a part uses
with() {
    (
        for part in report "$1"; do
            # shellcheck source=/dev/null
            . "$root/scripts/gpu-check.d/$part.sh"
        done
        log=$tmp/log plbrun=plbrun kernels=(triad) changes=''
        under() {
            local file=${*: -1}
            [[ $file != *="$tmp"/* ]] || echo "$changes" >"${file#*=}"
            changes+=$1
            cp "$tmp/shown" "$log"
        }
        about_gpu() { echo 00000000:1B:00.0; }
        "${@:2}" 2>&1
    )
}
lines "$tmp/shown" "PU 0: cpu 'a'" "PU 1: gpu 'b' (0000:1A:00.0 GPU-70-5c), driven from cores 0-1"
[ "$(with use names)" = "failed
bus id 0000:1A:00.0, and 00000000:1B:00.0 by nvidia-smi" ] &&
    [[ "$(with use hidden)" = "failed
PU 1: gpu"* ]]
ok "another GPU than nvidia-smi's, and one that should be hidden" $?
[[ "$(with bits same_results triad a.npy cpu)" = "failed
again: "* ]]
ok "other bits" $?

# A skipped check is no success, also beside others that passed.
of_rows() { # FUNCTION ROW...: what a function of the report makes of these rows
    (
        # shellcheck source=/dev/null
        . "$root/scripts/gpu-check.d/report.sh"
        printf '%s\n' "${@:2}" | tr ' ' '\t' >"$tmp/rows"
        "$1"
    )
}
[ "$(of_rows status_of_rows '2 pass a b c' '2 skipped d e f' '2 shown g h i')" = 3 ] &&
    [ "$(of_rows status_of_rows '2 skipped d e f' '5 missed a b c')" = 1 ] &&
    [ "$(of_rows status_of_rows '2 pass a b c' '6 skipped d e f')" = 0 ] &&
    of_rows summary '2 pass a b c' '2 skipped d e f' '2 shown g h i' >"$tmp/out" &&
    grep -qF ' | all checks pass | 1 of 1, and 1 skipped | **in part** |' "$tmp/out"
ok "a section of which some was skipped passes in part" $?

# Each claim is in the document.
cat "$root/docs/guide/gpus.md" "$root/docs/reference/kernels.md" | tr '\n' ' ' >"$tmp/document"
cut -f 2 "$root/scripts/gpu-check.d/claims" | while read -r claim; do
    grep -qF -- "$claim" "$tmp/document" || echo "not in the documents: $claim"
done >"$tmp/out"
[ ! -s "$tmp/out" ] && [ "$(wc -l <"$root/scripts/gpu-check.d/claims")" -ge 10 ]
ok "claims are those of the documents" $?
done_testing
