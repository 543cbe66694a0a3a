#!/usr/bin/env bash
# The journal: runs whose rank 0 is killed go on, and give what an undisturbed run gives.
. "$(dirname "$0")/../support/lib.sh"
j=$tmp/j y=$tmp/y.npy
lines "$tmp/sleeper.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 1000' "out = $y" '[run]' "journal = $j" '[balance]' 'grain = 20'
lines "$tmp/chain.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" \
    '[chain]' 'units = 200' 'passes = 4' 'nap = 0.001' "out = $y" '[run]' "journal = $j" \
    '[balance]' 'grain = 20' 'backups = off' # else others end the pass of a rank that waits

# broken N JOB: a run of N ranks whose rank 0 is killed when the journal has some results, and the others with
# it. The chain, whose gate is in its second pass, has kept something of that. Returns 0 where a journal is
# left.
broken() {
    rm -f "$j"* "$y"
    # shellcheck disable=SC2034 # lib.sh uses it
    gate_at=$([ "$2" = chain ] && echo 5 || echo 15)
    begin "$1" --quiet "$tmp/$2.conf"
    if [ "$2" = chain ]; then soon test -s "$j.pass"; else soon enough; fi
    kill -9 "$(process_of 0)"
    wait "$run"
    [ -s "$j" ] && [ ! -e "$y" ]
}
# enough: the journal names 3 ranges. A busy node reports several tasks as one range.
enough() { [ "$("$PLBRUN" --journal "$j" 2>/dev/null | wc -l)" -gt 3 ]; }
# by_itself JOB: the same without mpirun.
by_itself() {
    rm -f "$j"* "$y" "$tmp/gate"
    PLB_TEST_GATE=15:$tmp/gate "$PLBRUN" --quiet "$tmp/$1.conf" >"$tmp/out" 2>&1 &
    run=$!
    soon enough
}
# told PASS: how many units of a pass the journal names.
told() {
    "$PLBRUN" --journal "$j" | sed -nE "s/.*, pass $1: [a-z]+ ([0-9]+)( to ([0-9]+))?$/\1 \3/p" |
        awk '{ for (u = $1; u <= ($2 == "" ? $1 : $2); u++) n += !seen[u]++ } END { print n + 0 }'
}
# key KEY: what the report says, without the third of a second that python3 takes to start.
key() { sed -nE "s/^  \"$1\": ([^,]*),?$/\1/p" "$tmp/r.json"; }
# sentence NAME PATTERN STATUS: the run that has ended has status 2, and one sentence in $tmp/out.
sentence() {
    [ "$3" -eq 2 ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
        grep -qE "^plbrun: .*$2" "$tmp/out"
    ok "$1" $?
}
# refused NAME PATTERN ARGUMENTS...: the same of a run with these arguments.
refused() {
    alone "${@:3}"
    sentence "$1" "$2" $?
}

by_itself sleeper
ln "$j.data" "$tmp/data" # as it is in the end
open_gate
wait $run && mv "$y" "$tmp/sleeper.npy" && [ -s "$j" ] && [ ! -e "$j.data" ] && [ "$(told 1)" -eq 1000 ]
ok "a journal of a complete run is one file, which names all units" $?
cp "$j" "$tmp/complete"
alone --resume "$tmp/sleeper.conf" && [ ! -e "$y" ] &&
    grep -q 'this job is complete; nothing is left to do' "$tmp/out"
ok "which --resume does not run again" $?
alone --quiet --report "$tmp/r.json" "$tmp/sleeper.conf" sleeper.units=100 &&
    [ "$(stat -c %s "$y")" -eq 928 ] && [ "$(key resumed) $(key resumed_units)" = 'false 0' ]
ok "and which another run may replace" $?

# A crash right before the last record, which says that the job is complete.
head -c -16 "$tmp/complete" >"$j"
mv "$tmp/data" "$j.data"
rm -f "$y"
alone --quiet --resume "$tmp/sleeper.conf" &&
    same "a journal without its end is resumed" "$tmp/sleeper.npy" "$y"
[ ! -e "$y" ] || ok "a journal without its end is resumed" 1

rm -f "$j"*
alone --quiet --verify "$tmp/chain.conf" && mv "$y" "$tmp/chain.npy"
ok "four passes without a break" $?
[ "$(told 1) $(told 2) $(told 3) $(told 4)" = '200 200 200 200' ]
ok "and the journal names all units of each" $?

for n in 1 2; do
    for job in sleeper chain; do
        broken $n $job
        ok "$job, $n ranks, killed" $?
        verify=$([ $job = chain ] && echo --verify)
        # shellcheck disable=SC2086 # no or one word
        ranks $n --quiet $verify --report "$tmp/r.json" --resume "$tmp/$job.conf" &&
            same "and resumed" "$tmp/$job.npy" "$y"
        [ ! -e "$y" ] || ok "and resumed" 1
        if [ $job = chain ]; then
            [ "$(key resumed)" = true ] && [ "$(key resumed_pass)" -ge 2 ] &&
                [ "$(key passes)" -eq $((5 - $(key resumed_pass))) ]
        else
            [ "$(key resumed) $(key resumed_pass) $(key passes)" = 'true 1 1' ] &&
                [ "$(key resumed_units)" -ge 3 ]
        fi
        ok "the report says in which pass it went on" $?
    done
done

broken 2 sleeper
before=$("$PLBRUN" --journal "$j" | wc -l) units=$(told 1)
refused "a rerun without --resume" "continue that run with --resume, or remove" "$tmp/sleeper.conf"
refused "another setting" "another job: sleeper.units is 1001 here, but 1000 there" --resume \
    "$tmp/sleeper.conf" sleeper.units=1001
refused "another kernel" "another job: kernel is chain here, but sleeper there" --resume \
    "$tmp/chain.conf"
cp "$BUILD/test/kernels/sleeper.so" "$tmp/other.so" && printf x >>"$tmp/other.so"
refused "another build of the kernel" "another job: the kernel's file is .* here, but .* there" --resume \
    "$tmp/sleeper.conf" app.kernel="$tmp/other.so"
mv "$j.data" "$tmp/away"
refused "outputs that are missing" "its outputs in $j.data are missing" --resume "$tmp/sleeper.conf"
mv "$tmp/away" "$j.data"
[ "$before" -gt 0 ] && [ "$("$PLBRUN" --journal "$j" | wc -l)" -eq "$before" ]
ok "a refused run changes nothing" $?
ranks 3 --balancer greedy --report "$tmp/r.json" --resume "$tmp/sleeper.conf" &&
    same "on other ranks, with another balancer" "$tmp/sleeper.npy" "$y"
[ ! -e "$y" ] || ok "on other ranks, with another balancer" 1
[ "$(key resumed_units)" -eq "$units" ] &&
    grep -q "^sleeper: $((1000 - units)) naps in .*; resumed in pass 1 after $units naps; " "$tmp/out"
ok "the report and the summary say how much was done before" $?
"$PLBRUN" --journal "$j" >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -gt "$before" ] &&
    [ "$(told 1)" -eq 1000 ] &&
    [ "$(head -1 "$tmp/out")" = \
        "$(printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand')" ] &&
    awk -F'\t' -v host="$(hostname)" 'NR > 1 { n += NF == 9 && $1 == NR - 1 && $2 == host && $4 > 0 &&
        $7 + $8 == 0 && $9 ~ /^sleeper, pass 1: nap/ } END { exit n != NR - 1 }' "$tmp/out"
