#!/usr/bin/env bash
# Checksums over real ranks: data that is damaged on its way is noticed, and travels again.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/app.conf" '[app]' 'kernel = triad' '[triad]' 'elements = 262144' "a = $tmp/a.npy" \
    '[cluster]' 'master_only = yes' '[balance]' 'grain = 2' # it travels in many messages, too small to share
if [ -n "${SAN:-}" ]; then
    skip 'data is damaged on its way' 'a sanitizer wants to be loaded first'
    done_testing
fi
# shellcheck disable=SC2046 # several words
if ! ${CC:-cc} -shared -fPIC -o "$tmp/damage.so" "$root/test/support/damage.c" \
    $(mpicc -showme:compile 2>/dev/null) >"$tmp/out" 2>&1; then
    skip 'data is damaged on its way' 'no compiler'
    done_testing
fi
# damaged EACH N ARGUMENTS...: the job on N ranks; each EACH-th transfer is damaged.
damaged() {
    local each=$1 n=$2; shift 2
    rm -f "$tmp"/a.npy* "$tmp/r.json"
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun $MPIRUN_OPTIONS -x LD_PRELOAD="$tmp/damage.so" -x PLB_DAMAGE="$each" -np "$n" \
        "$PLBRUN" --verify --report "$tmp/r.json" "$tmp/app.conf" "$@" >"$tmp/out" 2>&1
}
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -1; }
says() { grep -qE -- "$2" "$tmp/out"; ok "$1" $?; }

damaged 5 3
[ $? -eq 3 ] && [ "$(number damaged)" = 0 ]
ok "without checksums damaged data makes a wrong result" $?
damaged 5 3 run.checksums=yes
[ $? -eq 0 ] && grep -q '"verified": true' "$tmp/r.json"
ok "with checksums the result is right" $?
[ "$(number damaged)" -gt 0 ]
ok "the report counts the transfers" $?
says "and so does the summary" '[1-9][0-9]* damaged transfers? repeated'
says "inputs are sent again" 'the inputs of chunks? [0-9].* arrived damaged at rank [12],.* sent again'
says "results are computed again" 'the results of .* arrived damaged from rank [12],.* computed again'
damaged 5 3 run.checksums=yes run.audit=0.5
[ $? -eq 0 ] && [ "$(number audit_differences)" = 0 ] && [ "$(number damaged)" -gt 0 ]
ok "a damaged result of an audit is no difference" $?
damaged 1000000 3 run.checksums=yes
[ $? -eq 0 ] && [ "$(number damaged)" = 0 ]
ok "sound data is not sent again" $?
damaged 1 2 run.checksums=yes
[ $? -eq 1 ]
ok "where all data is damaged, the run ends with status 1" $?
says "and says so" 'data keeps arriving damaged'
done_testing
