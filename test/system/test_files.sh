#!/usr/bin/env bash
# Buffers that are files: every rank reads and writes them itself where it sees the same ones.
. "$(dirname "$0")/../support/lib.sh"
in=$tmp/in out=$tmp/out.d
mkdir "$in" "$out"
python3 - "$in" <<'P'
import struct, sys
n = 512 * 400
header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }"
def save(name, shape, data, descr='<f8', order='False'):
    text = header % (descr, order, shape)
    text += ' ' * (117 - len(text)) + '\n'
    start = b'\x93NUMPY\x01\0' + struct.pack('<H', 118)
    open(f'{sys.argv[1]}/{name}', 'wb').write(start + text.encode() + data)
x = struct.pack(f'<{n}d', *range(n))
save('x.npy', f'{n},', x)
save('other.npy', f'{n},', struct.pack('<d', 7) + x[8:])
save('f4.npy', f'{n},', x[:4 * n], '<f4')
save('fortran.npy', f'512, {n // 512}', x, order='True')
open(f'{sys.argv[1]}/z', 'wb').write(b'header..' + struct.pack('<d', 0.5))
P
touch -r "$in/x.npy" "$in/other.npy"
lines "$tmp/f.conf" '[app]' "kernel = $BUILD/test/kernels/filer.so" \
    '[filer]' "x = $in/x.npy" "z = $in/z" 'offset = 8' "y = $out/y.npy" '[balance]' 'grain = 20' \
    'backups = off' # their results are sent
data=1638400 # bytes of x, and of y
ranks 1 "$tmp/f.conf" filer.memory=yes && tail -c $data "$out/y.npy" >"$tmp/y"
ok "in memory" $?

# right FILE: it has the numbers of the run in memory, and nothing else is there.
right() { tail -c $data "$1" | cmp - "$tmp/y" >>"$tmp/out" 2>&1 && [ "$(ls -A "$out")" = "${1##*/}" ]; }
# moved MOST: no more bytes were sent.
moved() { field bytes_moved >>"$tmp/out" && [ "$(field bytes_moved)" -le "$1" ]; }
few=100000 # bytes: what the start of a run sends
apart=cluster.master_only=yes # rank 0 computes nothing

