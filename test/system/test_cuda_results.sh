#!/usr/bin/env bash
# Results of the CUDA entries, compiled for the CPU (test/cuda-on-cpu): the same bits in each order of a
# block's threads, and those of the CPU's entry for the kernels that say so. Sizes are no multiples of a
# block, and reach each way through the kernels' code. PLB_TEST_ORDER=SEED repeats the orders of a run.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda kernels=$BUILD/test/cuda-on-cpu
if [ ! -e "$kernels/triad.cuda.so" ]; then
    skip "results on fake GPUs" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PLB_CLUSTER_THREADS=1 OPENBLAS_NUM_THREADS=1
seed=${PLB_TEST_ORDER:-$((RANDOM * 32768 + RANDOM))}
echo "# PLB_TEST_ORDER=$seed"
cd "$tmp" || exit

# run KERNEL OUTPUTS ARGUMENTS...: its outputs are the files OUTPUT.got. One balancer, so that tasks are
# always the same.
run() {
    local kernel=$1 outputs=$2 output files=(); shift 2
    for output in $outputs; do files+=("$kernel.$output=$tmp/$output.${suffix[$output]:-npy}"); done
    lines kernel.conf '[app]' "kernel = $kernels/$kernel.so"
    alone kernel.conf --balancer static "${files[@]}" "$@" || return
    for output in $outputs; do mv "$output.${suffix[$output]:-npy}" "$output.got" || return; done
}
declare -A suffix=([image]=png [blurred]=png [network]=tsv)
# matches OUTPUTS: they are those that `keep` has kept.
keep() { for output in $1; do mv "$output.got" "$output.kept" || return; done; }
matches() { for output in $1; do cmp "$output.got" "$output.kept" >>out 2>&1 || return; done; }
# on_gpu ORDER KERNEL OUTPUTS ARGUMENTS...: the same on one fake GPU, in which it has found nothing.
on_gpu() {
    local order=$1; shift
    PLB_FAKE_CUDA=order=$order,count=yes run "$@" cluster.pus=gpu &&
        ! grep -q '^fake cuda' out
}
as_on_cpu() {
    local kernel=$1 outputs=$2; shift 2
    rm -f ./*.kept ./*.got
    run "$kernel" "$outputs" "$@" cluster.pus=cpu && keep "$outputs" &&
        on_gpu "$seed" "$kernel" "$outputs" "$@" && matches "$outputs"
    ok "$kernel ${*//$tmp\//}: $outputs as on a CPU" $?
}
same_in_each_order() {
    local kernel=$1 outputs=$2; shift 2
    rm -f ./*.kept ./*.got
    on_gpu "$seed" "$kernel" "$outputs" --verify "$@" && keep "$outputs" &&
        on_gpu $((seed + 1)) "$kernel" "$outputs" "$@" && matches "$outputs"
    ok "$kernel ${*//$tmp\//}: the same $outputs in each order" $?
}

