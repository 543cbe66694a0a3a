# shellcheck shell=bash disable=SC2154 # scripts/bundle sets what is not set here
# Of scripts/bundle: makes the folder.

# The bytes that a folder may have at most.
limit=60000000
# Plug-ins of Open MPI without a use here: InfiniBand, Omni-Path and the like, whose libraries look for
# drivers at fixed places; OpenSHMEM; MPI-IO; windows, topologies and vectors of MPI's own reductions, which
# plbrun does not use; collectives in levels, which are off by default; monitoring, debuggers, and launchers
# of single sites.
useless=('*_ucx' '*_ofi' 'mtl_*' pml_cm btl_openib btl_sm 'atomic_*' 'memheap_*' 'scoll_*' 'spml_*' 'sshmem_*'
    'io_*' 'fs_*' 'fbtl_*' 'fcoll_*' 'sharedfp_*' 'osc_*' topo_treematch op_avx '*_monitoring' 'vprotocol_*'
    coll_adapt coll_han coll_sm coll_sync rmaps_mindist rmaps_resilient '*_flux' '*_jsm' ras_gridengine
    ras_simulator reachable_netlink)

# Programs and kernels. The libraries that they load come later.
copy_programs() {
    local program
    install -d "$new"/{bin,libexec,lib/plbrun,lib/openmpi,lib/pmix,share/openmpi,etc,include/plb}
    install -m 755 plbrun "$new/libexec/plbrun"
    for program in mpirun orted; do
        install -m 755 "$(readlink -f "$(command -v $program)")" "$new/libexec/$program"
    done
    for program in plbrun mpirun orted; do
        install -m 755 "$parts/wrapper" "$new/bin/$program"
    done
    install -m 755 scripts/plbrun-mpirun "$new/bin"
    install -m 755 scripts/plbrun-npz "$new/bin"
    install -m 755 build/kernels/*.so "$new/lib/plbrun"
    install -m 644 runtime/include/plb/*.h "$new/include/plb"
    make -s --no-print-directory list-examples | grep -v '\.png$' | xargs -d '\n' cp --parents -t "$new"
    cp -r hostfiles LICENSE "$new"
    copy_gpu_check
    find "$new" -type f -name '*.[do]' -delete # the compiler's, beside test programs
    git describe --always --dirty >"$new/commit" 2>/dev/null || rm -f "$new/commit"
}
# Its files are in the same places as in the tree. Not every build has its programs.
copy_gpu_check() {
    local file built=(build/gpu build/test/conformance/test_devices)
    for file in scripts/gpu-check scripts/gpu-check.d/{*.{sh,awk},claims} "${built[@]}"; do
        if [[ -e $file ]]; then
            mkdir -p "$new/$(dirname "$file")"
            cp -rL "$file" "$new/$file"
        fi
    done
}

mpi_path() { ompi_info --parsable --path "$1" | sed -n "s/^path:$1://p"; }

copy_open_mpi() {
    local plugins pmix f name
    plugins=$(mpi_path pkglibdir)
    for f in "$plugins"/mca_*.so; do
        name=$(basename "$f" .so)
        if useful "${name#mca_}"; then install -m 644 "$f" "$new/lib/openmpi"; fi
    done
    # PMIx, which starts the ranks, has plug-ins of its own, below the folder of its library.
    pmix=$(ldd "$new"/lib/openmpi/mca_pmix_*.so | awk '$1 ~ /^libpmix\.so/ {p = $3} END {print p}')
    pmix=$(dirname "$(readlink -f "$pmix")")
    for f in "$pmix"/pmix/*.so; do
        if [[ -e $f ]]; then install -m 644 "$f" "$new/lib/pmix"; fi
    done
    for f in "$pmix"/../share/pmix/help-*.txt; do
        if [[ -e $f ]]; then install -D -m 644 "$f" "$new/share/pmix/${f##*/}"; fi
    done
    install -m 644 "$(mpi_path pkgdatadir)"/help-*.txt "$new/share/openmpi"
    # The settings are not those of this machine. Debian leaves pt2pt out as well.
    cat >"$new/etc/openmpi-mca-params.conf" <<'END'
