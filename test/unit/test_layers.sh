#!/usr/bin/env bash
# The house's rules about who may know whom: #include lines, read as text.
. "$(dirname "$0")/../lib.sh"
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

allowed "public headers include public headers alone" "runtime/include/plb/*.h" 'plb/'
allowed "base sees public headers and base" "runtime/base/*.[ch]" 'plb/|base/'
allowed "model sees base" "runtime/model/*.[ch]" 'plb/|base/|model/'
allowed "core sees base and model" "runtime/core/*.[ch]" 'plb/|base/|model/|core/'
allowed "device sees base" "runtime/device/*.[ch]" 'plb/|base/|device/'
allowed "transport sees base and the core's messages" "runtime/transport/*.[ch]" 'plb/|base/|core/message\.h|transport/'
allowed "format sees base" "runtime/format/*.[ch]" 'plb/|base/|format/'
allowed "report sees base" "runtime/report/*.[ch]" 'plb/|base/|report/'
allowed "run is below plbrun alone" "runtime/run/*.[ch]" 'plb/|base/|model/|core/|device/|transport/|format/|report/|run/'
allowed "balancers see public headers and model" "balancers/*.c" 'plb/|model/'
allowed "kernels see plb/kernel.h and their own folder" "kernels/*/*.c kernels/*/*.h kernels/*/*.cu examples/*/*.c" 'plb/kernel\.h|[a-z_]+\.h"'
never "core and model do no I/O and know no threads, clock, MPI or CUDA" "runtime/core/*.[ch] runtime/model/*.[ch] balancers/*.c" \
      'mpi\.h|cuda|pthread|threads\.h|time\.h|sys/|unistd\.h|fcntl\.h|base/clock\.h|base/file\.h|base/log\.h'
never "MPI stays in transport/mpi.c" "$(find runtime balancers kernels -name '*.[ch]' ! -path runtime/transport/mpi.c | tr '\n' ' ')" 'mpi\.h'
never "CUDA stays in device/cuda.c" "$(find runtime balancers kernels -name '*.[ch]' ! -path runtime/device/cuda.c | tr '\n' ' ')" 'cuda_runtime|cublas|cusparse'
grep -nE '\bexit *\(' $(find runtime -name '*.c' ! -path runtime/base/error.c ! -path runtime/plbrun.c) >"$tmp/out"
ok "nobody exits but main, and allocation that finds no memory" $(($(wc -l <"$tmp/out") > 0))
for h in runtime/include/plb/*.h; do
    printf '#include "plb/%s"\nint main(void) { return 0; }\n' "$(basename "$h")" >"$tmp/h.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" >"$tmp/out" 2>&1
    ok "$(basename "$h") is clean C" $?
    if command -v g++ >/dev/null; then
        g++ -x c++ -std=c++17 -Wall -Wextra -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" >"$tmp/out" 2>&1
        ok "$(basename "$h") is clean C++" $?
    else
        skip "$(basename "$h") is clean C++" "no g++"
    fi
done
done_testing
