#!/usr/bin/env bash
# Products of synthetic matrices over real ranks: each result is verified against the reference. For triad
# also: the output is the same file for all numbers of ranks and all balancers.
. "$(dirname "$0")/../support/lib.sh"
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
lines "$tmp/dense.conf" '[app]' 'kernel = matmul' '[matmul]' \
    'rows = 300' 'inner = 200' 'columns = 500' 'c = c.npy'
lines "$tmp/sparse.conf" '[app]' 'kernel = spmm' '[spmm]' \
    'kind = powerlaw' 'rows = 5000' 'inner = 3000' 'columns = 8' 'c = c.npy'
for kind in uniform powerlaw arrow li; do
    ranks 3 --verify "$tmp/sparse.conf" cluster.file="$tmp/six.cluster" \
        spmm.kind=$kind spmm.rows=1500 spmm.inner=700
    ok "spmm on a synthetic matrix ($kind), emulated PUs with their own memory" $?
done
ranks 3 --verify "$tmp/sparse.conf" cluster.file="$tmp/six.cluster" spmm.broadcast=yes
ok "spmm with all of A on every node" $?
for type in float32 float64; do
    for n in $(counts 1 2 4); do
        for b in $balancers; do
            ranks "$n" --verify --balancer "$b" "$tmp/dense.conf" matmul.dtype=$type
            ok "matmul $type, $n ranks, $b: verified" $?
        done
    done
    ranks 3 --verify "$tmp/dense.conf" matmul.dtype=$type cluster.file="$tmp/six.cluster"
    ok "matmul $type on emulated PUs" $?
done

# tf32 and bf16 are for GPUs: a CPU computes the same with them.
rm -f "$tmp/c.npy"
float32() { alone --verify --balancer static "$tmp/dense.conf" matmul.dtype=float32 cluster.pus=cpu "$@"; }
float32 && mv "$tmp/c.npy" "$tmp/float32.npy"
for flag in tf32 bf16; do
    float32 matmul.$flag=yes && cmp "$tmp/float32.npy" "$tmp/c.npy" >>"$tmp/out" 2>&1
    ok "matmul.$flag changes nothing on CPUs" $?
done
float32 matmul.tf32=yes matmul.bf16=yes
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && grep -q 'tf32 and bf16 are two ways' "$tmp/out"
ok "matmul does not round in two ways" $?

# Tasks of matmul are whole tiles of 128 columns, but for the last one of a block.
lines "$tmp/wide.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 64' 'inner = 64' 'columns = 9999'
alone --verify "$tmp/wide.conf" cluster.pus=cpu balance.migration=no balance.grain=425 --balancer static \
    --trace "$tmp/wide.json" && grep -o '"first":[0-9]*,"count":[0-9]*' "$tmp/wide.json" | tr ',' ':' |
    awk -F: '{ torn += $4 % 128 > 0 && $2 + $4 < 9999; wide += $4 == 384 } END { exit torn || wide < 20 }'
ok "tasks of matmul are whole tiles" $?

# numbers FILE: the float64 numbers of an .npy file, one a line, after a header of 128 bytes.
numbers() { od -An -v -w8 -tf8 -j128 "$1" | tr -d ' '; }
# Scaled by a power of two, so that PUs which round the product and those which do not agree.
lines "$tmp/triad.conf" '[app]' 'kernel = triad' '[triad]' \
    'elements = 40960' 'scale = 2' 'a = c.npy' 'reduced = r.npy'
rm -f "$tmp/c.npy"
for n in $(counts 1 2 4); do
    for b in plb-hac greedy static; do
        ranks "$n" --verify --balancer $b "$tmp/triad.conf"
        ok "triad, $n ranks, $b: verified" $?
        same "triad, $n ranks, $b: same file" "$tmp/triad.ref" "$tmp/c.npy"
    done
done
ranks 3 --verify "$tmp/triad.conf" cluster.file="$tmp/six.cluster" triad.seed=2 triad.scale=-0.5
ok "triad on emulated PUs" $?
ranks 1 --verify --balancer static "$tmp/triad.conf" triad.elements=2097152 triad.a="$tmp/far.npy"
ok "triad of a large task, which goes around the caches" $?
mv "$tmp/c.npy" "$tmp/a.npy"
ranks 2 --verify "$tmp/triad.conf" triad.b="$tmp/triad.ref" triad.c="$tmp/a.npy" triad.scale=1
ok "triad of two files: verified" $?
{
    paste <(numbers "$tmp/triad.ref") <(numbers "$tmp/a.npy") <(numbers "$tmp/c.npy")
    numbers "$tmp/r.npy"
} | awk '
    NF == 3 {
        n++
        bad += $1 + $2 != $3
        sum += $3
        if (n == 1 || $3 < least) least = $3
        if (n == 1 || $3 > most) most = $3
    }
    NF == 1 { got[++m] = $1 }
    END {
        print n, bad, sum, got[1], least, got[2], most, got[3]
        reduced = m == 3 && (got[1] - sum)^2 < 1e-18 && got[2] == least && got[3] == most
        exit !(n == 40960 && bad == 0 && reduced)
    }' >>"$tmp/out"
