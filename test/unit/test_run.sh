#!/usr/bin/env bash
# test/run: what it counts, which skips are failures, and how often measured results were tried.
. "$(dirname "$0")/../support/lib.sh"
unset PLB_STRICT # that of the run which this test is part of

# of LINE...: a test that prints these lines is run; the output is in $tmp/out.
of() {
    lines "$tmp/speaks" "$@"
    lines "$tmp/a_test.sh" '#!/bin/sh' "cat '$tmp/speaks'"
    chmod +x "$tmp/a_test.sh"
    "$root/test/run" "$tmp/a_test.sh" >"$tmp/out" 2>&1
}
ends() { [ "$(tail -n 1 "$tmp/out")" = "$1" ]; }

of 'ok 1 - one' 'ok 2 - two' && ends '2 passed, 0 failed, 0 skipped'
ok "results are counted" $?
! of 'ok 1 - one' 'not ok 2 - two' && ends '1 passed, 1 failed, 0 skipped'
ok "a failure fails" $?
! of '1..0' && ends '0 passed, 1 failed, 0 skipped'
ok "so does a test without a result" $?

of 'ok 1 - one # SKIP no luck' '# cause: no moon' 'not ok 2 # SKIP two' &&
    grep -q 'skipped: one: no luck' "$tmp/out" && grep -q 'skipped: two: no moon' "$tmp/out" &&
    ends '0 passed, 0 failed, 2 skipped'
ok "a skip is shown with its cause, of a script and of a C program" $?
! of 'not ok 1 # SKIP one' && grep -q 'one is skipped: no cause is named' "$tmp/out"
ok "one without a cause fails" $?
export PLB_STRICT=1
! of 'ok 1 - one # SKIP no luck' 'ok 2 - two' && ends '1 passed, 1 failed, 0 skipped'
ok "where skips must be listed, another one fails" $?
unset PLB_STRICT

twice() { [ -e "$tmp/first" ] || { : >"$tmp/first"; false; }; }
tries twice >"$tmp/said" && grep -qx '# tries 2: twice' "$tmp/said" && ! tries false >>"$tmp/said"
ok "tries says how often it tried" $?
of 'ok 1 - one' '# tries 1: once' "$(<"$tmp/said")" && grep -q 'tried 2 times: twice' "$tmp/out" &&
    [ "$(tail -n 2 "$tmp/out" | head -n 1)" = '3 measured results took 8 tries' ]
ok "and the end of a run shows the sum" $?
while IFS=: read -r pattern _; do
    compgen -G "$root/$pattern" >/dev/null || compgen -G "$root/$pattern.c" >/dev/null || echo "$pattern"
done < <(grep -v '^#\|^$' "$root/test/skips") >"$tmp/out"
[ ! -s "$tmp/out" ]
ok "each test that test/skips names is there" $?
done_testing
