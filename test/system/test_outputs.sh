#!/usr/bin/env bash
# Where outputs, reports and traces go.
. "$(dirname "$0")/../support/lib.sh"
mkdir "$tmp/work"
cd "$tmp/work" || exit
lines "$tmp/one.cluster" '[node a]' 'pus = p' '[pu p]' 'rate = 1e9'
printf '[app]\nkernel = triad\n[triad]\nelements = 8192\n' >"$tmp/t.conf"

# refuses NAME PATTERN ARGUMENTS...: status 2 and one sentence, and no file.
refuses() {
    local name=$1 pattern=$2; shift 2
    alone "$tmp/t.conf" "$@"
    [ $? -eq 2 ] && grep -q "$pattern" "$tmp/out" && [ ! -e "$tmp/a.npy" ]
    ok "$name" $?
}
both='a and reduced both name'
a=triad.a=$tmp/a.npy
refuses "two outputs with one name" "$both" "$a" triad.reduced="$tmp/a.npy"
refuses "and by another path" "$both" "$a" triad.reduced="$tmp/../${tmp##*/}/a.npy"
ln -s a.npy "$tmp/link.npy"
refuses "and by a link" "$both" "$a" triad.reduced="$tmp/link.npy"
refuses "a report with the name of an output" 'report and a both name' "$a" --report "$tmp/a.npy"
refuses "report and trace on standard output" 'both name' --report - --trace /dev/fd/1

alone "$tmp/t.conf" triad.a="$tmp/link.npy" && [ -L "$tmp/link.npy" ] &&
    [ -f "$tmp/a.npy" ] && [ ! -L "$tmp/a.npy" ]
ok "an output that is a link is written through it" $?

rm -f "$tmp/a.npy"
timeout 60 "$PLBRUN" --show-pus "$tmp/t.conf" "$a" >&- 2>&-
[ "$(stat -c %s "$tmp/a.npy")" -eq 65664 ] && [ "$(head -c 6 "$tmp/a.npy" | tail -c 5)" = NUMPY ]
ok "where standard output and error are closed, nothing is printed into a result" $?
timeout 60 "$PLBRUN" --report - "$tmp/t.conf" 2>"$tmp/out" >&-
[ $? -eq 2 ] && grep -q '/dev/stdout: cannot be written: Bad file descriptor' "$tmp/out"
ok "a report to a standard output that is closed is refused" $?

timeout 60 "$PLBRUN" --report - "$tmp/t.conf" >"$tmp/r.json" 2>"$tmp/out" &&
    python3 -m json.tool "$tmp/r.json" >/dev/null && grep -q '^triad: ' "$tmp/out"
ok "a report on standard output, and the summary on standard error" $?
# Not /dev/stdout itself: a program that replaced it would break the machine of root.
timeout 60 "$PLBRUN" --report /dev/fd/1 "$tmp/t.conf" 2>"$tmp/out" | python3 -m json.tool >/dev/null
ok "a report through /dev/fd/1 into a pipe" "${PIPESTATUS[1]}"
[ -L /dev/fd ] && [ -L /dev/stdout ]; ok "links in /dev are still there" $?
timeout 60 "$PLBRUN" --quiet --trace - --simulate "$tmp/one.cluster" "$tmp/t.conf" 2>"$tmp/out" |
    python3 -m json.tool >/dev/null
ok "a trace on standard output" "${PIPESTATUS[1]}"

mkfifo "$tmp/pipe"
timeout "$PATIENCE" cat "$tmp/pipe" >"$tmp/piped.json" &
reader=$!
timeout 60 "$PLBRUN" --quiet --report "$tmp/pipe" "$tmp/t.conf" >"$tmp/out" 2>&1 && wait $reader &&
    python3 -m json.tool "$tmp/piped.json" >/dev/null
