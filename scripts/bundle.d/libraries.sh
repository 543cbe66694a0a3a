# shellcheck shell=bash disable=SC2154 # scripts/bundle and make.sh set what is not set here
# Of scripts/bundle: which libraries come along, and how files find them wherever the folder is.

read -ra cc <<<"${CC:-gcc}" # a command may have arguments: "ccache gcc"

is_elf() {
    local magic=''
    IFS= read -r -n 4 magic <"$1" || true # false at the end of a shorter file
    [[ $magic == $'\177ELF' ]]
}
elves() { # FOLDER: the programs and libraries in it
    local f
    find "$1" -type f -print0 | while IFS= read -r -d '' f; do
        if is_elf "$f"; then printf '%s\n' "$f"; fi
    done
}

# Copies what the programs and plug-ins load, then what that loads, and so on, under the names by which files
# ask for it. ldd lists more: what CUDA's libraries load in turn.
copy_libraries() {
    local name path files more
    local -A at=()
    elves "$new" >"$list"
    xargs -d '\n' ldd <"$list" | awk '$2 == "=>" {print $1, $3}' >"$list.found"
    while read -r name path; do at[$name]=$path; done <"$list.found"
    mapfile -t files <"$list"
    while ((${#files[@]} > 0)); do
        more=()
        while read -r name; do
            if [[ $name =~ $glibc || $name =~ $cuda || -e $new/lib/$name ]]; then continue; fi
            path=${at[$name]:-not}
            [[ $path == /* ]] ||
                fail "a library is missing on this machine: $name; install it, and make again"
            path=$(readlink -f "$path")
            echo "$path" >>"$list.sources"
            install -m 644 "$path" "$new/lib/$name"
            more+=("$new/lib/$name")
        done < <(patchelf --print-needed "${files[@]}" | sort -u)
        files=("${more[@]}")
    done
}

# Strips each file, and sets where it looks for libraries. LD_LIBRARY_PATH may name another Open MPI, a
# cluster's own. It overrides RUNPATH, so files get an RPATH. A file that needs CUDA looks where
# LD_LIBRARY_PATH says, where it was built to look, and where NVIDIA's installer puts CUDA.
relocate() {
    local f needed lib built
    elves "$new" >"$list"
    while IFS= read -r f; do
        strip --strip-unneeded "$f"
        needed=$(patchelf --print-needed "$f")
        lib="\$ORIGIN/$(realpath --relative-to="$(dirname "$f")" "$new/lib")"
        if grep -qE "$cuda" <<<"$needed"; then
            built=$(patchelf --print-rpath "$f")
            patchelf --set-rpath "$lib:${built:+$built:}/usr/local/cuda/lib64" "$f"
        else
            patchelf --force-rpath --set-rpath "$lib" "$f"
        fi
    done <"$list"
}

# Debian 12's libevent alone asks for glibc 2.36, for arc4random. All other files ask for Ubuntu 22.04's 2.35
# at most. So arc4random comes along: its symbols lose their version, a library of ours has them for an older
# glibc, and the file asks twice for an older version that it needs anyway. (If 2.36 became a weak version,
# the loader would run the file, and complain each time.)
bring_arc4random() {
    local f symbol section names entry older field
    elves "$new/lib" >"$list"
    while IFS= read -r f; do
        grep -q 'GLIBC_2\.36.* arc4random' <<<"$(objdump -T "$f")" || continue
        [[ -e $new/lib/libarc4random.so ]] || arc4random
        for symbol in arc4random arc4random_buf arc4random_uniform; do
            patchelf --clear-symbol-version "$symbol" "$f"
        done
        patchelf --add-needed libarc4random.so "$f"
        ! grep -q 'GLIBC_2\.36' <<<"$(objdump -T "$f")" || continue # it needs more of it
        section=$(readelf -SW "$f" | sed -n 's/.*VERNEED *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
        names=$(readelf -VW "$f" | sed -n 's/^ *0x\([0-9a-f]*\): *Name: \(GLIBC_2[0-9.]*\) .*/\1 \2/p')
        entry=$(awk '$2 == "GLIBC_2.36" {print $1}' <<<"$names")
        older=$(awk '$2 != "GLIBC_2.36" {print $1; exit}' <<<"$names")
        # vna_hash and vna_name, four bytes each, of the 16 of Elf64_Vernaux
        for field in 0 8; do
            dd if="$f" of="$list.field" bs=1 skip=$((0x$section + 0x$older + field)) count=4 status=none
            dd if="$list.field" of="$f" bs=1 seek=$((0x$section + 0x$entry + field)) conv=notrunc status=none
        done
    done <"$list"
}
arc4random() {
    "${cc[@]}" -std=c11 -O2 -Wall -Wextra -fPIC -shared -s -Wl,-soname,libarc4random.so \
        -o "$new/lib/libarc4random.so" "$parts/arc4random.c"
}

# The newest version of glibc that any file asks for: "2.36 libfoo.so.1".
needs_glibc() { # FOLDER
    elves "$1" | while IFS= read -r f; do
        objdump -T "$f" | sed -n "s|.*GLIBC_\([0-9.]*\).*|\1 ${f##*/}|p" | sort -u
    done | sort -V | tail -n 1
}
