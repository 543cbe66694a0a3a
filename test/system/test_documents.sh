#!/usr/bin/env bash
# The commands of the documents are typed as they stand, in a copy of the tree with the built program.
#
# A block ```sh is typed, and its commands end well. A block without a language after it is what they print:
# each of its lines stands there, in this order; blanks and line breaks do not count. Where the block has a
# time, its numbers are compared by shape alone, with times and bytes in any unit. Its clauses, between
# semicolons, are looked for one by one, since a run may have more to say. Simulations print the same numbers
# everywhere, but for the time of their solves. A command may say itself what it "# prints: ".
# A block ```c is the file that the next commands compile. One ```python that begins with `# NAME.py` is that
# file. One ```ini is in app.conf, which stands for a file of the reader's. After each document git finds
# nothing new or changed.
#
# A comment before a block says more:
#   <!-- not typed: REASON -->    it cannot be typed here
#   <!-- numbers vary -->         compare this output by shape
#
# Examples compute for seconds each, so PLB_QUICK types only those of their blocks that simulate.
#
# Weak at: documents may leave lines of an output out, so a line that is printed in addition goes unseen.
# test/run: real MPI, which readers have.
# PLB_DOCUMENTS='FILE...': these alone. PLB_TIMES=1: the cost of each block.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
if [ -n "${SAN:-}" ]; then
    skip "the commands of the documents" "they are typed with the normal build"
    done_testing
elif ! git rev-parse --git-dir >"$tmp/out" 2>&1 || [ -n "$(git rev-parse --show-prefix)" ]; then
    skip "the commands of the documents" "not a git checkout"
    done_testing
fi
unset MAKEFLAGS MAKELEVEL

# Commands that no test types, wherever they stand.
# They need root, the network or another system, or run all tests.
never='(^|[ ;&])(scripts/(install-deps|check)|apt-get|podman|spack|pip|make (install|tests|format))( |$)'
slow='scripts/(demo|imbalance)|make (bench|demo)' # only without PLB_QUICK
# Readers type python3: here that is one with NumPy, where there is one.
mkdir "$tmp/bin"
python=$(python_with numpy) && ln -s "$(command -v "$python")" "$tmp/bin/python3"
export PATH=$tmp/bin:$PATH
# needs COMMAND: what it needs and this machine lacks.
needs() {
    case $1 in *numpy* | *scipy* | *python-kernel*)
        python3 -c 'import numpy' 2>/dev/null || echo "there is no NumPy" ;;
    esac
    case $1 in gnuplot*) command -v gnuplot >/dev/null || echo "there is no gnuplot" ;; esac
}

# The tree as it is, with what was built, as a repository of its own.
copy=$tmp/plbrun
mkdir -p "$copy" "$tmp/home"
git ls-files -z --cached --others --exclude-standard |
    tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$copy"
tar -c -C "$(dirname "$BUILD")" --exclude='build/san-*' --exclude=build/test --exclude=build/fuzz \
    --exclude=build/bench build plbrun | tar -x -C "$copy"
git -C "$copy" -c init.defaultBranch=main init -q
git -C "$copy" add -A
git -C "$copy" -c user.name=test -c user.email=test@localhost commit -qm tree
# These names stand for files of the reader's own in all documents.
mine='app.conf cases.txt sim'
tr ' ' '\n' <<<"$mine" >"$copy/.git/info/exclude"
users_files() {
    printf '[app]\nkernel = triad\n[triad]\nelements = 4096000\n' >app.conf
    seq 60 >cases.txt
    printf '#!/bin/sh\necho "simulated $*"\n' >sim && chmod +x sim
}

# blocks FILE: each of its blocks becomes $tmp/blocks/N, and a line "N LINE LANGUAGE MARK" of $tmp/list; the
# mark is that of the comment before it.
blocks() {
    rm -rf "$tmp/blocks" && mkdir "$tmp/blocks"
    awk -v folder="$tmp/blocks" '
        !inside && match($0, /<!-- (not typed: |numbers vary).* *-->/) {
            mark = substr($0, RSTART + 5, RLENGTH - 9)
        }
        /^ *```/ {
            if (inside) { close(file); inside = 0; next }
            inside = 1
            n++
            file = sprintf("%s/%03d", folder, n)
            printf "" >file
            language = $0
            sub(/^ *```/, "", language)
            printf "%03d %d %s %s\n", n, FNR, language == "" ? "-" : language, mark
            mark = ""
            next
        }
        inside { print >file }' "$1" >"$tmp/list"
}

