# shellcheck shell=bash disable=SC2154 # test/packages/run sets what is not set here
# Of test/packages/run: root folders with a bare Debian, and commands in them.

make_bare() { # FOLDER
    local proxy
    if [ -n "${BARE:-}" ]; then
        cp -a --reflink=auto "$BARE" "$1" || return
    else
        debootstrap --variant=minbase bookworm "$1" "$mirror" || return
    fi
    # This machine's way to the mirror and to PyPI.
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    for proxy in http https; do
        apt-config dump "Acquire::$proxy::Proxy"
    done >"$1/etc/apt/apt.conf.d/90proxy"
    mkdir -p "$1/etc/ssl"
    cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/plbrun-host.crt" 2>/dev/null || true
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(uname -n)" >"$1/etc/hosts"
    # Services do not start: they would outlive the test.
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod 755 "$1/usr/sbin/policy-rc.d"
}
copy_bare() { cp -a --reflink=auto "$work/bare" "$1"; } # FOLDER

# in_root FOLDER COMMAND...: in namespaces of its own, so that its mounts and processes end with it.
in_root() {
    # shellcheck disable=SC2016 # the inner shell's variables
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1; shift
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/plbrun-host.crt \
            chroot "$root" "$@"' sh "$@"
}