ok "--journal prints both runs in the columns of a joblog" $?

# A run that is interrupted keeps everything, and says how to go on.
by_itself sleeper
kill -TERM $run
wait $run
[ $? -eq 1 ] && grep -q "to compute all, .*--resume continues from there, by journal $j" "$tmp/out"
ok "an interrupted run says how to go on" $?
done=$(sed -nE 's/.*after ([0-9]+) of 1000 naps.*/\1/p' "$tmp/out")
alone --verbose --resume "$tmp/sleeper.conf" && cmp "$tmp/sleeper.npy" "$y" &&
    [ "$(sed -nE 's/.*of which ([0-9]+) of 1000 naps.*/\1/p' "$tmp/out")" -ge "$done" ]
ok "and all that it did is kept" $?

# A damaged byte of the outputs: the units of its record are executed again.
by_itself sleeper
kill -9 $run
wait $run 2>/dev/null
unit=$("$PLBRUN" --journal "$j" | sed -nE 's/.*, pass 1: [a-z]+ ([0-9]+).*/\1/p' | head -1)
printf '\377' | dd of="$j.data" bs=1 seek=$((4096 + 8 * unit + 3)) conv=notrunc 2>/dev/null
rm -f "$y"
alone --quiet --resume "$tmp/sleeper.conf" && cmp "$tmp/sleeper.npy" "$y" &&
    grep -q "warning: journal $j: $j.data is damaged in the outputs of .*; these are re-executed" "$tmp/out"
