#!/usr/bin/env bash
# One unit takes as long as all others together, and the kernel tells nobody. The report names its task. Cut
# into smaller ones, as the advice says, the same work takes far less time.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/unequal.so" '[unequal]' 'costly = one' \
    'units = 300' 'us = 5000' 'times = 300' '[cluster]' 'threads = 1'
ranks 3 --report "$tmp/r.json" "$tmp/app.conf"
tail -n 1 "$tmp/out" >"$tmp/last"
task='s/^Advice: .*one task, naps? ([0-9]+)( to ([0-9]+))?, seems .*/\1 \3/p'
read -r first last < <(sed -nE "$task" "$tmp/last")
[ -n "$first" ] && [ "$first" -le 200 ] && [ "${last:-$first}" -ge 200 ]
ok "the task with the costly unit is named" $?
grep -qE 'always takes? so long, split (it|the expensive ones) into smaller ones' "$tmp/last"
ok "the advice is to cut it" $?
before=$(field makespan_s)
ranks 3 --report "$tmp/r.json" "$tmp/app.conf" unequal.costly=none unequal.us=9983
awk -v new="$(field makespan_s)" -v old="$before" 'BEGIN { exit !(old > 0 && new < 0.7 * old) }'
ok "to follow it helps" $?
[ -s "$tmp/out" ] && ! grep -q '^Advice' "$tmp/out"
ok "a good run has no advice" $?
done_testing
