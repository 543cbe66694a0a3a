#!/usr/bin/env bash
# Real matrices over real ranks: each result is verified against the reference, and is the same file whatever
# the number of ranks and the balancer.
. "$(dirname "$0")/../support/lib.sh"
balancers=$(balancers)

for matrix in bcsstk13 pushpull; do
    if [ ! -f "$DATA/$matrix.mtx" ]; then
        skip "spmm on $matrix" "no $DATA/$matrix.mtx"
        continue
    fi
    lines "$tmp/app.conf" '[app]' 'kernel = spmm' '[spmm]' \
        "matrix = $DATA/$matrix.mtx" 'columns = 16' 'c = c.npy'
    for n in $(counts 1 2 3 4); do
        for b in $balancers; do
            ranks "$n" --verify --balancer "$b" "$tmp/app.conf"
            ok "spmm on $matrix, $n ranks, $b: verified" $?
            same "spmm on $matrix, $n ranks, $b: same file" "$tmp/$matrix.ref" "$tmp/c.npy"
        done
    done
done
done_testing
