#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a container image of bootlab from Debian's packages and the wheel in dist/ (`make wheel`), with no other registry:
# for macOS, Windows, and CI that runs images.
# Usage: container.sh OUT.tar [SUITE]   (default: trixie, Debian 13)
# OUT.tar is an OCI archive: `podman load -i OUT.tar`, `docker load -i OUT.tar` (Docker 25 or later). In the image: bootlab in
# /opt/bootlab, QEMU for PCs, a C compiler for its plugins, Debian's cloud kernel and the demo in /usr/share/bootlab.
# BOARDS=1 in the environment adds QEMU and compilers for ARM, AArch64 and RISC-V.
# Needs root, and Debian's mmdebstrap and umoci (`scripts/setup-debian.sh containers`).
set -eu
[ $# -ge 1 ] || { echo "usage: container.sh OUT.tar [SUITE]" >&2; exit 2; }
out=$1 suite=${2:-trixie}
here=$(cd "$(dirname "$0")/.." && pwd)
set -- "$here"/dist/bootlab-*.whl
[ $# -eq 1 ] && [ -f "$1" ] || { echo "container.sh: $here/dist has not one wheel: make wheel" >&2; exit 2; }
wheel=$1
[ "$(id -u)" -eq 0 ] || { echo "container.sh: chroot needs root: sudo $0 $out" >&2; exit 3; }
command -v umoci >/dev/null || { echo "container.sh: no umoci here: scripts/setup-debian.sh containers" >&2; exit 3; }

work=$(mktemp -d "${TMPDIR:-/var/tmp}/bootlab-container-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
root=$work/root
ROOT=$root "$here/scripts/fresh-root.sh" "$suite" true
install -D -t "$root/var/tmp/wheel" "$wheel"
ROOT=$root "$here/scripts/fresh-root.sh" "$suite" "BOARDS=${BOARDS:-} ./scripts/container-contents.sh /var/tmp/wheel"
# What the set-up left, and what stands for this machine: its name servers, and its own certificates.
rm -rf "$root/root/bootlab" "$root/root/.cache" "$root/var/tmp/wheel" "$root/usr/local/share/ca-certificates" \
    "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/log/apt/* "$root"/tmp/*
: > "$root/etc/resolv.conf"
chroot "$root" update-ca-certificates --fresh > /dev/null
tar --create --numeric-owner --sort=name --xattrs --directory "$root" --file "$work/layer.tar" .

version=$(basename "$wheel" | cut -d- -f2)
image=$work/oci:localhost/bootlab:$version
umoci init --layout "$work/oci"
umoci new --image "$image"
umoci raw add-layer --image "$image" "$work/layer.tar"
umoci config --image "$image" --config.user 1000:1000 --config.workingdir /lab --config.entrypoint bootlab \
    --config.cmd --help --config.env PATH=/opt/bootlab/bin:/usr/local/bin:/usr/bin:/bin --config.env HOME=/lab \
    --config.env LANG=C.UTF-8 --config.env BOOTLAB_CACHE=/lab/.bootlab-cache \
    --config.env BOOTLAB_KERNEL=/usr/share/bootlab/kernel/vmlinuz --config.volume /lab
umoci gc --layout "$work/oci"
tar --create --directory "$work/oci" --file "$out" .
echo "container.sh: $out: bootlab $version on $suite, $(du -m "$out" | cut -f1) MB"
