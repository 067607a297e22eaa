#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads the headers of the kernel that fetch-kernel.sh unpacked, so that modules can be built for it (nothing is
# installed). Usage: fetch-headers.sh KERNEL_FOLDER. Leaves KERNEL_FOLDER/build, a folder for `make -C`.
set -eu
folder=$1
[ -e "$folder/build" ] && exit 0
cd "$folder"
# Up to Debian 13 the image is below /boot and names its release, from Debian 14 on its folder does.
case "$(readlink vmlinuz)" in
*/vmlinuz-*) release=$(readlink vmlinuz | sed 's#.*/vmlinuz-##') ;;
*) release=$(basename "$(dirname "$(readlink vmlinuz)")") ;;
esac
headers="linux-headers-$release"
# Its image and gcc are dependencies too, from Debian 13 on.
depends=$(apt-cache depends "$headers" 2>/dev/null | awk '/Depends: linux-(headers|kbuild|compiler)/{print $2}')
[ -n "$depends" ] || { echo "fetch-headers.sh: apt knows no $headers; try apt-get update" >&2; exit 3; }
rm -rf headers
mkdir headers
cd headers
# shellcheck disable=SC2086  # a list of names
apt-get download -qq "$headers" $depends 2>/dev/null || apt-get download "$headers" $depends
for package in *.deb; do dpkg -x "$package" .; done
rm -f ./*.deb
# The Makefile names the shared headers by where the package would have installed them.
sed -i "s#^include /usr/src/#include $PWD/usr/src/#" "usr/src/$headers/Makefile"
cd ..
ln -sfn "headers/usr/src/$headers" build
echo "headers: $folder/build"