# type_block FILE LINE BLOCK MARK: types a block into bash, in the folder where the block before has ended.
# Fails with the first command that fails. Its output is in $tmp/out, and $typed has the commands.
type_block() {
    local line whole='' why name status
    typed=''
    case $4 in
    'not typed: '*) return 0 ;;
    esac
    if [ -n "${PLB_QUICK:-}" ] && [[ $1 == examples/* ]] && grep -qvE '^\./plbrun .*--simulate' "$3"; then
        return
    fi
    while IFS= read -r line || [ -n "$line" ]; do
        whole+=$line$'\n'
        case $line in *\\) continue ;; esac
        if [[ $whole =~ $never || -n ${PLB_QUICK:-} && $whole =~ $slow ]]; then
            echo "# $1:$2: not typed: ${whole%$'\n'}"
        elif why=$(needs "$whole") && [ -n "$why" ]; then
            skip "$1:$2: ${whole%$'\n'}" "$why"
        else
            typed+=$whole
        fi
        whole=''
    done <"$3"
    [ -n "$typed" ] || return 0
    name=$(grep -oE '\b[a-z]+\.c\b' <<<"$typed" | head -n 1)
    if [ -n "$source" ] && [ -n "$name" ] && [ ! -e "$(cat "$tmp/where")/$name" ]; then
        cp "$source" "$(cat "$tmp/where")/$name"
    fi
    (
        cd "$(cat "$tmp/where")" || exit
        export PATH=$copy:$copy/scripts:$PATH HOME=$tmp/home OMPI_MCA_orte_default_hostfile=$tmp/hosts
        timeout 600 bash -e -c "$typed pwd >'$tmp/where'"
        status=$?
        times >"$tmp/times"
        exit $status
    ) >"$tmp/out" 2>&1 </dev/null
    status=$?
    [ -z "${PLB_TIMES:-}" ] || echo "# $(tail -n 1 "$tmp/times") of the cores: $1:$2"
    [ $status -eq 0 ] || return
    sed -n 's/.*# prints: //p' "$3" >"$tmp/said"
    prints "$tmp/said" ''
}

# The host is called vm; solves take another time in each run, also in a simulation.
plain() { sed -E "s/\\b$(uname -n)\\b/vm/g; s/solves in [0-9.]+ (us|ms|s)/solves in 1 us/g"; }
numbers() {
    sed -E 's/; /\n/g; s/[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/N/g
        s/N (us|µs|ms|s|min)\b/N s/g; s/N [kMG]?B\b/N B/g'
}
# prints SHOWN MARK: whether $tmp/out has all lines of the file, one after the other.
prints() {
    local filter=cat rest line
    case $2,$typed in
    'numbers vary',*) filter=numbers ;;
    *--simulate*) ;;
    *) if grep -qE '[0-9] (us|µs|ms|s)\b' "$1"; then filter=numbers; fi ;;
    esac
    rest=$(tr -s ' \n' ' ' <"$tmp/out" | plain | $filter)
    while IFS= read -r line; do
        if [[ $rest != *"$line"* ]]; then
            {
                echo "printed:"; cat "$tmp/out"
                echo "the document shows, and this was not printed:"; echo "$line"
            } >"$tmp/differs"
            mv "$tmp/differs" "$tmp/out"
            return 1
        fi
        rest=${rest#*"$line"}
    done < <(tr -s ' ' <"$1" | sed 's/^ //; s/ $//' | plain | $filter)
}

all=$(git ls-files README.md CONTRIBUTING.md 'docs/*.md' 'examples/*.md' 'python/*.md')
for file in ${PLB_DOCUMENTS:-$all}; do
    blocks "$file"
    # docs/ speaks of clusters. All else is for one machine, which may have two cores.
    case $file in docs/*) slots=64 ;; *) slots=2 ;; esac
    echo "localhost slots=$slots" >"$tmp/hosts"
    (cd "$copy" && git clean -fdxq -e /build -e /plbrun && users_files)
    echo "$copy" >"$tmp/where"
    typed='' source=''
    while read -r n at language mark <&3; do
        block=$tmp/blocks/$n
        case $language in
        c) source=$block ;;
        python)
            name=$(sed -nE '1s/^# ([a-z]+\.py)$/\1/p' "$block")
            [ -z "$name" ] || cp "$block" "$(cat "$tmp/where")/$name"
            ;;
        ini)
            if grep -q '^\[app\]' "$block"; then : >"$copy/app.conf"; fi
            cat "$block" >>"$copy/app.conf"
            ;;
        sh)
            type_block "$file" "$at" "$block" "$mark"
            status=$?
            [ -z "$typed" ] || ok "$file:$at: its commands end well" $status
            [ $status -eq 0 ] || typed=''
            ;;
        -)
            if [ -n "$typed" ]; then
                prints "$block" "$mark"
                ok "$file:$at: they print this" $?
            fi
            typed=''
            ;;
        *) typed='' ;;
        esac
    done 3<"$tmp/list"
    if [ -s "$tmp/list" ]; then
        git -C "$copy" status --porcelain >"$tmp/out"
        ok "$file: its commands leave the working tree clean" $(($(wc -l <"$tmp/out") > 0))
        git -C "$copy" reset -q --hard
    fi
done
done_testing
