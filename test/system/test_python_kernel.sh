#!/usr/bin/env bash
# Kernels in Python: the same results on any number of ranks, and one clear sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
cp "$root/examples/python-kernel/pi.py" .
lines pi.conf '[app]' 'kernel = pi.py' '[pi]' 'blocks = 40' 'points = 1000' 'out = hits.npy'
if [ -n "${SAN:-}" ]; then skip "kernels in Python" "the interpreter leaks on purpose"; done_testing; fi
# The first python3 may be one of pyenv or conda, which often lacks NumPy or a shared library. Debian's has
# both.
if ! alone --dry-run pi.conf && [ -x /usr/bin/python3 ]; then export PLB_PYTHON=/usr/bin/python3; fi
if ! alone --dry-run pi.conf; then
    grep -qE 'NumPy|is no Python|shared library' out
    ok "a machine without Python or NumPy says what to install" $?
    skip "kernels in Python" "there is no Python with NumPy and a shared library"
    done_testing
fi

for n in $(counts 1 3); do
    ranks "$n" --verify pi.conf && grep -q 'pi is about 3.1' out &&
        head -c 128 hits.npy | grep -q "'<i8'" && same "example, verified, $n ranks" right.npy hits.npy
done
ranks 2 --verify pi.conf run.isolate=yes cluster.threads=2 && same "in child processes" right.npy hits.npy

# Every mode of data, in two passes. finish compares with NumPy.
cat >modes.py <<'P'
import numpy as np

unit = "rows"
single = True
options = {"n": (int, 50, "rows"), "scale": (float, 2.5, "factor"), "wide": (bool, True, "all of it"),
           "word": (str, "none", "text")}


def setup(job):
    job.units = job.options["n"]
    job.args = {"word": job.options["word"], "wide": job.options["wide"]}
    job.x = job.partition("x", np.arange(job.units * 6.0).reshape(-1, 2, 3), before=2, after=1)
    job.table = job.replicate("table", np.ones(3, np.float32))
    job.replicate("more", np.zeros((100, 8)))
    job.output("out", np.float32, (2, 3))
    job.reduce("total", np.float64, 2)
    job.reduce("least", np.int32, (), op="min")


def cost(job, first, count):
    return 2.0 * count


def entry(task, more, table, x, out, total, least):  # in another order than they are declared
    assert task.args == {"word": "a b", "wide": True} and not task.cancelled and not x.flags.writeable
    low, high = task.before["x"], task.after["x"]
    assert low == min(2, task.first) and len(x) == low + task.count + high
    own = x[low:low + task.count]
    out[:] = own * task.options["scale"] * table + more[99, 7]
    total += own.sum(axis=(0, 2))
    least[...] = -task.first - task.count


def next(job, number):
    if number == 0:
        job["table"][:] = 3
        job.replace("table")
    if number == 1:
        job["table"][1:2] = 4
        job.replace("table", 1, 1)
        job["more"][99] = 5
        job.replace("more", np.uint8(99), np.uint8(1))
    return number < 2


def verify(job):
    assert np.allclose(job["out"], np.array([3, 4, 3]) * job.options["scale"] * job["x"] + 5)


def finish(job):
    assert (job["total"] == job["x"].sum(axis=(0, 2))).all() and job["least"] == -job.units
    print("right")
P
lines modes.conf '[app]' 'kernel = modes.py' '[modes]' 'word = a b'
for n in $(counts 1 3); do
    only=$([ "$n" -gt 1 ] && echo yes || echo no) # other ranks execute all
    ranks "$n" --verify modes.conf cluster.master_only="$only" && grep -qx right out
    ok "every mode of data in three passes, $n ranks" $?
done
alone --show-config modes.conf && grep -q '^modes.scale = 2.5' out
ok "options are keys of the conf file" $?
alone modes.conf modes.scal=1
grep -q "did you mean.*scale" out
ok "and a wrong one is named" $?

# told NAME STATUS PATTERN ENTRY-OR-SETUP CHANGE [ARGUMENTS...]: the example with a line at the begin of that
# function ends with one sentence.
told() {
    sed "/^def $4(/a\\    $5" pi.py >bad.py
    sed 's/pi/bad/' pi.conf >bad.conf
    ranks 2 bad.conf "${@:6}"
    [ $? -eq "$2" ] && [ "$(grep -c '^plbrun: ' out)" -eq 1 ] && grep -qE "^plbrun: .*$3" out &&
        [ ! -e hits.npy ]
    ok "$1" $?
    rm -f hits.npy*
}
line=$(grep -n '^def entry' pi.py | cut -d: -f1)
told "an exception in entry" 1 \
    "bad failed on PU .*rank [01] .*blocks? .*bad.py:$((line + 1)): ZeroDivisionError: division by zero; no" \
    entry '1 / 0'
