#!/usr/bin/env bash
# The manual pages are complete and well formed.
. "$(dirname "$0")/../support/lib.sh"
page=$root/docs/man/plbrun.1 kernel_page=$root/docs/man/plb_kernel.7
# section NAME: that part of plbrun.1, with its hyphens as plain ones.
section() { sed 's/\\-/-/g' "$page" | sed -n "/^\.SH $1\$/,/^\.SH [^$1]/p"; }

alone --help
sed -nE 's/^  (--[a-z-]+).*/\1/p' "$tmp/out" | sort -u >"$tmp/options"
while read -r option; do
    section OPTIONS | grep -qE "^\.BI? $option( |\$)" || echo "plbrun.1 lacks $option"
done <"$tmp/options" >"$tmp/out"
section OPTIONS | sed -nE 's/^\.BI? (--[a-z-]+).*/\1/p' | grep -vxFf "$tmp/options" |
    sed 's/^/plbrun.1 has an unknown option /' >>"$tmp/out"
ok "plbrun.1 has the options of --help" $(($(wc -l <"$tmp/options") < 10 || $(wc -l <"$tmp/out") > 0))

"$PLBRUN" --show-config "$root/examples/demo/app.conf" |
    sed -nE 's/^(app|run|balance|energy|cluster)\.([^ ]+) .*/\2/p' >"$tmp/keys"
while read -r key; do
    section SETTINGS | grep -qwF -- "$key" || echo "$key"
done <"$tmp/keys" >"$tmp/unnamed"
"$PLBRUN" --balancer help | sed -nE 's/^ +([a-z_.]+) = .*/\1/p' | sort -u >"$tmp/of-balancers"
grep -vxFf "$tmp/of-balancers" "$tmp/unnamed" >"$tmp/out"
ok "and the settings that each job has" $(($(wc -l <"$tmp/keys") < 20 || $(wc -l <"$tmp/out") > 0))

# The reference has them, too: options, and settings that are not a balancer's own.
while read -r option; do
    grep -qE "^\| .*\`${option}[\` =]" "$root/docs/reference/options.md" || echo "options.md lacks $option"
done <"$tmp/options" >"$tmp/out"
"$PLBRUN" --show-config "$root/examples/demo/app.conf" |
    sed -nE 's/^(run|balance|energy|cluster)\.([^ ]+) .*/\2/p' | grep -vxFf "$tmp/of-balancers" |
    while read -r key; do
        grep -q "^| \`$key\` |" "$root/docs/reference/settings.md" || echo "settings.md lacks $key"
    done >>"$tmp/out"
ok "the reference has the options and settings" $(($(wc -l <"$tmp/options") < 10 || $(wc -l <"$tmp/out") > 0))

cd "$root/runtime/include/plb" || exit
grep -ohE '\bplb_(app|task|read|write|random)_[a-z_]+\(' ./*.h |
    tr -d '(' | sort -u >"$tmp/functions"
while read -r function; do
    for file in "$kernel_page" "$root/docs/reference/kernel-api.md"; do
        grep -qw "$function" "$file" || echo "$(basename "$file") lacks $function"
    done
done <"$tmp/functions" >"$tmp/out"
ok "plb_kernel.7 and kernel-api.md have every function of plb/kernel.h" \
    $(($(wc -l <"$tmp/functions") < 20 || $(wc -l <"$tmp/out") > 0))

if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$root"/docs/man/*.[17] >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
    ok "groff has no warning" $?
else
    skip "groff has no warning" "no groff"
fi
"$PLBRUN" --help 2>"$tmp/out" >/dev/full
[ $? -eq 1 ] && grep -q 'standard output cannot be written: No space left' "$tmp/out"
ok "an answer that cannot be written is a failure" $?
done_testing
