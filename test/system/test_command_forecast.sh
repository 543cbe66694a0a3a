#!/usr/bin/env bash
# Under a time limit no line starts that will not end, as far as that is known; --resume takes those first.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
# seconds LINE SECONDS...: a joblog in which lines took so long.
joblog() {
    printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n'
    while [ $# -gt 0 ]; do
        printf '%s\thost\t1.0\t%s\t0\t0\t0\t0\t%s\n' "${1#line}" "$2" "./sim $1"
        shift 2
    done
}
# Programs that take as long as they did. With `go` those of half a minute are quick.
printf 'line%d\n' 1 2 3 4 5 6 >cases
times=(line1 0.3 line2 33 line3 0.1 line4 30 line5 0.2 line6 0.1)
{
    echo '#!/bin/sh'
    echo 'echo "$1" >>began; case $1 in'
    printf '%s) s=%s;;\n' "${times[@]}"
    echo 'esac; case $s in 3?) [ -e go ] && s=0;; esac; sleep $s; echo "$1"'
} >sim
chmod +x sim

joblog "${times[@]}" >old
limited=(-k -j 1 --joblog log --cost-from old --lines cases --run './sim {}')
"$PLBRUN" "${limited[@]}" run.time_limit=12s run.grace=0s >stdout 2>out
[ $? -eq 1 ] && [ "$(sort began | xargs)" = 'line1 line3 line5 line6' ]
ok "lines that will not end do not start, and the others do" $?
# left SENTENCE: it names lines 2 and 4, and seconds that are left, more than none and not above the limit.
left() {
    sed -nE "s/^plbrun: $1: lines 2, 4: .* each, ([0-9.]+) s left.*/\\1/p" out |
        awk '$1 <= 0 || $1 > 12 { wrong = 1 } END { exit NR != 1 || wrong }'
}
grep -q ' lines 2, 4: 33 s each, ' out && left 'warning: 2 of 6 lines would not end in time'
ok "that is said before" $?
left '2 of 6 lines were not started, because no time was left' && grep -q '; --resume continues' out
ok "and in the end" $?
[ "$(cut -f 1 log | xargs)" = 'Seq 1 3 5 6' ]
ok "the joblog has the others" $?
: >began
"$PLBRUN" "${limited[@]}" --resume run.time_limit=12s run.grace=0s >>stdout 2>out
[ $? -eq 1 ] && [ ! -s began ] && grep -q '2 of 6 lines were not started' out && ! grep -q warning out
ok "in a job of the same length they do not start, either" $?
: >go
"$PLBRUN" "${limited[@]}" --resume run.time_limit=2h >>stdout 2>out
[ $? -eq 0 ] && [ "$(xargs <began)" = 'line2 line4' ] && [ "$(cut -f 1 log | xargs)" = 'Seq 1 2 3 4 5 6' ] &&
    [ "$(sort stdout | xargs)" = 'line1 line2 line3 line4 line5 line6' ]
ok "in a longer one they do, alone" $?
"$PLBRUN" "${limited[@]}" --resume >out 2>&1
[ $? -eq 0 ] && [ "$(wc -l <began)" -eq 2 ]
ok "then nothing is left" $?

# The time is over before all short lines have ended. The long one, which was not begun, is the first in the
# next run.
rm -f log* began stdout go
seq 40 | sed 's/.*/line1/' >>cases
"$PLBRUN" "${limited[@]}" run.time_limit=3s run.grace=0s >stdout 2>out
[ $? -eq 1 ] && ! grep -qx -e line2 -e line4 began && [ "$(wc -l <began)" -lt 44 ]
ok "the time is over" $?
: >go
: >began
"$PLBRUN" "${limited[@]}" --resume run.time_limit=2h >>stdout 2>out
[ $? -eq 0 ] && [ "$(head -n 2 began | xargs)" = 'line2 line4' ] && [ "$(wc -l <stdout)" -eq 46 ]
ok "--resume begins with what was not begun, and no line is lost" $?

# Nothing is told. After twenty lines of a quarter of a second, one does not start that has less.
rm -f log* began
"$PLBRUN" -j 1 --joblog log --range 1-60 run.time_limit=9s run.grace=0.02s --run 'echo {}; sleep 0.25' \
    >stdout 2>out
[ $? -eq 1 ] && grep -qE 'not started, because no time was left: line.* left|time limit .* was reached' out
ok "by the scatter of times" $?

# A line fails, and has no time for its second try: it is a line that has failed. --resume tries it again.
rm -f log* go
printf 'line1\nline2\n' >two
joblog line1 8 line2 0.1 >old
failing=(-k -j 1 --retries 2 --joblog log --cost-from old --lines two
    --run 'echo {}; [ -e go ] || if [ {} = line2 ]; then sleep 0.1; else sleep 8; exit 3; fi')
"$PLBRUN" "${failing[@]}" run.time_limit=12s run.grace=0s >stdout 2>out
[ $? -eq 1 ] && grep -q '^plbrun: 1 of 2 lines failed, the first is line 1: .*: exit status 3; 1 of' out &&
    grep -q 'them was not retried, because no time was left; --resume continues' out
ok "a line that fails, and has no time for its second try" $?
: >go
"$PLBRUN" "${failing[@]}" --resume >>stdout 2>out && [ "$(xargs <stdout)" = 'line1 line2' ] &&
    [ "$(cut -f 1 log | xargs)" = 'Seq 1 2' ]
ok "--resume makes that one" $?

# A file of outputs gets its name when all lines are done.
rm -f log* go
head -n 6 cases >six
joblog "${times[@]}" >old
whole=(-j 1 --joblog log --cost-from old --lines six --run './sim {}' command.stdout=made)
"$PLBRUN" "${whole[@]}" run.time_limit=12s run.grace=0s >out 2>&1
[ $? -eq 1 ] && grep -q '2 of 6 lines were not started' out && [ ! -e made ] && [ ! -e made.partial ]
ok "an incomplete file has no name" $?
"$PLBRUN" "${whole[@]}" --resume run.time_limit=12s run.grace=0s --keep-partial >out 2>&1
[ $? -eq 1 ] && [ ! -e made ] && [ "$(xargs <made.partial)" = 'line1 line3 line5 line6' ]
ok "or is FILE.partial" $?
: >go
"$PLBRUN" "${whole[@]}" --resume >out 2>&1 && cmp six made && [ ! -e made.partial ]
ok "--resume makes it whole" $?

# sim.h: the law itself.
done_testing