told "one on another rank than 0" 1 "rank 1 on .*KeyError: 'nothing'" entry \
    'import os; os.environ["OMPI_COMM_WORLD_RANK"] == "1" and task.options["nothing"]' cluster.master_only=yes
told "a result of another shape" 1 "bad.py:$((line + 1)): ValueError: could not broadcast" entry \
    'hits[:] = np.zeros(77)'
told "an input that is written" 1 "ValueError: assignment destination is read-only" entry \
    'np.frombuffer(b"12345678")[:] = 1'
told "exit" 1 "SystemExit: 3" entry 'raise SystemExit(3)'
told "an exception in setup" 2 "bad.py:14: FileNotFoundError: .*'/no/such/file'" setup 'open("/no/such/file")'
told "a dtype that cannot travel" 2 "'names' has dtype object; only numbers can travel" setup \
    'job.replicate("names", np.array(["a", None]))'
told "an input of another length" 2 "'x' has shape \(3,\), but there are 40 blocks" setup \
    'job.partition("x", np.zeros(3))'
told "no units" 2 "job.units is not set" setup 'job.output("y", float)'
told "a result that no .npy file can be" 2 "takes one or two of float64" setup \
    'job.units = 40; job.output("y", np.uint8, save="y.npy")'
told "a parameter without a buffer" 2 "parameter 'total', but setup declares no buffer" setup \
    'job.reduce = lambda *x, **y: 0'
told "too much in the constant block" 2 "at most 4088 go to each task" setup 'job.args = {"x": "y" * 5000}'
told "an error of syntax" 2 "bad.py:$((line + 1)): SyntaxError: " entry 'x = = 1'
told "an exception in finish" 1 "bad.py:.*RuntimeError: no ink" finish 'raise RuntimeError("no\\nink")'
told "rows that a buffer does not have" 1 "array 'z' has 3 rows, and no 2 from row 2 on" finish \
    'job._buffers["z"] = ("replicate", np.zeros(3), {}); job.replace("z", 2, 2)'
told "no word of how many rows" 1 "say how many rows of array 'z' have changed from row 2 on" finish \
    'job._buffers["z"] = ("replicate", np.zeros(3), {}); job.replace("z", 2)'
told "a wrong result" 3 "bad.py:.*AssertionError: 3.* is not pi" verify 'np.pi = 4.0' --verify

# alike NAME STATUS PATTERN: the last run ended so.
alike() {
    [ $? -eq "$2" ] && [ "$(grep -c '^plbrun: ' out)" -eq 1 ] && grep -qE "^plbrun: .*$3" out
    ok "$1" $?
}
echo 'x = 1' >empty.py; lines empty.conf '[app]' 'kernel = empty.py'
alone empty.conf; alike "a file without functions" 2 "empty.py: there is no function 'entry'"
alone empty.conf app.kernel=nosuch.py; alike "no file" 2 "kernel file .*nosuch.py does not exist"
alone empty.conf app.kernel=python; alike "the host by its name" 2 "runs kernels in another language"
PLB_PYTHON=/no/python alone pi.conf; alike "no Python" 2 "/no/python is no Python that can be run; install"
lines bare '#!/bin/sh' "exec $("${PLB_PYTHON:-python3}" -c 'import sys; print(sys.executable)') -I -S \"\$@\""
chmod +x bare
PLB_PYTHON=./bare alone pi.conf; alike "no NumPy" 2 "needs NumPy, which .* does not have .*; install it there"

# Rank 1 starts with another file of the same name.
cp pi.py other.py; echo '# more' >>other.py; cp pi.py pi.py.kept
lines differ '#!/bin/sh' 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then' \
    "    exec unshare -m sh -c 'mount --bind other.py pi.py; exec \"\$@\"' sh \"\$@\"" 'fi' 'exec "$@"'
chmod +x differ
if unshare -m true 2>/dev/null; then
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -np 2 ./differ "$PLBRUN" pi.conf >out 2>&1
    alike "ranks with different files" 2 "rank 1 on .* has another build of the kernel .*pi.py"
else
    skip "ranks with different files" "no namespaces"
fi

if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    sed '/^def entry(/a\    import os, time; open(f"begun.{task.first}", "w")
        /^def entry(/a\    while not os.path.exists("go"): time.sleep(0.02)' pi.py >gate.py
    sed 's/pi/gate/' pi.conf >gate.conf
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun --enable-recovery $MPIRUN_OPTIONS -np 3 "$PLBRUN" --verify gate.conf >out 2>&1 &
    job=$!
    soon eval '[ "$(ls begun.* 2>/dev/null | wc -l)" -ge 3 ]'
    kill -KILL "$(process_of 2)"
    soon grep -q 'is lost' out
    touch go
    wait "$job"
    same "where a rank is killed, the result is the same" right.npy hits.npy
else
    skip "where a rank is killed, the result is the same" "this mpirun is not Open MPI 4"
fi
done_testing