# Open MPI reads this; --mca NAME VALUE overrides.
btl_base_warn_component_unused = 0
osc = ^pt2pt
END
    : >"$new/etc/openmpi-default-hostfile"
}
useful() { # PLUG-IN
    local pattern
    for pattern in "${useless[@]}"; do
        # shellcheck disable=SC2053 # a pattern
        [[ $1 != $pattern ]] || return 1
    done
}

# The licences of the libraries, as far as the machine's packages have them.
copy_licenses() {
    command -v dpkg-query >/dev/null || return 0
    local package
    install -d "$new/share/licenses"
    { readlink -f "$(command -v mpirun)"; cat "$list.sources"; } | sort -u >"$list.files"
    # A package may know its file by a name in /lib, which is /usr/lib now.
    { cat "$list.files"; sed 's,^/usr/,/,' "$list.files"; } >"$list.names"
    { xargs -d '\n' dpkg-query -S <"$list.names" 2>/dev/null || true; } | sed 's/:.*//' | sort -u |
        while read -r package; do
            if [[ -e /usr/share/doc/$package/copyright ]]; then
                add_license "$package"
            fi
        done
}
# Packages of one source, such as the libraries of GCC, have the same terms: one file with several names.
add_license() { # PACKAGE
    local terms=/usr/share/doc/$1/copyright other
    for other in "$new"/share/licenses/*; do
        if [[ -f $other ]] && cmp -s "$terms" "$other"; then
            ln "$other" "$new/share/licenses/$1"
            return
        fi
    done
    install -m 644 "$terms" "$new/share/licenses/$1"
}

write_readme() { # GLIBC
    cat >"$new/README" <<END
plbrun and what it needs, for Linux on $(uname -m) with glibc $1 or newer. Move it anywhere.

  bin/mpirun -np 3 --oversubscribe --bind-to none bin/plbrun examples/demo/app.conf

For jobs on several hosts the folder is at the same place on each. Kernels of your own: include/plb/kernel.h
and examples/custom-kernel. scripts/gpu-check checks and measures a GPU. share/licenses has the terms of the
libraries.
END
}

# Refuses what cannot be done before anything is written.
check_request() { # FOLDER
    local target=$1 command
    [[ -x plbrun && -e build/kernels/matmul.so ]] || fail "plbrun is not built; run make first"
    for command in patchelf strip objdump readelf "${cc[0]}" ompi_info mpirun orted; do
        command -v "$command" >/dev/null ||
            fail "there is no '$command' command; scripts/install-deps --bundle gets it"
    done
    [[ -e $target ]] || return 0
    [[ -d $target ]] || wrong "$target is not a folder"
    [[ -e $target/$mark || -z $(ls -A "$target") ]] ||
        wrong "$target is there and is not a bundle; name another folder, or remove it"
}

make_bundle() { # FOLDER
    local target=$1 size least
    check_request "$target"
    mkdir -p "$(dirname "$target")" || fail "cannot make the folder of $target; name another"
    work=$(mktemp -d "$(dirname "$target")/.bundle.XXXXXX") ||
        fail "cannot write beside $target; name another folder"
    trap 'rm -rf "$work"' EXIT
    trap 'echo "bundle: stopped, as this failed: $BASH_COMMAND" >&2' ERR
    new=$work/new list=$work/list
    mkdir -m 755 "$new"
    copy_programs
    copy_open_mpi
    copy_libraries
    relocate
    bring_arc4random
    copy_licenses
    least=$(needs_glibc "$new")
    write_readme "${least% *}"
    chmod -R u=rwX,go=rX "$new"
    size=$(du -sb "$new" | cut -f 1)
    ((size <= limit)) || fail "the folder would have $size bytes, more than the limit of $limit;" \
        "leave something out (see 'useless' and copy_gpu_check in $parts/make.sh)"
    # A folder cannot be put in another's place in one step, so the old one is set aside first.
    if [[ -e $target ]]; then mv -T "$target" "$work/old"; fi
    mv -T "$new" "$target"
    echo "$target: $((size / 1000000)).$((size / 100000 % 10)) MB, needs glibc ${least% *} (${least#* })"
}
