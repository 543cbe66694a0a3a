#!/usr/bin/env bash
# Any program as a kernel: each line once, outputs as they come or in order, failures retried and named.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
seq 1 60 >cases

# run N ARGUMENTS...: like ranks, but standard output goes to $tmp/stdout.
run() {
    local n=$1; shift
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" "$@" >stdout 2>out
}
# joblog: the columns of $tmp/log that do not depend on time and place.
joblog() { cut -f 1,6,7,8,9 log; }

for n in $(counts 1 3); do
    run "$n" -k --run 'sh -c "echo line {} number {#}; echo err {} >&2"' --lines cases --joblog log
    [ $? -eq 0 ] && cmp stdout <(awk '{print "line", $1, "number", NR}' cases) &&
        cmp <(grep '^err' out) <(sed 's/^/err /' cases) &&
        cmp <(cut -f 1,7,8 log | tail -n +2) <(awk '{print $1 "\t0\t0"}' cases)
    ok "outputs and joblog are in the order of the lines: $n ranks" $?
    rm -f log log.journal
done

# GNU parallel 20221122 has printed these, but for the times.
printf '%s\n' 'a b' "it's" 'dir/x.tar.gz' '$HOME' 'plain' >odd
"$PLBRUN" -k --run 'printf "%s|%s|%s|%s|%s\n" {} {.} {/} {//} {/.}; test {#} -ne 3' --lines odd --joblog log \
    >stdout 2>out
[ $? -eq 1 ] && cmp stdout - <<'P' && cmp <(joblog) - <<'L'
a b|a b|a b|.|a b
it's|it's|it's|.|it's
dir/x.tar.gz|dir/x.tar|x.tar.gz|dir|x.tar
$HOME|$HOME|$HOME|.|$HOME
plain|plain|plain|.|plain
P
Seq	Receive	Exitval	Signal	Command
1	18	0	0	printf "%s|%s|%s|%s|%s\n" 'a b' 'a b' 'a b' . 'a b'; test 1 -ne 3
2	22	0	0	printf "%s|%s|%s|%s|%s\n" 'it'"'"'s' 'it'"'"'s' 'it'"'"'s' . 'it'"'"'s'; test 2 -ne 3
3	42	1	0	printf "%s|%s|%s|%s|%s\n" dir/x.tar.gz dir/x.tar x.tar.gz dir x.tar; test 3 -ne 3
4	26	0	0	printf "%s|%s|%s|%s|%s\n" '$HOME' '$HOME' '$HOME' . '$HOME'; test 4 -ne 3
5	26	0	0	printf "%s|%s|%s|%s|%s\n" plain plain plain . plain; test 5 -ne 3
L
ok "replacement strings are those of GNU parallel, and no line is taken for code" $?
grep -q '^plbrun: 1 of 5 lines failed, the first is line 3: .*: exit status 1$' out
ok "a failing line is named, and the status is 1" $?
# As GNU parallel 20221122 again.
printf '%s\n' a. .a /a a/ . .. a.b.c /x.y/ / // a//b a/. ./a >names
"$PLBRUN" -k --run 'echo {}: {.} {/} {//} {/.},' --lines names >other 2>out
cmp other - <<'P'
a.: a a. . a,
.a:  .a . ,
/a: /a a / a,
a/: a/  . ,
.:  . . ,
..: . .. . .,
a.b.c: a.b a.b.c . a.b,
/x.y/: /x.y/  / ,
/: /  / ,
//: //  / ,
a//b: a//b b a b,
a/.: a/ . a ,
./a: ./a a . a,
P
ok "also of names that are hardly any" $?

