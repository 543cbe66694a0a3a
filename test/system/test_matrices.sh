#!/usr/bin/env bash
# Real matrices over real ranks: each result is verified against the reference, and is the same file whatever
# the number of ranks and the balancer.
. "$(dirname "$0")/../support/lib.sh"
balancers=$(balancers)

# products FILE RANKS BALANCERS: on so many ranks, with each of these balancers.
products() {
    local matrix n b
    matrix=$(basename "$1" .mtx)
    lines "$tmp/app.conf" '[app]' 'kernel = spmm' '[spmm]' "matrix = $1" 'columns = 16' 'c = c.npy'
    for n in $2; do
        for b in $3; do
            ranks "$n" --verify --balancer "$b" "$tmp/app.conf"
            ok "spmm on $matrix, $n ranks, $b: verified" $?
            same "spmm on $matrix, $n ranks, $b: same file" "$tmp/$matrix.ref" "$tmp/c.npy"
        done
    done
}
# 34 and 67 rows: few enough for ranks without one. Larger matrices are not in the repository.
for matrix in karate west0067; do products "$root/test/data/$matrix.mtx" '1 4' 'static sure'; done
for matrix in bcsstk13 pushpull; do
    if [ -f "$DATA/$matrix.mtx" ]; then
        products "$DATA/$matrix.mtx" "$(counts 1 2 3 4)" "$balancers"
    else
        skip "spmm on $matrix" "PLB_DATA names no folder with larger matrices"
    fi
done
done_testing
