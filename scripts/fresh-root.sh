#!/bin/sh
# SPDX-License-Identifier: MIT
# Tries the checkout on a fresh minimal Debian with nothing of this machine's: makes a root with mmdebstrap, clones the
# checkout's HEAD into it and runs a command there. Usage: fresh-root.sh SUITE [COMMAND...]
# SUITE: bookworm (Debian 12), trixie (Debian 13) or sid. COMMAND: words for a shell in the clone; default: make demo && make test.
# What it shares with this machine: the kernel, /dev, the network with its name servers, proxies and certificates, and the
# Debian archive that apt uses here. Not the programs, home folder, caches or environment.
# ROOT=FOLDER in the environment takes that folder (it is kept, and used again when it holds a root); otherwise the root
# is temporary. Needs root (`sudo`) and Debian's mmdebstrap (`scripts/setup-debian.sh roots`).
# Exit code 3: this machine cannot make a root; otherwise the command's own.
set -eu
[ $# -ge 1 ] || { echo "usage: fresh-root.sh SUITE [COMMAND...]" >&2; exit 2; }
suite=$1
shift
command=${*:-make demo && make test}
here=$(cd "$(dirname "$0")/.." && pwd)
[ "$(id -u)" -eq 0 ] || { echo "fresh-root.sh: chroot needs root: sudo $0 $suite" >&2; exit 3; }
command -v mmdebstrap >/dev/null || { echo "fresh-root.sh: no mmdebstrap here: scripts/setup-debian.sh roots" >&2; exit 3; }

if [ -n "${ROOT:-}" ]; then
    root=$ROOT
    mkdir -p "$root"
else
    root=$(mktemp -d "${TMPDIR:-/var/tmp}/bootlab-$suite-XXXXXX")
    # Its mounts end with their namespace, so nothing but the root's own files can be under it here.
    trap 'rm -rf --one-file-system "$root"' EXIT
    trap 'exit 130' INT TERM
fi

# Where apt on this machine gets Debian from, for another release.
sources() {
    apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY) $(ORIGIN) $(RELEASE)' | sort -u |
        awk -v suite="$suite" '
            $2 != "main" || $3 != "Packages" || $4 != "Debian" || $5 ~ /backports/ { next }
            { tail = $5; if (!sub(/^[^-]*-/, "-", tail)) tail = ""
              # sid has neither updates nor a security archive of its own.
              if (suite == "sid" && tail != "") next
              print "deb", $1, suite tail, "main" }' | sort -u
}
# shellcheck disable=SC2016  # expanded by the inner shell
unshare --mount --pid --fork sh -c 'mount -t proc proc "$1" && mount -t tmpfs -o mode=700 tmpfs "$1" && mknod "$1/null" c 1 3' \
    sh "$root" 2>/dev/null || {
    echo "fresh-root.sh: no namespaces, mounts or device nodes here: take a machine or a privileged container" >&2; exit 3; }
if [ ! -x "$root/usr/bin/make" ]; then
    list=$(sources)
    [ -n "$list" ] || { echo "fresh-root.sh: apt on this machine knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
    echo "fresh-root.sh: making a minimal $suite in $root"
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' > "$root.apt" || :
    # In a mount namespace of its own, so that nothing stays mounted whatever happens.
    # make is what the first command needs; everything else must come by it.
    echo "$list" | unshare --mount mmdebstrap --quiet --variant=minbase --include=make --aptopt="$root.apt" "$suite" "$root" - ||
        { echo "fresh-root.sh: mmdebstrap made no root of $suite" >&2; rm -f "$root.apt"; exit 3; }
    rm -f "$root.apt"
fi
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# A site's own certificates are part of its network.
mkdir -p "$root/usr/local/share/ca-certificates"
cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" 2>/dev/null || :

rm -rf "$root/root/bootlab"
git clone -q --no-hardlinks "$here" "$root/root/bootlab"
[ -z "$(git -C "$here" status --porcelain)" ] || echo "fresh-root.sh: note: what is not committed is not in the clone" >&2
echo "fresh-root.sh: $suite, $(git -C "$here" rev-parse --short HEAD): $command"

export root command
# shellcheck disable=SC2016  # expanded by the inner shell
exec_in_root='
set -eu
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
    ${BOOTLAB_BUILD_KERNELS:+BOOTLAB_BUILD_KERNELS="$BOOTLAB_BUILD_KERNELS"} \
    chroot "$root" sh -c "cd /root/bootlab && $command"
'
unshare --mount --pid --fork --kill-child sh -c "$exec_in_root"
