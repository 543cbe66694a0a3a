#!/usr/bin/env bash
# grn: networks as brute force in NumPy finds them, a planted one, the same file whatever the split, and one
# sentence for each mistake.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

golden=$root/test/peers/network.golden
{ seq -s , 0 25; awk '$1 == "gene" { sub(/gene /, ""); gsub(/ /, ","); print }' "$golden"; } >table.csv
tr , '\t' <table.csv >table.tsv
lines app.conf '[app]' 'kernel = grn' '[grn]' 'table = table.csv' 'top = 3' 'network = n.tsv'
# right NAME: the network is that of NumPy.
right() { python3 "$root/test/peers/network.py" golden-check "$golden" "$1" n.tsv >>out 2>&1; }
while read -r name set levels method series; do
    alone --verify app.conf grn.set="$set" grn.levels="$levels" grn.method="$method" grn.series="$series" &&
        right "$name"
    ok "sets of $set, $levels levels by $method, series $series: as NumPy's" $?
done < <(python3 "$root/test/peers/network.py" cases)
alone app.conf grn.set=2 grn.method=median grn.table=table.tsv && right two
ok "a table with tabs" $?

# The last gene is the exclusive or of the first two: no gene alone tells it, and these two do.
alone app.conf grn.set=2 && [ "$(awk '$1 == "g7" { print $2, $3, ($4 < 0.2); exit }' n.tsv)" = 'g0 g1 1' ]
ok "a planted network is found" $?
rm -f n.tsv

# The same file for each split: units are targets, or predictors where targets are few.
seq 3 5 60 | sed 's/^/gene/' >few.txt
lines many.conf '[app]' 'kernel = grn' '[grn]' 'genes = 150' 'samples = 90' 'set = 2' 'network = n.tsv'
alone --verify many.conf && cp n.tsv all.ref
ok "all targets: verified" $?
alone --verify many.conf grn.levels=3 && grep -q verified out
ok "three levels: verified" $?
alone --verify many.conf grn.targets=few.txt && cp n.tsv few.ref
ok "some targets: verified" $?
[ "$(wc -l <few.ref)" -eq 61 ] &&
    cmp few.ref <(awk 'NR == FNR { want[$1] = 1; next } FNR == 1 || want[$1]' few.txt all.ref) >out 2>&1
ok "some targets have the sets that they have among all" $?
run=0
for n in $(counts 1 2 3 4); do
    for balancer in $(balancers); do
        run=$((run + 1))
        if [ $((run % 3)) -eq 0 ]; then
            ranks "$n" --balancer "$balancer" many.conf grn.targets=few.txt && cmp few.ref n.tsv >>out 2>&1
        else
            ranks "$n" --balancer "$balancer" many.conf && cmp all.ref n.tsv >>out 2>&1
        fi
        ok "$n ranks, $balancer: the same file" $?
    done
done
ranks 2 --report r.json many.conf run.audit=0.5 && [ "$(field audited)" -gt 0 ] &&
    [ "$(field audit_differences)" -eq 0 ]
ok "audited" $?
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -DPLB_CLONES= -o grn.so \
    "$root"/kernels/grn/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
for set in 1 2 3; do
    for levels in 2 3; do
        settings=("grn.genes=$((90 / set))" "grn.set=$set" "grn.levels=$levels")
        PLB_CLUSTER_THREADS=1 alone many.conf app.kernel=./grn.so "${settings[@]}" && mv n.tsv plain.ref &&
            alone many.conf "${settings[@]}" && cmp plain.ref n.tsv >>out 2>&1
        ok "sets of $set, $levels levels: the same file from one thread and code that is not optimised" $?
    done
done
rm -f n.tsv

# A gene that is constant has one level: every set predicts it. Sets of all other genes are a list of one.
lines constant.csv gene,a,b,c x,1,2,1 y,5,5,5 z,2,1,2
alone --verify app.conf grn.table="$tmp/constant.csv" grn.set=2 &&
    grep -qx $'y\tx\tz\t0' n.tsv && [ "$(wc -l <n.tsv)" -eq 4 ]
ok "a constant gene" $?
lines discrete.csv gene,a,b,c,d x,0,1,2,2 y,1,2,2,0
alone --verify app.conf grn.table="$tmp/discrete.csv" grn.method=discrete grn.levels=3 grn.series=yes \
    grn.self=yes grn.set=2
ok "a discrete table, and a gene that predicts itself" $?
rm -f n.tsv

# refused NAME PATTERN SETTING...: one sentence, and no file.
refused() {
    local name=$1 pattern=$2; shift 2
    alone app.conf "$@"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e n.tsv ]
    ok "refused: $name" $?
}
bad() { lines bad.csv "$@"; }
bad gene,a,b x,1, y,1,2
refused "a missing cell" "bad.csv:2: column 'b' is empty" grn.table="$tmp/bad.csv"
bad gene,a,b x,1,2 y,1
refused "a row with too few cells" 'bad.csv:3: has 2 cells, but 3 were expected' grn.table="$tmp/bad.csv"
bad gene,a,b x,1,2 y,1,2 '' x,3,4
refused "a gene twice" "bad.csv:5: has the name 'x', as line 2 has" grn.table="$tmp/bad.csv"
bad gene,a,b x,1,2 ,1,2
refused "a gene without a name" 'bad.csv:3: has no name in its first cell' grn.table="$tmp/bad.csv"
bad gene x y
refused "no samples" 'bad.csv:1: names no column of numbers' grn.table="$tmp/bad.csv"
bad gene,a,b x,0,1 y,1,0.5
refused "a value that is no level" "bad.csv:3: gene 'y' is 0.5 in sample 'b', but with method = discrete" \
    grn.table="$tmp/bad.csv" grn.method=discrete
lines names.txt g1 g99
refused "an unknown target" "names.txt:2: 'g99' is no gene of .*table.csv" grn.targets="$tmp/names.txt"
lines names.txt g1 g2 g1
refused "a target twice" "names.txt:3: names the gene 'g1', as line 1 does" grn.targets="$tmp/names.txt"
lines names.txt ''
refused "no target" 'names.txt: names no target' grn.targets="$tmp/names.txt"
refused "four levels" 'levels = 4 is' grn.levels=4
refused "sets of four" 'set = 4 is' grn.set=4
refused "a negative weight" 'alpha = -1 is' grn.alpha=-1
bad gene,a,b x,1,2 y,2,1
refused "sets larger than the genes" 'bad.csv: has 2 genes, which is too few for sets of 2' \
    grn.table="$tmp/bad.csv" grn.set=2
bad gene,a x,1 y,2
refused "a time series of one sample" 'bad.csv: has one sample' grn.table="$tmp/bad.csv" grn.series=yes
done_testing