ok "outputs that are damaged on disk are made again" $?

# Two runs with one journal.
by_itself sleeper
timeout 120 "$PLBRUN" --resume "$tmp/sleeper.conf" >"$tmp/resumed" 2>&1 & # both wait for a second
resumed=$!
refused "a journal that another run uses" "another run uses it" "$tmp/sleeper.conf"
wait $resumed
status=$?
cp "$tmp/resumed" "$tmp/out"
sentence "also with --resume" "another run uses it" $status
kill -9 $run
wait $run 2>/dev/null
alone --quiet --resume "$tmp/sleeper.conf" && cmp "$tmp/sleeper.npy" "$y"
ok "a lock ends with its process" $?

# A disk that is full, by a limit on the size of files.
rm -f "$j"* "$y"
(ulimit -f 80; refused "no room for the outputs" "there is no space for the .* of outputs in $j.data" \
    "$tmp/sleeper.conf" sleeper.units=10000; exit "$failures")
failures=$? count=$((count + 1))
lines "$tmp/naps.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[sleeper]' 'units = 1000' \
    '[run]' "journal = $j" '[balance]' 'grain = 20'
by_itself naps
prlimit --pid $run --fsize=500 # bytes
open_gate
wait $run && [ ! -e "$j" ] &&
    [ "$(grep -c "warning: journal $j: cannot be written: .*; the run continues" "$tmp/out")" -eq 1 ]
ok "a journal that cannot grow does not keep a run from its end" $?

# A disk that is full where records go, and then a file of records that is damaged. Lines have 2 KB each.
lines "$tmp/more.conf" '[app]' 'kernel = command' '[command]' 'range = 1-60' "stdout = $y" "folder = $tmp" \
    'run = : >begun; until [ -e go ]; do sleep 0.02; done; head -c 2000 /dev/zero | tr "\0" x; echo {}' \
    '[run]' "journal = $j"
rm -f "$j"* "$y"
"$PLBRUN" --quiet "$tmp/more.conf" >"$tmp/out" 2>&1 &
run=$!
soon test -e "$tmp/begun"
prlimit --pid $run --fsize=50000 # bytes
: >"$tmp/go"
wait $run
[ $? -eq 1 ] && grep -q 'cannot be written.*--resume continues from there' "$tmp/out" && [ ! -e "$y" ] &&
    [ -s "$j" ]
ok "a run ends where its records have no room" $?
for f in "" .data .records; do cp "$j$f" "$tmp/broken$f"; done
# all: the result has all lines, in their order.
all() { [ "$(tr -d x <"$y")" = "$(seq 60)" ] && [ "$(wc -c <"$y")" -eq 120171 ]; }
alone --quiet --resume "$tmp/more.conf" && all
ok "and the one that goes on has all lines" $?
rm -f "$y"
for f in "" .data .records; do cp "$tmp/broken$f" "$j$f"; done
truncate -s 9000 "$j.records" # four lines: the journal notes results after their records, so not all of those
alone --quiet --resume "$tmp/more.conf" && all && grep -q 'warning: .*has lost the records of' "$tmp/out"
ok "records that were lost are made again" $?