# Points with whole coordinates have the same sums in each order, and many centroids at equal distances.
# Images of each kind of number, and of several channels.
python3 - <<'END'
import random, struct, zlib
draw = random.Random(11)
def array(name, rows, columns, code, number):
    kind = '<f8' if code == 'd' else '<f4'
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    head += ' ' * (117 - len(head)) + '\n'
    with open(name + '.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.write(struct.pack(f'<{rows * columns}{code}', *(number() for _ in range(rows * columns))))
for rows, columns, code in [(1003, 19, 'd'), (1003, 2, 'd'), (777, 3, 'f'), (1500, 9, 'f'),
                            (2100, 1, 'd'), (301, 150, 'd')]:
    array(f'points-{columns}', rows, columns, code, lambda: draw.randint(0, 9))
array('wide', 70, 130, 'd', lambda: draw.uniform(-5, 5))
array('narrow', 130, 70, 'f', lambda: draw.uniform(-5, 5))
def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
rows = b''.join(b'\0' + bytes(draw.randrange(256) for _ in range(3 * 75)) for _ in range(40))
with open('colours.png', 'wb') as f:
    f.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 75, 40, 8, 2, 0, 0, 0)))
    f.write(chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
END

# Groups of 8, 16, 32 and 64 centroids; several groups; sums in shared memory, of two kinds of blocks, and in
# global memory; coordinates of several blocks.
for case in '19 5' '2 70' '3 30' '9 61' '1 10' '150 9' '3 50' '9 200'; do
    read -r d k <<<"$case"
    as_on_cpu kmeans 'labels centroids' "kmeans.points=$tmp/points-$d.npy" kmeans.clusters="$k" \
        kmeans.passes=3
done
same_in_each_order kmeans 'labels centroids history' kmeans.count=3001 kmeans.dimensions=6 \
    kmeans.clusters=13 kmeans.passes=3

# Radii of nothing, of less than a thread's sums, and of several parts of shared memory.
as_on_cpu gaussian 'values blurred' gaussian.width=67 gaussian.height=45 gaussian.sigma=3
as_on_cpu gaussian values gaussian.width=65 gaussian.height=33 gaussian.radius=0
as_on_cpu gaussian values gaussian.width=33 gaussian.height=65 gaussian.radius=2 gaussian.mode=constant
as_on_cpu gaussian values "gaussian.image=$tmp/wide.npy" gaussian.sigma=20 gaussian.mode=mirror
as_on_cpu gaussian values "gaussian.image=$tmp/narrow.npy" gaussian.radius=61 gaussian.mode=nearest
as_on_cpu gaussian 'values blurred' "gaussian.image=$tmp/colours.png" gaussian.sigma=4
as_on_cpu gaussian values gaussian.width=1 gaussian.height=3 gaussian.radius=150 gaussian.mode=reflect

for depth in 1 3 4 6 301; do
    as_on_cpu mandelbrot 'counts image' mandelbrot.width=133 mandelbrot.height=71 mandelbrot.depth=$depth
done
as_on_cpu taylor values taylor.width=77 taylor.height=31

# One word of samples to seven; several sets of a thread; sets of one to three genes of two and three levels.
as_on_cpu grn network grn.genes=300 grn.samples=33 grn.set=1
as_on_cpu grn network grn.genes=40 grn.samples=200 grn.set=1 grn.levels=3
lines few gene3 gene77 gene150
as_on_cpu grn network grn.genes=290 grn.samples=130 grn.set=2 grn.top=200 "grn.targets=$tmp/few"
as_on_cpu grn network grn.genes=150 grn.samples=257 grn.set=2 grn.levels=3 grn.top=12 \
    "grn.targets=$tmp/few"
as_on_cpu grn network grn.genes=20 grn.samples=400 grn.set=3
as_on_cpu grn network grn.genes=14 grn.samples=65 grn.set=3 grn.levels=3 grn.series=yes grn.self=yes

# Trees that end in the first warp, at a block's last node, and that a block takes in parts.
for steps in 1 2 6 7 8 255 256 1001; do
    same_in_each_order binomial prices binomial.count=5 binomial.steps=$steps
done
same_in_each_order binomial prices binomial.count=3 binomial.steps=4095
same_in_each_order binomial prices binomial.count=2 binomial.steps=4603
same_in_each_order binomial prices binomial.count=2 binomial.steps=9001 binomial.exercise=european

# Bodies of less than a tile, of a tile, of one more than all warps' tiles.
for bodies in 2 33 256 2049; do
    same_in_each_order nbody 'positions velocities history' nbody.bodies=$bodies nbody.steps=2
done
same_in_each_order nbody 'positions velocities history' nbody.bodies=700 nbody.steps=2 nbody.precision=float32
same_in_each_order blackscholes results blackscholes.count=300
same_in_each_order blackscholes results blackscholes.count=9 blackscholes.method=montecarlo \
    blackscholes.paths=1001
same_in_each_order matmul c matmul.rows=60 matmul.inner=50 matmul.columns=70
narrow=(matmul.rows=60 matmul.inner=50 matmul.columns=70 matmul.dtype=float32)
same_in_each_order matmul c "${narrow[@]}" matmul.bf16=yes
on_gpu "$seed" matmul c "${narrow[@]}" && ! matches c
ok "bfloat16 rounds" $?
PLB_FAKE_CUSPARSE=declines same_in_each_order spmm c spmm.rows=300 spmm.inner=200 spmm.columns=39
done_testing
