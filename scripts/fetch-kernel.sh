#!/bin/sh
# Downloads Debian's cloud kernel and unpacks it (nothing is installed). Usage: fetch-kernel.sh FOLDER [SERIES [ARCH]]
# SERIES: 6.12, ... takes the newest of that series that apt knows (Debian 12 has 6.12 beside its own 6.1); "" and
# default: the release's own. ARCH: amd64 (default), arm64, arm; of the last two only the release's own series, and of arm
# the kernel for boards (armmp). Leaves FOLDER/vmlinuz and FOLDER/config, links to the versioned files. A second call does
# nothing.
set -eu
folder=$1 series=${2:-} arch=${3:-amd64}
[ -e "$folder/vmlinuz" ] && exit 0
case "$arch" in
amd64) foreign="" ;;
arm64) foreign=linux-image-cloud-arm64 debian=arm64 ;;
arm) foreign=linux-image-armmp debian=armhf ;;
*) echo "fetch-kernel.sh: no architecture $arch (amd64, arm64, arm)" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
if [ -n "$foreign" ]; then
    [ -z "$series" ] || { echo "fetch-kernel.sh: for $arch only the release's own series" >&2; exit 2; }
    rm -rf unpacked
    "$here/foreign-apt.sh" "$debian" "$foreign" unpacked
    release=$(basename unpacked/boot/vmlinuz-* | sed 's/^vmlinuz-//')
    ln -sfn "unpacked/boot/config-$release" config
    ln -sfn "unpacked/boot/vmlinuz-$release" vmlinuz
    echo "kernel: $folder/vmlinuz ($release)"
    exit 0
fi
newest() {
    if [ -z "$series" ]; then
        apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image-/{print $2; exit}'
    else
        # Signed or not makes no difference to an emulator.
        apt-cache pkgnames "linux-image-$series." 2>/dev/null | grep -E -- '-cloud-amd64(-unsigned)?$' |
            while read -r name; do
                version=$(apt-cache policy "$name" | awk '$1 == "Candidate:" { print $2 }')
                [ "$version" = "(none)" ] || echo "$version $name"
            done | sort -V | tail -n 1 | cut -d' ' -f2
    fi
}
package=$(newest)
if [ -z "$package" ]; then
    sudo=""; [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update -qq
    package=$(newest)
fi
[ -n "$package" ] || {
    echo "fetch-kernel.sh: apt knows no cloud kernel${series:+ $series} for amd64; is this Debian 12 or 13?" >&2; exit 3; }
echo "downloading $package"
apt-get download -qq "$package" 2>/dev/null || apt-get download "$package"
rm -rf unpacked
dpkg -x "$package"_*.deb unpacked
rm -f "$package"_*.deb
release=$(basename unpacked/boot/vmlinuz-* | sed 's/^vmlinuz-//')
ln -sfn "unpacked/boot/config-$release" config
ln -sfn "unpacked/boot/vmlinuz-$release" vmlinuz
echo "kernel: $folder/vmlinuz ($release)"
