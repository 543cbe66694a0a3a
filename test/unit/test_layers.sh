#!/usr/bin/env bash
# The house's rules about who may know whom: #include lines, read as text.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1

# allowed NAME FILES ALLOWED-REGEX: every quoted include of these files matches.
allowed() {
    local files=$2
    # shellcheck disable=SC2086
    grep -HnE '^ *# *include *"' $files 2>/dev/null | grep -vE "\"($3)" >"$tmp/out"
    ok "$1" $(($(wc -l <"$tmp/out") > 0))
}
# never NAME FILES REGEX: no include of any kind matches.
never() {
    # shellcheck disable=SC2086
    grep -HnE "^ *# *include *[<\"]($3)" $2 >"$tmp/out" 2>/dev/null
    ok "$1" $(($(wc -l <"$tmp/out") > 0))
}

# level FOLDER: how high it stands. A file may include files of its own folder and of lower levels only.
level() {
    case $1 in
    include) echo 0 ;;
    base) echo 1 ;;
    model | format) echo 2 ;;
    device | meter | core | config | report) echo 3 ;;
    job) echo 4 ;;
    node | profile | journal) echo 5 ;;
    drive) echo 6 ;;
    plbrun.c) echo 7 ;;
    esac
}
# place PATH: the folder of the house that a path below runtime/ is in; plb/… are the public headers.
place() { case $1 in plb/*) echo include ;; *) echo "${1%%/*}" ;; esac; }

# Every quoted include of the runtime as "FILE INCLUDED", both without their endings: x.c and x.h are one
# module.
for f in $(find runtime -name '*.[ch]'); do
    grep -hE '^ *# *include *"' "$f" | sed 's/[^"]*"\([^"]*\)".*/\1/' | while read -r included; do
        echo "${f#runtime/} $included"
    done
done | sort -u >"$tmp/includes"
ok "the runtime's includes are found" $(($(wc -l <"$tmp/includes") < 100))

while read -r file included; do
    from=$(place "${file#include/}") to=$(place "$included")
    if [ -z "$(level "$from")" ] || [ -z "$(level "$to")" ]; then
        echo "$file includes \"$included\", and one of the two is in a folder without a level"
    elif [ "$from" != "$to" ] && [ "$(level "$to")" -ge "$(level "$from")" ]; then
        echo "$file includes \"$included\", which is not below it"
    fi
done <"$tmp/includes" >"$tmp/out"
ok "arrows point down: a folder includes lower ones alone" $(($(wc -l <"$tmp/out") > 0))

sed -E 's/^include\///; s/\.[ch]( |$)/\1/g' "$tmp/includes" | awk '$1 != $2' | tsort >/dev/null 2>"$tmp/out"
ok "no circle of includes among modules" $(($(wc -l <"$tmp/out") > 0))

# all_but PATTERN: the C files of the program whose path does not match.
all_but() { find runtime balancers kernels -name '*.[ch]' | grep -vxE "$1" | tr '\n' ' '; }
allowed "balancers see public headers and model" "balancers/*.c" 'plb/|model/'
allowed "a balancer outside sees plb/balancer.h alone" "examples/custom-balancer/*.c" 'plb/balancer\.h'
example_kernels=$(find examples -name '*.c' ! -path 'examples/custom-balancer/*' | tr '\n' ' ')
allowed "kernels see plb/kernel.h and their own folder" \
    "kernels/*/*.c kernels/*/*.h kernels/*/*.cu $example_kernels" 'plb/(kernel|host)\.h|[a-z_]+\.h"'
never "core and model do no I/O and know no threads, clock, MPI or CUDA" \
    "runtime/core/*.[ch] runtime/model/*.[ch] balancers/*.c" \
    'mpi\.h|cuda|pthread|threads\.h|time\.h|sys/|unistd\.h|fcntl\.h|base/clock\.h|base/file\.h|base/log\.h'
transport='runtime/drive/(mpi|mpi_[a-z]+|requests)\.c|runtime/drive/(mpi_inside|requests)\.h'
never "MPI stays in the transport" "$(all_but "$transport")" 'mpi\.h'
never "CUDA's headers stay in device/cuda" \
    "$(all_but 'runtime/device/cuda/.*')" 'cuda_runtime|cublas|cusparse'
# Code without comments and strings, as "FILE: code": a sentence to the user may name a kind of device.
for f in $(find runtime -name '*.[ch]' ! -path runtime/include/plb/kernel.h); do
    gcc -fpreprocessed -dD -E -P -x c "$f" 2>/dev/null |
        sed -E '/^ *# *include/!s/"([^"\\]|\\.)*"//g' | sed "s|^|$f: |"
done >"$tmp/code"
ok "the runtime's code is found" $(($(wc -l <"$tmp/code") < 4000))
for driver in $(find runtime/device -mindepth 1 -maxdepth 1 -type d -printf '%f\n'); do
    grep -v "^runtime/device/$driver/" "$tmp/code" |
        grep -E ": .*(plb_device_$driver\b|device/$driver/)" >"$tmp/out"
    ok "the table of drivers alone names runtime/device/$driver" $(($(wc -l <"$tmp/out") > 0))
done
grep -v "^runtime/device/cuda/" "$tmp/code" | grep -iE ': .*cuda' >"$tmp/out"
ok "no code outside runtime/device/cuda and plb/kernel.h speaks of CUDA" $(($(wc -l <"$tmp/out") > 0))
others=$(find runtime -name '*.c' ! -path runtime/base/memory.c ! -path runtime/plbrun.c)
# shellcheck disable=SC2086 # names without blanks
grep -nE '\bexit *\(' $others >"$tmp/out"
ok "nobody exits but main, and allocation that finds no memory" $(($(wc -l <"$tmp/out") > 0))
for h in runtime/include/plb/*.h; do
    printf '#include "plb/%s"\nint main(void) { return 0; }\n' "$(basename "$h")" >"$tmp/h.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" >"$tmp/out" 2>&1
    ok "$(basename "$h") is clean C" $?
    if command -v g++ >/dev/null; then
        g++ -x c++ -std=c++17 -Wall -Wextra -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" \
            >"$tmp/out" 2>&1
        ok "$(basename "$h") is clean C++" $?
    else
        skip "$(basename "$h") is clean C++" "no g++"
    fi
done
done_testing
