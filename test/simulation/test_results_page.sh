#!/usr/bin/env bash
# examples/papers/RESULTS.md against a sample of the runs that it is made of: what `make bench-results` would
# write of them now. Floating-point units may differ, so fractions agree within two units of the last
# digit, or 2 %, and whole numbers within 2 %.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
if [ -n "${SAN:-}" ]; then
    skip "the page of results" "it loads the kernels of the normal build"
    done_testing
fi
page=examples/papers/RESULTS.md

# same LINE: the page has it, with numbers that are nearly the same.
same() {
    awk -v wanted="$1" '
        function plain(s) { gsub(/[0-9]+(\.[0-9]+)?/, "#", s); return s }
        function close_by(a, b,    x, y, unit, off) {
            while (match(a, /[0-9]+(\.[0-9]+)?/)) {
                x = substr(a, RSTART, RLENGTH)
                a = substr(a, RSTART + RLENGTH)
                match(b, /[0-9]+(\.[0-9]+)?/)
                y = substr(b, RSTART, RLENGTH)
                b = substr(b, RSTART + RLENGTH)
                unit = x ~ /\./ ? 10 ^ -(length(x) - index(x, ".")) : 0
                off = x > y ? x - y : y - x
                if (off > 2.01 * unit && off > 0.02 * y) return 0
            }
            return 1
        }
        plain($0) == plain(wanted) && close_by($0, wanted) { found = 1 }
        END { exit !found }' $page
}
# all PART FILES: each row of a part is on the page.
all() {
    local part=$1 line lacks=0
    shift
    awk -v part="$part" -f test/bench/results_rows.awk -f test/bench/results_text.awk "$@" >"$tmp/rows" ||
        return 1
    while IFS= read -r line; do
        same "$line" || { lacks=1; echo "# the page lacks: $line"; }
    done <"$tmp/rows"
    return $lacks
}

# says VERDICT EXPRESSION: what the scripts of the page say of numbers.
says() {
    local got
    got=$(cd test/bench && awk -f <(cat results{_rows,_both,_shares,_idle,_hec,_hac,}.awk) \
        -f <(echo "function leads(list,    v) { return steps(v, split(list, v, \" \")) }
                                 BEGIN { print $2 }") </dev/null)
    [ "$got" = "$1" ] || { echo "# $2: $got"; return 1; }
}
says "holds at each step" 'leads("1.283 1.355 1.501 1.638")' &&
    says "does not hold" 'leads("1.013 1.001 1 0.993 0.986")' &&
    says "does not hold" 'leads("1 1.2 1.1 0.9")' &&
    says "holds at 2 of 3 steps" 'leads("1 1.2 1.1 1.3")' && says "holds in 24 of 36" 'verdict(24, 36)' &&
    says "does not hold" 'verdict(0, 36)' && says "holds" 'less(1, 2, 3, 4)' &&
    says "less than the runs scatter" 'less(1, 3, 3, 4)' && says "does not hold" 'less(4, 5, 3, 4)' &&
    says "does not hold" 'both(less(1, 3, 3, 4), less(2, 2, 1, 1))' &&
    says "less than the runs scatter" 'both("holds", less(1, 3, 3, 4))'
ok "verdicts on leads that fall, some of the cases, and runs that overlap" $?

# counts VERDICT COUNTS: of a page with a row of this verdict alone.
counts() {
    local got
    got=$(printf '<!-- hec -->\n| s | r | o | %s | c |\n<!-- end of hec -->\n' "$1" |
        awk -f test/bench/results_outcome.awk | tail -n 1)
    [ "$got" = "| all | $2 |" ] || { echo "# $1: $got"; return 1; }
}
counts "holds in the median run" "1 | 0 | 0 | 0 | 0" && counts "holds in 2 of 5" "0 | 1 | 0 | 0 | 0" &&
    counts "A: holds. B: does not hold" "0 | 1 | 0 | 0 | 0" &&
    counts "A: less than the runs scatter. B: holds" "0 | 1 | 0 | 0 | 0" &&
    counts "does not hold within 1 %" "0 | 0 | 1 | 0 | 0" &&
    counts "less than the runs scatter" "0 | 0 | 0 | 1 | 0" && counts "—" "0 | 0 | 0 | 0 | 1"
ok "a verdict holds, in part, or does not" $?
awk -f test/bench/results_outcome.awk $page >"$tmp/outcome"
awk '/^<!-- end of outcome/ { on = 0 } on; /^<!-- outcome/ { on = 1 }' $page |
    diff - "$tmp/outcome" >"$tmp/out" &&
    [ "$(wc -l <"$tmp/outcome")" -eq 7 ] && ! grep -qE '[|] all [|].* 0 [|]' "$tmp/outcome"
ok "how many rows hold, in part, or do not" $?

# The list of what the papers describe names files that are there.
grep -o '`[a-z][a-z/_-]*/[a-z_./*-]*`' test/papers.md | tr -d '`' | sort -u >"$tmp/names"
[ -s "$tmp/names" ]
lacks=$?
while IFS= read -r name; do
    compgen -G "$name" >/dev/null || { lacks=1; echo "# there is no $name"; }
done <"$tmp/names"
ok "the files that test/papers.md names" $lacks

echo >"$tmp/none" # awk counts files that have a line
"$BUILD/bench/energy" >"$tmp/energy" &&
    all stafford "$tmp"/{none,none,none,energy,none} >"$tmp/out"
ok "the shares of Stafford and others" $?
"$BUILD/bench/adaptation" "$tmp" >"$tmp/adaptation" &&
    all adapts "$tmp"/{none,adaptation,none,none,none} >"$tmp/out" &&
    all adapts-why "$tmp"/{none,adaptation,none,none,none} >"$tmp/out"
ok "a GPU that becomes slower" $?
timeout 400 "$BUILD/bench/papers" "$tmp" plb-hec-abcd/mm/65536 >"$tmp/out" &&
    awk -F, '{ r[$4] = $6 }
        function row(reading, greedy, hdss) {
            printf "| MM 65536 on four machines: 2.2 times as fast as greedy, HDSS 1.2, Acosta 1.04"
            printf " (V.A.a) | %s | PLB-HeC %.2f, HDSS %.2f, Acosta %.2f", reading, r[greedy] / r["plb-hec"],
                   r[greedy] / r[hdss], r[greedy] / r["acosta"]
            printf " | order: does not hold, 2.2 within 10 %%: does not hold | `make bench-papers` |\n"
        }
        END {
            row("A: as the paper", "greedy+idle", "hdss+sync")
            row("B: plbrun\047s defaults", "greedy", "hdss")
        }' "$tmp/cells.csv" >"$tmp/rows"
lacks=$?
while IFS= read -r line; do
    same "$line" || { lacks=1; echo "# the page lacks: $line"; }
done <"$tmp/rows"
ok "matrix multiplication on four machines" $lacks
done_testing
