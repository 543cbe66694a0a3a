#!/usr/bin/env bash
# Planted faults fit the code, and each commit tries others of them: test/mutants/run -l names them.
. "$(dirname "$0")/../support/lib.sh"

# faults COMMIT: the ten of a commit.
faults() { "$root/test/mutants/run" -n 10 -c "$1" -l | tail -n +2; }

"$root/test/mutants/run" -l >"$tmp/all" 2>"$tmp/out"
ok "the old text of every fault is in its file, once" $?
[ "$(sort -u "$tmp/all" | wc -l)" -gt 300 ]
ok "they are more than 300, and have names of their own" $?

sed -n 's/^tests //p' "$root"/test/mutants/*.faults | tr ' ' '\n' | sort -u | while read -r test; do
    compgen -G "$root/test/${test%.sh}.*" >/dev/null || echo "there is no test/$test"
done >"$tmp/out"
ok "the tests that they name are there" $(($(wc -l <"$tmp/out") > 0))

faults 0a1b2c3d >"$tmp/one" && faults 0a1b2c3d >"$tmp/again" && faults 0a1b2c9d >"$tmp/other"
cmp "$tmp/one" "$tmp/again" >"$tmp/out" && [ "$(sort -u "$tmp/one" | wc -l)" -eq 10 ]
ok "a commit always has the same ten" $?
[ "$(sort -u "$tmp/one" "$tmp/other" | wc -l)" -gt 10 ]
ok "another commit has others" $?
"$root/test/mutants/run" -n 10 -c main -l >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q -- '-c main is no commit' "$tmp/out"
ok "a name is no commit" $?
done_testing