for n in 1 2 3; do
    rm -f "$out"/*
    ranks $n --verify --report "$tmp/r.json" "$tmp/f.conf" && right "$out/y.npy" && moved $few
    ok "the same in files, $n ranks" $?
done
rm -f "$out"/*
ranks 3 --log info --verify --report "$tmp/r.json" "$tmp/f.conf" $apart && right "$out/y.npy" && moved $few &&
    [ "$(grep -c 'rank 1 on .*: x itself, z itself, y itself' "$tmp/out")" -eq 1 ] &&
    [ "$(grep -c 'reads and writes files' "$tmp/out")" -eq 1 ]
ok "other ranks read and write all: nothing crosses rank 0's link, and a line says so" $?
rm -f "$out"/*
ranks 3 --report "$tmp/r.json" "$tmp/f.conf" $apart filer.memory=yes && ! moved $data
ok "which it does where they are in memory" $?
rm -f "$out"/*
ranks 2 "$tmp/f.conf" $apart filer.raw=yes && cmp "$out/y.npy" "$tmp/y"
ok "a result without a header" $?
rm -f "$out"/*
ranks 2 --verify "$tmp/f.conf" run.checksums=yes run.isolate=yes && right "$out/y.npy"
ok "with checksums, and tasks in child processes" $?

# simulate SETTING: bytes that a simulation moves.
simulate() {
    "$PLBRUN" --simulate "$root/hostfiles/imbalance.cluster" --report "$tmp/r.json" "$tmp/f.conf" "$1" \
        >"$tmp/out" 2>&1 && field bytes_moved
}
all=$(simulate filer.memory=yes) && few=$(simulate filer.memory=no) && echo "$all $few" >>"$tmp/out" &&
    [ "$all" -gt 0 ] && [ "$few" -eq 0 ]
ok "simulated: files cross no link" $?

# A rank that sees something else. It does so in a mount namespace of its own.
# sees WHAT: on rank 1 alone, a mount hides what rank 0 sees.
if unshare -m true 2>/dev/null; then
    lines "$tmp/other" '#!/bin/sh' "[ \"\$OMPI_COMM_WORLD_RANK\" = 1 ] || exec '$PLBRUN' \"\$@\"" \
        "exec unshare -m sh -c 'eval \"\$MOUNTS\"; exec \"\$@\"' sh '$PLBRUN' \"\$@\""
    chmod +x "$tmp/other"
    differs() { # NAME MOUNTS LINE
        rm -f "$out"/*
        export MOUNTS=$2
        PLBRUN=$tmp/other ranks 3 --log info --verify --report "$tmp/r.json" "$tmp/f.conf" $apart &&
            right "$out/y.npy" && grep -q "rank 1 on .*: $3" "$tmp/out" &&
            grep -q 'rank 2 on .*: x itself, z .*, y itself' "$tmp/out"
        ok "$1" $?
    }
    differs "a rank that has another file there gets its parts from rank 0" \
        "mount --bind '$in/other.npy' '$in/x.npy'" 'x through rank 0, z itself, y itself'
    differs "a rank that has no such files" "mount -t tmpfs none '$in'" \
        'x through rank 0, z through rank 0, y itself'
    differs "a rank that does not see the results sends them" "mount -t tmpfs none '$out'" \
        'x itself, z itself, y through rank 0'
else
    skip "ranks that see other files" "no mount namespaces here"
fi

# Ranks that end, and runs that fail.
# shellcheck disable=SC2034 # lib.sh uses both
LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=3
# at_gate ARGUMENTS...: tasks of ranks 1 and 2 wait, after they have written some results.
at_gate() { begin 3 "$@" $apart && await 2 'a task waits at the gate'; }
rm -f "$out"/*
at_gate "$tmp/f.conf"
kill -KILL "$(process_of 1)"
await 1 'is lost'
open_gate
wait "$run" && right "$out/y.npy"
ok "a rank that is killed while it writes" $?
rm -f "$out"/*
at_gate --keep-partial "$tmp/f.conf"
[ -n "$(ls -A "$out")" ] && [ ! -e "$out/y.npy" ]
ok "while the job runs, the result has another name" $?
kill -TERM "$(process_of 0)"
wait "$run"
grep -q "interrupted by SIGTERM" "$tmp/out" &&
    [ "$(cd "$out" && echo *)" = 'y.npy.partial y.npy.partial.units' ] &&
    [ "$(stat -c %s "$out/y.npy.partial")" -gt $data ]
ok "a run that is interrupted leaves a partial result" $?
rm -f "$out"/*
at_gate "$tmp/f.conf"
begun=$?
kill -TERM "$(process_of 0)"
wait "$run"
[ $begun -eq 0 ] && [ -z "$(ls -A "$out")" ]; ok "or nothing" $?
rm -f "$out"/*
ranks 2 --verify "$tmp/f.conf" $apart filer.liar=1 # and nobody else computes
[ $? -eq 3 ] && [ "$(ls -A "$out")" = y.npy.wrong ]
ok "a wrong result goes to y.npy.wrong" $?
rm -f "$out"/*
ranks 4 --verify --report "$tmp/r.json" "$tmp/f.conf" $apart filer.liar=1 run.audit=1 balance.backups=off \
    balance.grain=1 cluster.threads=1
[ $? -eq 1 ] && right "$out/y.npy.wrong" && [ "$(field verified)" = True ]
ok "an audit puts wrong results right, in the file" $?
rm -f "$out"/*
alone "$tmp/f.conf" filer.spoils=yes 2>/dev/null
[ $? -ne 0 ] && grep -q "SIGSEGV.*; $in/x.npy is read-only" "$tmp/out" && [ -z "$(ls -A "$out")" ]
ok "an entry that writes to an input in a file" $?

# refused NAME PATTERN ARGUMENTS...: status 2 and one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone "$tmp/f.conf" "$@"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && grep -q "$pattern" "$tmp/out" &&
        [ -z "$(ls -A "$out")" ]
    ok "$name" $?
}
refused "no such file" 'none.npy: No such file' filer.x="$in/none.npy"
refused "no .npy" 'z: is not an .npy file' filer.x="$in/z"
refused "numbers of another type" "f4.npy: holds '<f4', but kernel filer needs '<f8'" filer.x="$in/f4.npy"
refused "in another order" "fortran.npy: its order is Fortran's" filer.x="$in/fortran.npy"
refused "too short" "x.npy has $data bytes of data, and buffer 'x' needs" filer.more=1
refused "a part that is not there" 'z: has 16 bytes, and .* wants 8 of them from byte 9 on' filer.offset=9
refused "before the begin" 'wants 8 of them from byte -8 on' filer.offset=-8
refused "a folder that is not there" 'the folder of y = .* does not exist' filer.y="$out/no/y.npy"
refused "a result that is a device" 'null: is not a regular file' filer.y=/dev/null
refused "a journal" 'a journal cannot keep .*y.npy' run.journal="$tmp/j"
ranks 2 "$tmp/f.conf" filer.x="$in/none.npy"
[ $? -eq 2 ] && [ "$(grep -c 'none.npy: No such file' "$tmp/out")" -eq 1 ]
ok "before any rank begins" $?
lines "$tmp/one.cluster" '[node a]' 'pus = p' '[pu p]' 'rate = 1e9'
alone --simulate "$tmp/one.cluster" "$tmp/f.conf" && [ -z "$(ls -A "$out")" ]
ok "a simulation reads the header alone" $?
done_testing