# A first pass that ends at once, since its line fails: the job is known all the same.
rm -f "$j"* "$y" "$tmp/go"
# shellcheck disable=SC2016 # the program's own
again=('--run' 'echo x >>tries; [ $(wc -l <tries) -gt 2 ] && until [ -e go ]; do sleep 0.02; done && echo {}'
    --range 1-1 --retries 6 run.journal="$j" command.folder="$tmp")
"$PLBRUN" --quiet "${again[@]}" >/dev/null 2>&1 &
run=$!
third() { [ -e "$tmp/tries" ] && [ "$(wc -l <"$tmp/tries")" -gt 2 ]; }
soon third
soon test -s "$j.pass"
kill -9 $run
wait $run 2>/dev/null
: >"$tmp/go"
alone --quiet --resume "${again[@]}" && [ "$(cat "$tmp/out")" = 1 ]
ok "a run is resumed whose first pass ended at once" $?

# Lines that have failed are the end of a run; a result that cannot be written is not.
rm -f "$j"*
# It is saved elsewhere then, here in the folder.
(cd "$tmp" && alone --quiet --run 'echo {}; false' --range 1-3 command.joblog=/dev/full run.journal="$j")
[ $? -eq 1 ] && alone --quiet --resume --run 'echo {}; false' --range 1-3 command.joblog="$y" run.journal="$j"
[ $? -eq 1 ] && [ "$(wc -l <"$y")" -eq 4 ]
ok "a journal is complete where its results are written" $?
cp "$tmp/out" "$tmp/first"
for n in 1 3; do
    ranks $n --quiet --resume --run 'echo {}; false' --range 1-3 command.joblog="$tmp/other" run.journal="$j"
    [ $? -eq 1 ] && grep -q '^plbrun: 3 of 3 lines failed' "$tmp/out" && [ ! -e "$tmp/other" ] &&
        cmp <(grep '^plbrun: ' "$tmp/first") <(grep '^plbrun: ' "$tmp/out")
    ok "--resume of a complete run fails as that run did, $n ranks" $?
done

# A text of several lines, of which one is empty, is a setting as any other, and so is what follows it.
# The first line ends, and no other.
rm -f "$j"* "$y"
printf '%s\n' a b c >"$tmp/list"
several=(--run $'echo got {}\n\n[ {} = a ] || sleep 98765' --lines "$tmp/list" run.journal="$j")
"$PLBRUN" --quiet "${several[@]}" >/dev/null 2>&1 &
run=$!
soon test -s "$j"
kill -9 $run
wait $run 2>/dev/null
printf '%s\n' a B c >"$tmp/list"
refused "other lines behind an empty one" 'another job: file lines is .* here, but .* there' --resume \
    "${several[@]}"

rm -f "$j"* "$y"
refused "--resume without a journal" "needs the journal of the interrupted run; name it with run.journal" \
    --resume "$root/examples/demo/app.conf"
refused "a folder that does not exist" "the folder of journal = .* does not exist" "$tmp/sleeper.conf" \
    run.journal="$tmp/none/j"
refused "a journal that is also an output" "run.journal and sleeper.out both name" \
    "$tmp/sleeper.conf" run.journal="$y"
refused "a file of the journal that is also an output" \
    "sleeper.out names $j.data, which the journal uses; name another file" "$tmp/sleeper.conf" \
    sleeper.out="$j.data"
refused "or the report" "--report names $j.pass, which the journal uses" --report "$j.pass" \
    "$tmp/sleeper.conf"
echo 'my notes' >"$tmp/notes"
refused "a file that is no journal" "this file is not a journal of plbrun" "$tmp/sleeper.conf" \
    run.journal="$tmp/notes"
[ -s "$tmp/out" ] && [ "$(cat "$tmp/notes")" = 'my notes' ]
ok "and it stays as it is" $?
refused "--journal of a file that is not there" "cannot be read: No such file" --journal "$tmp/none"
alone --simulate "$root/hostfiles/demo.cluster" "$tmp/sleeper.conf" && [ ! -e "$j" ]
ok "a simulation keeps no journal" $?
done_testing
