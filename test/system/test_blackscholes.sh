#!/usr/bin/env bash
# blackscholes: prices and greeks as QuantLib has them, the same file whatever the split, and one sentence for
# each mistake in its input.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit

# Lines "spot,strike,rate,dividend,volatility,time,type;price delta gamma vega theta rho …", from QuantLib.
grep -v '^#' "$root/test/peers/options.golden" >golden
{ echo spot,strike,rate,dividend,volatility,time,type; sed 's/;.*//' golden; } >options.csv
lines closed.conf '[app]' 'kernel = blackscholes' '[blackscholes]' 'results = r.npy' 'count = 5000'
# near N TOLERANCE: r.npy has the golden numbers in N columns; errors count in TOLERANCE, or in those errors
# that column 7 has.
near() {
    python3 - "$1" "$2" >>out 2>&1 <<'END'
import struct, sys
columns, most = int(sys.argv[1]), float(sys.argv[2])
golden = [list(map(float, line.split(';')[1].split()[:6])) for line in open('golden')]
data = open('r.npy', 'rb').read()
got = struct.unpack(f'<{columns * len(golden)}d', data[-8 * columns * len(golden):])
worst = 0
for i, row in enumerate(golden):
    mine = got[columns * i:columns * (i + 1)]
    if columns == 7:
        worst = max(worst, abs(mine[0] - row[0]) / mine[6], abs(mine[1] / row[1] - 1) * 30)
    else:
        worst = max([worst] + [abs(a - b) / abs(b) for a, b in zip(mine, row)])
print('worst', worst)
sys.exit(not worst <= most)
END
}
alone --verify closed.conf blackscholes.contracts=options.csv && near 6 1e-9
ok "price and greeks are QuantLib's" $?
cp r.npy closed.npy
alone --verify closed.conf blackscholes.contracts=options.csv blackscholes.method=montecarlo && near 7 5
ok "by Monte Carlo too, as near as the standard error says" $?
# The same contracts as an .npy file, and with columns in another order.
python3 - <<'END'
import struct
rows = [line.split(';')[0].split(',') for line in open('golden')]
numbers = [float(x) for row in rows for x in row[:6] + [str(int(row[6] == 'put'))]]
head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 7), }}"
head += ' ' * (117 - len(head)) + '\n'
with open('options.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
    f.write(struct.pack(f'<{len(numbers)}d', *numbers))
with open('other.csv', 'w') as f:
    f.write('Type;id;Time;Volatility;Dividend;Rate;Strike;Spot\n')
    for i, row in enumerate(rows):
        f.write(';'.join([row[6].upper(), f'"a;{i}"'] + row[5::-1]) + '\n')
END
for file in options.npy other.csv; do
    rm -f r.npy
    alone closed.conf blackscholes.contracts=$file && cmp closed.npy r.npy >>out
    ok "$file gives the same" $?
done

# The same bits for each split, and from a build without vectors.
gcc -std=c11 -D_GNU_SOURCE -O1 -fopenmp -fPIC -shared -I"$root/runtime/include" -o blackscholes.so \
    "$root"/kernels/blackscholes/*.c -lm >out 2>&1
ok "the kernel compiles with the header alone" $?
for method in closed 'montecarlo blackscholes.paths=3001 blackscholes.count=60'; do
    how=${method%% *}
    for run in '1 sure' '2 static' '2 greedy' '3 plb-hec' '3 sure'; do
        # shellcheck disable=SC2086 # several words
        ranks "${run% *}" --verify --balancer "${run#* }" closed.conf blackscholes.method=$method
        ok "$how, ${run/ / ranks, }: verified" $?
        same "$how, ${run/ / ranks, }: same file" "$how.ref" r.npy
    done
    # shellcheck disable=SC2086
    PLB_CLUSTER_THREADS=1 alone closed.conf app.kernel=./blackscholes.so blackscholes.method=$method
    same "$how: same file from scalar code" "$how.ref" r.npy
done

# refused NAME PATTERN ROW [SETTING...]: a table with this last row is refused in one sentence.
refused() {
    local name=$1 pattern=$2
    lines bad.csv spot,strike,rate,dividend,volatility,time,type 100,100,0.05,0.02,0.2,1,call "$3"
    alone closed.conf blackscholes.contracts=bad.csv "${@:4}"
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] && grep -qE "$pattern" out && [ ! -e r.npy ]
    ok "refused: $name" $?
}
refused "a missing cell" "bad.csv:3: column 'rate' is empty" 100,100,,0.02,0.2,1,call
refused "a missing column" "bad.csv:3: has 6 cells, but 7" 100,100,0.05,0.02,0.2,1
refused "nan" "bad.csv:3: column 'spot' is 'nan'" nan,100,0.05,0.02,0.2,1,call
refused "another type" "bad.csv:3: column 'type' is 'straddle', but one of call" 1,1,0,0,0.2,1,straddle
refused "a negative volatility" "volatility of option 2 is -0.2, but a number above 0" 1,1,0,0,-0.2,1,put
refused "time 0" "time of option 2 is 0, but a number above 0" 1,1,0,0,0.2,0,put
refused "spot 0" "spot of option 2 is 0, but a number above 0" 0,1,0,0,0.2,1,put
refused "a negative strike" "strike of option 2 is -1, but a number above 0" 1,-1,0,0,0.2,1,put
refused "a rate in percent, for long" "rate . time of option 2 is 600, but" 1,1,20,0,0.2,30,put
refused "an unknown method" "method = tree is not one of" 1,1,0,0,0.2,1,put blackscholes.method=tree
refused "one path" "paths = 1 is" 1,1,0,0,0.2,1,put blackscholes.paths=1
alone closed.conf blackscholes.contracts=closed.npy
[ $? -eq 2 ] && grep -q 'is 7 x 6, but 7 columns were expected: spot' out
ok "refused: an .npy file of another width" $?
lines two.csv spot,strike,rate,dividend,volatility,time 1,1,1,1,1,1
alone closed.conf blackscholes.contracts=two.csv
[ $? -eq 2 ] && grep -q "two.csv:1: names no column 'type'" out
ok "refused: a table without a column" $?
done_testing
