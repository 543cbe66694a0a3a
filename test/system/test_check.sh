#!/usr/bin/env bash
# --check finds each broken promise, says where, and finds none in our kernels; --new-kernel writes one that
# keeps all.
. "$(dirname "$0")/../support/lib.sh"
ulimit -c 0
[ -z "${SAN:-}" ] || { skip "kernels with faults" "a sanitizer has its own handlers"; done_testing; }
export OMP_NUM_THREADS=2
breaks=$BUILD/test/kernels/breaks.so

# check CONF SETTINGS...: tries a kernel, output in $tmp/out.
check() { timeout 120 "$PLBRUN" --check "$@" >"$tmp/out" 2>&1; }
# found FAULT PATTERN...: exactly as many sentences as patterns, and each has one.
found() {
    local fault=$1 status pattern
    shift
    lines "$tmp/breaks.conf" '[app]' "kernel = $breaks" '[breaks]' "fault = $fault"
    check "$tmp/breaks.conf"
    status=$?
    [ $status -eq 1 ] && [ "$(grep -c '^plbrun: kernel breaks: ' "$tmp/out")" -eq $# ] &&
        grep -qE "^$# mistakes? found" "$tmp/out"
    status=$?
    for pattern in "$@"; do grep -qE -- "$pattern" "$tmp/out" || status=1; done
    ok "a kernel with the fault $fault" $status
}

lines "$tmp/breaks.conf" '[app]' "kernel = $breaks"
check "$tmp/breaks.conf" && ! grep -q '^plbrun:' "$tmp/out" && grep -q '^nothing found' "$tmp/out" &&
    grep -q 'tried 2 complete passes of 1000 beads' "$tmp/out" && grep -q 'cost was split' "$tmp/out"
ok "nothing is found where nothing is wrong, and it says what was tried" $?
check --quiet "$tmp/breaks.conf" && [ ! -s "$tmp/out" ]
ok "nor is anything said with --quiet" $?

task='in a task of beads? [0-9]+( to [0-9]+)?'
at="byte 0 of bead [0-9]+ of"
found input "the entry writes $at 'x', which is an input, $task; inputs are read-only"
found table "the entry writes byte 40 of 'table', which is an input, $task"
found exit "the entry calls exit\(3\) $task; it must end by return"
found divides "the entry crashes \(SIGFPE\) $task"
found refuses "the entry returns 1 for beads? .*: it has no licence"
found writes_all "promises .writes_all., but its entry does not write byte 0 of bead 7 of 'index'"
found halo "the entry reads byte .* of 'x', behind its part, $task; declare a halo"
found before "the entry reads $at 'x', before its part, $task; declare a halo"
found cost "its cost of .* is [0-9]+, that of .* is [0-9]+, and that of both, .*, is [0-9]+; a cost is"
found fold "the fold of 'best' is not associative: "
found order "the fold of 'best' is not commutative: "
found neutral "the fold of 'best' changes an array that is folded with .neutral."
found from "fold writes into .from., the other array, of 'best'"
found replicate "'y' of bead [0-9]+ differs from.*where a task begins and ends: index a REPLICATE by"
found beyond "the entry writes byte .* of .*'y', behind its part, $task; a task sees only its own units"
found reduced "'sum' of one task of .* differs from the fold of .*; each unit must count"
found static "crashes \(SIGSEGV, at an address outside of all buffers\) $task; on a rank other than 0"
found state "'y'.*a second call computes another result"
found poison "'y'.*it depends on bytes beside a buffer"
found threads "promises to use a .single. thread, but its entry started [0-9] more"
found next ".next. changes byte [0-7] of the input 'table' without saying so; call plb_app_replace"
found part ".next. changes byte ([89]|1[0-5]) of the input 'table' without saying so"
found kept ".next. changes byte 6[4-9] of the input 'x' without saying so; ranks keep their parts"

check "$tmp/breaks.conf" breaks.fault=nothing
[ $? -eq 2 ]
ok "a mistake in the conf is one as ever" $?
lines "$tmp/gpu.conf" '[app]' "kernel = $BUILD/test/kernels/phase_gpu.so"
check "$tmp/gpu.conf"
[ $? -eq 2 ] && grep -q 'has no cpu entry, and --check tries only these' "$tmp/out"
ok "a phase for GPUs alone cannot be tried" $?

# All kernels, with small jobs. One that is not in the list fails.
lines "$tmp/mine.py" 'import numpy as np' 'writes_all = True' \
    'def setup(job):' '    job.units = 500' '    job.partition("x", np.arange(500.0), before=1, after=1)' \
    '    job.replicate("table", np.arange(10.0))' '    job.output("y", np.float64)' \
    '    job.reduce("total", np.float64, (), op="sum")' \
    'def entry(task, x, table, y, total):' '    b = task.before["x"]' \
    '    y[:] = x[b:b + task.count] + table[(task.first + np.arange(task.count)) % 10]' '    total += y.sum()'
job_of() {
    case $1 in
    binomial) echo binomial.count=200 binomial.steps=64 ;;
    blackscholes) echo blackscholes.count=2000 ;;
    command) echo "command.run=echo {}" command.range=1-20 ;;
    gaussian) echo gaussian.width=90 gaussian.height=120 ;;
    grn) echo grn.genes=60 grn.samples=40 ;;
    kmeans) echo kmeans.count=3000 ;;
    mandelbrot) echo mandelbrot.width=120 mandelbrot.height=90 ;;
    matmul) echo matmul.rows=90 matmul.inner=40 matmul.columns=70 ;;
    nbody) echo nbody.bodies=300 nbody.steps=2 ;;
    pagerank) echo pagerank.pages=2000 ;;
    spmm) echo spmm.rows=2000 spmm.inner=500 ;;
    stencil) echo stencil.rows=90 stencil.columns=70 stencil.steps=3 ;;
    taylor) echo taylor.width=70 taylor.height=90 ;;
    triad) echo triad.elements=20480 ;;
    esac
}
for kernel in "$root"/kernels/*/; do
    kernel=$(basename "$kernel")
    lines "$tmp/app.conf" '[app]' "kernel = $kernel"
    if [ "$kernel" = python ]; then
        lines "$tmp/app.conf" '[app]' "kernel = $tmp/mine.py"
        if ! alone --dry-run "$tmp/app.conf"; then export PLB_PYTHON=/usr/bin/python3; fi
        alone --dry-run "$tmp/app.conf" ||
            { skip "python keeps its promises" "there is no Python with NumPy"; continue; }
    fi
    settings=()
    while read -r word; do settings+=("$word"); done \
        < <(job_of "$kernel" | sed -E 's/ ([a-z]+\.[a-z]+=)/\n\1/g')
    check "$tmp/app.conf" "${settings[@]}" && grep -q '^nothing found' "$tmp/out" &&
        ! grep -q '^plbrun:' "$tmp/out"
    ok "$kernel keeps its promises" $?
done

cd "$tmp" || exit 1
alone --new-kernel mine && make -s -C mine >"$tmp/out" 2>&1 && check mine/app.conf &&
    grep -q '^nothing found' "$tmp/out"
ok "a new kernel builds, and keeps its promises" $?
alone mine/app.conf && [ -s mine/squares.npy ]
ok "and runs" $?
alone --new-kernel mine
[ $? -eq 2 ] && grep -q 'File exists' "$tmp/out"
ok "it overwrites nothing" $?
for name in app 9lives ../x 'a b' ''; do
    alone --new-kernel "$name"
    [ $? -eq 2 ] && [ "$(grep -c '^plbrun: --new-kernel' "$tmp/out")" -eq 1 ]
    ok "'$name' is no name of a kernel" $?
done
done_testing
