#!/usr/bin/env bash
# The documents: what they name exists, the README is short, its kernel works, and sentences are short.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
documents=$(git ls-files '*.md' 2>/dev/null)
[ -n "$documents" ] || documents=$(find . -name '*.md' ! -path './build/*' | sed 's/^\.\///')

# prose FILE: its text without code blocks, one paragraph, list item or table cell per line.
prose() {
    awk '
    function flush() { if (text != "") print text; text = "" }
    /^ *```/ { code = !code; flush(); next }
    code { next }
    /^ *$/ || /^#/ || /^!\[/ { flush(); next }
    /^ *\|/ { flush(); n = split($0, cells, "|"); for (i = 2; i < n; i++) print cells[i]; next }
    /^ *([-*]|[0-9]+\.) / { flush(); sub(/^ *([-*]|[0-9]+\.) /, "") }
    { sub(/^ +/, ""); text = text == "" ? $0 : text " " $0 }
    END { flush() }' "$1"
}
# sentences FILE: one per line; what is in `backquotes` and a link are one word each.
sentences() {
    prose "$1" |
        sed -E 's/`[^`]*`/code/g; s/!?\[([^]]*)\]\([^)]*\)/\1/g; s/[*_]+//g; s/([.!?]["”)]*) +/\1\n/g'
}

for file in README.md ARCHITECTURE.md CONTRIBUTING.md docs/README.md; do
    ok "$file is there" $([ -f "$file" ]; echo $?)
done
ok "README.md has at most 130 lines" $(($(wc -l <README.md) > 130))

without_code() { sed '/^ *```/,/^ *```/d' "$1"; } # FILE
# The names by which links know a file's headings.
headings() { sed -nE 's/^#+ +//p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'; }

# Relative links: [text](path) and [text](path#heading).
for file in $documents; do
    without_code "$file" | grep -oE '\]\([^)]+\)' | sed 's/^](//; s/)$//' >"$tmp/links"
    while read -r link; do
        case $link in http:* | https:* | '#'*) continue ;; esac
        path=$(dirname "$file")/${link%%#*}
        [ -e "$path" ] || echo "$file links $link, which is not there"
        case $link in
        *'#'*)
            headings "$path" | grep -qxF -- "${link#*#}" ||
                echo "$file links $link, and the file has no such heading"
            ;;
        esac
    done <"$tmp/links"
done >"$tmp/out"
ok "relative links lead to files and headings that exist" $(($(wc -l <"$tmp/out") > 0))

