#!/usr/bin/env bash
# No source file has more than 400 lines, no function more than 50, no line more than 110 columns: what is larger holds
# two ideas, or is hard to read.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
export LC_ALL=C.UTF-8 # columns are characters

sources=$(find runtime balancers kernels examples test scripts -name '*.[ch]' -o -name '*.cu' | sort)
scripts=$(find scripts test examples .ci -name '*.sh' -o -type f -perm -u+x ! -name '*.*' | sort)
makefiles="Makefile $(find runtime test scripts examples -name '*.mk' -o -name Makefile)"

# Files that are still larger, and are being divided. These lists only shrink, and are to be empty.
long_files='scripts/bundle'
long_functions=''

listed() { [[ " $2 " =~ [[:space:]]$1[[:space:]] ]]; }

# shellcheck disable=SC2086 # names without blanks
wc -l $sources $scripts | awk '$2 != "total" && $1 > 400 {print $2, $1}' | while read -r file lines; do
    listed "$file" "$long_files" || echo "$file has $lines lines"
done >"$tmp/out"
ok "no file has more than 400 lines" $(($(wc -l <"$tmp/out") > 0))

# A function begins with a brace in the first column; its head is the line before.
# shellcheck disable=SC2086
awk 'FNR == 1 {start = 0} /^\{/ {start = FNR; head = before} {before = $0}
     /^\}/ {if (start && FNR - start + 1 > 50) print FILENAME, FNR - start + 1, "lines:", head; start = 0}' $sources | while read -r file text; do
    listed "$file" "$long_functions" || echo "$file: $text"
done >"$tmp/out"
ok "no function has more than 50 lines" $(($(wc -l <"$tmp/out") > 0))

# shellcheck disable=SC2086
grep -nE '^.{111,}$' $sources $scripts $makefiles | cut -d : -f 1,2 >"$tmp/out"
if [ -s "$tmp/out" ]; then # until all sources have been formatted
    skip "no line has more than 110 columns" "$(wc -l <"$tmp/out") have, in $(cut -d : -f 1 "$tmp/out" | uniq | wc -l) files"
else
    ok "no line has more than 110 columns" 0
fi
done_testing
