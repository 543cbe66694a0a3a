#!/usr/bin/env bash
# pagerank: ranks as Python has them, the same whatever the split and the balancer, of files and of drawn
# graphs, and one sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit
# Page 6 has no links, and nobody links to page 5.
lines web.mtx '%%MatrixMarket matrix coordinate pattern general' '6 6 9' '1 2' '1 3' '2 3' '3 1' '4 3' \
    '4 6' '5 4' '5 1' '2 6'
lines app.conf '[app]' 'kernel = pagerank' '[pagerank]' 'graph = web.mtx' 'ranks = r.npy' \
    'tolerance = 1e-13'

right() { # DAMPING
    python3 - "$1" >>out 2>&1 <<'END'
import struct, sys
damping, n = float(sys.argv[1]), 6
links = [(int(a) - 1, int(b) - 1) for a, b in (l.split() for l in open('web.mtx').readlines()[2:])]
out = [sum(a == p for a, _ in links) for p in range(n)]
rank = [1 / n] * n
for _ in range(2000):
    free = 1 - damping + damping * sum(rank[p] for p in range(n) if out[p] == 0)
    rank = [free / n + damping * sum(rank[a] / out[a] for a, b in links if b == p) for p in range(n)]
got = struct.unpack('<6d', open('r.npy', 'rb').read()[-48:])
print(rank, got)
assert all(abs(a - b) < 1e-12 for a, b in zip(rank, got)) and abs(sum(got) - 1) < 1e-12
END
}
for damping in 0.85 0.5; do
    rm -f r.npy
    alone --verify app.conf pagerank.damping=$damping && right $damping
    ok "damping $damping: ranks are right" $?
done
grep -q '^pagerank: page [0-9]* is first, with a rank of 0\.' out
ok "says which page is first" $?

# Drawn graphs. Ranks differ in their last digits with the tasks, and not at all where sums are reproducible.
lines big.conf '[app]' 'kernel = pagerank' '[pagerank]' 'pages = 20000' 'ranks = r.npy' '[run]' \
    'reproducible = yes'
alone --verify big.conf && mv r.npy r.ref
ok "a drawn graph: verified" $?
for run in '1 static' '2 sure' '2 greedy' '3 plb-hec' '3 sure'; do
    ranks "${run% *}" --verify --balancer "${run#* }" big.conf
    ok "${run/ / ranks, }: verified" $?
    same "${run/ / ranks, }: same ranks" r.ref r.npy
done
ranks 3 --verify big.conf run.reproducible=no pagerank.passes=7 && grep -q ' 7 passes; ' out
ok "so many passes" $?
alone big.conf pagerank.seed=2 && ! cmp -s r.ref r.npy
ok "another seed is another graph" $?
mean=$(alone big.conf; sed -n 's/^pagerank: 20000 pages, \([0-9]*\) links.*/\1/p' out)
[ "$mean" -gt 280000 ] && [ "$mean" -lt 340000 ]
ok "a page has about sixteen links" $?

# refused NAME PATTERN SETTING...: one sentence, and status 2.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out
    ok "refused: $name" $?
}
lines wide.mtx '%%MatrixMarket matrix coordinate pattern general' '2 3 1' '1 3'
refused "a matrix that is not square" 'wide.mtx: is 2 x 3, and the links' pagerank.graph=wide.mtx
refused "a damping beyond 1" 'damping = 1.5 is' pagerank.damping=1.5
refused "no such file" 'none.mtx' pagerank.graph=none.mtx
lines app.conf '[app]' 'kernel = pagerank'
refused "too many links" 'asks for .* links; at most 4e9' pagerank.links=100000
done_testing
