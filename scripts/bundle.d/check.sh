# shellcheck shell=bash disable=SC2154 # scripts/bundle sets what is not set here
# Of scripts/bundle: proves that the folder runs by itself.

# Every file's libraries are in the folder, or glibc's or CUDA's. What CUDA's libraries load is the machine's,
# too.
check_libraries() { # FOLDER
    local name path
    elves "$1" >"$work/list"
    xargs -d '\n' env -i ldd <"$work/list" >"$work/ldd" 2>&1 || true # 1 where CUDA is missing, as it may be
    if grep -m 3 'version .* not found' "$work/ldd" >&2; then
        fail "this machine's glibc is too old; $1/README says which it needs"
    fi
    awk '
        function flush(i) {
            for (i = 1; i <= n; i++)
                if (!uses_cuda || path[i] !~ /^\//) print name[i], path[i]
            n = uses_cuda = 0
        }
        /^[^ \t].*:$/ { flush() }
        $2 == "=>" {
            name[++n] = $1
            sub(/^[^>]*=> /, "")
            sub(/ \(0x.*/, "")
            path[n] = $0
            if (name[n] ~ ENVIRON["cuda"]) uses_cuda = 1
        }
        END { flush() }' "$work/ldd" | sort -u >"$work/loaded"
    while read -r name path; do
        if [[ ! $name =~ $glibc && ! $name =~ $cuda ]]; then
            [[ $path == "$1"/* ]] || fail "$name is not in the folder: $path"
        fi
    done <"$work/loaded"
}

# A root folder with what any machine has: glibc, sh, readlink (of coreutils), a user, and no more.
make_root() {
    local path root=$work/root
    mkdir -p "$root"/{proc,dev,sys,etc,bin,opt/plbrun,"moved, with blanks"} "$root"/tmp/elsewhere
    chmod 1777 "$root/tmp"
    echo 'root:x:0:0::/tmp:/bin/sh' >"$root/etc/passwd"
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$root/etc/hosts"
    cp -L "$(command -v sh)" "$root/bin/sh"
    cp -L "$(command -v readlink)" "$root/bin/readlink"
    # ldd shows the loader without an arrow.
    {
        ldd "$root/bin/sh" "$root/bin/readlink" | awk '
            $2 == "=>" { print $3 }
            $1 ~ /^\// && NF == 2 && !/:$/ { print $1 }'
        awk '$1 ~ ENVIRON["glibc"] && $2 ~ /^\// {print $2}' "$work/loaded"
    } | sort -u >"$work/list"
    while read -r path; do
        mkdir -p "$root$(dirname "$path")"
        cp -L "$path" "$root$path"
    done <"$work/list"
    make_jobs "$root/tmp"
}
# The jobs, and `agent`, which stands in for ssh.
make_jobs() { # FOLDER
    printf '%s\n' '[app]' 'kernel = spmm' '[spmm]' \
        'kind = powerlaw' 'rows = 3000' 'inner = 2000' 'columns = 16' >"$1/spmm.conf"
    printf '%s\n' '[app]' 'kernel = matmul' '[matmul]' \
        'rows = 200' 'inner = 300' 'columns = 600' >"$1/matmul.conf"
    mkdir -p "$1/elsewhere"
    install -m 755 "$parts/agent" "$1/agent"
}

run_jobs() { # FOLDER JOBS COMMAND...: the bundle, make_jobs's folder, and what comes before each command
    local place=$1 jobs=$2
    shift 2
    local mpirun=("$@" "$place/bin/mpirun" --oversubscribe --bind-to none)
    local hosts=(--mca oob_tcp_if_include lo --mca btl_tcp_if_include lo --host 'localhost:1,elsewhere:1')
    local spmm=("$place/bin/plbrun" --quiet --verify "$jobs/spmm.conf")
    local matmul=("$place/bin/plbrun" --quiet --verify "$jobs/matmul.conf")
    try "3 ranks, spmm, in $place" "${mpirun[@]}" -np 3 "${spmm[@]}"
    try "3 ranks, matmul, in $place" "${mpirun[@]}" -np 3 "${matmul[@]}"
    # mpirun alone does not go on after a loss, and plbrun warns of that where there are several hosts.
    try "2 ranks on two hosts, by the remote launcher, in $place" \
        "${mpirun[@]}" --mca plm_rsh_agent "$jobs/agent" "${hosts[@]}" -np 2 "${spmm[@]}" --log error
    try "without mpirun, in $place" "$@" "${spmm[@]}"
}
# A job that prints anything has failed too: Open MPI warns, and goes on. One line says nothing of the bundle:
# mpirun and the remote launcher, its child, both set the child's process group, and mpirun may come last.
try() { # NAME COMMAND...
    local name=$1 status=0
    shift
    timeout 60 "$@" </dev/null >"$work/out" 2>&1 || status=$?
    if ((status != 0)) || grep -qv 'plm:rsh: Warning: setpgid(.*) failed in parent' "$work/out"; then
        sed 's/^/  /' "$work/out" >&2
        fail "$name: failed with status $status (its output is above)"
    fi
    echo "ok: $name"
}

# Runs in a mount namespace of its own. At its end all its mounts are gone.
inside() { # ROOT FOLDER
    local root=$1 place chroot d
    mount --make-rprivate / || exit 77
    for d in proc dev sys; do mount --rbind "/$d" "$root/$d" || exit 77; done
    for place in /opt/plbrun "/moved, with blanks"; do
        mount --bind "$2" "$root$place" && mount -o remount,bind,ro "$root$place" || exit 77
    done
    chroot=$(command -v chroot) || exit 77
    env -i "$chroot" "$root" /bin/sh -c : || exit 77
    [[ ! -e $root/usr/bin/env && ! -e $root/etc/ld.so.cache ]] || exit 77
    for place in /opt/plbrun "/moved, with blanks"; do
        run_jobs "$place" /tmp env -i "$chroot" "$root"
    done
}

# Without such a root: the same jobs here, and every library that any of their processes loads.
check_here() { # FOLDER
    local place=$1 line
    make_jobs "$work"
    run_jobs "$place" "$work" env -i LD_DEBUG=files LD_DEBUG_OUTPUT="$work/ld"
    # The scripts run the machine's sh and readlink.
    ldd "$(command -v sh)" "$(command -v readlink)" | awk '$2 == "=>" {print $3}' >"$work/theirs"
    sed -n 's/.*calling init: //p' "$work"/ld.* | sort -u >"$work/list"
    while IFS= read -r line; do
        if [[ $line != "$place"/* && ! ${line##*/} =~ $glibc ]]; then
            grep -qxF "$line" "$work/theirs" || fail "$line was loaded, which is not in the folder"
        fi
    done <"$work/list"
    echo "ok: $(grep -c . "$work/list") libraries were loaded, all of the folder or glibc"
}

check_bundle() { # FOLDER
    local folder reason status=0 user=()
    folder=$(realpath -e -- "$1" 2>/dev/null) || wrong "there is no folder $1"
    [[ -e $folder/$mark ]] || wrong "$1 is not a bundle"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    check_libraries "$folder"
    echo "ok: the folder has all libraries that its files name, but glibc's and CUDA's"
    make_root
    ((EUID == 0)) || user=(--user --map-root-user)
    export work
    unshare "${user[@]}" --mount "$self" --inside "$work/root" "$folder" 2>"$work/why" || status=$?
    case $status in
    0) echo "$1 runs by itself (in a root folder with nothing but it, glibc, sh and readlink)" ;;
    77 | 126 | 127)
        reason=$(head -n 1 "$work/why")
        echo "no root folder of its own can be had here (${reason:-not permitted});" \
            "looking at what is loaded instead"
        check_here "$folder"
        echo "$1 runs by itself (by what its programs load; this machine has packages, though)"
        ;;
    *)
        cat "$work/why" >&2
        exit 1
        ;;
    esac
}