# Wherever it stands in a script, it is one argument.
# shellcheck disable=SC2016 # the programs' own variables
"$PLBRUN" -k --lines <(printf '%s\n' 'a  b' "it's" '$(touch hacked)' '* "x') --joblog pipe --run '# don'"'"'t
printf "%s|" {} "`printf "%s" {}`" "$(case a in a) printf "%s" {};; esac)" # it'"'"'s
x=`printf "%s" {}`; printf "%s|" "$x"; cat <<E; echo $(( ({#}+1)*2 ))
{}|
E' >stdout 2>out
[ $? -eq 0 ] && [ ! -e hacked ] && cmp stdout <(
    n=2
    printf '%s\n' 'a  b' "it's" '$(touch hacked)' '* "x' |
        while read -r line; do n=$((n + 2)); printf '%s|%s|%s|%s|%s|\n%d\n' "$line" "$line" "$line" "$line" \
            "$line" $((n)); done
)
ok "in comments, backquotes, case, here-documents and arithmetic, also where lines come from a pipe" $?
PLB_STATUS_FILE=status HOME=/old "$PLBRUN" --range 1-1 command.env=HOME=/new \
    --run 'echo {0} "$HOME" "${PLB_STATUS_FILE-none}"' >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(echo '{0} /new none 1') && [ ! -s out ]
ok "env overrides, and nothing of plbrun-mpirun is inherited" $?

if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    command='printf "%s\n" {} "<"{.}">" {/} {//} {/.} {#} | sed "s/^/ /"'
    cat odd names >both
    parallel --will-cite -k "$command" :::: both >right 2>/dev/null
    "$PLBRUN" -k --run "$command" --lines both >stdout 2>out && cmp stdout right
    ok "GNU parallel prints the same" $?
else
    skip "GNU parallel prints the same" "it is not installed"
fi
for balancer in $(balancers); do
    run 3 --keep-order --balancer "$balancer" --run 'head -c {}00 /dev/zero; echo {}' --lines cases &&
        md5sum stdout >>sums
done
[ "$(wc -l <sums)" -eq "$(balancers | wc -w)" ] && [ "$(sort -u sums | wc -l)" -eq 1 ]
ok "outputs do not depend on the balancer" $?

# Lines as commands, of which some need a shell.
printf '%s\n' 'echo one' 'echo $((1+1))' 'exit 0' "echo 'th  ree'" | "$PLBRUN" -k --lines - >stdout 2>out
[ $? -eq 0 ] && cmp stdout <(printf '%s\n' one 2 'th  ree')
ok "without a command each line is one" $?

# Every fifth line fails when it is run first. A second try is made of those alone.
# shellcheck disable=SC2016 # the programs' own variables
run 2 -k --run 'echo x >>tries.{}; [ $(wc -l <tries.{}) -gt $(( {} % 5 == 0 )) ] && echo {}' \
    --lines cases --retries 2
[ $? -eq 0 ] && cmp stdout cases && [ "$(cat tries.* | wc -l)" -eq 72 ]
ok "failing lines are run again, and others are not" $?
run 2 -k --run 'echo try {}; echo x >>more.{}; false' --range 1-3 --retries 3
[ $? -eq 1 ] && cmp stdout <(printf 'try %d\n' 1 2 3) && [ "$(cat more.* | wc -l)" -eq 9 ] &&
    grep -q '3 of 3 lines failed' out
ok "their last run counts, with as many tries as wanted" $?

# shellcheck disable=SC2016
run 3 --run 'echo $PPID >>at.{}; [ $(( {} % 4 )) -gt 0 ]' --lines cases --retries 2
[ $? -eq 1 ] && [ "$(cat at.* | wc -l)" -eq 75 ] &&
    [ "$(for u in $(seq 4 4 60); do sort -u at."$u" | wc -l; done | grep -cx 2)" -ge 13 ]
ok "most of 15 lines that fail are run again by another rank" $?

"$PLBRUN" --run 'sh -c "trap : TERM; echo begun; sleep 60 & wait; sleep 60"' --range 1-1 --timeout 1.5 \
    --joblog log >stdout 2>out
[ $? -eq 1 ] && [ "$(cat stdout)" = begun ] && [ "$(cut -f 7,8 log | tail -1)" = "$(printf -- '-1\t9')" ] &&
    grep -q 'it exceeded its time limit' out
ok "a program that takes too long is ended, also where it does not listen" $?
"$PLBRUN" --run 'kill -USR1 $$' --range 1-1 >stdout 2>out
grep -q 'signal 10 (User defined signal 1)' out
ok "a signal is told" $?

mkdir -p there
lines there/s '#!/bin/sh' 'echo "in $(basename "$PWD") $MINE $PARALLEL_SEQ ${OMPI_COMM_WORLD_RANK-none}"'
chmod +x there/s
run 2 -k --run './s {}' --range 7-9 command.folder=there 'command.env=MINE=x OTHER=y'
[ $? -eq 0 ] && cmp stdout <(printf 'in there x %d none\n' 1 2 3)
ok "programs get their folder and environment, and nothing of this MPI" $?
"$PLBRUN" --run 'cat; ls /proc/self/fd | wc -l; echo {}' --range 1-1 >stdout 2>out <cases
cmp stdout <(printf '%s\n' 4 1)
ok "they get an empty input and no other descriptors" $?

# Line 1 waits for a file. The others are printed before it has ended, but not in order.
wait_for_go='echo {}; echo {} >&2; [ {} -gt 1 ] || while [ ! -e go ]; do sleep 0.05; done
    echo end {}; touch at.{}'
for order in '' -k; do
    rm -f go at.* log*
    # shellcheck disable=SC2086 # no or one word
    "$PLBRUN" $order -j 2 --run "$wait_for_go" --range 1-20 --joblog log >stdout 2>out &
    run=$!
    if [ "$order" = '' ]; then
        soon eval '[ "$(wc -l <stdout) $(wc -l <out) $(cat log 2>/dev/null | wc -l)" = "38 19 20" ]' &&
            ! grep -qx 1 stdout && [ "$(cut -f 1 log | sort -n | xargs)" = "Seq $(seq -s ' ' 2 20)" ]
    else
        soon eval '[ "$(ls at.* 2>/dev/null | wc -l)" -eq 19 ]' && sleep 0.2 && [ ! -s stdout ]
    fi
    early=$?
    touch go
    wait $run
    [ $? -eq 0 ] && [ $early -eq 0 ] &&
        cmp <(if [ "$order" = '' ]; then paste - - <stdout | sort -n; else paste - - <stdout; fi) \
            <(seq 20 | awk '{print $1 "\tend " $1}')
    ok "each line has its output whole, as it ends, and the joblog grows: ${order:-any order}" $?
    cmp <(cut -f 1 log) <(echo Seq; seq 20)
    ok "in the end it is in the order of the lines" $?
done
rm -f go at.*
"$PLBRUN" --run 'echo {}; sleep 0.05' --range 1-10000 2>out | head -2 >stdout
[ "$(wc -l <stdout)" -eq 2 ] && grep -q '^plbrun: /dev/stdout cannot be written: Broken pipe$' out
ok "a run whose reader has gone ends" $?

# A terminal hears of the end.
if script --version >/dev/null 2>&1; then
    # shellcheck disable=SC2089,SC2090 # script takes one command
    three="--run true --range 1-3"
    script -qec "'$PLBRUN' -j 2 $three && '$PLBRUN' --quiet $three" /dev/null >out 2>&1 </dev/null
    grep -q '^plbrun: 3 lines in [^ ]* [mu]*s on 2 PUs (1 rank on 1 host)' out && [ "$(wc -l <out)" -eq 1 ]
    ok "a terminal gets one line in the end, unless it is to be quiet" $?
else
    skip "a terminal gets one line in the end" "script is not installed"
fi
: >all.partial
"$PLBRUN" --run 'echo {}' --range 1-3 command.stdout=all && [ ! -e all.partial ]
ok "a complete result takes the place of what an earlier run has left of it" $?

# sentence NAME PATTERN ARGUMENTS...: refused before work begins.
sentence() {
    "$PLBRUN" "${@:3}" >out 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "^plbrun: .*$2" out
    ok "refused: $1" $?
}
sentence "a command that does not exist" 'program ./nosuch was not found;' --run './nosuch {}' --lines cases
sentence "one that PATH lacks" 'program nosuch in PATH was not found' --run nosuch --lines cases
sentence "an empty list" '/dev/null: has no lines' --run true --lines /dev/null
sentence "no list" 'cannot read lines = nolist' --run true --lines nolist
sentence "a quote without end" 'a quote is not closed' --run "echo 'x" --lines cases
"$PLBRUN" --run "cat <<'E'"$'\n{}\nE' --range 1-1 >out 2>&1
[ $? -eq 2 ] && grep -q 'in a here-document with a quoted delimiter' out
ok "refused: a here-document that replaces nothing" $?
sentence "an empty command" 'command.run is empty' --run ' ' --lines cases
# Memory for some of it alone: nothing is lost without a sentence.
if [ -z "${SAN:-}" ]; then
    (ulimit -v 800000; "$PLBRUN" --run 'head -c 300000000 /dev/zero; : {}' --range 1-1 >stdout 2>out)
    status=$?
    if [ $status -eq 0 ]; then [ "$(wc -c <stdout)" -eq 300000000 ]; else grep -q '^plbrun: ' out; fi
    ok "output that memory cannot hold ends the run" $?
    rm -f stdout
else
    skip "output that memory cannot hold ends the run" "sanitizers need the addresses"
fi
run 1 -k --run 'echo {}' --range 1-99:9223372036854775807 && cmp stdout <(echo 1)
ok "a step beyond the end" $?
sentence "a range backwards" 'expected FIRST-LAST' --run true --range 9-1
sentence "numbers as commands" 'a number is not a command' --range 1-9
sentence "two lists" 'both list the units' --run true --range 1-9 --lines cases
sentence "no folder" 'there is no such folder' --run true --range 1-9 command.folder=nofolder
sentence "no environment" "'x' is not NAME=VALUE" --run true --range 1-9 command.env=x
sentence "audits" 'must not execute units twice' --run true --range 1-9 run.audit=0.1

# A rank that is killed takes its programs with it. Its lines are run by others.
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun --enable-recovery $MPIRUN_OPTIONS -np 3 "$PLBRUN" --lines cases --joblog log \
        --run 'touch begun.{}; while [ ! -e go ]; do sleep 0.05; done; echo {}' >stdout 2>out &
    job=$!
    soon eval '[ "$(ls begun.* 2>/dev/null | wc -l)" -ge 3 ]'
    kill -KILL "$(process_of 2)"
    soon grep -q 'is lost' out
    touch go
    wait "$job"
    sort -n stdout | cmp - cases && [ "$(wc -l <log)" -eq 61 ]
    ok "where a rank is killed, no line is lost and none is there twice" $?
    rm -f go log* begun.*

else
    skip "where a rank is killed, no line is lost and none is there twice" "this mpirun is not Open MPI 4"
fi

rm -f log*
# The only rank is killed in line 21, and its program with it, which has a name of this test's own. --resume
# runs what its journal lacks, and prints the rest.
again=(--jobs 1 --lines cases --joblog log
    --run 'echo {} >>ran; [ {} -eq 21 ] && [ ! -e go ] && sleep 98765.'$$' | cat; echo {}')
told() { "$PLBRUN" --journal log.journal 2>/dev/null | tail -n +2 | wc -l; }
for order in '' -k; do
    rm -f go ran stdout
    # shellcheck disable=SC2086 # no or one word
    "$PLBRUN" $order "${again[@]}" >stdout 2>out &
    run=$!
    soon eval '[ "$(tail -n 1 ran 2>/dev/null)" = 21 ] && [ "$(told)" -ge 1 ] &&
        [ "$(cat log 2>/dev/null | wc -l)" -gt 1 ]'
    begun=$?
    kill -KILL $run
    wait $run 2>/dev/null
    [ $begun -eq 0 ] && soon eval '! pgrep -xf "sleep 98765.$$"' >/dev/null
    ok "programs end with their rank, and so does what they have started" $?
    # shellcheck disable=SC2086
    cp log before
    ! "$PLBRUN" $order "${again[@]}" >>stdout 2>out &&
        grep -q 'continue that run with --resume' out && cmp log before && [ "$(wc -l <log)" -gt 1 ]
    ok "a joblog is there after a crash, and it and its journal are not overwritten by mistake" $?
    touch go
    # shellcheck disable=SC2086
    "$PLBRUN" $order "${again[@]}" --resume >>stdout 2>out &&
        if [ "$order" = '' ]; then sort -n stdout; else cat stdout; fi | cmp - cases &&
        [ "$(wc -l <log)" -eq 61 ] && [ "$(sort ran | uniq -d | wc -l)" -lt 21 ]
    ok "with --resume the run goes on, and prints the rest${order:+ in order}" $?
    rm -f log*
done

# Somebody stops the run in line 21. The joblog has the lines that ended before, and later all.
stopped=(--jobs 1 --lines cases --joblog log
    --run 'echo {}; [ {} -ne 21 ] || [ -e go ] || { : >begun; exec sleep 98765; }')
for signal in INT TERM; do
    rm -f go begun
    # In the background a script's commands ignore SIGINT.
    (trap - INT; exec "$PLBRUN" -k "${stopped[@]}" >stdout 2>out) &
    run=$!
    soon [ -e begun ]
    kill -$signal $run
    wait $run
    [ $? -eq 1 ] && [ -s stdout ] && cmp <(cut -f 1,7,8 log) \
        <(printf 'Seq\tExitval\tSignal\n' && sed 's/$/\t0\t0/' stdout)
    ok "the joblog has the lines that ended before SIG$signal" $?
    : >go
    "$PLBRUN" -k "${stopped[@]}" --resume >stdout 2>out && [ "$(wc -l <log)" -eq 61 ]
    ok "and all lines when the run has gone on" $?
    rm -f log*
done

# Lines 2 to 20 have ended when the run is stopped in line 1, for which all others wait with -k. When the run
# goes on, the joblog grows, and has no line twice.
# noted: how many lines the journal has.
noted() {
    "$PLBRUN" --journal log.journal 2>/dev/null | sed '1d; s/.*: lines* //' |
        awk '{ n += NF > 1 ? $3 - $1 + 1 : 1 } END { print n + 0 }'
}
held=(-k -j 2 --range 1-21 --joblog log --run '[ {} -ne 1 ] || [ -e first ] || { : >begun; exec sleep 98765; }
    [ {} -ne 21 ] || { : >last; while [ ! -e go ]; do sleep 0.05; done; }; echo {}')
rm -f first begun last go
(trap - INT; exec "$PLBRUN" "${held[@]}" >stdout 2>out) &
run=$!
soon eval '[ -e begun ] && [ -e last ]'
: >go
soon eval '[ "$(noted)" -eq 20 ]'
kill -INT $run
wait $run
[ $? -eq 1 ] && [ ! -s stdout ] && [ "$(wc -l <log)" -ge 19 ]
ok "in order nothing is printed while the first line runs, and a stopped run's joblog has the others" $?
rm -f go last
: >first
"$PLBRUN" "${held[@]}" --resume >stdout 2>out &
run=$!
soon eval '[ "$(wc -l <stdout)" -ge 20 ] && [ "$(wc -l <log)" -ge 20 ]'
[ -z "$(cut -f 1 log | sort | uniq -d)" ] && [ "$(wc -l <log)" -ge 20 ]
ok "the joblog that grows has no line twice" $?
: >go
wait $run
[ $? -eq 0 ] && cmp stdout <(seq 21) && cmp <(cut -f 1 log) <(echo Seq; seq 21)
ok "and all in order in the end" $?
rm -f log* go first last begun
done_testing
