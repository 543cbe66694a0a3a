#!/usr/bin/env bash
# scripts/gpu-check on the fake CUDA runtime, with the kernel that runs there: it ends, its report has the
# form it promises, and its checks pass. Its measurements there mean nothing.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "gpu-check" "it is for the normal build"; done_testing; }
if [ ! -e "$BUILD/test/fake-cuda/libcudart.so.13" ] || [ ! -e "$BUILD/kernels/matmul.cuda.so" ]; then
    skip "gpu-check" "plbrun was built without CUDA"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$BUILD/test/fake-cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export GPU_CHECK_KERNELS=matmul GPU_CHECK_SCALE=0.01 GPU_CHECK_ENTRIES=$BUILD/test/fake-cuda/entries.so
check() { timeout 100 "$root/scripts/gpu-check" "$@" >"$tmp/out" 2>&1; }
# verdicts SECTION: how many rows of each verdict it has, as "3 pass 1 failed"
verdicts() {
    awk -v s="^## $1\\\\." '
        /^## / { inside = $0 ~ s }
        inside && /^\|/ { print $(NF - 1) }' "$tmp/report.md" |
        tr -d '*' | grep -E '^(pass|missed|failed|skipped)$' | sort | uniq -c |
        awk '{printf "%s%s %s", sep, $1, $2; sep = " "}'
}
# has PATTERN...: the report has a line for each.
has() {
    local pattern
    for pattern in "$@"; do grep -q "$pattern" "$tmp/report.md" || return 1; done
}

check --no-such-option
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ]
ok "an unknown option" $?
check --quick --only conformance,rate --out "$tmp/report.md"
status=$?
cp "$tmp/report.md" "$tmp/out"
[ $status -le 1 ] && [ "$(verdicts 1)" = '3 pass' ]
ok "it ends; the devices pass" $?
has '^# plbrun on Fake GPU$' '^## Summary$' '^| Devices | all checks pass | 3 of 3 | pass |$' \
    '^| plbrun | plbrun .*, commit ' && ! has 'has not ended'
ok "the report has the machine and a summary" $?
rate='^| matmul float.*: execute | at least 97.0 % of plain.* % (.* [mu]*s, plain .* [mu]*s) '
[[ "$(verdicts 5)" =~ ^2\ (pass|missed)$|^1\ missed\ 1\ pass$ ]] &&
    [ "$(grep -c "$rate" "$tmp/report.md")" -eq 4 ]
ok "and the rates with what was wanted" $?
PLB_FAKE_CUDA=fail=kernel:2 check --quick --only rate --out "$tmp/report.md"
[ $? -eq 1 ] && cp "$tmp/report.md" "$tmp/out" && [ "$(verdicts 5)" = '2 failed' ] &&
    has ': plain: the kernel: '
ok "what fails is in the report, and in the status" $?
check --only bounds --out "$tmp/report.md"
[ $? -eq 0 ] && cp "$tmp/report.md" "$tmp/out" &&
    has "^| matmul, by cuBLAS: rate | an H100's bound: 31.9 M units/s | [1-9].* % of it | shown |$"
ok "rates beside the documents' bounds" $?
PLB_FAKE_CUDA=fail=kernel:2 check --only bounds --out "$tmp/report.md"
[ $? -eq 1 ] && cp "$tmp/report.md" "$tmp/out" && [ "$(verdicts 5)" = '1 failed' ]
ok "or that there is none" $?
PLB_FAKE_CUDA=devices=0 check --out "$tmp/report.md"
[ $? -eq 1 ] && grep -q 'no GPU that plbrun can use' "$tmp/out" && has 'a GPU is found | yes | no'
ok "no GPU" $?
done_testing
