#!/usr/bin/env bash
# kmeans: labels, centroids and inertia as scikit-learn has them, the same bits whatever the split, and one
# sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

golden=$root/test/peers/clusters.golden
{ echo x,y,z; awk '$1 == "point" { print $2 "," $3 "," $4 }' "$golden"; } >points.csv
for name in near far; do
    awk -v n=$name '$1 == "start" && $2 == n { print $3 "," $4 "," $5 }' "$golden" >$name.csv
done
lines app.conf '[app]' 'kernel = kmeans' '[kmeans]' 'points = points.csv' 'clusters = 4' 'labels = l.npy' \
    'centroids = c.npy' 'history = h.npy'
# right NAME: the files are those of scikit-learn from this start.
right() {
    python3 - "$golden" "$1" >>out 2>&1 <<'END'
import struct, sys
rows = [line.split() for line in open(sys.argv[1]) if line[0] != '#']
name = sys.argv[2]
def numbers(path, code, size):
    data = open(path, 'rb').read()
    assert {'i': b"'<i4'", 'd': b"'<f8'"}[code] in data[:128], data[:128]
    data = data[10 + struct.unpack('<H', data[8:10])[0]:]
    return struct.unpack(f'<{len(data) // size}{code}', data)
labels = [int(r[4 + (name == 'far')]) for r in rows if r[0] == 'point']
end = [float(x) for r in rows if r[:2] == ['end', name] for x in r[2:]]
inertia, moves = [(float(r[2]), int(r[3])) for r in rows if r[:2] == ['inertia', name]][0]
assert list(numbers('l.npy', 'i', 4)) == labels, 'labels'
assert max(abs(a - b) for a, b in zip(numbers('c.npy', 'd', 8), end)) < 1e-13, 'centroids'
history = numbers('h.npy', 'd', 8)
assert abs(history[-2] / inertia - 1) < 1e-13, history
assert len(history) // 2 - (history[-1] == 0 and history[-3] != 0) in (moves, moves - 1), (history, moves)
END
}
alone --verify app.conf kmeans.start=near.csv && right near && ! grep -q 'empty clusters' out
ok "labels, centroids and inertia are scikit-learn's" $?
alone --verify app.conf kmeans.start=far.csv && right far &&
    grep -q 'empty clusters got the farthest point 1 t' out
ok "an empty cluster gets the farthest point, as scikit-learn's does" $?
alone --verify app.conf kmeans.start=far.csv kmeans.passes=2 && grep -q 'have not converged' out &&
    ! right far && [ "$(stat -c %s h.npy)" -eq $((128 + 3 * 16)) ]
ok "the most passes: verified, and said" $?

# The same bits for each split, and from a build without vectors.
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o kmeans.so \
    -I"$root/kernels/blackscholes" "$root"/kernels/kmeans/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
# A chunk has 80 points, so that threads share it in three parts.
lines many.conf '[app]' 'kernel = kmeans' '[kmeans]' 'count = 300007' 'dimensions = 3' 'clusters = 3' \
    'labels = l.npy' 'centroids = c.npy' 'history = h.npy' '[run]' 'reproducible = yes'
for run in '1 sure' '2 static' '2 greedy' '3 plb-hec' '3 sure'; do
    ranks "${run% *}" --verify --balancer "${run#* }" many.conf
    ok "${run/ / ranks, }: verified" $?
    for file in l c h; do same "${run/ / ranks, }: same $file.npy" $file.ref $file.npy; done
done
ranks 2 --report r.json many.conf run.audit=0.5 && [ "$(field audited)" -gt 0 ] &&
    [ "$(field audit_differences)" -eq 0 ]
ok "audited" $?
PLB_CLUSTER_THREADS=1 alone many.conf app.kernel=./kmeans.so
for file in l c h; do same "same $file.npy from scalar code and one thread" $file.ref $file.npy; done

# Points in a file: each rank reads its own, float64 or float32.
python3 - <<'END'
import random, struct
draw = random.Random(5)
points = [draw.uniform(-5, 5) for _ in range(4000)]
for name, code, kind in [('wide', 'd', '<f8'), ('narrow', 'f', '<f4'), ('whole', 'q', '<i8')]:
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (400, 10), }}"
    head += ' ' * (117 - len(head)) + '\n'
    numbers = [int(x) if code == 'q' else x for x in points]
    with open(name + '.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack(f'<4000{code}', *numbers))
data = bytearray(open('wide.npy', 'rb').read())
data[128 + 8 * 9:128 + 8 * 10] = struct.pack('<d', float('nan'))
open('hole.npy', 'wb').write(data)
END
for kind in wide narrow; do
    ranks 2 --verify app.conf kmeans.points=$kind.npy && [ "$(stat -c %s l.npy)" -eq 1728 ]
    ok "points of $kind.npy: verified" $?
done
rm -f ./[lch].npy

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e l.npy ] && [ ! -e h.npy ]
    ok "refused: $name" $?
}
refused "more clusters than points" \
    'clusters = 81 is more than the 80 points of .*points.csv; set 80 or less' \
    kmeans.clusters=81
refused "no cluster" 'clusters = 0 is' kmeans.clusters=0
refused "a negative tolerance" 'tolerance = -1 is' kmeans.tolerance=-1
lines bad.csv x,y,z 1,2,3 1,,3
refused "a missing cell" "bad.csv:3: column 'y' is empty" kmeans.points="$tmp/bad.csv"
refused "nan" 'hole.npy: coordinate 10 of point 1 is (-)?nan, but a number' kmeans.points="$tmp/hole.npy"
refused "whole numbers in a file" "holds '<i8', but kernel kmeans needs '<f4.<f8'.*astype\('<f8'\)" \
    kmeans.points="$tmp/whole.npy"
lines bad.csv 1,2 1,2 1,2 1,2
refused "a start of another width" \
    'bad.csv: is 4 x 2, but a row for each of 4 clusters and a column for each of 3' \
    kmeans.start="$tmp/bad.csv"
lines bad.csv 1,2,3 1,2,3 1,2,1e200 1,2,3
refused "a start that overflows" 'bad.csv: coordinate 3 of centroid 3 is 1e\+200, but' \
    kmeans.start="$tmp/bad.csv"
refused "no points" 'count = 0 is' kmeans.count=0
done_testing
