#!/usr/bin/env bash
# The tutorial, as its reader does it: plbrun installed to a prefix, the balancer built by its own Makefile in
# a fresh folder against the installed header, run on several ranks. And every balancer that is refused.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "the tutorial" "the installed build is not a sanitized one"; done_testing; }

make -s -C "$root" install DESTDIR="$tmp/stage" PREFIX=/opt/plbrun >"$tmp/out" 2>&1
ok "make install DESTDIR= PREFIX=" $?
cp -r "$root/examples/custom-balancer" "$tmp/mine"
prefix=$tmp/stage/opt/plbrun
make -s -C "$tmp/mine" PREFIX="$prefix" CC="${CC:-cc} -Wall -Wextra -Wpedantic -Werror" >"$tmp/out" 2>&1
ok "the balancer builds against the installed header alone" $?
[ "$(wc -l <"$tmp/mine/trapezoid.c")" -le 40 ]
ok "it has at most 40 lines" $?
cd "$tmp" || exit # not the balancer's folder: its path begins at the conf file

# shellcheck disable=SC2034 # lib.sh runs it
PLBRUN=$prefix/bin/plbrun
for n in 1 3; do
    ranks $n --verify "$tmp/mine/app.conf" && grep -q ' distributed by the balancer trapezoid; ' "$tmp/out"
    ok "it shares out a verified product, $n rank(s)" $?
done
alone --simulate "$root/hostfiles/demo.cluster" "$tmp/mine/app.conf" &&
    grep -q ' distributed by the balancer trapezoid; ' "$tmp/out"
ok "it runs in virtual time" $?

# blocks FIRST_PART: how many blocks a simulation with it takes.
blocks() {
    alone --simulate "$root/hostfiles/demo.cluster" --report "$tmp/r.json" "$tmp/mine/app.conf" \
        "balance.first_part=$1" balance.migration=off || return
    grep -o '"blocks": [0-9]*' "$tmp/r.json" | awk '{n += $2} END {print n}'
}
# Six PUs and 2000 columns: 2·2000 / (333 + 1) = 12 blocks, and 2·2000 / (33 + 1) = 117, but for rounding.
few=$(blocks 1) many=$(blocks 0.1)
echo "# $few and $many blocks" >>"$tmp/out"
[ "$few" -ge 10 ] && [ "$few" -le 15 ] && [ "$many" -ge 105 ] && [ "$many" -le 130 ]
ok "its option counts" $?
alone --show-config "$tmp/mine/app.conf" && grep -qE '^balance.first_part = 0.5 +default' "$tmp/out" &&
    grep -qE "^balance.balancer = $tmp/mine/./trapezoid.so" "$tmp/out"
ok "--show-config shows its key and its path" $?
cd "$tmp/mine" || exit
alone --dry-run "$root/examples/triad/app.conf" --balancer trapezoid.so &&
    grep -q ' with trapezoid: ' "$tmp/out"
ok "a name ending in .so on the command line is a path" $?
alone --dry-run app.conf --report "$tmp/mine/trapezoid.so"
[ $? -eq 2 ] && grep -q 'trapezoid.so, which this run reads (balance.balancer: ' "$tmp/out"
ok "no report overwrites it" $?
PLB_BALANCE_FIRST_PART=7 alone --dry-run app.conf
[ $? -eq 2 ] && grep -qE '^plbrun: PLB_BALANCE_FIRST_PART: .*first_part' "$tmp/out"
ok "its keys are checked" $?

# as_help_says: each balancer's keys have the defaults that --balancer help shows below its name.
as_help_says() {
    local line name='' key value pairs=0
    while IFS= read -r line; do
        if [[ $line != ' '* ]]; then
            name=${line%% *}
            alone --show-config --simulate "$root/hostfiles/demo.cluster" --balancer "$name" \
                "$root/examples/demo/app.conf" || return
        else
            read -r key _ value _ <<<"$line"
            tr -s ' ' <"$tmp/out" | grep -qxF "balance.$key = $value default" ||
                { echo "$name: help says $key = $value" >>"$tmp/out"; return 1; }
            pairs=$((pairs + 1))
        fi
    done < <("$PLBRUN" --balancer help)
    [ $pairs -ge 15 ]
}
as_help_says; ok "each balancer's defaults are those of --balancer help" $?

# refused NAME PATTERN PATH [SETTING]: status 2 and one sentence with the pattern, on one rank and on two.
refused() {
    local name=$1 pattern=$2 n; shift 2
    for n in 1 2; do
        ranks $n app.conf --balancer "$@"
        [ $? -eq 2 ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
            grep -qE "^plbrun: .*$pattern" "$tmp/out"
        ok "$name, $n rank(s)" $?
    done
}

# variant NAME SED: builds the balancer with a change.
variant() {
    sed "$2" trapezoid.c >"$1.c" && ! cmp -s "$1.c" trapezoid.c &&
        ${CC:-cc} -std=c11 -fPIC -shared -I"$prefix/include" -o "$1.so" "$1.c" 2>"$tmp/out"
}
variant old 's/PLB_BALANCER_HEAD/.abi = 1, .size = 40/' && variant nameless 's/ plb_balancer = / other = /' &&
    variant lame 's/.grant = grant,//' && variant blank 's/"0.5"/0/' &&
    variant rival 's/"first_part", PLB_REAL, "0.5"/"task_seconds", PLB_REAL, "0.5"/' &&
    variant namesake 's/"first_part", PLB_REAL, "0.5"/"training", PLB_REAL, "0.3"/'
ok "variants build" $?
refused "another ABI" "old.so was built for balancer ABI 1 \(40 bytes\), this plbrun has ABI [0-9]+" ./old.so
refused "no symbol" "nameless.so exports no 'plb_balancer'; .*examples/custom-balancer" ./nameless.so
refused "a kernel" "exports no 'plb_balancer'" "$prefix/lib/plbrun/matmul.so"
refused "no grant" "lame.so: its plb_balancer lacks" ./lame.so
refused "an option without a default" "blank.so: its option first_part lacks a fallback" ./blank.so
refused "a key of plbrun's own with another default" "rival.so: its key task_seconds .* default" ./rival.so
alone --show-config app.conf --balancer ./namesake.so &&
    grep -qE '^balance.training = 0.3 +default' "$tmp/out"
ok "a key that another balancer has, too, is its own" $?
refused "no shared object" "command line: cannot load the balancer: .*README.md" ./README.md
refused "no file" "command line: the balancer file ./none.so does not exist" none.so
refused "a misspelt key beside it" "unknown key 'first_pert' in .balance.; did you mean 'first_part'" \
    ./trapezoid.so balance.first_pert=1
done_testing
