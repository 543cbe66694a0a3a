#!/usr/bin/env bash
# binomial: prices as QuantLib's tree has them, the same file whatever the split, and one sentence for each
# mistake in its input.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

# Lines "spot,strike,rate,dividend,volatility,time,type;…", the last two numbers of which are the European
# and the American price on Leisen and Reimer's tree of 201 steps, from QuantLib.
grep -v '^#' "$root/test/peers/options.golden" >golden
{ echo spot,strike,rate,dividend,volatility,time,type; sed 's/;.*//' golden; } >options.csv
lines app.conf '[app]' 'kernel = binomial' '[binomial]' 'prices = r.npy' 'count = 200' 'steps = 201'
# near COLUMN TOLERANCE: r.npy has the golden prices of this column, the relative error is at most so much.
near() {
    python3 - "$1" "$2" >>out 2>&1 <<'END'
import struct, sys
golden = [float(line.split(';')[1].split()[int(sys.argv[1])]) for line in open('golden')]
data = open('r.npy', 'rb').read()
got = struct.unpack(f'<{len(golden)}d', data[-8 * len(golden):])
worst = max(abs(a / b - 1) for a, b in zip(got, golden))
print('worst', worst)
sys.exit(not worst <= float(sys.argv[2]))
END
}
run() { alone --verify app.conf binomial.contracts=options.csv "$@"; }
run binomial.tree=leisen-reimer binomial.exercise=european && near 6 1e-10
ok "European prices on Leisen and Reimer's tree are QuantLib's" $?
run binomial.tree=leisen-reimer && near 7 1e-10
ok "American ones too" $?
run binomial.steps=2000 binomial.exercise=european && near 0 1e-2
ok "Cox, Ross and Rubinstein's tree comes near the formula" $?
run binomial.steps=2000 && near 7 1e-2
ok "and near the American price" $?

# The same bits for each split, and from a build without vectors. There are more steps than a part of the tree
# has nodes.
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" \
    -I"$root/kernels/blackscholes" -o binomial.so \
    "$root"/kernels/binomial/*.c "$root/kernels/blackscholes/contracts.c" -lm >out 2>&1
ok "the kernel compiles with the header and the contracts of blackscholes" $?
for how in american european; do
    for run in '1 sure' '2 static' '2 greedy' '3 plb-hec' '3 sure'; do
        ranks "${run% *}" --verify --balancer "${run#* }" app.conf binomial.exercise=$how
        ok "$how, ${run/ / ranks, }: verified" $?
        same "$how, ${run/ / ranks, }: same file" $how.ref r.npy
    done
    PLB_CLUSTER_THREADS=1 alone app.conf app.kernel=./binomial.so binomial.exercise=$how
    same "$how: same file from scalar code" $how.ref r.npy
done
for steps in 1 2 63 64 65 129; do
    alone --verify app.conf binomial.steps=$steps binomial.count=9
    ok "a tree of $steps steps: verified" $?
    rm -f r.npy
done

# refused NAME PATTERN ROW [SETTING...]: a table with this last row is refused in one sentence.
refused() {
    local name=$1 pattern=$2
    lines bad.csv spot,strike,rate,dividend,volatility,time,type 100,100,0.05,0.02,0.2,1,call "$3"
    alone app.conf binomial.contracts=bad.csv "${@:4}"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e r.npy ]
    ok "refused: $name" $?
}
refused "a missing cell" "bad.csv:3: column 'strike' is empty" 100,,0.05,0.02,0.2,1,call
refused "a negative volatility" "volatility of option 2 is -0.2, but a number above 0" 1,1,0,0,-0.2,1,put
refused "steps that are too long" "option 2: 2 steps are too few for rate - dividend = 0.5" \
    1,1,0.5,0,0.02,1,put binomial.steps=2
refused "prices too far apart" "option 2: on 10000 steps .* set fewer steps" \
    1,1,0,0,3,1,put binomial.steps=10000
refused "no steps" "steps = 0 is" 1,1,0,0,0.2,1,put binomial.steps=0
refused "an even tree of Leisen and Reimer" "needs an odd number; say 11" 1,1,0,0,0.2,1,put \
    binomial.tree=leisen-reimer binomial.steps=10
refused "an unknown exercise" "exercise = bermudan is not one of" 1,1,0,0,0.2,1,put binomial.exercise=bermudan
done_testing
