#!/usr/bin/env bash
# --watch and --progress json, in a run of two ranks.
# test/run: real MPI, since its mpirun writes to the terminal.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
lines app.conf "[app]" "kernel = $BUILD/test/kernels/heat.so" \
    "[heat]" "cells = 100" "passes = 8" "nap = 0.25"

# shellcheck disable=SC2086 # several words
timeout 120 mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" --quiet --progress json app.conf >out 2>stream &&
    [ -s stream ]
ok "a run with --progress json" $?
/usr/bin/python3 - >out 2>&1 <<'END'
import json
looks = [json.loads(line) for line in open("stream") if line.startswith("{")]
assert looks and {look["unit"] for look in looks} == {"cells"} and looks[-1]["pass"] >= looks[0]["pass"]
for look in looks:
    assert look["units"] == 100 and 0 <= look["done"] <= 100 and len(look["pus"]) >= 2
    for pu in look["pus"]:
        assert pu["does"] in ("works", "idle", "late") and (pu["held"] == 0) == (pu["does"] == "idle")
working = [pu for look in looks for pu in look["pus"] if pu["does"] == "works"]
assert working and all(0 <= pu["first"] <= pu["last"] < 100 for pu in working)
END
ok "writes a line of JSON each second" $?

# A terminal of the test's own, which has 12 rows. mpirun makes standard error a pipe, and starts ranks in the
# background, which this terminal stops when they write to it.
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.system("stty tostop rows 12 cols 70")
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
while True:
    try:
        part = os.read(fd, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
# shellcheck disable=SC2086 # several words
timeout 120 /usr/bin/python3 terminal.py mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" --quiet --watch app.conf \
    >out 2>&1 && [ -s out ]
ok "a run with --watch, on a terminal" $?
{ grep -q '% .* of 100 cells, pass 1' out && grep -q $'\033\[[0-9]*A' out; } 2>>err
ok "writes its rows again in place" $?

timeout 60 "$PLBRUN" --progress xml app.conf >out 2>&1
[ $? -eq 2 ] && grep -q 'progress xml: expected json; for people there is --watch' out
ok "another format is a mistake" $?
done_testing
