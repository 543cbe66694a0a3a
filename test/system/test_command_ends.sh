#!/usr/bin/env bash
# A line that has ended is in the joblog soon after, whatever runs beside it or after it in the same task.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
gate='until [ -e go ]; do sleep 0.05; done'

# ended N: the joblog has N lines.
ended() { [ "$(tail -n +2 log 2>/dev/null | wc -l)" -eq "$1" ]; }

# grows NAME ENDED LINES COMMAND...: while one line waits, all others are in the joblog. When the run has
# ended, all lines are there once.
grows() {
    rm -f go log* ran
    "${@:4}" >stdout 2>out &
    run=$!
    soon ended "$2"
    here=$?
    : >go
    wait $run && [ $here -eq 0 ] && cmp <(tail -n +2 log | cut -f 1) <(seq "$3") &&
        cmp <(sort -n stdout) <(seq "$3")
    ok "$1" $?
}
grows "a short line, and a long one in the same task" 2 3 "$PLBRUN" -j 1 --joblog log \
    --cost column:2 --run "[ {1} != 3 ] || $gate; echo {1}" -C ' ' ::: '1 5000' '2 4000' '3 3000'
# shellcheck disable=SC2086 # several words
grows "on two ranks" 39 40 mpirun $MPIRUN_OPTIONS -np 2 "$PLBRUN" -j 1 --joblog log \
    --run "[ {} != 40 ] || $gate; echo {}" --range 1-40
grows "answers of a server" 59 60 "$PLBRUN" -j 1 --joblog log \
    --serve "while read -r x; do [ \$x != 60 ] || $gate; echo \$x; done" --range 1-60

# A failure ends the run although a line of the same task does not end.
rm -f go
timeout "$PATIENCE" "$PLBRUN" -j 1 --halt now,fail=2 --run "[ {} != 60 ] || $gate; [ {} -lt 58 ]" \
    --range 1-60 >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 2 of 60 lines have failed, .*(--halt); the last is line 59' out
ok "--halt counts it, too" $?
done_testing
