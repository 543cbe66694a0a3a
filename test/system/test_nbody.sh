#!/usr/bin/env bash
# nbody: orbits as the formulas have them, REBOUND's numbers, conserved energy and momentum, the same bits
# whatever the split, and one sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

# Two bodies on a circle and on an ellipse, in a plane that is aligned with no axis; and files to refuse.
cat >two.py <<'END'
import math, struct
A, B = (1 / 3, 2 / 3, 2 / 3), (2 / 3, 1 / 3, -2 / 3) # unit vectors, at a right angle
MASSES, WAYS = (3.0, 1.0), (-0.5, 1.5)
TURN = math.sqrt(4 / 2**3) # angle in a unit of time
PERIOD = 2 * math.pi / TURN
def circle(angle, speed=1.0):
    c, s = math.cos(angle), math.sin(angle)
    return [[m] + [w * (c * a + s * b) for a, b in zip(A, B)]
            + [speed * TURN * w * (c * b - s * a) for a, b in zip(A, B)] for m, w in zip(MASSES, WAYS)]
def write(name, rows, kind='<f8', code='d'):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += ' ' * (117 - len(head)) + '\n'
    numbers = [x for row in rows for x in row]
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack(f'<{len(numbers)}{code}', *numbers))
def read(name, columns, code='d'):
    data = open(name, 'rb').read()[128:]
    numbers = struct.unpack(f'<{len(data) // struct.calcsize(code)}{code}', data)
    return [numbers[i:i + columns] for i in range(0, len(numbers), columns)]
END
python3 - <<'END'
from two import *
one, other = circle(0)
write('circle.npy', [one, other])
write('narrow.npy', [one, other], '<f4', 'f')
write('ellipse.npy', circle(0, 0.8))
write('columns.npy', [one[1:], other[1:]])
write('single.npy', [one])
write('mass.npy', [one, [-1.0] + other[1:]])
write('nan.npy', [one, other[:5] + [math.nan] + other[6:]])
write('far.npy', [one, other[:3] + [1e20] + other[4:]])
write('same.npy', [one, other, other[:1] + one[1:4] + other[4:]])
END
period=8.885765876316732
lines app.conf '[app]' 'kernel = nbody' '[nbody]' 'start = circle.npy' 'history = h.npy' 'end = e.npy'
# turns FILE STEPS: two bodies for a period.
turns() {
    alone --verify app.conf "nbody.start=$tmp/$1" nbody.steps="$2" \
        nbody.dt="$(python3 -c "print($period / $2)")"
}
turns circle.npy 400 && mv e.npy e400.npy && mv h.npy h400.npy && turns circle.npy 800
ok "a circle: verified" $?
python3 - >>out 2>&1 <<'END'
from two import *
right = circle(2 * math.pi)
off = [max(abs(a - b) for row, other in zip(read(name, 7), right) for a, b in zip(row, other))
       for name in ('e400.npy', 'e.npy')]
print(off)
assert off[0] < 2e-3 and abs(off[0] / off[1] - 4) < 0.1
for row in read('h400.npy', 7):
    assert abs(row[3] / -0.75 - 1) < 1e-3 and max(map(abs, row[4:])) < 1e-14, row
assert abs(read('h400.npy', 7)[0][1] - 0.75) < 1e-15 and abs(read('h400.npy', 7)[-1][0] - PERIOD) < 1e-12
END
ok "they come back, and halving dt quarters the error" $?
turns ellipse.npy 400 && mv h.npy h400.npy && turns ellipse.npy 800
python3 - >>out 2>&1 <<'END'
from two import *
drift = [max(abs(row[3] - rows[0][3]) for row in rows) for rows in (read('h400.npy', 7), read('h.npy', 7))]
print(drift)
assert 1e-6 < drift[0] < 1e-2 and abs(drift[0] / drift[1] - 4) < 0.2
END
ok "the energy of an ellipse: halving dt quarters its error" $?
alone app.conf nbody.gravity=9 nbody.steps=100 nbody.dt=1e-9 nbody.softening=1.5 &&
    python3 - >>out 2>&1 <<'END'
