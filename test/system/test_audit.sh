#!/usr/bin/env bash
# Audits over real ranks: a rank that computes wrongly is found, and its audited results are put right.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/liar.conf" '[app]' "kernel = $BUILD/test/kernels/liar.so" '[run]' 'audit = 1' \
    '[liar]' 'units = 120' "out = $tmp/out.npy" '[cluster]' 'threads = 1' \
    '[balance]' 'grain = 1' 'backups = off'
# run STATUS N ARGUMENTS...: the job on N ranks ends with this status.
run() {
    local status=$1 n=$2; shift 2
    rm -f "$tmp/r.json" "$tmp"/out.npy*
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/liar.conf" "$@"
    [ $? -eq "$status" ]
}
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -1; }
says() { grep -qE -- "$2" "$tmp/out"; ok "$1" $?; }
# wrong RANK: the report says that PUs of this rank and of no other were wrong.
wrong() {
    python3 - "$tmp/r.json" "$1" <<'P'
import json, sys
pus = json.load(open(sys.argv[1]))["pus"]
sys.exit(not all((pu["wrong"] > 0) == (pu["node"] == int(sys.argv[2])) for pu in pus))
P
}

# Every task is audited, and each is one unit, which is audited whole. A third rank says who was wrong, and
# the right result takes its place.
for what in outputs sums; do
    sums=$([ $what = sums ] && echo yes || echo no)
    for rank in 0 1; do
        run 1 3 liar.rank=$rank liar.reduce="$sums"
        ok "$what, rank $rank of three is wrong: status 1" $?
        wrong $rank
        ok "$what: the report names rank $rank alone" $?
        grep -q '"verified": true' "$tmp/r.json"
        ok "$what: all wrong results were put right, each counts once" $?
    done
    run 0 3 liar.rank=-1 liar.reduce="$sums" && [ "$(number audit_differences)" = 0 ]
    ok "$what, nobody is wrong: status 0" $?
    says "$what: the summary says how many tasks were audited" '[1-9][0-9]* tasks? audited, 0 differences'
    run 1 3 liar.reduce="$sums" liar.passes=3
    [ $? -eq 0 ] && grep -q '"verified": true' "$tmp/r.json"
    ok "$what: three passes" $?
done

run 1 2 liar.rank=-1 liar.writes=yes && [ ! -e "$tmp/out.npy" ]
says "an entry that changes its input is named" \
    "kernel liar failed on PU .*: it changed its buffer 0, which is an input"

run 1 3 && [ -f "$tmp/out.npy.wrong" ] && [ ! -e "$tmp/out.npy" ]
ok "the results go to out.npy.wrong" $?
says "a warning names kernel, units, both PUs and the first difference" \
    "kernel liar computed two results for units? [0-9]+.*: PU [0-9]+ '.*' .* and PU [0-9]+ .* differ; 'out' "
says "and who was wrong" "PU [0-9]+ '.*' \(rank 1 on .*\) was wrong for units?"
says "the last sentence counts" \
    'computed different results for [0-9]+ of the [0-9]+ audited tasks; PU 1 on .* was wrong in'
[ "$(number audit_differences)" -gt 0 ] && [ "$(number audited)" -ge "$(number audit_differences)" ]
ok "so does the report" $?

run 1 3 run.journal="$tmp/j" && [ -z "$(find "$tmp" -name 'j*')" ] && ! grep -q -- '--resume' "$tmp/out"
ok "nobody can go on from wrong results: the journal is gone" $?
says "and that is said" "the journal contains these results as well, and is removed: $tmp/j$"

run 3 3 run.audit=0
ok "without audits only --verify notices" $?
[ "$(number audited)" = 0 ]
ok "and nothing is executed twice" $?
run 0 3 run.audit=1 liar.lie=2 liar.rank=-1
ok "with audits, and nobody wrong" $?
run 3 3 liar.tolerant=1
[ $? -eq 0 ] && [ "$(number audit_differences)" = 0 ]
ok "results within the kernel's tolerance agree" $?

run 1 2
says "two ranks cannot say who is wrong" 'no third PU can say'
run 0 1 liar.rank=-1
says "with one PU nothing can be audited, and that is said" 'nothing can be audited: a second PU is needed'

for kernel in triad spmm matmul; do
    lines "$tmp/$kernel.conf" '[app]' "kernel = $kernel" '[run]' 'audit = 1'
    case $kernel in # as large as they are they take half a minute with the thread sanitizer
    triad) printf '[triad]\nelements = 1048576\n' ;;
    matmul) printf '[matmul]\nrows = 256\ninner = 256\ncolumns = 256\n' ;;
    esac >>"$tmp/$kernel.conf"
    ranks 3 --verify --report "$tmp/r.json" "$tmp/$kernel.conf"
    [ $? -eq 0 ] && [ "$(number audited)" -gt 0 ] && [ "$(number audit_differences)" = 0 ]
    ok "$kernel: audited PUs agree" $?
done
done_testing
