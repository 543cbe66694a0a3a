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
both='triad.a and triad.reduced both name'
a=triad.a=$tmp/a.npy
refuses "two outputs with one name" "$both" "$a" triad.reduced="$tmp/a.npy"
refuses "and by another path" "$both" "$a" triad.reduced="$tmp/../${tmp##*/}/a.npy"
ln -s a.npy "$tmp/link.npy"
refuses "and by a link" "$both" "$a" triad.reduced="$tmp/link.npy"
refuses "a report with the name of an output" 'report and triad.a both name' "$a" --report "$tmp/a.npy"
refuses "report and trace on standard output" 'both name' --report - --trace /dev/fd/1

# keeps NAME FILE PATTERN ARGUMENTS...: status 2 and one sentence, and the file is as it was.
keeps() {
    local name=$1 file=$2 pattern=$3; shift 3
    cp "$file" "$tmp/before"
    alone "$@"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && cmp "$file" "$tmp/before" &&
        grep -q "names .*$pattern.* and would overwrite; name another file" "$tmp/out"
    ok "$name" $?
}
# Each input of a run is safe from each of its outputs.
input=$tmp/input
mkdir "$input"
alone "$tmp/t.conf" triad.a="$input/b.npy" && cp "$input/b.npy" "$input/c.npy"
printf 'one\ntwo\n' >"$input/list"
printf '[app]\nkernel = ./triad.so\n[triad]\nb = b.npy\nc = c.npy\n' >"$input/t.conf"
cp "$BUILD/kernels/triad.so" "$input/triad.so"
cp "$tmp/one.cluster" "$input/one.cluster"
ln -s b.npy "$input/link.npy"
ln "$input/b.npy" "$input/hard.npy"
conf=$input/t.conf
keeps "a list, and the joblog" "$input/list" "list, which this run reads (command.lines: $input/list)" \
    --run 'echo {}' --lines "$input/list" --joblog "$input/list"
keeps "a list, and the report" "$input/list" '(command.lines' --run 'echo {}' --lines "$input/list" \
    --report "$input/list"
# shellcheck disable=SC2094 # it is refused
keeps "a list on standard input" "$input/list" '(command.lines: /dev/stdin)' --run 'echo {}' --lines - \
    --joblog "$input/list" <"$input/list"
keeps "an input, and a result" "$input/b.npy" '(triad.b: ' "$conf" triad.a="$input/b.npy"
keeps "by another path" "$input/b.npy" '(triad.b: ' "$conf" triad.a="$input/../input/b.npy"
keeps "by a symbolic link" "$input/b.npy" '(triad.b: ' "$conf" triad.a="$input/link.npy"
keeps "by a hard link" "$input/b.npy" '(triad.b: ' "$conf" --report "$input/hard.npy"
keeps "with --dry-run" "$input/b.npy" '(triad.b: ' --dry-run "$conf" --report "$input/b.npy"
keeps "the conf file, and the report" "$conf" "(the conf file: $conf)" "$conf" --report "$conf"
keeps "the conf file, and a result" "$conf" '(the conf file: ' "$conf" triad.a="$conf"
keeps "the conf file, and the journal" "$conf" '(the conf file: ' "$conf" run.journal="$conf"
keeps "the kernel" "$input/triad.so" '(app.kernel: ' "$conf" triad.a="$input/triad.so"
keeps "the .cluster file" "$input/one.cluster" '(cluster.file: ' "$conf" \
    cluster.file="$input/one.cluster" --report "$input/one.cluster"
keeps "that of a simulation" "$input/one.cluster" '(--simulate: ' "$conf" --simulate "$input/one.cluster" \
    --pareto="$input/x.json" --report "$input/one.cluster"
alone "$conf" --report "$input/r.json"
keeps "the report that is replayed" "$input/r.json" '(--replay: ' --replay "$input/r.json" "$conf" \
    --report "$input/r.json"
timeout 60 "$PLBRUN" --quiet --run 'echo {}' --lines "$input/list" --report /dev/null >"$tmp/said" \
    2>"$tmp/out" && cmp "$input/list" <(sort "$tmp/said")
ok "a device is no file" $?

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
[ $? -eq 2 ] && grep -q 'a.npy: there is no space for the 65.7 kB of this result: File too large' "$tmp/out"
ok "a limit on files is found before the run" $?
mkdir "$tmp/disk"
if mount -t tmpfs -o size=32k tmpfs "$tmp/disk" 2>/dev/null; then
    alone "$tmp/t.conf" triad.a="$tmp/disk/a.npy"
    [ $? -eq 2 ] && grep -q 'disk/a.npy: there is no space .*: No space left' "$tmp/out" &&
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
    grep -q 'y.npy: cannot be written: .* the result was saved as ./[0-9a-f]*-y.npy' "$tmp/out" &&
    [ "$(stat -c %s ./*-y.npy)" -eq 8128 ]
ok "where the folder has vanished, the result is saved elsewhere" $?
grep -q '"status": "failed"' ./*-r.json
ok "and so is the report" $?
grep -q '<svg' ./*-t.html
ok "and so is the trace, in its format" $?
alone --verify "$tmp/faulty.conf" faulty.y="$tmp/y.npy" faulty.fault=wrong
[ $? -eq 3 ] && [ ! -e "$tmp/y.npy" ] && [ "$(stat -c %s "$tmp/y.npy.wrong")" -eq 8128 ] &&
    grep -q 'the reference says 963; .*y.npy.wrong has the computed results' "$tmp/out"
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