# Paths in `backquotes`: the first part of the name is a folder of the repository or of runtime/.
folders='runtime|balancers|kernels|examples|test|scripts|hostfiles|docs'
folders+="|$(cd runtime && printf '%s|' *)plbrun\.c"
paths() { # FILE
    without_code "$1" | grep -oE '`[^` ]+`' | tr -d '`' | grep -E "^($folders)(/|\$)" |
        grep -vE '…|NAME|FILE|FOLDER|DATE-MODEL' | sort -u
}
for file in README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
    [ "$file" != docs/inside/licences.md ] || continue # test_licences.sh looks at all its names
    paths "$file" | while read -r path; do
        found=no
        for at in "$path" "runtime/$path" "runtime/$path.c" "runtime/$path.h" "$(dirname "$file")/$path"; do
            compgen -G "$at" >/dev/null && found=yes
        done
        case $path in build/* | scripts/gpu-check.d/reports*) found=yes ;; esac
        [ $found = yes ] || echo "$file names $path, which is not there"
    done
done >"$tmp/out"
ok "paths that the documents name exist" $(($(wc -l <"$tmp/out") > 0))

# Each folder of the program says what it is, in a README.md whose paths are in the folder, or below runtime/.
for folder in $(find runtime -name '*.[ch]' ! -path runtime/plbrun.c -printf '%h\n' | sort -u); do
    file=$folder/README.md
    [ -f "$file" ] || { echo "$folder has no README.md"; continue; }
    [ "$(wc -l <"$file")" -le 25 ] || echo "$file has more than 25 lines"
    grep -qF 'ead first: `' "$file" || echo "$file does not say which file to read first"
    grep -oE '`[^` ]+(\.[a-z]+|/)`' "$file" | tr -d '`' | while read -r path; do
        [ -e "$folder/$path" ] || [ -e "runtime/$path" ] || [ -e "$path" ] || case $path in
        .*) ;;
        *) echo "$file names $path, which is not there" ;;
        esac
    done
done >"$tmp/out"
ok "each folder of runtime/ has a README.md, which names files that exist" $(($(wc -l <"$tmp/out") > 0))

for file in $documents; do
    sentences "$file" | awk -v file="$file" '{
        n = 0
        for (i = 1; i <= NF; i++) n += $i ~ /[[:alnum:]]/
        if (n > 25) printf "%s: %d words: %s\n", file, n, $0
    }'
done >"$tmp/out"
ok "no sentence is longer than 25 words" $(($(wc -l <"$tmp/out") > 0))

# The subject of a sentence is a thing with a name. Headings of documents may ask.
sources=(--include='*.[ch]' --include='*.cu' --include='*.sh' --include='*.mk' --include=Makefile)
grep -rnE '^ *(/\*|\*|#|//|-)? *What [a-z-]|[.:;] What [a-z]' "${sources[@]}" --include='*.md' \
    --exclude-dir=build . | grep -v '\.md:[0-9]*:##' >"$tmp/out"
ok "no sentence begins with What" $(($(wc -l <"$tmp/out") > 0))

# Messages that a page quotes are those of the program: as they stand there, with … for what printf puts in.
cat runtime/*.c runtime/*/*.c runtime/*/*/*.c kernels/*/*.c | tr '\n' ' ' |
    sed -E 's/" *"//g; s/%%/\x01/g; s/%[-0-9.*+#]*[hlzjt]*[a-zA-Z]/…/g; s/\x01/%/g' >"$tmp/messages"
quoted=$(sed -n 's/^> `\(.*\)`$/\1/p' docs/guide/troubleshooting.md)
while read -r message; do
    grep -qF -- "$message" "$tmp/messages" || echo "nothing says: $message"
done <<<"$quoted" >"$tmp/out"
ok "the program says the messages of troubleshooting.md" \
    $(($(wc -l <<<"$quoted") < 10 || $(wc -l <"$tmp/out") > 0))

# A release is a page; the bullets that led to it are in packaging/.
awk '/^## / { release = $2 } { n[release] += NF }
    END { for (r in n) if (r ~ /[0-9]/ && n[r] > 900) print r, n[r], "words" }' CHANGELOG.md >"$tmp/out"
ok "no release takes more than 900 words in CHANGELOG.md" $(($(wc -l <"$tmp/out") > 0))

# The numbers that stability.md names are those of the code.
now() { grep -oP "$1.{0,3} \(now \K[0-9]+" docs/reference/stability.md; } # NAME, as the page has it
code() { sed -nE "s/^#define $1 ([0-9]+)u?\b.*/\1/p" "$2"; }             # NAME FILE
{
    echo "$(now PLB_KERNEL_ABI) $(code PLB_KERNEL_ABI runtime/include/plb/kernel.h)"
    echo "$(now PLB_BALANCER_ABI) $(code PLB_BALANCER_ABI runtime/include/plb/balancer.h)"
    echo "$(now schema) $(code SCHEMA runtime/report/fields/fields.c)"
    echo "$(now 'format number') $(code FORMAT runtime/profile/profile_file.c)"
} >"$tmp/out"
ok "stability.md has the numbers of the interfaces" "$(grep -qvE '^([0-9]+) \1$' "$tmp/out"; echo $((!$?)))"

# The kernel in the README compiles without a warning and computes what the README says.
# A hundredth of its steps is as exact and takes less time.
awk '/^```c/ { on = 1; next } /^```/ { on = 0 } on' README.md |
    sed 's/1000000000/10000000/; s/e-9/e-7/g' >"$tmp/pi.c"
gcc -Wall -Werror -O2 -fopenmp -fPIC -shared -Iruntime/include -o "$tmp/pi.so" "$tmp/pi.c" >"$tmp/out" 2>&1
ok "the README's kernel compiles" $?
printf '[app]\nkernel = ./pi.so\n' >"$tmp/pi.conf"
"$PLBRUN" "$tmp/pi.conf" >"$tmp/out" 2>&1 && grep -qxF "pi is 3.141592653590" "$tmp/out" &&
    grep -qF "prints: pi is 3.141592653590" README.md
ok "the README's kernel prints what the README says" $?
done_testing
