#!/usr/bin/env bash
# taylor: sums and errors as Python has them, the same files whatever the split, and one sentence for each
# mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit
lines app.conf '[app]' 'kernel = taylor' '[taylor]' 'width = 45' 'height = 23' 'span = 1.2' 'x = 0.1' \
    'y = -0.05' 'order = 5' 'values = v.npy' 'errors = e.npy'

# right FUNCTION: the files are those of this function.
right() {
    python3 - "$1" >>out 2>&1 <<'END'
import cmath, math, struct, sys
width, height, order, step = 45, 23, 5, 1.2 / 45
functions = {
    'exp': (cmath.exp, lambda k: 1 / math.factorial(k)),
    'sin': (cmath.sin, lambda k: [0, 1, 0, -1][k % 4] / math.factorial(k)),
    'cos': (cmath.cos, lambda k: [1, 0, -1, 0][k % 4] / math.factorial(k)),
    'log1p': (lambda z: cmath.log(1 + z), lambda k: -(-1) ** k / k if k else 0),
    'geometric': (lambda z: 1 / (1 - z), lambda k: 1),
}
function, coefficient = functions[sys.argv[1]]
def numbers(path, n): return struct.unpack(f'<{n}d', open(path, 'rb').read()[-8 * n:])
values, errors = numbers('v.npy', 2 * width * height), numbers('e.npy', width * height)
for i in range(width * height):
    z = complex(0.1 - 0.6 + step * (i % width + 0.5), -0.05 + 0.5 * step * height - step * (i // width + 0.5))
    expected = sum(coefficient(k) * z**k for k in range(order + 1))
    got = complex(values[2 * i], values[2 * i + 1])
    assert abs(got - expected) < 1e-14, (z, got, expected)
    assert abs(errors[i] - abs(expected - function(z))) < 1e-14, (z, errors[i])
assert max(errors) > 1e-6
END
}
for function in exp sin cos log1p geometric; do
    rm -f v.npy e.npy
    alone --verify app.conf taylor.function=$function && right $function
    ok "$function: sums and errors are right" $?
done

gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o taylor.so \
    "$root"/kernels/taylor/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
mv v.npy v.ref && mv e.npy e.ref
for run in '1 static' '2 sure' '2 greedy' '3 plb-hec' '3 sure'; do
    ranks "${run% *}" --verify --balancer "${run#* }" app.conf taylor.function=geometric
    ok "${run/ / ranks, }: verified" $?
    same "${run/ / ranks, }: same sums" v.ref v.npy
    same "${run/ / ranks, }: same errors" e.ref e.npy
done
PLB_CLUSTER_THREADS=1 alone app.conf app.kernel=./taylor.so taylor.function=geometric
same "same sums from scalar code" v.ref v.npy
# The two shares are 2317.5 points, and eight errors fill a cache line.
ranks 2 --report "$tmp/r.json" --balancer static app.conf taylor.height=103 balance.migration=off &&
    grep -q '"units": 2312,' "$tmp/r.json"
ok "the second block begins where it is aligned" $?
rm -f e.npy
lines values.conf '[app]' 'kernel = taylor' '[taylor]' 'width = 3' 'height = 1' 'order = 0' 'values = v.npy'
ranks 2 --verify values.conf
ok "order 0, and no errors: verified" $?
rm -f v.npy

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e v.npy ] && [ ! -e e.npy ]
    ok "refused: $name" $?
}
# At a pole the error is infinite, and near it as exact as elsewhere.
alone --verify values.conf taylor.function=log1p taylor.order=9 taylor.x=-1 taylor.span=0.003 \
    taylor.height=3 taylor.errors=e.npy && [ "$(od -An -v -w8 -tf8 -j128 e.npy | grep -c inf)" -eq 1 ]
ok "at a pole: verified, and one infinite error" $?
rm -f v.npy e.npy
refused "an unknown function" 'function = tan is not one of' taylor.function=tan
refused "a mesh of no size" 'width = 0 is' taylor.width=0
refused "a negative order" 'order = -1 is' taylor.order=-1
refused "nan" 'span = nan is' taylor.span=nan
refused "a sum that overflows" 'order 9000 is infinite in float64 at the mesh.s corner' \
    taylor.order=9000 taylor.function=log1p taylor.span=4
done_testing
