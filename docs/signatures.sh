#!/bin/sh
# docs/signatures.sh: prints docs/reference/kernel-signatures.md, from the headers of the kernel API.
#
# Members keep the first phrase of their comment, and functions lose theirs: the headers have the whole.
cd "$(dirname "$0")/../runtime/include/plb" || exit 1

cat <<'T'
# Signatures of the kernel API

<!-- Written by docs/signatures.sh from runtime/include/plb/*.h: do not edit it here. -->

Structs and functions of [plb/kernel.h](../../runtime/include/plb/kernel.h) and the headers that it
includes. The comments are shortened; those of the headers have units, ownership and errors.
[Kernel API](kernel-api.md) is the overview.
T

# struct HEADER NAME: the struct, with the first phrase of each comment that follows a member.
struct() {
    printf '\n## struct %s\n\n```c\n' "$2"
    awk -v name="$2" '
    $0 == "struct " name " {" { on = 1 }
    on { text = text $0 "\n" }
    on && /^};/ { exit }
    END {
        while ((at = index(text, "/*")) > 0) {
            end = index(text, "*/")
            before = substr(text, 1, at - 1)
            note = substr(text, at + 2, end - at - 2)
            gsub(/[ \n]+(\* )?/, " ", note)
            own = before ~ /(^|\n) *$/ # a comment above a member
            sub(/^ /, "", note)
            if (match(note, /[.;]( |$)| \(/)) note = substr(note, 1, RSTART - 1)
            sub(/ +$/, "", before)
            sub(/ +$/, "", note)
            if (own) sub(/\n$/, "", before)
            out = out before (own ? "" : " // " note)
            text = substr(text, end + 2)
        }
        out = out text
        gsub(/ +\/\//, " //", out)
        gsub(/\n\n+/, "\n", out)
        printf "%s", out
    }' "$1"
    echo '```'
}

# functions HEADER: the declarations of functions, without comments.
functions() {
    awk '
    { line = $0 }
    in_comment { if (line ~ /\*\//) in_comment = 0; next }
    line ~ /^ *\/\*/ { if (line !~ /\*\//) in_comment = 1; next }
    line ~ /^static inline/ { sub(/^static inline /, "", line); text = line; inline = 1 }
    !inline && line ~ /^[a-z].*plb_[a-z_]+\(/ && line !~ /^typedef/ { text = line }
    !inline && text != "" && line != text { sub(/^ +/, " ", line); text = text line }
    inline && line ~ /^\{/ { text = text ";"; inline = 0 }
    text ~ /;/ && !inline { sub(/;.*/, ";", text); print text; text = "" }' "$1"
}

struct kernel.h plb_kernel
struct kernel.h plb_data
struct task.h plb_task
struct kernel.h plb_array



printf '\n## Functions of an entry\n\n```c\n'
functions task.h
functions records.h | grep plb_task_
printf '```\n\n## Functions of setup, next and the others\n\n```c\n'
for header in kernel.h data_file.h records.h image.h csv.h; do functions $header; done |
    grep -v 'plb_task_\|plb_only_phase'
echo '```'
