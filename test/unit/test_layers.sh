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
levels=$(for f in $(cd runtime && echo *); do l=$(level "$f") && echo "$f ${l:-none}"; done)

# Every quoted include of the runtime as "FILE INCLUDED".
find runtime -name '*.[ch]' -exec grep -HE '^ *# *include *"' {} + |
    sed -E 's/^runtime\/([^:]*):[^"]*"([^"]*)".*/\1 \2/' | sort -u >"$tmp/includes"
ok "the runtime's includes are found" $(($(wc -l <"$tmp/includes") < 100))

# The folder of the house that a path below runtime/ is in; plb/… are the public headers.
awk -v levels="$levels" '
    function folder(path) { sub(/^include\//, "", path); return path ~ /^plb\// ? "include" : first(path) }
    function first(path) { sub(/\/.*/, "", path); return path }
    BEGIN {
        n = split(levels, words)
        for (i = 1; i < n; i += 2)
            if (words[i + 1] != "none") level[words[i]] = words[i + 1] + 0
    }
    {
        from = folder($1); to = folder($2)
        if (!(from in level) || !(to in level))
            print $1, "includes \"" $2 "\", and one of the two is in a folder without a level"
        else if (from != to && level[to] >= level[from])
            print $1, "includes \"" $2 "\", which is not below it"
    }' "$tmp/includes" >"$tmp/out"
ok "arrows point down: a folder includes lower ones alone" $(($(wc -l <"$tmp/out") > 0))

# x.c and x.h are one module.
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
never "MPI stays in drive/mpi*" "$(all_but 'runtime/drive/mpi(_[a-z]+)?\.[ch]')" 'mpi\.h'
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
base/crash.c         a kernel has called exit(): its handler ends the process before those of MPI
base/child.c         the end of a child process, which executes tasks of its parent
drive/door.c         the system has no random bytes, which Linux promises
drive/early_loss.c   a rank was lost while MPI starts, whose calls do not return then
drive/life.c         rank 0 is gone or has given this rank up: MPI waits for it for ever
drive/replaced.c     rank 0 has sent what cannot be
drive/watchdog.c     a call of MPI on rank 0 does not return
drive/leaving.c      nor does that which leaves MPI: a signal handler
drive/mpi.c          something else ends this process: the handler ends the ranks that wait for it
drive/mpi_failures.c an error in MPI' >"$tmp/out"
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
    excepted "$with_cuda"'
base/crash.c         a signal handler gets no argument
base/crash_place.c   nor does it
base/mapped.c        the same handler looks up the file of an address
base/stop.c          a signal handler gets no argument
drive/leaving.c      a signal handler gets no argument
drive/mpi.c          nor does what runs at exit
base/log.c           the level and the rank of this process, for lines from anywhere
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
