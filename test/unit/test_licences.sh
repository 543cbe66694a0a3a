#!/usr/bin/env bash
# Each picture and data file of the tree has a row in docs/inside/licences.md, which says where it comes from
# and under which licence it is. Git knows the files; a release is without git.
. "$(dirname "$0")/../support/lib.sh"
cd "$root" || exit 1
table=docs/inside/licences.md

# The files that a row names in its first cell: `NAME`, or `NAME{a,b}END` for several.
named() {
    awk -F'|' '/^\| `/ {
        while (match($2, /`[^`]+`/)) {
            name = substr($2, RSTART + 1, RLENGTH - 2)
            $2 = substr($2, RSTART + RLENGTH)
            if (match(name, /\{.*\}/)) {
                n = split(substr(name, RSTART + 1, RLENGTH - 2), words, ",")
                for (i = 1; i <= n; i++)
                    print substr(name, 1, RSTART - 1) words[i] substr(name, RSTART + RLENGTH)
            } else
                print name
        }
    }' "$1" | sort
}
# data FOLDER: pictures and data among git's files: by ending or folder, and whatever is no text.
data() {
    local kinds='svg|png|jpe?g|gif|webp|ico|pdf|csv|tsv|mtx|npy|npz|json|golden|ipynb|dat|bin|gz|xz|zip'
    git -C "$1" ls-files >"$tmp/all"
    {
        grep -E "\.($kinds)\$|^test/(data|fuzz/seeds|unit/golden)/" "$tmp/all" | grep -v '\.md$'
        (cd "$1" && tr '\n' '\0' <"$tmp/all" | xargs -0 grep -LI '') # no text, or empty
    } | sort -u | while read -r file; do [ ! -s "$1/$file" ] || echo "$file"; done
}

named $table >"$tmp/named"
grep -vE '^\|(---|.*\|.*[^ |].*\|.*[^ |].*\|$)' $table | grep '^|' >"$tmp/out"
ok "each row says an origin and a licence" $(($(wc -l <"$tmp/out") > 0 || $(wc -l <"$tmp/named") < 60))
{
    while read -r file; do [ -e "$file" ] || echo "$file is named, and is not there"; done <"$tmp/named"
    uniq -d "$tmp/named"
} >"$tmp/out"
ok "each file that is named is there, and is named once" $(($(wc -l <"$tmp/out") > 0))

if ! git rev-parse --git-dir >/dev/null 2>&1 || [ -n "$(git rev-parse --show-prefix)" ]; then
    skip "pictures and data have an origin and a licence" "no git checkout"
    done_testing
fi
data . | comm -23 - "$tmp/named" | sed "s|\$| has no row in $table|" >"$tmp/out"
ok "each picture and data file has an origin and a licence" $(($(wc -l <"$tmp/out") > 0))

git init -q "$tmp/tree"
echo '<svg/>' >"$tmp/tree/new.svg"
printf 'a\0b' >"$tmp/tree/blob"
echo 'int main(void) {}' >"$tmp/tree/code.c"
git -C "$tmp/tree" add .
[ "$(data "$tmp/tree" | tr '\n' ' ')" = "blob new.svg " ]
ok "a new picture, and a file that is no text, are found" $?
done_testing