ok "a report into a pipe" $?
timeout 60 "$PLBRUN" --quiet --report "$tmp/pipe" "$tmp/t.conf" >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q 'nobody reads this pipe' "$tmp/out"
ok "a pipe that nobody reads is an error, and no hang" $?
[ -s "$tmp/out" ] && [ -z "$(ls -A)" ] && ! grep -q 'saved as' "$tmp/out"
ok "and no file takes its place" $?
# shellcheck disable=SC2094 # a pipe
exec 6<>"$tmp/pipe" 7>"$tmp/pipe" 6<&- # a reader that has gone
timeout 60 "$PLBRUN" --quiet --report - "$tmp/t.conf" >&7 2>"$tmp/out"
[ $? -eq 1 ] && [ -z "$(ls -A)" ] && grep -q 'nobody reads this pipe' "$tmp/out"
ok "nor of standard output that nobody reads" $?
exec 7>&-
mkfifo "$tmp/other"
timeout "$PATIENCE" cat "$tmp/other" >"$tmp/piped.npy" &
reader=$!
timeout 60 "$PLBRUN" --quiet "$tmp/t.conf" triad.a="$tmp/other" >"$tmp/out" 2>&1 && wait $reader &&
    [ "$(stat -c %s "$tmp/piped.npy")" -eq 65664 ]
ok "a result into a pipe" $?

# Room for results is taken before work begins.
(ulimit -f 8; alone "$tmp/t.conf" "$a")
[ $? -eq 2 ] && grep -q 'a.npy: there is no room for the 65.7 kB of this result: File too large' "$tmp/out"
ok "a limit on files is found before the run" $?
mkdir "$tmp/disk"
if mount -t tmpfs -o size=32k tmpfs "$tmp/disk" 2>/dev/null; then
    alone "$tmp/t.conf" triad.a="$tmp/disk/a.npy"
    [ $? -eq 2 ] && grep -q 'disk/a.npy: there is no room .*: No space left' "$tmp/out" &&
        [ -z "$(ls -A "$tmp/disk")" ]
    ok "a full disk is found before the run" $?
    umount "$tmp/disk"
else
    skip "a full disk is found before the run" "no file system can be mounted here"
fi

# A result that can be saved is saved.
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/faulty.so" >"$tmp/faulty.conf"
alone "$tmp/faulty.conf" --report "$tmp/disk/r.json" --trace "$tmp/disk/t.html" \
    faulty.y="$tmp/disk/y.npy" faulty.fault=vanish
[ $? -eq 1 ] && [ ! -e "$tmp/disk" ] &&
    grep -q 'y.npy: cannot be written: .* the result is saved as ./[0-9a-f]*-y.npy' "$tmp/out" &&
    [ "$(stat -c %s ./*-y.npy)" -eq 8128 ]
ok "where the folder has vanished, the result is saved elsewhere" $?
grep -q '"status": "failed"' ./*-r.json
ok "and so is the report" $?
grep -q '<svg' ./*-t.html
ok "and so is the trace, in its format" $?
alone --verify "$tmp/faulty.conf" faulty.y="$tmp/y.npy" faulty.fault=wrong
[ $? -eq 3 ] && [ ! -e "$tmp/y.npy" ] && [ "$(stat -c %s "$tmp/y.npy.wrong")" -eq 8128 ] &&
    grep -q 'the reference says 963; .*y.npy.wrong has what was computed' "$tmp/out"
ok "a wrong result is kept apart" $?

# A rank that cannot begin: rank 0 has nothing to write, though it has seen no mistake itself.
mkdir -p "$tmp/there"
cp "$PLBRUN" "$tmp/there/plbrun"
rm -f "$tmp/a.npy"
timeout 120 mpirun --oversubscribe --bind-to none -np 1 "$PLBRUN" "$tmp/t.conf" "$a" --report "$tmp/no.json" \
    : -np 1 "$tmp/there/plbrun" "$tmp/t.conf" >"$tmp/out" 2>&1
[ $? -ne 0 ] && grep -q "plbrun: rank 1 on .*kernel 'triad'" "$tmp/out" && [ ! -e "$tmp/a.npy" ] &&
    [ ! -e "$tmp/no.json" ]
ok "a rank that cannot begin ends the run, and nothing is written" $?
done_testing
