#!/usr/bin/env bash
# Lines behind a long one of the same task are run by other slots.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1

# Line 21 ends when all others have ended. Those before it are quick, so that tasks have several lines.
gate='until [ "$(ls ended | wc -l)" -eq 30 ]; do sleep 0.02; done'

# taken NAME ARGUMENTS...: the run ends, and has run each line once.
taken() {
    local runs=0
    while [ $runs -lt 3 ]; do
        rm -rf ended log*
        mkdir ended
        timeout "$PATIENCE" "${@:2}" --range 1-31 --joblog log >stdout 2>out || break
        cmp <(sort -n stdout) <(seq 31) && cmp <(tail -n +2 log | cut -f 1) <(seq 31) || break
        runs=$((runs + 1))
    done
    [ $runs -eq 3 ]
    ok "$1" $?
}
line="[ {} != 21 ] || $gate; : >ended/{}; echo {}"
server="while read -r x; do [ \$x != 21 ] || $gate; : >ended/\$x; echo \$x; done"
# shellcheck disable=SC2086 # several words
{
    taken "by another slot of the rank" "$PLBRUN" -j 2 --run "$line"
    taken "by another rank" mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" -j 1 --run "$line"
    taken "by another server" "$PLBRUN" -j 2 --serve "$server"
}
done_testing
