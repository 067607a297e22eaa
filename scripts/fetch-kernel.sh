#!/bin/sh
# Downloads Debian's cloud kernel and unpacks it (nothing is installed). Usage: fetch-kernel.sh FOLDER
# Leaves FOLDER/vmlinuz and FOLDER/config, links to the versioned files.
set -eu
folder=$1
[ -e "$folder/vmlinuz" ] && exit 0
mkdir -p "$folder"
cd "$folder"
package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image-/{print $2; exit}')
if [ -z "$package" ]; then
    sudo=""; [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo apt-get update -qq
    package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image-/{print $2; exit}')
fi
[ -n "$package" ] || { echo "fetch-kernel.sh: apt knows no linux-image-cloud-amd64; is this Debian 12?" >&2; exit 3; }
echo "downloading $package"
apt-get download -qq "$package" 2>/dev/null || apt-get download "$package"
rm -rf unpacked
dpkg -x "$package"_*.deb unpacked
rm -f "$package"_*.deb
release=$(basename unpacked/boot/vmlinuz-* | sed 's/^vmlinuz-//')
ln -sfn "unpacked/boot/config-$release" config
ln -sfn "unpacked/boot/vmlinuz-$release" vmlinuz
echo "kernel: $folder/vmlinuz ($release)"
