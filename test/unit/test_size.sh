#!/usr/bin/env bash
# No source file has more than 400 lines, no function more than 50, no line more than 110 columns. A larger
# file or function holds two ideas. A longer line is hard to read.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
export LC_ALL=C.UTF-8 # columns are characters

sources=$(find runtime balancers kernels examples test scripts -name '*.[ch]' -o -name '*.cu' | sort)
scripts=$(find scripts test examples docs .ci -type f \
    \( -name '*.sh' -o -name '*.awk' -o -perm -u+x ! -name '*.*' \))
makefiles="Makefile $(find runtime test scripts examples -name '*.mk' -o -name Makefile)"

# shellcheck disable=SC2086,SC2046 # names without blanks
wc -l $sources $scripts $(find kernels python test -name '*.py') |
    awk '$2 != "total" && $1 > 400 {print $2, "has", $1, "lines"}' >"$tmp/out"
ok "no file has more than 400 lines" $(($(wc -l <"$tmp/out") > 0))

find runtime -name '*.[ch]' -printf '%h\n' | sort | uniq -c |
    awk '$1 > 40 {print $2, "has", $1, "files"}' >"$tmp/out"
ok "no folder of runtime/ has more than 40 files" $(($(wc -l <"$tmp/out") > 0))

# A function begins with a brace in the first column; its head is the line before.
# shellcheck disable=SC2086
awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR; head = before }
    { before = $0 }
    /^\}/ {
        if (start && FNR - start + 1 > 50) print FILENAME ":", FNR - start + 1, "lines:", head
        start = 0
    }' $sources >"$tmp/out"
ok "no function has more than 50 lines" $(($(wc -l <"$tmp/out") > 0))

# shellcheck disable=SC2086
grep -nE '^.{111,}$' $sources $scripts $makefiles | cut -d : -f 1,2 >"$tmp/out"
ok "no line has more than 110 columns" $(($(wc -l <"$tmp/out") > 0))

find test scripts -name '*.sh' ! -perm -u+x -exec grep -l '^#!' {} + >"$tmp/out"
ok "every script that names its interpreter can be executed" $(($(wc -l <"$tmp/out") > 0))
done_testing
