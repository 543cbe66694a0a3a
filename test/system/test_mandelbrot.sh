#!/usr/bin/env bash
# mandelbrot: the counts of a plain loop, the same files whatever the split, images with the manners of other
# results, and one sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit
lines app.conf '[app]' 'kernel = mandelbrot' '[mandelbrot]' 'width = 77' 'height = 40' 'depth = 300' \
    'x = -0.7436' 'y = 0.1318' 'span = 0.004' 'counts = c.npy' 'image = i.png'

alone --verify app.conf && python3 - >>out 2>&1 <<'END'
import struct, sys, zlib
width, height, depth = 77, 40, 300
pixel = 0.004 / width
left, top = -0.7436 - 0.5 * 0.004, 0.1318 + 0.5 * pixel * height
def steps(re, im):
    x = y = 0.0
    for n in range(depth):
        x, y = x * x - y * y + re, x * y + x * y + im
        if not x * x + y * y <= 4: return n
    return depth
counts = [steps(left + pixel * (c + 0.5), top - pixel * (r + 0.5))
          for r in range(height) for c in range(width)]
got = struct.unpack(f'<{len(counts)}f', open('c.npy', 'rb').read()[-4 * len(counts):])
assert list(got) == counts, 'counts differ'
assert len(set(counts)) > 50 and depth in counts, 'a dull window'
png = open('i.png', 'rb').read()
assert png[:8] == b'\x89PNG\r\n\x1a\n'
at, chunks = 8, {}
while at < len(png):
    size, kind = struct.unpack('>I4s', png[at:at + 8])
    chunks[kind] = chunks.get(kind, b'') + png[at + 8:at + 8 + size]
    at += size + 12
assert struct.unpack('>IIBBBBB', chunks[b'IHDR']) == (width, height, 8, 3, 0, 0, 0)
assert chunks[b'PLTE'][:3] == b'\0\0\0' and len(set(chunks[b'PLTE'])) > 50
rows = zlib.decompress(chunks[b'IDAT'])
for r in range(height):
    line = rows[r * (width + 1):(r + 1) * (width + 1)]
    assert line[0] == 0, 'a filter'
    expected = bytes(0 if n == depth else 1 + n % 255 for n in counts[r * width:(r + 1) * width])
    assert line[1:] == expected, f'row {r}'
END
ok "counts and image are those of a plain loop" $?
mv c.npy c.ref && mv i.png i.ref
for run in '1 static' '2 sure' '2 greedy' '3 plb-hec' '3 sure'; do
    ranks "${run% *}" --verify --balancer "${run#* }" app.conf
    ok "${run/ / ranks, }: verified" $?
    same "${run/ / ranks, }: same counts" c.ref c.npy
    same "${run/ / ranks, }: same image" i.ref i.png
done
alone app.conf mandelbrot.palette=gray && ! cmp -s i.ref i.png && [ "$(stat -c %s c.npy)" -eq 12448 ]
ok "another palette" $?
rm -f i.png c.npy
lines numbers.conf '[app]' 'kernel = mandelbrot' '[mandelbrot]' 'width = 33' 'height = 3' 'counts = c.npy'
ranks 2 --verify numbers.conf
ok "counts without an image: verified" $?
rm -f c.npy

# An image is whole or not there.
(ulimit -f 8; alone app.conf mandelbrot.width=300 mandelbrot.height=300)
[ $? -eq 2 ] && grep -q 'there is no space for the .* of this result: File too large' out && [ ! -e i.png ]
ok "room is taken before work begins" $?
alone app.conf mandelbrot.image="$tmp/c.npy"
[ $? -eq 2 ] && grep -q 'both name' out
ok "refused: two results with one name" $?
alone --keep-partial app.conf mandelbrot.x=-0.2 mandelbrot.y=0 mandelbrot.span=1e-4 mandelbrot.depth=1e6 \
    mandelbrot.height=40000 run.time_limit=2
[ $? -eq 1 ] && [ ! -e i.png ] && [ "$(head -c 4 i.png.partial | tail -c 3)" = PNG ] && [ -e c.npy.partial ]
ok "a run that ends before has a partial image" $?
rm -f ./*.partial*

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e i.png ] && [ ! -e c.npy ]
    ok "refused: $name" $?
}
refused "an image of no width" 'width = 0 is' mandelbrot.width=0
refused "an image of no height" 'height = 0 is' mandelbrot.height=0
refused "more pixels than an image file has" '4 GiB or more' \
    mandelbrot.width=100000 mandelbrot.height=100000
refused "a window too small for float64" \
    'span = 1e-14 over 77 pixels: float64 cannot' mandelbrot.span=1e-14
refused "no depth" 'depth = 0 is' mandelbrot.depth=0
refused "nan" 'x = nan is' mandelbrot.x=nan
refused "an unknown palette" 'palette = pink is not one of' mandelbrot.palette=pink
done_testing
