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

# The run ends by --halt, and one line does not. A time limit and signals count all the same.
waits="if [ {} = 2 ]; then : >ran; $gate; else until [ -e ran ]; do sleep 0.05; done; fi"
# Where a busy machine needs longer for the begin than the limit, a larger limit is tried.
for limit in 2s 8s 32s; do
    rm -f ran
    timeout "$PATIENCE" "$PLBRUN" -j 2 --halt soon,fail=1 run.time_limit=$limit run.grace=1s \
        --run "$waits; [ {} != 1 ]" --range 1-9 >stdout 2>out
    status=$?
    [ ! -e ran ] || break
done
[ "$status" -eq 1 ] && grep -q "time limit (run.time_limit = $limit) was reached: no new task starts" out &&
    grep -q '^plbrun: 1 of 9 lines has failed, which ends the run (--halt)' out
ok "--halt soon under a time limit" $?
rm -f ran
"$PLBRUN" -j 2 --halt soon,success=1 --run "$waits; : >ended.{}" --range 1-9 >stdout 2>out &
run=$!
soon test -e ended.1
sleep 0.5 # it has heard of that
kill -TERM $run
wait $run
[ $? -eq 1 ] && grep -q '^plbrun: interrupted by SIGTERM after .* run it again$' out
ok "a signal after --halt" $?
rm -f ended.1
"$PLBRUN" -j 2 --run "$waits; : >ended.{}" --range 1-9 command.stdout=y.txt >stdout 2>out &
run=$!
soon test -e ended.1
kill -TERM $run
wait $run
[ $? -eq 1 ] && grep -q '^plbrun: interrupted by SIGTERM after .* of pass 1; .*--keep-partial writes' out
ok "outputs that go to a file may be kept" $?

# A line fails that runs on after the end, and one whose second try is not made.
rm -f go ran
"$PLBRUN" -j 2 --halt soon,done=2 --run "if [ {} = 2 ]; then $gate; exit 3; fi; : >ended.{}" --range 1-9 \
    >stdout 2>out &
run=$!
soon test -e ended.3
sleep 0.5 # the run has heard of that
: >go
wait $run
[ $? -eq 1 ] && grep -q '^plbrun: 1 of 9 lines failed, the first is line 2: .*exit status 3' out
ok "a line that fails after --halt soon,done=2" $?
"$PLBRUN" -j 1 --halt soon,done=3 --retries 2 --run '[ {} != 1 ]' --range 1-9 >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 1 of 9 lines failed, the first is line 1: ' out
ok "a line that failed once" $?

# Outputs of a try are told where no other try may follow: nowhere else, or nowhere at all.
once='echo {}; echo {} >&2'
halted=(-j 1 --retries 2 --joblog log --halt 'soon,done=3')
rm -f log*
"$PLBRUN" "${halted[@]}" --run "$once; [ {} != 1 ]" --range 1-9 >stdout 2>out
[ $? -eq 1 ] && [ "$(head -n 3 stdout | xargs)" = '2 3 4' ] && ! grep -qx 1 stdout out &&
    [ "$(grep -cx 2 out)" -eq 1 ] && ! cut -f 1 log | grep -qx 1 && cut -f 1 log | grep -qx 2
ok "a first try whose second one is not made is told nowhere" $?
rm -f log*
"$PLBRUN" "${halted[@]}" --serve 'while read -r x; do [ $x != 1 ] || { echo 1 >&2; exit 7; }; echo $x; done' \
    --range 1-9 >stdout 2>out
[ $? -eq 1 ] && [ "$(head -n 3 stdout | xargs)" = '2 3 4' ] && ! grep -qx 1 stdout out &&
    ! cut -f 1 log | grep -qx 1 && cut -f 1 log | grep -qx 2
ok "also by a server" $?
rm -f log* tries
"$PLBRUN" -j 1 --retries 2 --joblog log --run "echo x >>tries; $once; wc -l <tries; [ {} != 1 ]" --range 1-1 \
    >stdout 2>out
[ $? -eq 1 ] && [ "$(xargs <stdout)" = '1 2' ] && [ "$(grep -cx 1 out)" -eq 1 ] &&
    [ "$(tail -n +2 log | wc -l)" -eq 1 ]
ok "the last try is told, and once" $?
done_testing