from two import *
first = read('h.npy', 7)[0]
assert abs(first[2] + 9 * 3 / math.sqrt(2**2 + 1.5**2)) < 1e-14, first
END
ok "gravity and softening" $?

# Bodies of unequal mass: positions, velocities and energies are REBOUND's.
golden=$root/test/peers/bodies.golden
for softening in 0 0.3; do
    python3 - "$golden" >out 2>&1 <<'END'
import sys
from two import *
write('golden.npy', [list(map(float, s.split()[1:])) for s in open(sys.argv[1]) if s.startswith('start')])
END
    alone --verify app.conf nbody.start="$tmp/golden.npy" nbody.steps=50 nbody.dt=0.01 \
        nbody.softening=$softening && python3 - "$golden" $softening >>out 2>&1 <<'END'
import sys
from two import *
lines = [s.split() for s in open(sys.argv[1])]
end = [list(map(float, s[2:])) for s in lines if s[:2] == ['end', sys.argv[2]]]
off = max(abs(a - b) for row, other in zip(read('e.npy', 7), end) for a, b in zip(row, other))
rows = read('h.npy', 7)
energies = [float(s[2]) for s in lines if s[0] == 'energy']
print(off, rows[0][3], rows[-1][3], energies)
assert len(end) == 12 and off < 1e-12
assert sys.argv[2] != '0' or abs(rows[0][3] - energies[0]) + abs(rows[-1][3] - energies[1]) < 1e-11
END
    ok "softening $softening: REBOUND's positions and velocities" $?
done

# The same bits for each split, with each balancer, and from a build without vectors. Steps are long, so that
# the last bit of a force changes velocities and positions.
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o nbody.so \
    "$root"/kernels/nbody/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
lines many.conf '[app]' 'kernel = nbody' '[nbody]' 'bodies = 700' 'steps = 4' 'dt = 1' \
    'softening = 0.01' 'positions = x.npy' 'velocities = v.npy' 'history = h.npy' '[run]' 'reproducible = yes'
# equal NAME N ARGUMENTS...: it verifies, and all three files are those of the first run.
equal() {
    local name=$1 n=$2 file; shift 2
    ranks "$n" --verify many.conf "$@"
    local status=$?
    for file in x v h; do
        [ -f $file.ref ] || cp $file.npy $file.ref
        cmp $file.ref $file.npy >>out 2>&1 || status=1
    done
    rm -f ./[xvh].npy
    ok "$name" $status
}
for b in $(balancers); do
    for n in $(counts 1 2 3 4); do equal "same bits: $b, $n ranks" "$n" --balancer "$b"; done
done
# A block may begin at any body.
cat >cut.c <<'END'
#include <stdlib.h>
#include <string.h>
#include "pull.h"
int main(void)
{
    enum { N = 700 };
    static double wide[4 * N];
    static float narrow[4 * N];
    for (int i = 0; i < 4 * N; i++)
        wide[i] = narrow[i] = (float)rand() / (float)RAND_MAX;
    for (int k = 0; k < 2; k++) {
        const struct space s = {N, 1.0, 1.0, k ? NOTHING_NARROW : NOTHING, k};
        const void *masses = k ? (void *)narrow : wide, *places = k ? (void *)(narrow + N) : wide + N;
        struct pull block[BLOCK], one;
        for (int64_t first = 0; first + BLOCK <= N; first += 33) {
            pull_block(&s, masses, places, first, BLOCK, block);
            for (int64_t i = 0; i < BLOCK; i++) {
                pull_block(&s, masses, places, first + i, 1, &one);
                if (memcmp(block + i, &one, sizeof one) != 0)
                    return 1;
            }
        }
    }
    return 0;
}
END
gcc -std=c11 -D_GNU_SOURCE -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off \
    -I"$root/runtime/include" -I"$root/kernels/nbody" -o cut cut.c \
    "$root/kernels/nbody/pull.c" -lm >out 2>&1 && ./cut
ok "sums have the same bits wherever a block begins" $?
PLB_CLUSTER_THREADS=1 equal "same bits from scalar code and one thread" 1 app.kernel=./nbody.so
ranks 2 --report r.json many.conf run.audit=0.5 && [ "$(field audited)" -gt 0 ] &&
    [ "$(field audit_differences)" -eq 0 ]
