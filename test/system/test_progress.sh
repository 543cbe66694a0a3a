#!/usr/bin/env bash
# A PU that hangs is named while the run waits for it.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/straggler.so" '[straggler]' 'units = 200' \
    'rank = 0' 'hangs = yes'
for backups in on off; do
    "$PLBRUN" "$tmp/app.conf" balance.backups=$backups >"$tmp/out" 2>&1 </dev/null &
    run=$!
    awaited='PU 0: [a-z]+ [0-9]+ to [0-9]+ for [45]\.[0-9]+ s, expected [0-9.]+ m?s'
    await 1 "^plbrun: +[0-9]+ %  [0-9]+ of 200 .*, $awaited\$"
    ok "a PU that hangs, backups = $backups" $?
    kill -9 $run
    wait $run 2>/dev/null
done
done_testing
