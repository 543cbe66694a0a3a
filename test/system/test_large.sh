#!/usr/bin/env bash
# Inputs and outputs three times the memory that rank 0 may have: they are files. PLB_LARGE: so many MB of
# memory (make check-large LARGE=1024).
# test/run: real MPI, whose memory counts.
. "$(dirname "$0")/../support/lib.sh"
if [ -n "${SAN:-}" ]; then
    skip "data three times rank 0's memory" "a sanitizer needs more memory"
    done_testing
fi
limit=$((${PLB_LARGE:-96} << 20))
elements=$((limit / 8 / 4096 * 4096)) # of each of three arrays

# A control group for rank 0, of version 1 or 2.
for group in "/sys/fs/cgroup/memory/plbrun.$$ memory.limit_in_bytes" \
    "/sys/fs/cgroup/plbrun.$$ memory.max" none; do
    read -r group file <<<"$group"
    [ "$group" != none ] && mkdir "$group" 2>/dev/null && echo $limit 2>/dev/null >"$group/$file" && break
    rmdir "$group" 2>/dev/null
done
if [ "$group" = none ]; then
    skip "data three times rank 0's memory" "no control group can be made here"
    done_testing
fi
trap 'rmdir "$group"; rm -rf "$tmp"' EXIT
lines "$tmp/within" '#!/bin/sh' \
    "[ \"\$OMPI_COMM_WORLD_RANK\" = 1 ] || echo \$\$ >$group/cgroup.procs" "exec '$PLBRUN' \"\$@\""
chmod +x "$tmp/within"

# b and c are random enough: whole numbers, a page at a time.
python3 - "$tmp" $elements <<'P'
import struct, sys
n = int(sys.argv[2])
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % n
start = b'\x93NUMPY\x01\0' + struct.pack('<H', 118) + (text + ' ' * (117 - len(text)) + '\n').encode()
for name in 'bc':
    with open(f'{sys.argv[1]}/{name}.npy', 'wb') as f:
        f.write(start)
        for i in range(n // 4096):
            f.write(struct.pack('<8d', *[ord(name) * i + k for k in range(8)]) * 512)
P
lines "$tmp/t.conf" '[app]' 'kernel = triad' '[triad]' "b = $tmp/b.npy" "c = $tmp/c.npy" "a = $tmp/a.npy"
for n in 1 2; do
    rm -f "$tmp/a.npy"
    PLBRUN=$tmp/within ranks $n --verify "$tmp/t.conf" triad.mapped=yes && grep -q verified "$tmp/out" &&
        [ "$(stat -c %s "$tmp/a.npy")" -eq $((8 * elements + 4096)) ]
    ok "three times rank 0's memory in files, $n ranks" $?
done
rm -f "$tmp/a.npy"
PLBRUN=$tmp/within ranks 2 "$tmp/t.conf"
[ $? -ne 0 ] && [ -s "$tmp/out" ] && [ ! -e "$tmp/a.npy" ]
ok "in memory it does not fit" $?
done_testing
