#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads a kernel of Debian's and unpacks it (nothing is installed). Usage: fetch-kernel.sh FOLDER [SERIES [ARCH]]
# SERIES: 6.12, ... takes the newest of that series that apt knows (Debian 12 has 6.12 beside its own 6.1); "" and
# default: the release's own. ARCH: amd64 (default) and arm64, of which it is the cloud kernel; arm64-boards and arm (armmp),
# the kernels for boards; riscv64. SUITE=NAME in the environment takes it from another suite of the same archive (trixie-backports, sid).
# Leaves FOLDER/vmlinuz, FOLDER/config and, where it has any, FOLDER/dtbs (device trees): links to the versioned ones. A second
# call does nothing.
#
# Up to Debian 13 one package has it all, below /boot. From Debian 14 on linux-image-V has nothing itself: the image is in
# linux-binary-V, the configuration in linux-base-V, the modules are in linux-modules-V, all below /usr/lib/modules/V.
set -eu
folder=$1 series=${2:-} arch=${3:-amd64}
[ -e "$folder/vmlinuz" ] && exit 0
case "$arch" in
amd64)
    debian=amd64 kind=-cloud-amd64
    # Ubuntu's small kernel has another name; its modules and configuration are in linux-modules-V.
    [ -n "${SUITE:-}" ] || [ ! -r /etc/os-release ] || [ "$(. /etc/os-release; echo "${ID:-}")" != ubuntu ] || kind=-virtual
    ;;
arm64) debian=arm64 kind=-cloud-arm64 ;;
arm64-boards) debian=arm64 kind=-arm64 ;;
arm) debian=armhf kind=-armmp ;;
riscv64) debian=riscv64 kind=-riscv64 ;;
*) echo "fetch-kernel.sh: no architecture $arch (amd64, arm64, arm64-boards, arm, riscv64)" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
private=""
if [ "$debian" != "$(dpkg --print-architecture)" ] || [ -n "${SUITE:-}" ]; then
    private=yes
    set -- "$debian" "${SUITE:-}"
    . "$here/private-apt.sh"
fi
cache() { if [ -n "$private" ]; then apt_private_cache "$@"; else apt-cache "$@"; fi; }
get() { if [ -n "$private" ]; then apt_private "$@"; else apt-get "$@"; fi; }
newest() {
    if [ -z "$series" ]; then
        cache depends "linux-image$kind" 2>/dev/null | awk '/Depends: linux-image-[0-9]/{print $2; exit}'
    else
        # Signed or not makes no difference to an emulator.
        cache pkgnames "linux-image-$series." 2>/dev/null | grep -E -- "[0-9]$kind(-unsigned)?\$" |
            while read -r name; do
                version=$(cache policy "$name" | awk '$1 == "Candidate:" { print $2 }')
                [ "$version" = "(none)" ] || echo "$version $name"
            done | sort -V | tail -n 1 | cut -d' ' -f2
    fi
}
package=$(newest)
if [ -z "$package" ] && [ -z "$private" ]; then
    sudo=""; [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update -qq
    package=$(newest)
fi
[ -n "$package" ] || {
    echo "fetch-kernel.sh: apt knows no kernel${series:+ $series} (linux-image-…$kind)${SUITE:+ in $SUITE}; is this Debian 12 or later?" >&2
    exit 3
}
release=${package#linux-image-}
release=${release%-unsigned}
parts=$package
for part in binary base modules; do
    [ -z "$(cache pkgnames "linux-$part-$release" | grep -x "linux-$part-$release")" ] || parts="$parts linux-$part-$release"
done
cd "$folder"
rm -rf unpacked download
mkdir download
cd download
echo "downloading $package"
# shellcheck disable=SC2086  # a list of names
get download -qq $parts 2>/dev/null || get download $parts
for file in *.deb; do dpkg -x "$file" ../unpacked; done
cd ..
rm -rf download
link() { # NAME [OTHER NAME]: from where it is
    for name; do
        for place in "unpacked/boot/$name-$release" "unpacked/usr/lib/modules/$release/$name"; do
            [ -f "$place" ] && { ln -sfn "$place" "$1"; return; }
        done
    done
    echo "fetch-kernel.sh: $parts: no $1 of $release in them" >&2
    exit 3
}
for place in unpacked/usr/lib/linux-image-"$release" unpacked/usr/lib/modules/"$release"/dtb; do
    [ ! -d "$place" ] || ln -sfn "$place" dtbs
done
link config
# Debian names an image that is not compressed vmlinux (RISC-V's).
link vmlinuz vmlinux
echo "kernel: $folder/vmlinuz ($release)"
