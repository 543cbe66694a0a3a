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

# The levels of folders, from the picture of the house: "FOLDER LEVEL". A file may include files of its own
# folder and of lower levels only. device/* stands for folders of device/ that have no line of their own.
awk '
    /^ *level +folder/ { on = 1; next }
    /^```/ { on = 0 }
    on && /^ +[0-9]+ / { level = $1; $1 = "" }
    on { split($0, words); sub(/\/$/, "", words[1]); print words[1], level }' \
    ARCHITECTURE.md >"$tmp/levels"
while read -r folder level; do
    compgen -G "runtime/$folder" >/dev/null || echo "$folder, on level $level, is not there"
done <"$tmp/levels" >"$tmp/out"
ok "the house in ARCHITECTURE.md is found" $(($(wc -l <"$tmp/levels") < 40))
ok "the house in ARCHITECTURE.md has folders that exist" $(($(wc -l <"$tmp/out") > 0))

# Every quoted include of the runtime as "FILE INCLUDED".
find runtime -name '*.[ch]' -exec grep -HE '^ *# *include *"' {} + |
    sed -E 's/^runtime\/([^:]*):[^"]*"([^"]*)".*/\1 \2/' | sort -u >"$tmp/includes"
ok "the runtime's includes are found" $(($(wc -l <"$tmp/includes") < 100))

# plb/… are the public headers.
awk '
    function folder(path) {
        if (path ~ /^plb\//) path = "include/" path
        sub(/\/[^\/]*$/, "", path)
        return path
    }
    function height(at) {
        if (at in level) return level[at]
        sub(/[^\/]*$/, "*", at)
        return at in level ? level[at] : -1
    }
    NR == FNR { level[$1] = $2 + 0; next }
    {
        from = folder($1); to = folder($2)
        if (height(from) < 0 || height(to) < 0)
            print $1, "includes \"" $2 "\", and one of the two is in a folder without a level"
        else if (from != to && height(to) >= height(from))
            print $1, "includes \"" $2 "\", which is not below it"
    }' "$tmp/levels" "$tmp/includes" >"$tmp/out"
ok "arrows point down: a folder includes lower ones alone" $(($(wc -l <"$tmp/out") > 0))

# x.c and x.h are one module, and all rank0_* are: they call each other.
sed -E 's/^include\///; s/\.[ch]( |$)/\1/g; s/rank0\/rank0_[a-z0-9_]+/rank0\/rank0/g' "$tmp/includes" |
    awk '$1 != $2' | tsort >/dev/null 2>"$tmp/out"
ok "no circle of includes among modules" $(($(wc -l <"$tmp/out") > 0))

# Each driver has a plb_device of its own behind device/device.h, and no driver sees another one's.
grep -rnE '\b(struct|union|enum) plb_[a-z0-9_]+ *\{' runtime --include='*.[ch]' |
    sed -E 's/^([^:]*):[0-9]+:.*\b(struct|union|enum) (plb_[a-z0-9_]+) *\{.*/\3 \1/' |
    grep -v '^plb_device runtime/device/' | sort |
    awk '$1 == before { print $1, at, $2 } { before = $1; at = $2 }' >"$tmp/out"
ok "no two structs share a public name" $(($(wc -l <"$tmp/out") > 0))

# all_but PATTERN: the C files of the program whose path does not match.
all_but() { find runtime balancers kernels -name '*.[ch]' | grep -vxE "$1" | tr '\n' ' '; }
allowed "balancers see public headers and model" "balancers/*.c" 'plb/|model/'
allowed "a balancer outside sees plb/balancer.h alone" "examples/custom-balancer/*.c" 'plb/balancer\.h'
allowed "a driver outside sees what one inside does" "examples/device-driver/*/*.c" 'base/|device/[a-z_]+\.h'
example_kernels=$(find examples -name '*.c' ! -path 'examples/custom-balancer/*' ! -path '*/device-driver/*' |
    tr '\n' ' ')
allowed "kernels see plb/kernel.h and their own folder" \
    "kernels/*/*.c kernels/*/*.h kernels/*/*.cu $example_kernels" 'plb/(kernel|host)\.h|[a-z_]+\.h"'
allowed "their opencl entries see plb/opencl.h, too" "kernels/*/opencl/*.c" 'plb/opencl\.h|\.\./[a-z_]+\.h"'
never "core and model do no I/O and know no threads, clock, MPI or CUDA" \
    "runtime/core/*.[ch] runtime/core/*/*.[ch] runtime/model/*.[ch] runtime/model/*/*.[ch] balancers/*.c" \
    'mpi\.h|cuda|pthread|threads\.h|time\.h|sys/|unistd\.h|fcntl\.h|base/clock\.h|base/file\.h|base/log\.h'
never "MPI stays in transport/mpi*" "$(all_but 'runtime/transport/mpi(_[a-z]+)?\.[ch]')" 'mpi\.h'
never "OpenCL's headers stay in device/opencl and plb/opencl.h" \
    "$(all_but '(runtime/device/opencl/.*|runtime/include/plb/opencl.h|kernels/.*|test/.*)')" 'CL/cl'
never "CUDA's headers stay in device/cuda" \
    "$(all_but 'runtime/device/cuda/.*')" 'cuda_runtime|cublas|cusparse'
# Code without comments and strings, as "FILE: code": a sentence to the user may name a kind of device.
cat >"$tmp/code.py" <<'P'
import re, sys
token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
def kept(match, text):
    word = match.group()
    line = text[text.rfind('\n', 0, match.start()) + 1:match.start()]
    return word if word[0] == "'" or re.match(r' *# *include', line) else ' '
for path in sys.argv[1:]:
    text = open(path, encoding='utf-8').read()
    for line in token.sub(lambda match: kept(match, text), text).split('\n'):
        if line.strip():
            print(f'{path}: {line}')
P
find runtime -name "*.[ch]" ! -path runtime/include/plb/kernel.h -exec python3 "$tmp/code.py" {} + \
    >"$tmp/code"
ok "the runtime's code is found" $(($(wc -l <"$tmp/code") < 4000))
for driver in $(find runtime/device -mindepth 1 -maxdepth 1 -type d -printf '%f\n'); do
    grep -v "^runtime/device/$driver/" "$tmp/code" |
        grep -E ": .*(plb_device_$driver\b|device/$driver/)" >"$tmp/out"
    ok "the table of drivers alone names runtime/device/$driver" $(($(wc -l <"$tmp/out") > 0))
done
grep -v "^runtime/device/cuda/" "$tmp/code" | grep -iE ': .*cuda' >"$tmp/out"
ok "no code outside runtime/device/cuda and plb/kernel.h speaks of CUDA" $(($(wc -l <"$tmp/out") > 0))
# excepted LIST: each line of $tmp/found, "FILE WHAT", has its file in the list, and each file of the list has
# a line. LIST: a file and the reason on each line.
excepted() {
    awk 'NF { print $1 }' <<<"$1" | sort >"$tmp/allowed"
    cut -d ' ' -f 1 "$tmp/found" | sort -u | comm -3 - "$tmp/allowed" >"$tmp/differ"
    sed -nE 's/^\t(.*)/\1 needs no exception any more/p' "$tmp/differ"
    grep -v "$(printf '\t')" "$tmp/differ" | grep -Ff - "$tmp/found" || true
}

# Functions that end the process, in code without comments and strings.
grep -E '\b(exit|_exit|_Exit|quick_exit|abort|MPI_Abort) *\(' "$tmp/code" |
    sed -E 's/^runtime\///; s/: +/ /' >"$tmp/found"
excepted '
plbrun.c             main
base/memory.c        there is no memory, and nobody could go on
host/crash.c         a kernel has called exit(): its handler ends the process before those of MPI
host/child.c         the end of a child process, which executes tasks of its parent
membership/door.c         the system has no random bytes, which Linux promises
membership/early_loss.c   a rank was lost while MPI starts, whose calls do not return then
membership/life.c         rank 0 is gone or has given this rank up: MPI waits for it for ever
every_rank/replaced.c     rank 0 has sent what cannot be
membership/watchdog.c     a call of MPI on rank 0 does not return
membership/leaving.c      nor does that which leaves MPI: a signal handler
transport/mpi.c          something else ends this process: the handler ends the ranks that wait for it
transport/mpi_failures.c an error in MPI' >"$tmp/out"
ok "nobody ends the process but main and those that cannot return to it" $(($(wc -l <"$tmp/out") > 0))

# Data in sections that are written. Tables of pointers are in .data.rel.ro, which the loader alone writes.
if [ -n "${SAN:-}" ]; then
    skip "no mutable globals" "sanitizers add their own"
else
    (cd "$BUILD" && find runtime balancers -name '*.o' -exec objdump -t {} +) | awk '
        / file format / { file = $1; sub(/\.o:$/, ".c", file) }
        /[ \t]\.t?(data|bss)/ && !/ d +\./ && !/\.data\.rel\.ro/ && !/[nN]vtx/ { print file, $NF }' |
        sed 's/^runtime\///' >"$tmp/found"
    with_cuda=''
    if [ -e "$BUILD/runtime/device/cuda/library.o" ]; then
        with_cuda='
device/cuda/library.c the functions of a library that is opened once, and the GPUs that it found
device/cuda/process.c an error ends CUDA for the whole process'
    fi
    with_opencl=''
    if [ -e "$BUILD/runtime/device/opencl/library.o" ]; then
        with_opencl='
device/opencl/library.c the functions of a library that is opened once, and the devices that it found'
    fi
    excepted "$with_cuda$with_opencl"'
host/crash.c         a signal handler gets no argument
check/trial.c        nor does this one
base/crash_call.c   nor does it
base/mapped.c        the same handler looks up the file of an address
base/stop.c          a signal handler gets no argument
membership/leaving.c      a signal handler gets no argument
transport/mpi.c          nor does what runs at exit
base/log.c           the level and the rank of this process, for lines from anywhere
base/lease.c         what MPI may still use belongs to the process, as MPI does: no owner outlives it
meter/nvml/nvml.c    the functions of a library that is opened once' >"$tmp/out"
    ok "no mutable globals but those of handlers, of the log and of a library" $(($(wc -l <"$tmp/out") > 0))
fi
for h in runtime/include/plb/*.h; do
    name=$(basename "$h")
    printf '#include "plb/%s"\nint main(void) { return 0; }\n' "$name" >"$tmp/h.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" >"$tmp/out" 2>&1
    ok "$name is clean C" $?
    if command -v g++ >/dev/null; then
        g++ -x c++ -std=c++17 -Wall -Wextra -Werror -Iruntime/include -fsyntax-only "$tmp/h.c" \
            >"$tmp/out" 2>&1
        ok "$name is clean C++" $?
    else
        skip "$name is clean C++" "no g++"
    fi
done
done_testing
