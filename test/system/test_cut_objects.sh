#!/usr/bin/env bash
# Kernels and balancers whose files end too early, as after a copy that broke off: glibc would map what is
# missing, and touch it.
. "$(dirname "$0")/../support/lib.sh"

kernel=$BUILD/test/kernels/modes.so cut=$tmp/cut.so
printf '[app]\n# its file\nkernel = %s\n' "$cut" >"$tmp/app.conf"
printf '[app]\nkernel = %s\n' "$kernel" >"$tmp/whole.conf"

# refused NAME TEXT ARGUMENTS...: status 2, and this sentence alone.
refused() {
    local name=$1 text=$2; shift 2
    alone "$@"
    [ $? -eq 2 ] && [ "$(cat "$tmp/out")" = "plbrun: $text" ]
    ok "$name" $?
}

bytes=$(stat -L -c %s "$kernel")
for n in 30 100 3000 $((bytes / 2)) $((bytes - 1)); do
    head -c "$n" "$kernel" >"$cut"
    refused "a kernel of $bytes bytes, cut to $n" \
        "$tmp/app.conf:3: $cut is truncated; build it again" "$tmp/app.conf"
done
head -c 3000 "$kernel" >"$cut"
refused "a balancer that is cut" "command line: $cut is truncated; build it again" \
    "$tmp/whole.conf" --balancer "$cut"
cp "$kernel" "$cut"
alone "$tmp/app.conf" --verify && grep -q '; verified' "$tmp/out"
ok "a whole kernel runs" $?
strip -o "$cut" "$kernel" && alone "$tmp/app.conf" --verify && grep -q '; verified' "$tmp/out"
ok "and one that is stripped" $?
done_testing