ok "triad of two files: elements, sum, least and greatest in the files" $?
rm -f "$tmp/c.npy"

# 25 MB are one task, and with a cache of 1 MB for each thread at least 50: the kernel streams.
HWLOC_SYNTHETIC='l3:1(size=2097152) core:2 pu:1' ranks 2 --verify --balancer static "$tmp/triad.conf" \
    triad.elements=1048576 balance.migration=no cluster.{master_only=yes,threads=1} --report "$tmp/r.json"
ok "triad on a small cache: verified" $?
(($(field messages) >= 50))
ok "triad on a small cache: tasks fit it" $?

ranks 3 --verify "$tmp/dense.conf" cluster.master_only=yes --report "$tmp/r.json"
ok "with master_only" $?
tr -d ' \n' <"$tmp/r.json" >"$tmp/fields" && [ -s "$tmp/fields" ] &&
    ! grep -q '"id":[0-9]*,"node":0,' "$tmp/fields"
ok "with master_only rank 0 has no PU" $?

# A result can be read back: C of one run is A of the next.
rm -f "$tmp/c.npy"
alone --quiet "$tmp/dense.conf" && mv "$tmp/c.npy" "$tmp/a.npy"
ranks 2 --verify "$tmp/dense.conf" matmul.a="$tmp/a.npy" matmul.columns=40
ok "an output is an input of the next job" $?

# Complete events of one thread follow each other: none begins before the one before it has ended.
events() { # as "node thread start duration", one a line
    grep '"ph":"X"' "$tmp/t.json" |
        sed -E 's/.*"pid":([0-9]+),"tid":([0-9]+),"ts":([0-9.e+-]+),"dur":([0-9.e+-]+).*/\1 \2 \3 \4/'
}
ranks 3 --balancer plb-hec --trace "$tmp/t.json" "$tmp/dense.conf" cluster.file="$tmp/six.cluster" &&
    events | awk '
        {
            t = $1 " " $2
            if ($3 < end[t] - 0.01) bad++
            if ($3 + $4 > end[t]) end[t] = $3 + $4
            threads[t] = 1
        }
        END {
            for (t in threads) n++
            print n + 0, "threads,", bad + 0, "overlaps"
            exit bad > 0 || n < 6
        }' >>"$tmp/out"
ok "the trace of a run has no overlapping events and a thread for each of five PUs and the master" $?

rm -f "$tmp/r.json"
alone --quiet --report "$tmp/r.json" "$tmp/dense.conf" && [ -s "$tmp/r.json" ]
ok "without mpirun" $?
[ -s "$tmp/r.json" ] && [ ! -s "$tmp/out" ]
ok "--quiet says nothing" $?
# Without a job too: every rank's PUs, and a setting of the environment counts.
ranks 2 --show-pus
[ $? -eq 0 ] && [ "$(grep -cE '^plbrun: PU [01]: rank [01] on .*, cpu .* on cores ' "$tmp/out")" -eq 2 ]
ok "--show-pus needs no conf file" $?
PLB_CLUSTER_PUS=fpga ranks 2 --show-pus
[ $? -eq 2 ] && [ "$(grep -c 'PLB_CLUSTER_PUS: pus = fpga is not one of' "$tmp/out")" -eq 1 ]
ok "--show-pus without a conf file says what is wrong once" $?
alone --show-pus --simulate "$root/hostfiles/demo.cluster"
[ $? -eq 2 ] && grep -q 'no conf file' "$tmp/out"
ok "a simulation needs one in spite of --show-pus" $?
alone --show-pus --dry-run "$tmp/dense.conf"
grep -qE "PU 0: rank 0 on .*, empty task [0-9.e+-]+ us$" "$tmp/out"
ok "--show-pus names host, PU, cores and what an empty task takes" $?

sed 's/slowdown = 1$/rate = 3e9/; s/slowdown = 3/rate = 1e9/; s/slowdown = 1.5/rate = 8e9/' \
    "$tmp/six.cluster" >"$tmp/sim.cluster"
for conf in sparse dense; do
    for b in $balancers; do
        for i in 1 2; do
            alone --simulate "$tmp/sim.cluster" --balancer "$b" --seed 5 \
                --report "$tmp/s$i.json" "$tmp/$conf.conf"
            status=$?
            sed -i '/solve_s/d; /"date":/d; /"command":/d' "$tmp/s$i.json" # all else is virtual
        done
        cmp "$tmp/s1.json" "$tmp/s2.json" >>"$tmp/out" && [ "$status" -eq 0 ]
        ok "--simulate of $conf with $b is repeatable" $?
    done
done
done_testing
