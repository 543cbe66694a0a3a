#!/usr/bin/env bash
# A journal that breaks when all units of a pass are accepted, and the next pass has not begun: that one is
# not passed over.
. "$(dirname "$0")/../support/lib.sh"
j=$tmp/j y=$tmp/y.npy
lines "$tmp/chain.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" \
    '[chain]' 'units = 400' 'passes = 3' 'nap = 0.002' "out = $y" '[run]' "journal = $j"
# whole_pass: whether the journal names all units of a pass ("links 1 to 7 of chain, pass 1: ..." and others).
whole_pass() {
    "$PLBRUN" --journal "$j" 2>/dev/null | cut -f 9 | python3 -c '
import re, sys
done = set()
for line in sys.stdin:
    words = re.search(r"(\d+)(?: to (\d+))?", line.split(":")[-1])
    if words:
        done.update(range(int(words[1]), int(words[2] or words[1]) + 1))
sys.exit(len(done) != 400)'
}

# Rank 0 is late with unit 0, which rank 1 executes, too. So the pass is whole, and rank 0 waits for itself.
# shellcheck disable=SC2086 # several words
CHAIN_LATE=60 mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" --quiet "$tmp/chain.conf" >"$tmp/out" 2>&1 &
run=$!
for _ in $(seq 300); do
    whole_pass || ! kill -0 "$run" 2>/dev/null && break
    sleep 0.1
done
whole_pass && kill -0 "$run" 2>/dev/null
ok "all units of the first pass are in the journal, and the pass has not ended" $?
pgrep -P "$run" plbrun | head -1 | xargs -r kill -9
wait "$run"
ranks 2 --verify --resume --report "$tmp/r.json" "$tmp/chain.conf"
ok "the resumed run executes the passes that are left" $?
done_testing
