#!/usr/bin/env bash
# Real products over real ranks: each result is verified against the reference, and is the same file
# whatever the number of ranks and the balancer.
. "$(dirname "$0")/../lib.sh"
balancers=$(balancers)

cat >"$tmp/six.cluster" <<'END'
[node a]
pus = fast, gpu
[node b]
pus = slow, gpu
[node c]
pus = slow
[pu fast]
slowdown = 1
power = 2
[pu slow]
slowdown = 3
[pu gpu]
kind = gpu
slowdown = 1.5
power = 2
copy = 4e9, 1e-5
END
sparse() { printf '[app]\nkernel = spmm\n[spmm]\nmatrix = %s\ncolumns = 16\nc = c.npy\n' "$1" >"$tmp/sparse.conf"; }
printf '[app]\nkernel = matmul\n[matmul]\nrows = 300\ninner = 200\ncolumns = 500\nc = c.npy\n' >"$tmp/dense.conf"

# same NAME REFERENCE: the output equals the reference file (made by the first call), and is removed.
same() {
    [ -f "$2" ] || cp "$tmp/c.npy" "$2"
    cmp "$2" "$tmp/c.npy" >>"$tmp/out" 2>&1
    ok "$1" $?
    rm -f "$tmp/c.npy"
}

for matrix in bcsstk13 pushpull; do
    if [ ! -f "$DATA/$matrix.mtx" ]; then
        skip "spmm on $matrix" "no $DATA/$matrix.mtx"
        continue
    fi
    sparse "$DATA/$matrix.mtx"
    for n in 1 2 3 4; do
        for b in $balancers; do
            ranks $n --verify --balancer "$b" "$tmp/sparse.conf"
            ok "spmm on $matrix, $n ranks, $b: verified" $?
            same "spmm on $matrix, $n ranks, $b: same file" "$tmp/$matrix.ref"
        done
    done
done

printf '[app]\nkernel = spmm\n[spmm]\nkind = powerlaw\nrows = 5000\ninner = 3000\ncolumns = 8\nc = c.npy\n' >"$tmp/sparse.conf"
for kind in uniform powerlaw arrow li; do
    ranks 3 --verify "$tmp/sparse.conf" spmm.kind=$kind spmm.rows=1500 spmm.inner=700 cluster.file="$tmp/six.cluster"
    ok "spmm on a synthetic matrix ($kind), emulated PUs with their own memory" $?
done
for type in float32 float64; do
    for n in 1 2 4; do
        for b in $balancers; do
            ranks $n --verify --balancer "$b" "$tmp/dense.conf" matmul.dtype=$type
            ok "matmul $type, $n ranks, $b: verified" $?
        done
    done
    ranks 3 --verify "$tmp/dense.conf" matmul.dtype=$type cluster.file="$tmp/six.cluster"
    ok "matmul $type on emulated PUs" $?
done

ranks 3 --verify "$tmp/dense.conf" cluster.master_only=yes --report "$tmp/r.json"
ok "with master_only" $?
grep -q '"node": 0' "$tmp/r.json"
ok "with master_only rank 0 has no PU" $((! $?))

# What was computed can be read back: C of one run is A of the next.
rm -f "$tmp/c.npy"
alone --quiet "$tmp/dense.conf" && mv "$tmp/c.npy" "$tmp/a.npy"
ranks 2 --verify "$tmp/dense.conf" matmul.a="$tmp/a.npy" matmul.columns=40
ok "an output is an input of the next job" $?

# Complete events of one thread follow each other: none begins before the one before it has ended.
ranks 3 --balancer plb-hec --trace "$tmp/t.json" "$tmp/dense.conf" cluster.file="$tmp/six.cluster" && grep '"ph":"X"' "$tmp/t.json" \
    | sed -E 's/.*"pid":([0-9]+),"tid":([0-9]+),"ts":([0-9.e+-]+),"dur":([0-9.e+-]+).*/\1 \2 \3 \4/' \
    | awk '{t = $1 " " $2; if ($3 < end[t] - 0.01) bad++; if ($3 + $4 > end[t]) end[t] = $3 + $4; threads[t] = 1}
           END {for (t in threads) n++; print n + 0, "threads,", bad + 0, "overlaps"; exit bad > 0 || n < 6}' >>"$tmp/out"
ok "the trace of a run has no overlapping events and a thread for each of five PUs and the master" $?

alone --quiet "$tmp/dense.conf"
ok "without mpirun" $?
[ ! -s "$tmp/out" ]
ok "--quiet says nothing" $?
alone --show-pus --dry-run "$tmp/dense.conf"
grep -q "PU 0: rank 0 on " "$tmp/out"
ok "--show-pus names host, PU and cores" $?

sed 's/slowdown = 1$/rate = 3e9/; s/slowdown = 3/rate = 1e9/; s/slowdown = 1.5/rate = 8e9/' "$tmp/six.cluster" >"$tmp/sim.cluster"
for conf in sparse dense; do
    for b in $balancers; do
        for i in 1 2; do
            alone --simulate "$tmp/sim.cluster" --balancer "$b" --seed 5 --report "$tmp/s$i.json" "$tmp/$conf.conf"
            status=$?
            sed -i '/solve_s/d' "$tmp/s$i.json" # the only real time in it
        done
        cmp "$tmp/s1.json" "$tmp/s2.json" >>"$tmp/out" && [ $status -eq 0 ]
        ok "--simulate of $conf with $b is repeatable" $?
    done
done
done_testing
