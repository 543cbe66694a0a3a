#!/usr/bin/env bash
# The papers' clusters and applications: every scenario simulates every application, and the cost models
# refuse a real run. Nothing here looks at times.
. "$(dirname "$0")/../support/lib.sh"
papers=$root/examples/papers
families='hec:a,ab,abc,abcd hac:a,ab,abc,abcd,abcde'

# application CONF: sets kernel to the one of the build under test.
application() {
    case $1 in
    mm) kernel=() ;;
    black-scholes) kernel=(app.kernel="$BUILD/kernels/blackscholes.so") ;;
    *) kernel=(app.kernel="$BUILD/papers/$1.so") ;;
    esac
}
# pus CLUSTER: every [pu …] section on one line, comments and blanks left out, sorted.
pus() {
    sed 's/#.*//; s/[ \t]//g; /^$/d' "$1" | awk '
        /^\[/ { printf "\n" }
        { printf "%s ", $0 }' | grep '^\[pu' | sort
}

for family in $families; do
    IFS=, read -ra scenarios <<<"${family#*:}"
    for scenario in "${scenarios[@]}"; do
        name=plb-${family%%:*}-$scenario.cluster largest=plb-${family%%:*}-${scenarios[-1]}.cluster
        cluster=$root/hostfiles/$name
        for conf in mm grn black-scholes k-means; do
            application "$conf"
            alone --simulate "$cluster" "$papers/$conf.conf" "${kernel[@]}"
            ok "$name simulates $conf" $?
        done
        grep -c '^\[node ' "$cluster" | grep -qx "${#scenario}"
        ok "$name has a node per machine" $?
        rates='rate rate.matmul rate.grn rate.blackscholes rate.k-means'
        for key in kind power $rates half overhead noise; do
            pus "$cluster" | grep -vF " $key=" && echo "lacks $key"
        done >"$tmp/out"
        [ ! -s "$tmp/out" ]
        ok "$name gives every PU power and rates" $?
        pus "$cluster" >"$tmp/some"; pus "$root/hostfiles/$largest" >"$tmp/all"
        comm -23 "$tmp/some" "$tmp/all" >"$tmp/out"
        [ -s "$tmp/some" ] && [ ! -s "$tmp/out" ]
        ok "$name has the PUs of $largest" $?
    done
done

# seconds CLUSTER CONF: the simulated makespan.
seconds() {
    alone --simulate "$1" "$papers/$2.conf" "${kernel[@]}" --report "$tmp/r.json" &&
        sed -n 's/^  "makespan_s": *\([0-9.e+-]*\).*/\1/p' "$tmp/r.json"
}
# With its one rate lowered, the run lasts longer.
for name in matmul grn blackscholes k-means; do
    conf=${name/matmul/mm} conf=${conf/blackscholes/black-scholes}
    application "$conf"
    sed "s/^rate\.$name .*/rate.$name = 1e9/" "$root/hostfiles/plb-hac-a.cluster" >"$tmp/slow.cluster"
    fast=$(seconds "$root/hostfiles/plb-hac-a.cluster" "$conf") &&
        slow=$(seconds "$tmp/slow.cluster" "$conf") &&
        awk -v fast="$fast" -v slow="$slow" 'BEGIN { exit !(fast > 0 && slow > 2 * fast) }'
    ok "rate.$name is the rate of $name" $?
done

# Rank 0's time for messages and curves is charged, and true costs may differ from told ones.
application mm
usual=$(seconds "$root/hostfiles/plb-hac-ab.cluster" mm)
for key in message=0.1 solve=0.1 fit=0.1 cost_error=0.5; do
    { printf '[simulation]\n%s\n' "$key"; cat "$root/hostfiles/plb-hac-ab.cluster"; } >"$tmp/charged.cluster"
    charged=$(seconds "$tmp/charged.cluster" mm) &&
        awk -v a="$usual" -v b="$charged" 'BEGIN { exit !(a > 0 && b > 1.01 * a) }'
    ok "[simulation] $key makes the run longer" $?
done

for conf in grn k-means; do
    application "$conf"
    alone "$papers/$conf.conf" "${kernel[@]}"; status=$?
    sentence="plbrun: $conf is a cost model, which computes nothing; run it with --simulate FILE.cluster"
    [ $status -eq 2 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] && grep -qxF "$sentence" "$tmp/out"
    ok "$conf refuses a real run" $?
    [ -n "${SAN:-}" ] || alone --simulate "$root/hostfiles/plb-hac-a.cluster" "$papers/$conf.conf"
    ok "$conf.conf finds its kernel" $?
done
export PLB_K_MEANS_POINTS=77
application k-means
alone --show-config "$papers/k-means.conf" "${kernel[@]}" grn.genes=3; status=$?
[ $status -eq 2 ] && grep -qF 'unknown section [grn]' "$tmp/out"
ok "a section of another application is refused" $?
# shown LINE SETTINGS...: --show-config has this line, blanks squeezed.
shown() {
    alone --show-config "$papers/k-means.conf" "${kernel[@]}" "${@:2}" &&
        tr -s ' ' <"$tmp/out" | grep -qxF "$1"
}
shown 'k-means.points = 77 PLB_K_MEANS_POINTS'
ok "a name with '-' as a variable" $?
shown 'k-means.points = 500000 command line' k-means.points=500000
ok "a name with '-' on the command line" $?

# PLB-HAC's Figure 6: a GPU becomes 2 times slower at 142 s. 48 s later its blocks last as long as before, and
# so have half the size. Without migration a block is a task. The trace has microseconds.
lasting=''
for seed in 1 9; do
    alone --simulate "$root/hostfiles/plb-hac-figure6.cluster" --seed $seed --trace "$tmp/t.json" \
        --balancer plb-hac "$papers/mm.conf" balance.migration=off \
        matmul.rows=98304 matmul.inner=98304 matmul.columns=98304 || lasting=failed
    sed -n 's/.*"name":"task","pid":0,"tid":1,"ts":\([0-9.]*\),"dur":\([0-9.]*\),.*/\1 \2/p' "$tmp/t.json" \
        >"$tmp/tasks"
    lasting+=$(awk '
        $1 > 50e6 && $1 + $2 < 142e6 && $2 > before { before = $2 }
        $1 > 190e6 && $2 > after { after = $2 }
        END { if (!(after > 0 && after < 1.3 * before)) print before, "then", after }' "$tmp/tasks")
done
[ -z "$lasting" ]
ok "blocks follow a change of speed" $?
done_testing