ok "audited" $?

# A run that breaks goes on. Sums are not reproducible with a journal.
lines slow.cluster '[node a]' 'pus = p' '[pu p]' 'slowdown = 1000'
journal=(run.reproducible=no "run.journal=$tmp/j")
"$PLBRUN" --quiet many.conf cluster.file=slow.cluster "${journal[@]}" >out 2>&1 &
run=$!
soon test -s j.pass
kill -9 $run
wait $run 2>/dev/null
alone --resume --verify many.conf "${journal[@]}" && grep -q 'resumed in pass' out && cmp x.ref x.npy &&
    cmp v.ref v.npy && python3 - >>out 2>&1 <<'END'
from two import *
rows, other = read('h.ref', 7), read('h.npy', 7)
assert len(rows) == len(other) and max(abs(a - b) for p, q in zip(rows, other) for a, b in zip(p, q)) < 1e-9
END
ok "same bits from a run that broke and was resumed" $?

alone --verify many.conf nbody.dt=0.01 && mv x.npy x.wide && mv h.npy h.wide &&
    ranks 2 --verify many.conf nbody.dt=0.01 nbody.precision=float32 nbody.every=3 &&
    python3 - >>out 2>&1 <<'END'
from two import *
wide, rows = read('h.wide', 7), read('h.npy', 7)
assert [row[0] for row in rows] == [wide[i][0] for i in (0, 3, 4)]
assert max(abs(a - b) for i, row in zip((0, 3, 4), rows) for a, b in zip(row, wide[i])) < 1e-6, rows
x, other = read('x.npy', 3, 'f'), read('x.wide', 3)
assert len(x) == 700 and 1e-9 < max(abs(a - b) for p, q in zip(x, other) for a, b in zip(p, q)) < 1e-5
END
ok "float32, and a row of three steps" $?
alone --verify app.conf nbody.start="$tmp/narrow.npy" && [ "$(stat -c %s e.npy)" -eq $((128 + 2 * 56)) ] &&
    alone --verify app.conf nbody.start="$tmp/e.npy" nbody.end="$tmp/e2.npy"
ok "bodies of float32, and an end as a start" $?
rm -f ./[xvhe].npy e2.npy

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e h.npy ] && [ ! -e e.npy ]
    ok "refused: $name" $?
}
refused "six columns" 'columns.npy: has 6 columns, but 7 were expected: mass, x' \
    nbody.start="$tmp/columns.npy"
refused "one body" 'single.npy: has 1 body, but 2' nbody.start="$tmp/single.npy"
refused "one body that is made up" 'bodies = 1 is' nbody.bodies=1
refused "a negative mass" 'mass.npy: mass of body 2 is -1, but a number from 0 to' nbody.start="$tmp/mass.npy"
refused "nan" 'nan.npy: vy of body 2 is nan, but a number from -1e\+100' nbody.start="$tmp/nan.npy"
refused "too far for float32" 'far.npy: z of body 2 is 1e\+20, but .*1e\+12 .*precision = float64' \
    nbody.start="$tmp/far.npy" nbody.precision=float32
refused "two bodies at one place" 'bodies 1 and 3 are at the same place.*set nbody.softening' \
    nbody.start="$tmp/same.npy"
alone --verify app.conf nbody.start="$tmp/same.npy" nbody.softening=0.1
ok "which softening allows" $?
rm -f ./[he].npy
refused "no step" 'steps = 0 is' nbody.steps=0
refused "no time" 'dt = 0 is' nbody.dt=0
refused "time that goes back" 'dt = -1 is' nbody.dt=-1
refused "a negative softening" 'softening = -1 is' nbody.softening=-1
refused "an unknown precision" 'precision = float16 is not one of' nbody.precision=float16
# Bodies that leave the numbers: a sentence, and not files of nan.
alone app.conf nbody.gravity=1e100 nbody.dt=1e90
[ $? -eq 1 ] && grep -q 'after [0-9]* steps a speed or an energy overflows' out && [ ! -e e.npy ]
ok "bodies that are too fast" $?
done_testing
