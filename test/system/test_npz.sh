#!/usr/bin/env bash
# spmm with a matrix of SciPy: the same result from each form of the file, and who reads it.
. "$(dirname "$0")/../support/lib.sh"
python3 - "$tmp" <<'P'
import io, random, struct, sys, zipfile
rows, columns, random = 2000, 500, random.Random(3)
entries = [sorted(random.sample(range(columns), random.randrange(60))) for _ in range(rows)]
offsets = [0]
for e in entries:
    offsets.append(offsets[-1] + len(e))
indices = [c for e in entries for c in e]
values = [random.randrange(-999, 999) / 8 for _ in indices]
def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += ' ' * (117 - len(text)) + '\n'
    return b'\x93NUMPY\x01\0' + struct.pack('<H', 118) + text.encode() + data
def save(name, index, offset, align):
    with zipfile.ZipFile(f'{sys.argv[1]}/{name}', 'w') as z:
        def add(member, descr, array, code):
            info = zipfile.ZipInfo(member + '.npy')
            pad = -(z.fp.tell() + 30 + len(member) + 8) % 64
            if align:
                info.extra = struct.pack('<HH', 0xd935, pad) + bytes(pad)
            z.writestr(info, npy(descr, f'({len(array)},)', struct.pack(f'<{len(array)}{code}', *array)))
        add('indices', '<i' + index[1], indices, index[0])
        add('indptr', '<i' + offset[1], offsets, offset[0])
        z.writestr('format.npy', npy('|S3', '()', b'csr'))
        add('shape', '<i8', [rows, columns], 'q')
        add('data', '<f8', values, 'd')
save('plain.npz', 'i4', 'i4', False)
save('wide.npz', 'q8', 'q8', True)
save('aligned.npz', 'i4', 'q8', True)
with open(f'{sys.argv[1]}/a.mtx', 'w') as f:
    print('%%MatrixMarket matrix coordinate real general', file=f)
    print(rows, columns, len(indices), file=f)
    for r, e in enumerate(entries):
        for i, c in enumerate(e):
            print(r + 1, c + 1, values[offsets[r] + i], file=f)
b = [random.randrange(-99, 99) / 4 for _ in range(columns * 64)]
open(f'{sys.argv[1]}/b.npy', 'wb').write(npy('<f8', f'({columns}, 64)', struct.pack(f'<{len(b)}d', *b)))
P
lines "$tmp/s.conf" '[app]' 'kernel = spmm' '[spmm]' "b = $tmp/b.npy" "c = $tmp/c.npy" \
    '[cluster]' 'master_only = yes'
# numbers: the product without the header of its file
numbers() { tail -c $((2000 * 64 * 8)) "$tmp/c.npy" >"$tmp/c"; rm -f "$tmp/c.npy"; }
moved() { field bytes_moved >>"$tmp/out" && [ "$(field bytes_moved)" -lt "$1" ]; }

ranks 2 --verify "$tmp/s.conf" spmm.matrix="$tmp/a.mtx" && numbers && mv "$tmp/c" "$tmp/mtx"
ok "the matrix in text" $?
for form in plain wide; do
    ranks 2 --verify --log info "$tmp/s.conf" spmm.matrix="$tmp/$form.npz" &&
        grep -q "$form.npz: rank 0 reads it into memory.*plbrun-npz" "$tmp/out" &&
        numbers && cmp "$tmp/c" "$tmp/mtx"
    ok "$form.npz gives the same product, and a line tells that rank 0 reads it" $?
done
# Results of backups are sent.
ranks 3 --verify --report "$tmp/r.json" "$tmp/s.conf" spmm.matrix="$tmp/aligned.npz" spmm.mapped=yes \
    balance.backups=off && numbers && cmp "$tmp/c" "$tmp/mtx" && moved 300000
ok "with aligned.npz and b and c in files other ranks read and write all" $?
ranks 3 --report "$tmp/r.json" "$tmp/s.conf" spmm.matrix="$tmp/plain.npz" && ! moved 1000000
ok "without them all of it moves" $?
"$PLBRUN" --dry-run "$tmp/s.conf" spmm.matrix="$tmp/none.npz" >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q 'cannot read matrix = .*none.npz' "$tmp/out"
ok "a file that is missing" $?
# simulated FORM: bytes that it moves, but for C, whose rows are no whole pages.
simulated() {
    "$PLBRUN" --simulate "$root/hostfiles/imbalance.cluster" --report "$tmp/r.json" "$tmp/s.conf" \
        spmm.matrix="$tmp/$1.npz" spmm.mapped="$2" cluster.master_only=no >"$tmp/out" 2>&1 &&
        field bytes_moved
}
all=$(simulated plain no) && few=$(simulated aligned yes) && echo "$all $few" >>"$tmp/out" &&
    [ "$few" -lt $((all - 500000)) ]
ok "simulated: A and B in files cross no link" $?
done_testing
