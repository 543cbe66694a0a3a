#!/usr/bin/env bash
# gaussian: the numbers of scipy.ndimage, the same files whatever the split, images in and out, and one
# sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

golden=$root/test/peers/blur.golden
# An image as .npy of float64, float32 and int64, as .png, and a larger one in colour.
python3 - "$golden" <<'END'
import random, struct, sys, zlib
rows = [list(map(float, line.split()[1:])) for line in open(sys.argv[1]) if line.startswith('image')]
def npy(name, kind, code, rows):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += ' ' * (117 - len(head)) + '\n'
    numbers = [int(x) if code == 'q' else x for row in rows for x in row]
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack(f'<{len(numbers)}{code}', *numbers))
def png(name, width, height, kind, rows):
    chunk = lambda t, d: struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))
    with open(name, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n')
        f.write(chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, kind, 0, 0, 0)))
        f.write(chunk(b'IDAT', zlib.compress(b''.join(b'\0' + r for r in rows))) + chunk(b'IEND', b''))
npy('wide.npy', '<f8', 'd', rows)
npy('narrow.npy', '<f4', 'f', rows)
npy('whole.npy', '<i8', 'q', rows)
npy('hole.npy', '<f8', 'd', rows[:2] + [[1, 2, float('nan')] + rows[2][3:]])
png('gray.png', 6, 5, 0, [bytes(map(int, r)) for r in rows])
draw = random.Random(2)
colours = [bytes(draw.randrange(256) for _ in range(3 * 61)) for _ in range(83)]
png('colour.png', 61, 83, 2, colours)
png('large.png', 101, 37, 2, [bytes(draw.randrange(256) for _ in range(3 * 101)) for _ in range(37)])
png('none.png', 0, 5, 0, [b''] * 5)
for k in range(3):
    npy(f'channel{k}.npy', '<f8', 'd', [list(map(float, row[k::3])) for row in colours])
open('half.png', 'wb').write(open('colour.png', 'rb').read()[:9000])
END
lines app.conf '[app]' 'kernel = gaussian' '[gaussian]' 'image = wide.npy' 'sigma = 1.5' 'values = v.npy'
# near MODE CODE BYTES TOLERANCE: v.npy has SciPy's numbers.
near() {
    python3 - "$golden" "$@" >>out 2>&1 <<'END'
import struct, sys
golden, mode, code, size, tolerance = sys.argv[1:]
expected = [float(x) for line in open(golden) if line.startswith(mode) for x in line.split()[1:]]
got = struct.unpack(f'<30{code}', open('v.npy', 'rb').read()[-30 * int(size):])
worst = max(abs(a - b) for a, b in zip(expected, got))
print('worst', worst)
assert worst < float(tolerance)
END
}
for mode in reflect mirror nearest constant; do
    rm -f v.npy
    alone --verify app.conf gaussian.mode=$mode && near $mode d 8 1e-12
    ok "$mode: SciPy's numbers" $?
done
alone --verify app.conf gaussian.image=narrow.npy && near reflect f 4 1e-5
ok "float32: SciPy's numbers" $?
alone --verify app.conf gaussian.image=gray.png && near reflect f 4 1e-5
ok "a gray image: SciPy's numbers" $?

# Each channel of an image is blurred by itself, and the image that comes out is rounded.
lines colour.conf '[app]' 'kernel = gaussian' '[gaussian]' 'image = colour.png' 'sigma = 2.3' \
    'values = v.npy' 'blurred = b.png'
alone --verify colour.conf
ok "an image in colour: verified" $?
mv v.npy colour.npy && mv b.png colour.out
for k in 0 1 2; do
    alone colour.conf gaussian.image=channel$k.npy gaussian.blurred="$tmp/b.png" && mv v.npy blurred$k.npy
done
python3 - >>out 2>&1 <<'END'
import struct, zlib
data = open('colour.npy', 'rb').read()[-4 * 83 * 183:]
got = struct.unpack(f'<{83 * 183}f', data)
for k in range(3):
    one = struct.unpack(f'<{83 * 61}d', open(f'blurred{k}.npy', 'rb').read()[-8 * 83 * 61:])
    assert struct.pack(f'<{len(one)}f', *one) == struct.pack(f'<{len(one)}f', *got[k::3]), k
png = open('colour.out', 'rb').read()
at, idat = 8, b''
while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    if kind == b'IHDR': assert struct.unpack('>IIBB', png[at + 8:at + 18]) == (61, 83, 8, 2)
    if kind == b'IDAT': idat += png[at + 8:at + 8 + size]
    at += size + 12
lines, before = zlib.decompress(idat), bytes(183)
for r in range(83):
    kind, line = lines[184 * r], bytearray(lines[184 * r + 1:184 * r + 184])
    for i in range(183):
        a, b = line[i - 3] if i > 2 else 0, before[i]
        c = before[i - 3] if i > 2 else 0
        p = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (line[i] + [0, a, b, (a + b) // 2, p][kind]) & 255
    assert list(line) == [int(x + 0.5) for x in got[183 * r:183 * r + 183]], r
    before = line
END
ok "channels are those of three arrays, and the image is rounded" $?

# The same bits for each split, and from a build without vectors.
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o gaussian.so \
    "$root"/kernels/gaussian/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
for run in '1 static' '2 sure' '2 greedy' '3 plb-hec' '3 sure'; do
    ranks "${run% *}" --verify --balancer "${run#* }" colour.conf
    ok "${run/ / ranks, }: verified" $?
    same "${run/ / ranks, }: same numbers" colour.npy v.npy
    same "${run/ / ranks, }: same image" colour.out b.png
done
PLB_CLUSTER_THREADS=1 alone colour.conf app.kernel=./gaussian.so
same "same numbers from scalar code" colour.npy v.npy
# Rows that are long beside the radius are summed in another way.
for sigma in 6 8; do
    for run in '1 static' '3 sure'; do
        ranks "${run% *}" --verify --balancer "${run#* }" colour.conf gaussian.{image=large.png,sigma=$sigma}
        ok "sigma $sigma, ${run/ / ranks, }: verified" $?
        same "sigma $sigma, ${run/ / ranks, }: same numbers" large$sigma.npy v.npy
    done
    alone colour.conf app.kernel=./gaussian.so gaussian.{image=large.png,sigma=$sigma}
    same "sigma $sigma: same numbers from scalar code" large$sigma.npy v.npy
done
lines made.conf '[app]' 'kernel = gaussian' '[gaussian]' 'width = 300' 'height = 200' 'blurred = b.png' \
    'radius = 0'
ranks 2 --verify made.conf
ok "an image alone, and radius 0: verified" $?
rm -f v.npy b.png

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e v.npy ]
    ok "refused: $name" $?
}
refused "a negative sigma" 'sigma = -1 is' gaussian.sigma=-1
refused "sigma 0" 'sigma = 0 is' gaussian.sigma=0
refused "a negative radius" 'radius = -1 is' gaussian.radius=-1
refused "an unknown mode" 'mode = wrap is not one of' gaussian.mode=wrap
refused "an image of no width" \
    'none.png: .*, but a whole .png file was expected' gaussian.image="$tmp/none.png"
refused "half an image" 'half.png: .*, but a whole .png file was expected' gaussian.image="$tmp/half.png"
refused "nan" 'hole.npy: column 3 of row 3 is nan, but a number' gaussian.image="$tmp/hole.npy"
refused "whole numbers in a file" "holds '<i8', but kernel gaussian needs '<f4.<f8'" \
    gaussian.image="$tmp/whole.npy"
refused "a file that is not there" 'nowhere.png' gaussian.image="$tmp/nowhere.png"
done_testing
